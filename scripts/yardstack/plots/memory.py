# SPDX-License-Identifier: BSL-1.0
"""What a waiting task's memory consists of, side by side."""

from pathlib import Path

from yardstack import series
from yardstack.palette import MEMORY_KINDS, order, style
from yardstack.plots.frame import Axes, finish, panels, shown, strength
from yardstack.plots.ticks import binary_ticks, short
from yardstack.rows import Row, limit_name
from yardstack.runs import Run
from yardstack.series import Values
from yardstack.units import figure, tick

#: The right panel enlarges what the left one cannot show.
_ENLARGED = 16
_TITLES = {"sleeping": "a sleeping task", "connected": "an idle connection and its task"}


def draw(run: Run, folder: Path) -> dict[str, str]:
    captions = {}
    for state, title in _TITLES.items():
        chosen = _one_row_each(series.rows_of(run, "memory", state=state))
        if any(_kinds(run, row) for row in chosen.values()):
            file = f"memory-{state}.svg"
            _draw(run, chosen, title, folder / file)
            captions[file] = (f"Memory of {title}, by kind: the slope over the number of tasks, each "
                              "alive and waiting (their number beside the name). The right panel "
                              "enlarges the left one.")
    return captions


def _one_row_each(rows: dict[str, Row]) -> dict[str, Row]:
    """Per contender and variant (stack, guard) the row with most tasks that has figures."""
    best: dict[str, Row] = {}
    for row in sorted(rows.values(), key=lambda r: (r.error is None, r.number("tasks") or 0)):
        best[f"{row.contender}{_variant(row)}"] = row
    return best


def _variant(row: Row) -> str:
    """`, 8 MiB stacks, mprotect`"""
    stack, guard = row.number("stack"), row.keys.get("guard", "")
    told = [f"{tick(stack, 'bytes')} stacks" if stack else "", guard]
    return "".join(f", {word}" for word in told if word)


def _kinds(run: Run, row: Row) -> dict[str, Values]:
    found = {kind: series.values(run, row.name, kind) for kind in MEMORY_KINDS}
    return {kind: values for kind, values in found.items() if values.estimate}


def _draw(run: Run, chosen: dict[str, Row], title: str, file: Path) -> None:
    ranks = order({row.contender for row in chosen.values()})
    labels = sorted(chosen, key=lambda label: (ranks.index(chosen[label].contender), label))
    found = [_kinds(run, chosen[label]) for label in labels]
    kinds = [{kind: max(0.0, values.estimate.median) for kind, values in bar.items() if values.estimate}
             for bar in found]
    largest = max(sum(bar.values()) for bar in kinds)
    picture, axes = panels(1, 2, (9.2, 1.6 + 0.42 * len(labels)), sharey=True)
    for axis, limit in zip(axes[0], (largest * 1.15, largest / _ENLARGED)):
        _bars(axis, kinds, limit, [strength(*bar.values()) for bar in found])
        axis.set_xlim(0, limit)
        axis.grid(axis="y", visible=False)
        binary_ticks(axis.xaxis, limit)
    for values in (values for bar in found for values in bar.values()):
        shown(axes[0][0], values)
    for place, label in enumerate(labels):
        if chosen[label].error:
            _refused(axes[0][0], place, chosen[label])
    axes[0][0].set_title(f"Memory of {title}")
    axes[0][1].set_title(f"the same, {_ENLARGED} times enlarged")
    axes[0][0].set_yticks(range(len(labels)), [
        f"{label}, {short(chosen[label].number('tasks') or 0)}" for label in labels])
    axes[0][0].invert_yaxis()
    finish(picture, run, file)


def _bars(axis: Axes, kinds: list[dict[str, float]], limit: float, strengths: list[float]) -> None:
    """Stacked bars with their sum; a bar that leaves the panel carries its sum at the edge."""
    starts = [0.0] * len(kinds)
    for kind, (title, colour) in MEMORY_KINDS.items():
        widths = [found.get(kind, 0.0) for found in kinds]
        if any(widths):
            bars = axis.barh(range(len(kinds)), widths, left=starts, color=colour, label=title, height=0.66,
                             edgecolor="white", linewidth=0.5)
            for bar, alpha in zip(bars, strengths):
                bar.set_alpha(alpha)
        starts = [start + width for start, width in zip(starts, widths)]
    for place, (found, total) in enumerate(zip(kinds, starts)):
        if found and total <= limit * 0.9:
            axis.annotate(figure(total, "bytes"), (total, place), xytext=(4, 0), fontsize=8,
                          textcoords="offset points", va="center")
        elif found:
            axis.annotate(f"{figure(total, 'bytes')} →", (0.99, place), fontsize=8, ha="right",
                          xycoords=("axes fraction", "data"), va="center",
                          bbox={"facecolor": "white", "edgecolor": "none", "pad": 1, "alpha": 0.9})


def _refused(axis: Axes, place: int, row: Row) -> None:
    axis.plot([0], [place], "X", color=style(row.contender).colour, markersize=8, clip_on=False)
    axis.annotate(f"refused: {limit_name(row.error or '')}", (0, place), xytext=(8, 0), fontsize=7.5,
                  textcoords="offset points", va="center", color=style(row.contender).colour)
