# SPDX-License-Identifier: BSL-1.0
"""What calling a waiting task off costs, until all is back, by what it waits for."""

from pathlib import Path

from yardstack.plots import marks
from yardstack.plots.frame import PALE
from yardstack.plots.ticks import short
from yardstack.rows import Row
from yardstack.runs import Run

_WHAT = {"read": "tasks that read", "sleep": "tasks that sleep", "timer": "timers alone"}


def draw(run: Run, folder: Path) -> dict[str, str]:
    groups = marks.grouped(run, "cancel", _place)
    if not groups:
        return {}
    titled = {f"{short(size)} {list(_WHAT.values())[what]}": rows for (what, size), rows in groups.items()}
    marks.draw(run, titled, ("ns_per_cancel",), "Cancelling what waits, until all that it held is back",
               "time of one", folder / "cancel.svg")
    return {"cancel.svg": "From the decision to the last resource back, a task: a future dropped, a coroutine's frame "
                          "destroyed, a fiber's stack unwound, a continuation told by its token, a thread's socket "
                          "shut down; the floor closes a socket, or takes an entry from a bare wheel. "
                          f"{PALE}"}


def _place(row: Row) -> tuple[int, int] | None:
    """What is cancelled, and of how many; rows that ask something else have more keys."""
    what, size = row.keys.get("what"), row.number("tasks")
    if what not in _WHAT or size is None or len(row.keys) > 2:
        return None
    return list(_WHAT).index(what), size
