# SPDX-License-Identifier: BSL-1.0
"""Tells what this machine allows and the command that would change each limit; changes nothing."""

import dataclasses
import json
from collections.abc import Sequence

from yardstack.doctor import limits, system
from yardstack.doctor.finding import Finding
from yardstack.doctor.noise import noise
from yardstack.errors import OK, Parser, entry


def examine(with_noise: bool = True) -> list[Finding]:
    """All findings; listening for noise takes about half a second a CPU."""
    findings = [check() for check in (
        system.user, system.cpus, system.quota, system.governor, system.clock, limits.descriptors,
        limits.tasks, limits.mappings, limits.overcommit, limits.ports, limits.backlog,
        system.cgroups, system.huge_pages, system.light_guards, system.perf)]
    return findings + (noise() if with_noise else [])


def table(findings: Sequence[Finding]) -> str:
    """Aligned columns; `!` marks what a run should know of."""
    rows = [("", "subject", "found here", "so", "to change it")]
    rows += [("!" if f.warning else "", f.subject, f.found, f.means, f.command) for f in findings]
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
             for row in rows]
    lines.insert(1, "  ".join(["-" * width if width > 1 else " " for width in widths]))
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    parser = Parser(prog="scripts/doctor", description=__doc__)
    parser.add_argument("--json", action="store_true", help="for programs instead of readers")
    options = parser.parse_args(arguments)
    findings = examine()
    if options.json:
        print(json.dumps([dataclasses.asdict(finding) for finding in findings], indent=2))
    else:
        print(table(findings))
    return OK


if __name__ == "__main__":
    entry("doctor", main)
