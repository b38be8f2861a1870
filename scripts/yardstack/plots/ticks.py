# SPDX-License-Identifier: BSL-1.0
"""What stands at the ticks of an axis."""

import math
from collections.abc import Sequence
from typing import Any

from matplotlib.ticker import FuncFormatter, LogLocator, MultipleLocator, NullFormatter

from yardstack.plots.frame import Axes
from yardstack.units import tick


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
