# SPDX-License-Identifier: BSL-1.0
"""The statistics against known truths."""

import math
import random
import warnings

import pytest
from yardstack import stats


def test_the_median_carries_an_interval_that_holds_it() -> None:
    found = stats.estimate([10, 11, 9, 10.5, 30])
    assert found.median == 10.5
    assert found.low is not None and found.high is not None
    assert 9 <= found.low < 10.5 < found.high <= 30


def test_three_blocks_give_their_range() -> None:
    assert stats.estimate([3, 1, 2]).bounds() == (1, 3)


@pytest.mark.parametrize(("blocks", "words", "bounds"), [
    (2, "50 %", (1, 2)), (3, "75 %", (1, 3)), (5, "93.8 %", (1, 5)), (6, "96.9 %", (1, 6)),
    (10, "97.9 %", (2, 9))])
def test_an_interval_says_what_it_covers(blocks: int, words: str, bounds: tuple[int, int]) -> None:
    assert stats.coverage_words(blocks) == words
    assert stats.estimate(range(1, blocks + 1)).bounds() == bounds


def test_one_block_has_no_interval_and_equal_blocks_no_width() -> None:
    assert stats.estimate([7]) == stats.Estimate(7, None, None, 1)
    assert stats.estimate([7]).bounds() == (7, 7)
    assert stats.estimate([5, 5, 5]) == stats.Estimate(5, 5, 5, 3)


def test_estimates_repeat() -> None:
    data = [random.Random(3).random() for _ in range(10)]
    assert stats.estimate(data) == stats.estimate(data)


@pytest.mark.parametrize("blocks", [3, 5, 10, 15])
def test_the_interval_covers_the_true_median_as_often_as_it_says(blocks: int) -> None:
    chance, covered = random.Random(11), 0
    for _ in range(4000):
        low, high = stats.estimate([chance.expovariate(1) for _ in range(blocks)]).bounds()
        covered += low <= math.log(2) <= high
    assert covered / 4000 == pytest.approx(stats.coverage(blocks), abs=0.02)


def test_ratios_stay_within_their_block() -> None:
    assert stats.ratios({1: 10.0, 2: 40.0, 3: 9.0}, {1: 5.0, 2: 10.0, 4: 1.0}) == [2.0, 4.0]
    assert stats.ratios({1: 1.0}, {1: 0.0}) == []


def test_a_clear_ratio_is_significant_and_a_close_one_is_not() -> None:
    clear = stats.p_value([400.0, 410.0, 395.0], 10)
    close = stats.p_value([0.99, 1.02, 1.0], 1)
    assert clear is not None and clear < 0.001
    assert close is not None and close > 0.3


def test_a_ratio_and_its_inverse_are_judged_alike() -> None:
    values = [1.3, 1.5, 1.9]
    assert stats.p_value(values, 1.2) == pytest.approx(
        stats.p_value([1 / v for v in values], 1 / 1.2))


def test_too_few_values_decide_nothing_and_equal_ones_all() -> None:
    assert stats.p_value([100.0, 100.0], 1) is None
    assert stats.p_value([160.0, 160.0, 160.0], 176) == 0.0
    assert stats.p_value([176.0, 176.0, 176.0], 176) == 1.0
    assert stats.p_value([0.0, 0.0, 0.0], 64) == 0.0


def test_two_runs_are_told_apart_by_their_blocks_not_by_touching_ranges() -> None:
    first, second = [10.0, 10.2, 10.1], [10.3, 10.4, 10.35]
    assert (stats.p_apart(first, [v * 1.5 for v in first]) or 0.0) < 0.001
    assert (stats.p_apart(first, [v * 1.5 for v in first], 1.5) or 0.0) == pytest.approx(1)
    assert (stats.p_apart([10.0, 12.0, 11.0], [12.1, 15.0, 13.0]) or 0.0) > 0.05  # ranges apart
    assert stats.p_apart(first, second[:2]) is None
    assert stats.p_apart([160.0] * 3, [160.0] * 3) == 1.0
    assert stats.p_apart([160.0] * 3, [160.0, 160.0, 160.0 + 1e-10]) == 1.0  # rounding is no change
    assert stats.p_apart([160.0] * 3, [176.0] * 3) == 0.0


def test_the_same_distribution_is_seldom_told_apart() -> None:
    """Ranges of three against three lie apart once in ten times by chance alone; this must not."""
    chance, wrong = random.Random(2), 0
    for _ in range(2000):
        six = [chance.lognormvariate(0, 0.1) for _ in range(6)]
        wrong += (stats.p_apart(six[:3], six[3:]) or 0.0) < stats.SIGNIFICANT
    assert wrong / 2000 < 0.06


def test_holm_against_a_worked_example() -> None:
    assert stats.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert stats.holm([]) == []
    assert stats.holm([0.9, 0.8]) == [1.0, 1.0]


def test_holm_keeps_the_family_wise_error() -> None:
    """Twenty true null hypotheses at once: about one family in twenty shows anything."""
    chance, wrong = random.Random(5), 0
    for _ in range(400):
        wrong += min(stats.holm([chance.random() for _ in range(20)])) < 0.05
    assert wrong / 400 < 0.09


def test_a_run_whose_blocks_agree_is_told_from_another_without_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (stats.p_apart([128.0 + 1e-12, 128.0, 128.0], [140.0, 141.0, 142.0]) or 0.0) < 0.01
        assert (stats.p_apart([128.0, 128.0, 128.0], [120.0, 128.0, 136.0]) or 0.0) > 0.5
