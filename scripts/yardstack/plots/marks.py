# SPDX-License-Identifier: BSL-1.0
"""Distributions side by side: median, tail and maximum of each contender on one line."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from yardstack import series
from yardstack.palette import is_reference, order, style
from yardstack.plots.frame import PALE, Axes, finish, panels, shown, strength
from yardstack.plots.ticks import quantity
from yardstack.rows import Row, limit_name
from yardstack.runs import Run
from yardstack.series import Values

#: How each counter is drawn, from what usually happens to the worst: filled or not, size.
_LOOKS = (("full", 7.0), ("none", 7.0), ("none", 3.5))
LEGEND = ("Filled marks are medians, hollow ones 99th percentiles, small ones maxima, each with its "
          f"interval. {PALE}")


def grouped(run: Run, question: str, place: Callable[[Row], Any]) -> dict[Any, dict[str, str]]:
    """The rows of a question by their place, in order: contender to row name. No place: left out."""
    groups: dict[Any, dict[str, str]] = {}
    for name, row in series.rows_of(run, question).items():
        if (key := place(row)) is not None:
            groups.setdefault(key, {})[row.contender] = name
    return {key: groups[key] for key in sorted(groups)}


def draw(run: Run, groups: dict[str, dict[str, str]], counters: Sequence[str], title: str,
         abscissa: str, file: Path, limits: Sequence[float] = (), scale: str = "log") -> None:
    """A panel a group (title to contender to row name); `limits` are dashed lines across all."""
    names = order({contender for group in groups.values() for contender in group})
    width = 3.2 if len(groups) < 4 else 2.5
    picture, axes = panels(1, len(groups), (max(6.4, width * len(groups) + 1.6), 1.5 + 0.36 * len(names)),
                           sharey=True, sharex=True)
    for axis, (heading, rows) in zip(axes[0], groups.items()):
        axis.set_xscale(scale)
        for place, contender in enumerate(names):
            if contender in rows:
                contenders_marks(axis, place, contender,
                                 [series.values(run, rows[contender], counter) for counter in counters])
        for limit in limits:
            axis.axvline(limit, color="#777777", linestyle=(0, (5, 2)), linewidth=1, zorder=1)
        dress(axis, heading, abscissa)
        quantity(axis.xaxis, counters[0])
    if scale == "linear":
        axes[0][0].set_xlim(left=0)
    name_places(axes[0][0], names)
    finish(picture, run, file, title)


def dress(axis: Axes, heading: str, abscissa: str) -> None:
    axis.set_title(heading)
    axis.set_xlabel(abscissa)
    axis.grid(axis="y", visible=False)


def name_places(axis: Axes, names: Sequence[str]) -> None:
    """From above to below, as in tables."""
    axis.set_yticks(range(len(names)), names)
    axis.set_ylim(len(names) - 0.5, -0.5)


def contenders_marks(axis: Axes, place: int, contender: str, found: Sequence[Values]) -> None:
    """On one line, from what usually happens to the worst."""
    look = style(contender)
    marker = "o" if is_reference(contender) else look.marker
    drawn = [(estimate, strength(v), shape) for v, shape in zip(found, _LOOKS) if (estimate := shown(axis, v))]
    if drawn:
        axis.plot([drawn[0][0].median, drawn[-1][0].median], [place, place], "-", color=look.colour,
                  linewidth=1, zorder=2, alpha=min(alpha for _, alpha, _ in drawn))
    for estimate, alpha, (fill, size) in drawn:
        low, high = estimate.bounds()
        axis.errorbar([estimate.median], [place], color=look.colour, marker=marker, markersize=size,
                      xerr=[[estimate.median - low], [high - estimate.median]], capsize=2,
                      elinewidth=1, zorder=3, alpha=alpha,
                      markerfacecolor=look.colour if fill == "full" else "white")
    if found[0].refused:
        axis.plot([0.02], [place], "X", color=look.colour, markersize=8,
                  transform=axis.get_yaxis_transform())
        axis.annotate(f"refused: {limit_name(found[0].gap or '')}", (0.05, place), fontsize=7.5,
                      xycoords=("axes fraction", "data"), va="center", color=look.colour)
