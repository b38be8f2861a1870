# SPDX-License-Identifier: BSL-1.0
"""How a series, a floor and a refusal look."""

from collections.abc import Sequence

from yardstack.palette import Style, is_reference, style
from yardstack.plots.frame import Axes, shown
from yardstack.rows import limit_name
from yardstack.series import Values
from yardstack.stats import Estimate
from yardstack.units import figure

Point = tuple[float, Values]


def line(axis: Axes, contender: str, points: Sequence[Point], index: int = 0) -> None:
    """Medians with intervals. Doubtful points are hollow, with the number of blocks where too few are left;
    refused ones lie on the upper edge."""
    look = style(contender, index)
    drawn = sorted(((x, estimate, v) for x, v in points if (estimate := shown(axis, v))),
                   key=lambda point: point[0])
    if drawn:
        xs, middles = [x for x, _, _ in drawn], [e.median for _, e, _ in drawn]
        spread = [[m - e.bounds()[0] for m, (_, e, _) in zip(middles, drawn)],
                  [e.bounds()[1] - m for m, (_, e, _) in zip(middles, drawn)]]
        reference = is_reference(contender)
        axis.errorbar(xs, middles, yerr=spread, color=look.colour, linestyle=look.dashes,
                      linewidth=1.1 if reference else 1.6, capsize=2.5, elinewidth=1,
                      marker=None if reference and len(xs) > 1 else look.marker, label=contender)
        for x, estimate, found in drawn:
            if found.doubt:
                _hollow(axis, (x, estimate), found, look)
    elif any(v.refused for _, v in points):
        axis.plot([], [], look.marker, color=look.colour, label=contender)
    refusals(axis, contender, points)


def _hollow(axis: Axes, point: tuple[float, Estimate], found: Values, look: Style) -> None:
    place = point[0], point[1].median
    axis.plot(*place, look.marker, color=look.colour, markerfacecolor="white", linestyle="none", zorder=5)
    if found.trusted:
        axis.annotate(f"{len(found.trusted)} of {len(found.by_block)}", place, xytext=(5, -8),
                      textcoords="offset points", fontsize=6, color=look.colour)


def refusals(axis: Axes, contender: str, points: Sequence[Point]) -> None:
    """A cross on the upper edge for each refused point, with the limit's name."""
    look = style(contender)
    for x, found in points:
        if not found.refused:
            continue
        taken = getattr(axis, "refusals_drawn", 0)
        axis.refusals_drawn = taken + 1
        height = 0.985 - 0.07 * taken
        edge = axis.get_xaxis_transform()
        axis.plot([x], [height], "X", color=look.colour, markersize=8, transform=edge,
                  clip_on=False, zorder=6)
        axis.annotate(f"{contender} refused: {limit_name(found.gap or '')}", (x, height),
                      xycoords=edge, xytext=(-7, 0), textcoords="offset points", fontsize=7,
                      color=look.colour, ha="right", va="center",
                      bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.85})


def floors(axis: Axes, found: dict[str, Values]) -> None:
    """References that hold for every abscissa: dashed grey lines across, named at the right."""
    known = sorted((estimate.median, name, v) for name, v in found.items() if (estimate := shown(axis, v)))
    for index, (median, name, _) in enumerate(known):
        axis.axhline(median, color="#777777", linewidth=1, linestyle=style(name, index).dashes,
                     zorder=1)
    axis.figure.draw_without_rendering()  # fixes the scale, so that names can keep their distance
    lowest = float("-inf")
    for median, name, values in known:
        height = max(axis.transData.transform((1, median))[1], lowest + 14)
        lowest = height
        doubt = "?" if values.doubt else ""
        axis.annotate(f"{name.removeprefix('floor-')} {figure(median, values.counter)}{doubt}", (1, median),
                      xycoords=("axes fraction", "data"),
                      xytext=(4, (height - axis.transData.transform((1, median))[1]) * 0.72),
                      textcoords="offset points", fontsize=7, color="#555555", va="center",
                      annotation_clip=False)
