# SPDX-License-Identifier: BSL-1.0
"""Two tasks at once, from the beginning of each to its end: which waits overlap, and what adds up."""

from pathlib import Path

from yardstack import series
from yardstack.palette import order, style
from yardstack.plots import marks
from yardstack.plots.frame import PALE, Axes, finish, panels, shown, strength
from yardstack.plots.ticks import quantity
from yardstack.rows import Row
from yardstack.runs import Run

_PANELS = {("sleep", ""): "sleeping", ("burst", "1"): "computing, one worker",
           ("burst", "2"): "computing, two workers"}
_TASKS = (1, 2)


def draw(run: Run, folder: Path) -> dict[str, str]:
    groups = {panel: rows for panel, rows in marks.grouped(run, "parallel", _place).items()
              if any(series.values(run, name, "task_1_end_ns").estimate for name in rows.values())}
    if not groups:
        return {}
    contenders = order({contender for rows in groups.values() for contender in rows})
    places = [(contender, task) for contender in contenders for task in _TASKS]
    picture, axes = panels(1, len(groups), (max(6.4, 3.2 * len(groups)), 1.5 + 0.3 * len(places)),
                           sharey=True, sharex=True)
    for axis, (panel, rows) in zip(axes[0], groups.items()):
        for place, (contender, task) in enumerate(places):
            if contender in rows:
                _bar(axis, run, place, contender, rows[contender], task)
        marks.dress(axis, list(_PANELS.values())[panel], "after the first was spawned")
        quantity(axis.xaxis, "_ns")
    axes[0][0].set_xlim(left=0)
    marks.name_places(axes[0][0], [f"{contender}, {task}" for contender, task in places])
    finish(picture, run, folder / "parallel-timeline.svg", "Two tasks that are spawned at once")
    return {"parallel-timeline.svg": "From the beginning of each of two tasks to its end, as recorded, in the order of "
                                     "their beginning: medians of all rounds, with intervals. Both sleep 20 ms, or "
                                     "compute for 10 ms. Between the ends of a bar a thread may have lost its CPU to "
                                     f"the other one; a future gives its worker back only where it waits. {PALE}"}


def _place(row: Row) -> int | None:
    kind = (row.keys.get("work", ""), row.keys.get("workers", ""))
    if row.number("tasks") != len(_TASKS) or kind not in _PANELS or "stealing" in row.keys:
        return None
    return list(_PANELS).index(kind)


def _bar(axis: Axes, run: Run, place: int, contender: str, row: str, task: int) -> None:
    found = [series.values(run, row, f"task_{task}_{edge}_ns") for edge in ("begin", "end")]
    begin, end = (shown(axis, values) for values in found)
    if not begin or not end:
        return
    axis.barh([place], [end.median - begin.median], left=[begin.median], height=0.6,
              color=style(contender).colour, alpha=strength(*found))
    for edge in (begin, end):
        low, high = edge.bounds()
        axis.errorbar([edge.median], [place], xerr=[[edge.median - low], [high - edge.median]], color="black",
                      capsize=2, elinewidth=0.8)
