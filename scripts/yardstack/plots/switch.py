# SPDX-License-Identifier: BSL-1.0
"""The cost of a switch against the number of live tasks."""

from pathlib import Path

from yardstack.plots import curves
from yardstack.plots.frame import finish, floors, panels
from yardstack.runs import Run

_COUNTER = "ns_per_switch"


def draw(run: Run, folder: Path) -> dict[str, str]:
    found = curves.collect(run, "switch", _COUNTER, "tasks")
    if not found:
        return {}
    picture, axes = panels(1, 1, (7.2, 4.6))
    axis = axes[0][0]
    curves.draw(axis, found, _COUNTER)
    floors(axis, curves.floors_of(run, "switch", _COUNTER))
    axis.set_title("One hand-over through the room's own event")
    axis.set_xlabel("live tasks in the ring")
    axis.set_ylabel("time a switch")
    finish(picture, run, folder / "switch.svg")
    return {"switch.svg": "One switch, by a baton that goes round a ring of tasks: every task is live "
            "and touched in turn, so its state comes from the cache that holds them all. Floors are "
            "dashed and grey."}
