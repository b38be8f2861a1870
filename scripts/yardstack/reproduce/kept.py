# SPDX-License-Identifier: BSL-1.0
"""What a call has measured before it was interrupted is kept: the next start measures what is missing."""

import json
from collections.abc import Sequence
from pathlib import Path

from yardstack import runs
from yardstack.rows import BrokenFile, Row, load


def rows(out: Path) -> list[Row]:
    """The rows of a call's file; none where it is absent or broken."""
    try:
        return load(out).rows
    except BrokenFile:
        return []


def missing(out: Path, cells: Sequence[str]) -> list[str]:
    """The cells that a call's file has no row for."""
    measured = {row.name for row in rows(out)}
    return [cell for cell in cells if cell not in measured]


def add(out: Path, fresh: Path) -> None:
    """Moves the rows of `fresh`, which is whole, behind those that `out` has already, but for those that an
    interruption has left without figures."""
    document = json.loads(fresh.read_text())
    found = [entry for entry in document["benchmarks"]
             if not str(entry.get("error_message", "")).startswith("interrupted:")]
    earlier = json.loads(out.read_text())["benchmarks"] if rows(out) else []
    if found:
        runs.write_json(out, {**document, "benchmarks": earlier + found})
    fresh.unlink()
