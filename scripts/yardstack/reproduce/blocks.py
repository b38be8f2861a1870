# SPDX-License-Identifier: BSL-1.0
"""Visiting all blocks of a run: shuffled, recorded, resumable."""

import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from yardstack import runs
from yardstack.errors import CommandError
from yardstack.paths import ROOT
from yardstack.profile import Entry, Profile
from yardstack.reproduce.call import adopt_orphans, call
from yardstack.reproduce.load import Photograph, compare
from yardstack.reproduce.progress import Progress
from yardstack.rows import BrokenFile, load


def visit(folder: Path, profile: Profile, programs: Path, context: dict[str, Any]) -> int:
    """Calls all that is not finished yet. Returns the number of calls that failed.

    `context` gains a record a call and is written after each, so an interruption loses none.
    """
    adopt_orphans()
    calls = profile.schedule(context["seed"])
    progress = Progress(calls, profile.blocks)
    for block, entry, seed in calls:
        out = runs.raw_file(folder, entry.key, block)
        if finished(out):
            progress.end((block, entry, seed), None)
            continue
        progress.start((block, entry, seed))
        record = _measure(out, programs, block, entry, seed)
        _check_sources(out, context["tree_hash"])
        progress.end((block, entry, seed), record["seconds"])
        if record.get("complaint"):
            print(f"  {entry.key}: {record['complaint']}", file=sys.stderr)
        earlier = [c for c in context["calls"] if (c["entry"], c["block"]) != (entry.key, block)]
        context["calls"] = [*earlier, record]
        runs.write_json(folder / "context.json", context)
    return _tell_faults(context["calls"])


def _tell_faults(records: list[dict[str, Any]]) -> int:
    """One line an entry that failed; returns the number of calls that did."""
    faults: dict[str, list[int]] = defaultdict(list)
    for record in records:
        if record["status"] != 0:
            faults[record["entry"]].append(record["block"])
    for key, blocks in sorted(faults.items()):
        print(f"  {key}: failed in block {', '.join(map(str, sorted(blocks)))}", file=sys.stderr)
    return sum(map(len, faults.values()))


def finished(out: Path) -> bool:
    """Whether a call's file is there and whole. A broken one is measured again."""
    try:
        load(out)
    except BrokenFile:
        return False
    return True


def _check_sources(out: Path, tree_hash: str) -> None:
    """Throws away what programs of other sources have measured: a build folder may be older."""
    if not out.exists() or (built := load(out).context.get("tree_hash", tree_hash)) == tree_hash:
        return
    out.unlink()
    raise CommandError(f"the programs are built from other sources ({built}, not {tree_hash}): build them")


def _program(programs: Path, name: str) -> str:
    """As called from the project's folder: the path ends up in the program's JSON, which is kept."""
    path = programs / name
    return str(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path)


def _measure(out: Path, programs: Path, block: int, entry: Entry, seed: int) -> dict[str, Any]:
    command = entry.command(seed)
    before = Photograph.take()
    ending = call([_program(programs, command[0]), *command[1:]], out, out.with_suffix(".log"),
                  entry.timeout_s)
    record: dict[str, Any] = {"entry": entry.key, "program": entry.program, "block": block,
                              "command": command, "status": ending.status,
                              **compare(before, Photograph.take())}
    if ending.complaint:
        record["complaint"] = ending.complaint
    return record
