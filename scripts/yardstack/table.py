# SPDX-License-Identifier: BSL-1.0
"""The trade-off table: contenders and floors against what each question costs them."""

import tomllib
from dataclasses import dataclass, replace
from pathlib import Path

from yardstack import series
from yardstack.errors import CommandError
from yardstack.palette import is_reference, order
from yardstack.paths import SCRIPTS
from yardstack.rows import limit_name
from yardstack.runs import Run
from yardstack.stats import Estimate
from yardstack.units import figure
from yardstack.verdicts import with_interval


@dataclass(frozen=True)
class Column:
    title: str
    below: str
    rows: tuple[str, ...]
    counter: tuple[str, ...]
    floors: tuple[str, ...] | None = None  #: in table.md; a column that has none does not stand there


@dataclass(frozen=True)
class Cell:
    """What stands in the table. `kind`: `figure`, `doubtful`, `refused`, `failed` or `none`."""

    text: str = ""
    kind: str = "none"
    hover: str = ""
    estimate: Estimate | None = None  #: of a `figure`, what competes for the best
    why: str = ""  #: in short, why a figure is doubtful, or how many blocks it is made of where not of all
    best: bool = False


def columns(file: Path = SCRIPTS / "table.toml") -> list[Column]:
    try:
        tables = tomllib.loads(file.read_text())["column"]
        return [Column(t["title"], t["below"], tuple(t["rows"]),
                       (t["counter"],) if isinstance(t["counter"], str) else tuple(t["counter"]),
                       tuple(t["floors"]) if "floors" in t else None)
                for t in tables]
    except (OSError, tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise CommandError(f"{file}: {type(error).__name__}: {error}") from error


def fill(run: Run, chosen: list[Column]) -> dict[str, list[Cell]]:
    """Contender to its cells, in the palette's order; contenders with nothing to show are left out."""
    contenders = order({row.contender for row in run.rows})
    filled = {contender: [_cell(run, column, contender) for column in chosen]
              for contender in contenders}
    _mark_best(filled, len(chosen))
    return {contender: cells for contender, cells in filled.items()
            if any(cell.kind != "none" for cell in cells)}


def _cell(run: Run, column: Column, contender: str) -> Cell:
    for pattern in column.rows:
        found = series.values(run, _row_name(run, pattern.format(contender)), column.counter)
        if found.estimate is not None:
            text = figure(found.estimate.median, found.counter)
            hover = f"{found.name}: {with_interval(found.estimate, found.counter)}"
            if doubt := found.doubt or _doubt_of_row(run, found.name):
                return Cell(text, "doubtful", f"{hover}; {doubt}", why=doubt)
            if found.left_out:
                return Cell(text, "figure", f"{hover}; {found.left_out}", found.estimate,
                            f"{len(found.trusted)} of {len(found.by_block)} blocks")
            return Cell(text, "figure", hover, found.estimate)
        if found.name in run.by_name and found.gap and ":" in found.gap:
            kind = "refused" if found.refused else "failed"
            word = found.gap.split(":")[0]
            detail = limit_name(found.gap) if found.refused else ""
            return Cell(f"{word} {detail}".strip(), kind, f"{found.name}: {found.gap}")
    return Cell()


def _doubt_of_row(run: Run, name: str) -> str | None:
    """Why a figure may not stand there as if nothing were wrong with its row: no block of it is valid."""
    blocks = run.by_name[name].values()
    if any(row.error is None and row.counters.get("valid", 1) for row in blocks):
        return None
    reasons = [reason for row in blocks for reason in row.doubts()]
    return f"row not valid: {reasons[0]}" if reasons else "row not valid"


def _row_name(run: Run, wanted: str) -> str:
    """The row itself, else the one that only adds its own keys (stack, guard) to the name."""
    if wanted in run.by_name:
        return wanted
    longer = [name for name in run.by_name if name.startswith(wanted + "/") and
              {part.split(":")[0] for part in name[len(wanted) + 1:].split("/")} <= {"stack", "guard"}]
    return min(longer, default=wanted)


def _mark_best(filled: dict[str, list[Cell]], width: int) -> None:
    """The smallest figure of each column among contenders and all that it cannot be told from, their
    intervals overlapping. Floors do not compete, nor does what is in doubt."""
    for index in range(width):
        competing = {name: estimate for name, cells in filled.items() if not is_reference(name)
                     and (estimate := cells[index].estimate)}
        if len(competing) < 2:
            continue
        edge = min(competing.values(), key=lambda estimate: estimate.median).bounds()[1]
        for name, estimate in competing.items():
            if estimate.bounds()[0] <= edge:
                filled[name][index] = replace(filled[name][index], best=True)
