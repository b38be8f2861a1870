# SPDX-License-Identifier: BSL-1.0
"""What all pictures share: size, fonts, legend and footer."""

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")  # no display is needed, nor asked for

from matplotlib import pyplot  # noqa: E402

from yardstack.palette import MEMORY_KINDS, order  # noqa: E402
from yardstack.runs import Run  # noqa: E402
from yardstack.series import Values  # noqa: E402
from yardstack.stats import Estimate, coverage_words  # noqa: E402

Axes = Any  #: matplotlib brings no types of its own

#: What captions say of hollow points and pale marks, as values.doubt has it.
IN_DOUBT = ("not to be compared: the machine was noisy, the row itself is in doubt, or less than three blocks are "
            "left.")
HOLLOW = f"Hollow points are {IN_DOUBT}"
PALE = f"What is pale is {IN_DOUBT}"

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
        picture.legend([handles[p] for p in places], [labels[p] for p in places], loc="upper left",
                       ncols=columns, borderpad=0.2, fontsize=8,
                       bbox_to_anchor=(0.005, 1 - (0.3 if title else 0.02) / height))
    machine = run.context.get("machine", {})
    picture.text(
        0.01, 0.06 / height,
        f"yardstack · {str(run.context.get('started', ''))[:10]} · {machine.get('cpu_model', '?')}, "
        f"{machine.get('cpus', '?')} CPUs · Linux {machine.get('kernel', '?')} · "
        f"{run.context.get('profile', '?')} profile, {_measure(getattr(picture, 'blocks_shown', set()))}",
        fontsize=6.5, color="#666666")
    picture.savefig(file, metadata={"Date": None, "Creator": "yardstack"})
    pyplot.close(picture)


def shown(axis: Axes, found: Values) -> Estimate | None:
    """What is to be drawn of a counter; the picture's footer tells of how many blocks it is made."""
    if found.estimate:
        picture = axis.figure
        picture.blocks_shown = getattr(picture, "blocks_shown", set()) | {found.estimate.blocks}
    return found.estimate


def strength(*found: Values) -> float:
    """How opaque a mark or bar is: pale is what is not to be compared."""
    return 0.4 if any(values.doubt for values in found) else 1.0


def _measure(blocks: set[int]) -> str:
    """What marks and bars are; the interval's coverage follows from the number of blocks."""
    told = [f"{n} blocks, {coverage_words(n)}" if n > 1 else "1 block, none" for n in sorted(blocks)]
    return f"medians and their intervals ({'; '.join(told)})"


def _legend_entries(picture: Any) -> tuple[list[Any], list[str]]:
    """Every label of every panel once, contenders before references."""
    found = {label: handle for axis in picture.axes
             for handle, label in zip(*axis.get_legend_handles_labels())}
    ranks = order(set(found))
    kinds = [title for title, _ in MEMORY_KINDS.values()]
    labels = sorted(found, key=lambda l: (kinds.index(l) if l in kinds else 0, ranks.index(l)))
    return [found[label] for label in labels], labels
