# SPDX-License-Identifier: BSL-1.0
"""Distributions side by side: median, tail and maximum of each contender on one line."""

from collections.abc import Sequence
from pathlib import Path

from yardstack import series
from yardstack.palette import is_reference, order, style
from yardstack.plots.frame import Axes, finish, panels, shown, strength
from yardstack.plots.ticks import quantity
from yardstack.rows import limit_name
from yardstack.runs import Run
from yardstack.stats import Estimate

#: How each counter is drawn, from what usually happens to the worst: filled or not, size.
_LOOKS = (("full", 7.0), ("none", 7.0), ("none", 3.5))
LEGEND = ("Filled marks are medians, hollow ones 99th percentiles, small ones maxima, each with its "
          "interval. What is pale is not to be compared: the machine was noisy, the row saturated, or less than "
          "three blocks are left.")


def draw(run: Run, groups: dict[str, dict[str, str]], counters: Sequence[str], title: str,
         abscissa: str, file: Path, limit: Estimate | None = None) -> None:
    """A panel a group (title to contender to row name); `limit` is a dashed line across all."""
    names = order({contender for group in groups.values() for contender in group})
    picture, axes = panels(1, len(groups), (max(6.4, 3.2 * len(groups) + 1.6), 1.5 + 0.36 * len(names)),
                           sharey=True, sharex=True)
    for axis, (heading, rows) in zip(axes[0], groups.items()):
        axis.set_xscale("log")
        for place, contender in enumerate(names):
            if contender in rows:
                _contender(axis, run, place, contender, rows[contender], counters)
        if limit:
            axis.axvline(limit.median, color="#777777", linestyle=(0, (5, 2)), linewidth=1, zorder=1)
        axis.set_title(heading)
        axis.set_xlabel(abscissa)
        axis.grid(axis="y", visible=False)
        quantity(axis.xaxis, counters[0])
    axes[0][0].set_yticks(range(len(names)), names)
    axes[0][0].set_ylim(len(names) - 0.5, -0.5)
    finish(picture, run, file, title)


def _contender(axis: Axes, run: Run, place: int, contender: str, row: str,
               counters: Sequence[str]) -> None:
    look = style(contender)
    marker = "o" if is_reference(contender) else look.marker
    found = [series.values(run, row, counter) for counter in counters]
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
