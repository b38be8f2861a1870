# SPDX-License-Identifier: BSL-1.0
"""The statistics of blocks. The unit is a block's value of a cell, never a request.

Method: the median over blocks with a percentile-bootstrap interval (Efron 1979; scipy.stats.bootstrap);
comparisons are ratios within a block, tested as a one-sample t-test on their logarithms; all tests of
one question's counter are corrected by Holm (1979). Nothing here averages percentiles.
"""

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

CONFIDENCE = 0.95
SIGNIFICANT = 0.05
#: Fewer blocks decide nothing.
ENOUGH_BLOCKS = 3
_RESAMPLES = 2000


@dataclass(frozen=True)
class Estimate:
    """A median over blocks and its interval (None where a single block leaves it unknown)."""

    median: float
    low: float | None
    high: float | None
    blocks: int

    def bounds(self) -> tuple[float, float]:
        """The interval, shrunk to the median where there is none: for error bars."""
        low = self.median if self.low is None else self.low
        return low, self.median if self.high is None else self.high


def estimate(values: Sequence[float]) -> Estimate:
    """Median over blocks with its bootstrap interval. `values` must not be empty."""
    median = statistics.median(values)
    if len(values) < 2:
        return Estimate(median, None, None, len(values))
    if min(values) == max(values):
        return Estimate(median, median, median, len(values))
    import numpy
    from scipy.stats import bootstrap
    interval = bootstrap((numpy.asarray(values, dtype=float),), numpy.median, method="percentile",
                         confidence_level=CONFIDENCE, n_resamples=_RESAMPLES,
                         random_state=numpy.random.default_rng(0)).confidence_interval
    return Estimate(median, float(interval.low), float(interval.high), len(values))


def ratios(numerator: Mapping[int, float], denominator: Mapping[int, float]) -> list[float]:
    """The ratios within each block that has both values; a zero denominator gives none."""
    return [numerator[block] / denominator[block] for block in sorted(numerator)
            if denominator.get(block)]


def p_value(values: Sequence[float], threshold: float) -> float | None:
    """Two-sided p of the values' centre being `threshold`; None with too few values to tell.

    On logarithms where all is positive, so that a ratio and its inverse are judged alike.
    """
    if len(values) < ENOUGH_BLOCKS:
        return None
    if threshold > 0 and all(value > 0 for value in values):
        values, threshold = [math.log(value) for value in values], math.log(threshold)
    if min(values) == max(values):  # a count that is the same in each block: nothing to doubt
        return 1.0 if values[0] == threshold else 0.0
    from scipy.stats import ttest_1samp
    return float(ttest_1samp(values, threshold).pvalue)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down correction: adjusted p-values in the given order."""
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    adjusted, largest = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = largest
    return adjusted
