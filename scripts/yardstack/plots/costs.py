# SPDX-License-Identifier: BSL-1.0
"""What one step of a task costs, a switch or a whole life, by what lies beside it."""

from pathlib import Path

from yardstack.plots import curves
from yardstack.plots.frame import HOLLOW, finish, panels
from yardstack.plots.lines import floors
from yardstack.runs import Run


def switch(run: Run, folder: Path) -> dict[str, str]:
    return _draw(
        run, "switch", "ns_per_switch", "tasks", folder, "One hand-over through the room's own event",
        "live tasks in the ring",
        "One switch, by a baton that goes round a ring of tasks: every task is live and touched in turn, "
        "so its state comes from the cache that holds them all. Floors are dashed and grey.")


def spawn(run: Run, folder: Path) -> dict[str, str]:
    return _draw(
        run, "spawn", "ns_per_spawn", "alive", folder, "Creating a task and seeing it end", "tasks alive beside it",
        "A task's whole life, created, run and ended, beside others that are parked: a warm heap and "
        "warm stacks, as in a server that has run for a while.")


def depth(run: Run, folder: Path) -> dict[str, str]:
    return _draw(
        run, "depth", "ns_per_switch", "levels", folder, "One hand-over from the bottom of a chain of calls",
        "calls between the task and its suspension",
        "Two tasks make way for each other, each from so many calls down: functions, boxed futures that poll "
        "each other, coroutines that await each other. The floor goes down as many calls and comes back.")


def compose(run: Run, folder: Path) -> dict[str, str]:
    return _draw(
        run, "compose", "ns_per_level", "depth", folder,
        "What a level adds to a task made of parts: made, run to its end, destroyed",
        "levels around a value that is there at once",
        "Futures that hold each other inline, coroutines that await each other, continuations that are pushed "
        "from one to the next: the time of so many levels, less that of one, a level. The floors do the same "
        "work by plain nested calls, and in a loop.")


#: What the ordinate is the time of, where it is not a switch.
_OPERATION = {"spawn": "a task", "compose": "a level"}


def _draw(run: Run, question: str, counter: str, key: str, folder: Path, title: str, abscissa: str,
          caption: str) -> dict[str, str]:
    """One picture of `counter` against `key`, with the floors that have no key."""
    found = curves.collect(run, question, counter, key)
    if not found:
        return {}
    picture, axes = panels(1, 1, (7.2, 4.4))
    axis = axes[0][0]
    curves.draw(axis, found, counter)
    floors(axis, curves.floors_of(run, question, counter))
    axis.set_title(title)
    axis.set_xlabel(abscissa)
    axis.set_ylabel(f"time {_OPERATION.get(question, 'a switch')}")
    finish(picture, run, folder / f"{question}.svg")
    return {f"{question}.svg": f"{caption} {HOLLOW}"}
