# SPDX-License-Identifier: BSL-1.0
"""The statistics of blocks. The unit is a block's value of a cell, never a request.

Method: the median over blocks with the interval between two of their order statistics, whose coverage
is exact without any distribution (Thompson 1936) and told with it (a bootstrap, which harness/ takes
for a pair's many rounds, covers less than it says with so few values); comparisons are ratios within a
block, tested as a one-sample t-test on their logarithms, or of two runs, by Welch's t-test (1947); all
tests of one question's counter, or of one comparison, are corrected by Holm (1979). Nothing here
averages percentiles.
"""

import math
import statistics
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

CONFIDENCE = 0.95  #: of intervals, where there are blocks enough
SIGNIFICANT = 0.05
#: Fewer blocks decide nothing.
ENOUGH_BLOCKS = 3


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


def coverage(blocks: int) -> float:
    """How often the interval of so many blocks holds the true median, exactly, whatever they scatter
    like: 75 % for three, 93.75 % for five, at least CONFIDENCE from six on."""
    rank = _rank(blocks)
    return 1 - 2 * sum(math.comb(blocks, below) for below in range(rank)) * 0.5**blocks


def coverage_words(blocks: int) -> str:
    """`75 %`, `97.9 %`"""
    return f"{100 * coverage(blocks):.3g} %"


def _rank(blocks: int) -> int:
    """The interval goes from the value of this rank to the one of the same rank from above: the highest
    that still gives CONFIDENCE, else the extremes."""
    below, rank = 1, 1  # of all 2**blocks ways to lie around the median, those beyond `rank`
    while (below := below + math.comb(blocks, rank)) * 2 <= (1 - CONFIDENCE) * 2**blocks:
        rank += 1
    return rank


def estimate(values: Sequence[float]) -> Estimate:
    """Median over blocks with its order-statistic interval. `values` must not be empty."""
    ordered, median = sorted(values), statistics.median(values)
    if len(ordered) < 2:
        return Estimate(median, None, None, len(ordered))
    rank = _rank(len(ordered))
    return Estimate(median, ordered[rank - 1], ordered[-rank], len(ordered))


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


def _one_value(values: Sequence[float]) -> bool:
    """But for the last digits, in which a variance would be nothing but rounding."""
    return math.isclose(min(values), max(values), rel_tol=1e-9, abs_tol=1e-9)


def p_apart(first: Sequence[float], second: Sequence[float], ratio: float = 1.0) -> float | None:
    """Two-sided p of the second values' centre being `ratio` times the first's (Welch's t-test, on
    logarithms where all is positive); None with too few values to tell."""
    if min(len(first), len(second)) < ENOUGH_BLOCKS:
        return None
    first = [value * ratio for value in first]
    if min(*first, *second) > 0:
        first, second = [math.log(v) for v in first], [math.log(v) for v in second]
    if _one_value(first) and _one_value(second):  # counts, the same in each block
        return 1.0 if _one_value([*first, *second]) else 0.0
    from scipy.stats import ttest_ind
    with warnings.catch_warnings():  # of one side that is the same in each block: its variance is none indeed
        warnings.simplefilter("ignore", RuntimeWarning)
        return float(ttest_ind(first, second, equal_var=False).pvalue)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down correction: adjusted p-values in the given order."""
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    adjusted, largest = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = largest
    return adjusted
