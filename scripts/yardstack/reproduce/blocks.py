# SPDX-License-Identifier: BSL-1.0
"""Visiting all blocks of a run: shuffled, recorded, resumable."""

import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from yardstack import runs
from yardstack.errors import INTERRUPTED, OK, CommandError
from yardstack.paths import ROOT
from yardstack.profile import Entry, Profile
from yardstack.reproduce import kept
from yardstack.reproduce.call import adopt_orphans, call
from yardstack.reproduce.load import Photograph, compare
from yardstack.reproduce.progress import Progress
from yardstack.rows import load


def visit(folder: Path, profile: Profile, programs: Path, context: dict[str, Any]) -> int:
    """Calls all that is not finished yet. Returns the number of calls that failed.

    `context` gains a record a call and is written after each, before its rows are kept: an interruption
    leaves no row of which nobody knows how noisy it was. Raises KeyboardInterrupt once what the interrupted
    call has measured is kept.
    """
    adopt_orphans()
    context["calls"] = [record for record in context["calls"]
                        if kept.rows(runs.raw_file(folder, record["entry"], record["block"]))]
    calls = [(block, _unfinished(folder, entry, block), seed)
             for block, entry, seed in profile.schedule(context["seed"])]
    progress = Progress(calls, profile.blocks)
    for block, entry, seed in calls:
        if not entry.cells:
            progress.end((block, entry, seed), None)
            continue
        progress.start((block, entry, seed))
        out = runs.raw_file(folder, entry.key, block)
        record = _measure(out, programs, block, entry, seed, context["tree_hash"])
        progress.end((block, entry, seed), record["seconds"])
        if record.get("complaint"):
            print(f"  {entry.key}: {record['complaint']}", file=sys.stderr)
        context["calls"].append(record)
        runs.write_json(folder / "context.json", context)
        if (fresh := _fresh(out)).exists():
            kept.add(out, fresh)
        if record["status"] == INTERRUPTED:
            raise KeyboardInterrupt
    return _tell_faults(folder, context["calls"])


def _unfinished(folder: Path, entry: Entry, block: int) -> Entry:
    """What is left of a call."""
    return entry.only(kept.missing(runs.raw_file(folder, entry.key, block), entry.cells))


def _tell_faults(folder: Path, records: list[dict[str, Any]]) -> int:
    """One line an entry that failed; returns the number of calls that did.

    A call that was gone on with has several records: the last says how it ended, its rows how they did.
    """
    faults: dict[str, list[int]] = defaultdict(list)
    for (key, block), record in {(r["entry"], r["block"]): r for r in records}.items():
        if record["status"] not in (OK, INTERRUPTED) or any(
                row.defect for row in kept.rows(runs.raw_file(folder, key, block))):
            faults[key].append(block)
    for key, blocks in sorted(faults.items()):
        print(f"  {key}: failed in block {', '.join(map(str, sorted(blocks)))}", file=sys.stderr)
    return sum(map(len, faults.values()))


def _check_sources(fresh: Path, tree_hash: str) -> None:
    """Throws away what programs of other sources have measured: a build folder may be older."""
    if (built := load(fresh).context.get("tree_hash", tree_hash)) == tree_hash:
        return
    fresh.unlink()
    raise CommandError(f"the programs are built from other sources ({built}, not {tree_hash}): build them")


def _program(programs: Path, name: str) -> str:
    """As called from the project's folder: the path ends up in the program's JSON, which is kept."""
    path = programs / name
    return str(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path)


def _kept_rates(out: Path, entry: Entry) -> list[str]:
    """One rate a run: what the first block has found for `rate:half`, all others are offered."""
    if not any("/rate:half" in cell for cell in entry.cells):
        return []
    return [f"--half-rates={out.parent.parent / 'half-rates.txt'}"]


def _fresh(out: Path) -> Path:
    """What a call has measured, until it is kept."""
    return out.with_suffix(".fresh")


def _measure(out: Path, programs: Path, block: int, entry: Entry, seed: int, tree_hash: str
             ) -> dict[str, Any]:
    """Calls a program, which leaves its rows in the fresh file of `out`. Returns the call's record."""
    command = entry.command(seed)
    fresh = _fresh(out)
    fresh.unlink(missing_ok=True)
    before = Photograph.take()
    ending = call([_program(programs, command[0]), *command[1:], *_kept_rates(out, entry)], fresh,
                  out.with_suffix(".log"), entry.timeout_s)
    if fresh.exists():
        _check_sources(fresh, tree_hash)
    record: dict[str, Any] = {"entry": entry.key, "program": entry.program, "block": block,
                              "command": command, "status": ending.status,
                              **compare(before, Photograph.take())}
    if ending.complaint:
        record["complaint"] = ending.complaint
    return record
