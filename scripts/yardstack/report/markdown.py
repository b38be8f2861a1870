# SPDX-License-Identifier: BSL-1.0
"""The trade-off table's main columns as Markdown: table.md, which README.md shows of the reference run."""

from yardstack import table
from yardstack.palette import is_reference
from yardstack.runs import Run
from yardstack.table import Cell


def trade_off(run: Run) -> str:
    """A row a contender, and one for the floors, each named in its column."""
    columns = [column for column in table.columns() if column.floors is not None]
    filled = table.fill(run, columns)
    lines = [["contender", *(f"{column.title}<br><sub>{column.below}</sub>" for column in columns)],
             ["---", *("--:" for _ in columns)]]
    lines += [[f"**{name}**", *map(_told, cells)] for name, cells in filled.items() if not is_reference(name)]
    lines.append(["*floor*", *(
        "<br>".join(f"`{floor}` {_told(filled[floor][index])}" for floor in column.floors or ()
                    if floor in filled and filled[floor][index].text)
        for index, column in enumerate(columns))])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _told(cell: Cell) -> str:
    """Italics are not to be compared; what stands below says why, or of how many blocks a figure is."""
    text = cell.text or "–"
    below = f"<br><sub>{cell.why}</sub>" if cell.why else ""
    return (text if cell.kind == "figure" else f"*{text}*") + below if cell.text else text
