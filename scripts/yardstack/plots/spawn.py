# SPDX-License-Identifier: BSL-1.0
"""The cost of creating a task against how many are alive."""

from pathlib import Path

from yardstack.plots import curves
from yardstack.plots.frame import finish, floors, panels
from yardstack.runs import Run

_COUNTER = "ns_per_spawn"


def draw(run: Run, folder: Path) -> dict[str, str]:
    found = curves.collect(run, "spawn", _COUNTER, "alive")
    if not found:
        return {}
    picture, axes = panels(1, 1, (7.2, 4.2))
    axis = axes[0][0]
    curves.draw(axis, found, _COUNTER)
    floors(axis, curves.floors_of(run, "spawn", _COUNTER))
    axis.set_title("Creating a task and seeing it end")
    axis.set_xlabel("tasks alive beside it")
    axis.set_ylabel("time a task")
    finish(picture, run, folder / "spawn.svg")
    return {"spawn.svg": "A task's whole life, created, run and ended, beside others that are parked: "
            "a warm heap and warm stacks, as in a server that has run for a while."}
