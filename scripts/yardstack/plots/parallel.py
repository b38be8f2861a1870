# SPDX-License-Identifier: BSL-1.0
"""Which work overlaps: sleeps and bursts of many tasks against one of them, on one worker and on two."""

from pathlib import Path

from yardstack import series
from yardstack.plots import marks
from yardstack.plots.frame import PALE
from yardstack.plots.ticks import short
from yardstack.rows import Row
from yardstack.runs import Run

_PLACES = {("sleep", "", ""): "sleeps", ("burst", "1", ""): "bursts, one worker",
           ("burst", "2", ""): "bursts, two workers", ("burst", "2", "off"): "two, without stealing"}


def draw(run: Run, folder: Path) -> dict[str, str]:
    sizes = {size for row in series.rows_of(run, "parallel").values() if (size := row.number("tasks"))}
    if not sizes:
        return {}
    most = max(sizes)
    groups = marks.grouped(run, "parallel", lambda row: _place(row) if row.number("tasks") == most else None)
    titled = {list(_PLACES.values())[place]: rows for place, rows in groups.items()}
    marks.draw(run, titled, ("elapsed_vs_one",), f"{short(most)} tasks at once, against one of them alone",
               "times as long as one", folder / "parallel.svg", [1, most / 2, most], "linear")
    return {"parallel.svg": f"How long {short(most)} tasks take that are spawned at once, as a multiple of one of "
                            "them: sleeps, bursts of computing on one worker, on two, and on two that take no tasks "
                            "from each other. The dashed lines are what it takes if all overlap, if two at a time do, "
                            f"and if each waits for the last. {PALE}"}


def _place(row: Row) -> int | None:
    kind = (row.keys.get("work", ""), row.keys.get("workers", ""), row.keys.get("stealing", ""))
    return list(_PLACES).index(kind) if kind in _PLACES else None
