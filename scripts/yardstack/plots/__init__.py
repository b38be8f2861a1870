# SPDX-License-Identifier: BSL-1.0
"""The pictures of a run. Each module draws one question; a picture without data is not drawn."""

from collections.abc import Callable
from pathlib import Path

from yardstack.runs import Run


def draw_all(run: Run, folder: Path) -> dict[str, str]:
    """Draws every picture that the run has data for; file name to caption."""
    from yardstack.plots import cancel, costs, echo, frames, memory, parallel, stacks, timeline, timers, wake
    drawers: list[Callable[[Run, Path], dict[str, str]]] = [
        costs.switch, costs.depth, costs.compose, memory.draw, stacks.draw, frames.draw,
        costs.spawn, cancel.draw, wake.draw, echo.draw, timers.draw, timers.blocking, parallel.draw,
        timeline.draw]
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.svg"):
        old.unlink()
    captions: dict[str, str] = {}
    for draw in drawers:
        captions |= draw(run, folder)
    return captions
