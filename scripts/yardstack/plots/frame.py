# SPDX-License-Identifier: BSL-1.0
"""What all pictures share: size, fonts, footer, and how a series, a floor and a refusal look."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")  # no display is needed, nor asked for

from matplotlib import pyplot  # noqa: E402
from matplotlib.ticker import (  # noqa: E402
    FuncFormatter, LogLocator, MultipleLocator, NullFormatter)

from yardstack.palette import MEMORY_KINDS, is_reference, order, style  # noqa: E402
from yardstack.rows import limit_name  # noqa: E402
from yardstack.runs import Run  # noqa: E402
from yardstack.series import Values  # noqa: E402
from yardstack.stats import coverage_words  # noqa: E402
from yardstack.units import figure, tick  # noqa: E402

Axes = Any  #: matplotlib brings no types of its own
Point = tuple[float, Values]

matplotlib.rcParams.update({
    "svg.hashsalt": "yardstack", "svg.fonttype": "path", "font.family": "DejaVu Sans",
    "font.size": 9, "axes.titlesize": 10, "axes.titleweight": "bold", "axes.titlelocation": "left",
    "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
    "axes.axisbelow": True, "grid.color": "#e4e4e4", "grid.linewidth": 0.7, "legend.frameon": False,
    "lines.linewidth": 1.6, "lines.markersize": 5.5})


def panels(rows: int, columns: int, size: tuple[float, float], **options: Any) -> tuple[Any, Any]:
    """A figure and its axes, always as a two-dimensional array."""
    picture, axes = pyplot.subplots(rows, columns, figsize=size, squeeze=False, layout="constrained",
                                    **options)
    return picture, axes


def finish(picture: Any, run: Run, file: Path, title: str = "") -> None:
    """Adds title, legend and dated footer and writes the picture; the same data gives the same bytes."""
    width, height = picture.get_size_inches()
    handles, labels = _legend_entries(picture)
    columns = max(1, min(len(labels), int(width / 1.15)))
    rows = -(-len(labels) // columns)
    below, above = 0.22 / height, (0.08 + 0.2 * rows + (0.28 if title else 0)) / height
    picture.get_layout_engine().set(rect=(0, below, 1, 1 - below - above))
    if title:
        picture.text(0.01, 1 - 0.1 / height, title, fontsize=10, fontweight="bold", va="top")
    if labels:
        places = [place for column in range(columns)  # row by row, where matplotlib fills columns
                  for place in range(column, len(labels), columns)]
        picture.legend([handles[p] for p in places], [labels[p] for p in places], loc="upper left", ncols=columns, borderpad=0.2, fontsize=8,
                       bbox_to_anchor=(0.005, 1 - (0.3 if title else 0.02) / height))
    machine = run.context.get("machine", {})
    picture.text(
        0.01, 0.06 / height,
        f"yardstack · {str(run.context.get('started', ''))[:10]} · {machine.get('cpu_model', '?')}, "
        f"{machine.get('cpus', '?')} CPUs · Linux {machine.get('kernel', '?')} · "
        f"{run.context.get('profile', '?')} profile, {_measure(run.context.get('blocks'))}",
        fontsize=6.5, color="#666666")
    picture.savefig(file, metadata={"Date": None, "Creator": "yardstack"})
    pyplot.close(picture)


def _measure(blocks: object) -> str:
    """What marks and bars are; the interval's coverage follows from the number of blocks."""
    if not isinstance(blocks, int) or blocks < 2:
        return f"{blocks or '?'} block, no interval"
    return f"median of {blocks} blocks and its {coverage_words(blocks)} interval"


def _legend_entries(picture: Any) -> tuple[list[Any], list[str]]:
    """Every label of every panel once, contenders before references."""
    found = {label: handle for axis in picture.axes
             for handle, label in zip(*axis.get_legend_handles_labels())}
    ranks = order(set(found))
    kinds = [title for title, _ in MEMORY_KINDS.values()]
    labels = sorted(found, key=lambda l: (kinds.index(l) if l in kinds else 0, ranks.index(l)))
    return [found[label] for label in labels], labels


def line(axis: Axes, contender: str, points: Sequence[Point], index: int = 0) -> None:
    """Medians with intervals. Doubtful points are hollow; refused ones lie on the upper edge."""
    look = style(contender, index)
    drawn = sorted((x, v.estimate, v.doubt) for x, v in points if v.estimate is not None)
    if drawn:
        xs, middles = [x for x, _, _ in drawn], [e.median for _, e, _ in drawn]
        spread = [[m - e.bounds()[0] for m, (_, e, _) in zip(middles, drawn)],
                  [e.bounds()[1] - m for m, (_, e, _) in zip(middles, drawn)]]
        reference = is_reference(contender)
        axis.errorbar(xs, middles, yerr=spread, color=look.colour, linestyle=look.dashes,
                      linewidth=1.1 if reference else 1.6, capsize=2.5, elinewidth=1,
                      marker=None if reference and len(xs) > 1 else look.marker, label=contender)
        hollow = [(x, e.median) for x, e, doubt in drawn if doubt]
        if hollow:
            axis.plot(*zip(*hollow), look.marker, color=look.colour, markerfacecolor="white",
                      linestyle="none", zorder=5)
    elif any(v.refused for _, v in points):
        axis.plot([], [], look.marker, color=look.colour, label=contender)
    refusals(axis, contender, points)


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
    known = sorted((v.estimate.median, name, v.counter) for name, v in found.items() if v.estimate)
    for index, (median, name, _) in enumerate(known):
        axis.axhline(median, color="#777777", linewidth=1, linestyle=style(name, index).dashes,
                     zorder=1)
    axis.figure.draw_without_rendering()  # fixes the scale, so that names can keep their distance
    lowest = float("-inf")
    for median, name, counter in known:
        height = max(axis.transData.transform((1, median))[1], lowest + 14)
        lowest = height
        axis.annotate(f"{name.removeprefix('floor-')} {figure(median, counter)}", (1, median),
                      xycoords=("axes fraction", "data"),
                      xytext=(4, (height - axis.transData.transform((1, median))[1]) * 0.72),
                      textcoords="offset points", fontsize=7, color="#555555", va="center",
                      annotation_clip=False)


def quantity(axis: Any, counter: str) -> None:
    """Tick labels with their unit on one `axes.xaxis` or `.yaxis`: 10 ns, 1 µs."""
    axis.set_major_formatter(FuncFormatter(lambda value, _: tick(value, counter)))
    if axis.get_scale() == "log":
        low, high = sorted(axis.get_view_interval())
        if high / low < 100:  # few powers of ten: label between them as well
            axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_minor_formatter(NullFormatter())


def binary_ticks(axis: Any, limit: float, most: int = 6) -> None:
    """Ticks at multiples of a power of two, for bytes."""
    axis.set_major_locator(MultipleLocator(2.0 ** math.ceil(math.log2(limit / most))))
    axis.set_major_formatter(FuncFormatter(lambda value, _: tick(value, "bytes")))


def counts(axis: Axes, ticks: Sequence[float]) -> None:
    """A logarithmic abscissa labelled at the measured numbers: 2, 1k, 30k, 1M."""
    axis.set_xscale("log")
    axis.set_xticks(list(ticks), [short(tick) for tick in ticks])
    axis.minorticks_off()


def short(value: float) -> str:
    """1000 -> 1k, 1500000 -> 1.5M"""
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:g}"
