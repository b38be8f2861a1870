# SPDX-License-Identifier: BSL-1.0
"""From a fresh clone to a report: installs what is missing, builds, measures, judges, draws."""

import argparse
import dataclasses
import datetime
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from yardstack import machine, packages, profile, runs
from yardstack.build import build, cache, unpublishable
from yardstack.doctor.__main__ import examine
from yardstack.errors import FAILED, INTERRUPTED, OK, CommandError, Parser, entry
from yardstack.paths import RESULTS, within
from yardstack.reproduce.blocks import visit


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = Parser(prog="scripts/reproduce", description=__doc__)
    parser.add_argument("--profile", choices=profile.names(), help="the matrix (default: quick)")
    parser.add_argument("--seed", type=int, help="of the order of everything (default: by chance)")
    parser.add_argument("--out", type=Path, metavar="DIR", default=RESULTS,
                        help="where the run's dated folder is made (default: results/)")
    parser.add_argument("--resume", type=Path, metavar="DIR",
                        help="a run's folder: measure what is missing there, with its profile and seed")
    parser.add_argument("--build", type=Path, metavar="DIR",
                        help="use the programs of this build folder instead of building release")
    options = parser.parse_args(arguments)
    if options.resume and (options.profile or options.seed is not None):
        parser.error("--resume goes on with the run's own profile and seed")
    return options


def given_programs(options: argparse.Namespace, destination: Path) -> Path | None:
    """The folder of the programs, if one is given."""
    if options.build is None:
        return None
    folder: Path = options.build.resolve()
    if not folder.is_dir():
        raise CommandError(f"{folder} is no folder")
    if (reason := unpublishable(folder)) and within(destination, RESULTS):
        raise CommandError(f"{reason}: its figures may not enter results/; give --out")
    return folder


def begin(options: argparse.Namespace, chosen: profile.Profile, programs: Path
          ) -> tuple[Path, dict[str, Any]]:
    """A fresh folder and its context."""
    findings = examine()
    for finding in findings:
        if finding.warning:
            told = "; ".join(filter(None, (finding.found, finding.means, finding.command)))
            print(f"  note: {finding.subject}: {told}", file=sys.stderr)
    context = {
        "schema": runs.SCHEMA, "profile": chosen.name, "profile_hash": chosen.digest,
        "blocks": chosen.blocks,
        "seed": random.randrange(2**31) if options.seed is None else options.seed,
        "started": now(), "finished": None, "tree_hash": machine.tree_hash(),
        "revision": machine.revision(), "machine": machine.describe(),
        "build": how_built(programs),
        "doctor": [dataclasses.asdict(finding) for finding in findings],
        "calls": [],
    }
    folder = runs.create(options.out, chosen.name)
    runs.write_json(folder / "context.json", context)
    return folder, context


def how_built(programs: Path) -> dict[str, str]:
    """What of a build folder's settings decides what its programs do."""
    entries = cache(programs)
    return {key: entries.get(key, "") for key in
            ("CMAKE_BUILD_TYPE", "CMAKE_CXX_COMPILER", "CMAKE_CXX_FLAGS", "CMAKE_CXX_FLAGS_RELEASE",
             "YARDSTACK_SANITIZE")}


def go_on(folder: Path) -> tuple[Path, dict[str, Any]]:
    """An earlier run's folder and context, unless its figures would be of another program or machine."""
    context = runs.read_context(folder)
    changed = [what for what, then, now in (
        ("sources", context["tree_hash"], machine.tree_hash()),
        ("profile", context["profile_hash"], profile.load(context["profile"]).digest),
        ("machine", *(machine.identity(about) for about in (context["machine"], machine.describe()))))
               if then != now]
    if changed:
        raise CommandError(f"the {' and '.join(changed)} have changed since {folder} was begun: "
                           "begin a new run")
    return folder, context


def now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def main(arguments: Sequence[str]) -> int:
    options = parse(arguments)
    destination: Path = options.resume or options.out
    resumed = go_on(options.resume) if options.resume else None
    chosen = profile.load(resumed[1]["profile"] if resumed else options.profile or "quick")
    given = given_programs(options, destination)
    runs.make_writable(destination)
    packages.ensure("build", "report")
    programs = given or build("release")
    folder, context = resumed or begin(options, chosen, programs)
    if context["build"] != how_built(programs):
        raise CommandError(f"{programs} is not built as the programs were with which {folder} was begun")
    try:
        faults = visit(folder, chosen, programs, context)
    except KeyboardInterrupt:
        print(f"\nreproduce: interrupted; {len(runs.read(folder).rows)} measured rows kept: go on with "
              f"scripts/reproduce --resume {folder}", file=sys.stderr)
        return INTERRUPTED
    context["finished"] = now()
    runs.write_json(folder / "context.json", context)
    from yardstack.report import __main__ as report
    report.render(folder)
    print(folder / "report.html")
    return FAILED if faults else OK


if __name__ == "__main__":
    entry("reproduce", main)
