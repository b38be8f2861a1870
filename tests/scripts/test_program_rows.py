# SPDX-License-Identifier: BSL-1.0
"""What rows of the release build's programs say, where it is the same whatever else the machine does."""

from pathlib import Path

import pytest
from built import measure, pytestmark  # noqa: F401
from yardstack import series

#: What each rule of waking has to come to; these are counts, whatever else the machine does.
RULES = {
    "order": {"wakes": 900, "wakes_lost": 0, "polls_within_wakes": 0},
    "stuck": {"stuck_found": 1, "false_alarms_found": 0},
    "stale": {"refreshed_wakes_lost": 0, "stale_wakes_lost": 1, "stale_found": 1, "false_alarms_found": 0,
              "will_wake_clones": 1, "plain_clones": 1000},
    "over": {"ended_futures": 3, "refused_polls": 3},
}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("contender", ["futures", "coroutines"])
def test_the_rules_of_waking_are_kept(contender: str, rule: str, tmp_path: Path) -> None:
    row, = measure(tmp_path / "out.json", f"wake/{contender}/rule:{rule}")
    assert {counter: row.counters.get(counter) for counter in RULES[rule]} == RULES[rule]


@pytest.mark.parametrize("contender", ["futures", "coroutines", "callbacks", "floor-calls"])
def test_a_level_is_what_compares_composed_tasks(contender: str, tmp_path: Path) -> None:
    row, = measure(tmp_path / "out.json", f"compose/{contender}/depth:8")
    assert series.primary([row]) == "ns_per_level"
    assert row.counters["valid"] == (row.doubts_of("ns_per_level") == [])
    assert bool(row.doubts_of("ns_per_level")) == bool(row.doubts_of("ns_per_op"))
    assert ("a task, spawned and run" in row.label) == (contender == "callbacks")


def test_what_is_cancelled_leaves_nothing_behind(tmp_path: Path) -> None:
    reads = [f"cancel/{c}/what:read/tasks:20" for c in ("threads", "fibers", "futures", "coroutines", "callbacks")]
    sleeps = [f"cancel/{c}/what:sleep/tasks:20" for c in ("fibers", "futures", "coroutines", "callbacks")]
    for row in measure(tmp_path / "out.json", *reads, *sleeps):
        leaks = {counter: value for counter, value in row.counters.items() if counter.startswith("leaked_")}
        assert set(leaks.values()) == {0}, f"{row.name}: {leaks}"
        assert ("leaked_stacks" in leaks) == (row.contender == "fibers")


@pytest.mark.parametrize("contender", ["fibers", "boost-fibers", "futures", "coroutines"])
def test_a_generation_is_spawned_on_a_fresh_heap_and_on_a_warm_one(contender: str, tmp_path: Path) -> None:
    row, = measure(tmp_path / "out.json", f"spawn/{contender}/together:100")
    assert row.counters["cold_ns_per_create"] > 0 and row.counters["ns_per_create"] > 0
    assert row.counters["ns_per_create_batches"] >= 5
    assert "ns_per_spawn" not in row.counters  # that is a whole life
