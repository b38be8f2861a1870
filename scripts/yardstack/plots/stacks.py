# SPDX-License-Identifier: BSL-1.0
"""The map of stacks: what a waiting fiber holds, by the size of its stack and the depth of its calls."""

import re
from pathlib import Path

from yardstack import series
from yardstack.palette import style
from yardstack.plots.frame import Axes, finish, panels, shown
from yardstack.plots.ticks import short
from yardstack.rows import Row
from yardstack.runs import Run
from yardstack.units import figure, tick

_FIBERS = style("fibers").colour
_OVERFLOW = "#D55E00"


def draw(run: Run, folder: Path) -> dict[str, str]:
    found = {place: row for row in series.rows_of(run, "stacks").values()
             if row.contender == "fibers" and (place := _place(row))}
    if not found:
        return {}
    sizes, depths = (sorted({place[axis] for place in found}) for axis in (0, 1))
    picture, axes = panels(1, 1, (7.2, 1.5 + 0.62 * len(sizes)))
    axis = axes[0][0]
    for (size, depth), row in found.items():
        _square(axis, run, row, depths.index(depth), sizes.index(size))
    axis.set_xlim(-0.5, len(depths) - 0.5)
    axis.set_ylim(len(sizes) - 0.5, -0.5)
    axis.set_xticks(range(len(depths)), [short(depth) for depth in depths])
    axis.set_yticks(range(len(sizes)), [tick(size, "bytes") for size in sizes])
    axis.grid(visible=False)
    axis.set_xlabel("calls of 256 bytes below which the task waits")
    axis.set_ylabel("size of its stack")
    finish(picture, run, folder / "stacks.svg", "Memory that a waiting fiber holds on its stack")
    return {"stacks.svg": "Resident memory of a fiber that waits at the end of so many calls, by the size of its "
                          "stack, and the share of the stack that its calls have used, in whole pages (the "
                          "darker, the more). Where the stack ends first, its guard tells at which call."}


def _place(row: Row) -> tuple[float, float] | None:
    """Size and depth of a row of the plain map; those with other keys belong elsewhere."""
    size, depth = row.number("stack"), row.number("depth")
    if size is None or depth is None or set(row.keys) != {"stack", "depth"}:
        return None
    return size, depth


def _square(axis: Axes, run: Run, row: Row, column: int, line: int) -> None:
    held = series.values(run, row.name, "resident_bytes_per_stack")
    estimate = shown(axis, held)
    used = series.values(run, row.name, "high_water_bytes", per="stack_bytes")
    if estimate and used.estimate:
        share = min(1.0, used.estimate.median)
        colour, depth_of_colour = _FIBERS, 0.08 + 0.72 * share
        told = f"{figure(estimate.median, 'bytes')}\n{share:.1%} used"
        told += f"\n{held.doubt}" if held.doubt else ""
    else:
        call = re.search(r"at call (\d+)", held.gap or "")
        colour, depth_of_colour = _OVERFLOW, 0.25
        told = f"overflows\nat call {call[1]}" if held.refused and call else "no figure"
    axis.bar([column], [0.94], bottom=line - 0.47, width=0.96, color=colour, alpha=depth_of_colour)
    axis.annotate(told, (column, line), ha="center", va="center", fontsize=8,
                  color="white" if depth_of_colour > 0.5 else "black")
