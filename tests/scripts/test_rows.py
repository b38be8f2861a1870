# SPDX-License-Identifier: BSL-1.0
"""Reading what the measuring programs write."""

import json
from pathlib import Path

import measured
import pytest
from yardstack import rows, series

NAME = "memory/fibers/state:sleeping/tasks:1000/stack:16384/guard:mprotect"


def test_a_row_loses_google_benchmarks_suffixes_and_columns() -> None:
    output = rows.parse(measured.document([measured.entry(NAME, {"heap_bytes_per_task": 96.0})]))
    row = output.rows[0]
    assert row.name == NAME
    assert (row.question, row.contender, row.number("tasks")) == ("memory", "fibers", 1000)
    assert row.keys["guard"] == "mprotect"
    assert row.counters == {"heap_bytes_per_task": 96.0}
    assert output.context["compiler"] == "GCC 12.2"


@pytest.mark.parametrize("suffix", ["/iterations:1/manual_time", "/real_time", "/repeats:3",
                                    "/min_time:0.5/process_time/real_time", ""])
def test_every_suffix_is_known(suffix: str) -> None:
    assert rows.plain_name("switch/threads/tasks:2" + suffix) == "switch/threads/tasks:2"


@pytest.mark.parametrize(("error", "refused"), [
    ("refused: pid_max reached=32450 limit=32768", True), ("interrupted: by a signal", False),
    ("failed: x", False), ("wrong: byte 7", False), ("timeout: idle", False),
    ("crashed: SIGSEGV", False)])
def test_an_error_takes_the_place_of_counters(error: str, refused: bool) -> None:
    row = rows.parse(measured.document([measured.entry(NAME, error=error)])).rows[0]
    assert (row.error, row.refused) == (error, refused)
    assert row.counters == {}


def test_a_limits_name_is_taken_from_a_refusal() -> None:
    assert rows.limit_name("refused: cgroup pids.max reached=90 limit=100") == "cgroup pids.max"


def test_the_label_tells_which_counters_are_in_doubt() -> None:
    counters = dict.fromkeys(("ops_per_s", "p99_ns", "max_ns", "server_cpu_ns_per_op"), 1.0)
    row = rows.Row("echo/futures", 1, counters,
                   label="client-limited: ops_per_s p99_ns; noisy: max_ns; guard: mprotect; a note")
    assert row.doubts() == {"client-limited": ["ops_per_s", "p99_ns"], "noisy": ["max_ns"]}
    assert row.doubts_of("p99_ns") == ["client-limited"]
    assert row.doubts_of("max_ns") == ["noisy"]
    assert row.doubts_of("server_cpu_ns_per_op") == []


def test_a_counter_that_a_row_lacks_takes_no_doubt_off_the_others() -> None:
    row = rows.Row("echo/futures", counters={"p99_ns": 1.0, "ops_per_s": 1.0},
                   label="lost-connections: server_cpu_ns_per_op p99_ns")
    assert row.doubts() == {"lost-connections": ["p99_ns"]}
    assert row.doubts_of("p99_ns") == ["lost-connections"] and row.doubts_of("ops_per_s") == []


def test_an_invalid_row_puts_its_primary_counter_in_doubt() -> None:
    row = rows.Row("switch/x", counters={"ns_per_switch": 1.0, "valid": 0.0})
    assert row.doubts_of("ns_per_switch", "ns_per_switch") == ["not valid"]
    assert row.doubts_of("allocs_per_op", "ns_per_switch") == []


def test_a_row_is_decided_by_the_first_counter_of_its_question_that_it_has() -> None:
    deep, flat = (rows.Row(f"compose/futures/depth:{n}", counters=counters) for n, counters in
                  ((4, {"ns_per_op": 4.0, "ns_per_level": 1.0}), (1, {"ns_per_op": 1.0})))
    assert series.primary([deep]) == "ns_per_level" and series.primary([flat]) == "ns_per_op"
    assert series.primary([rows.Row("compose/futures/depth:4", error="wrong: 7"), deep]) == "ns_per_level"
    assert series.primary([rows.Row("wake/futures/rule:order", counters={"wakes": 1.0})]) == ""


def test_an_open_loop_is_decided_by_its_tail() -> None:
    """As the row itself says: its `valid` is no word about `cpu_vs_floor`."""
    counters = {"cpu_vs_floor": 1.0, "p99_ns": 1e5, "valid": 0.0}
    closed, loop = (rows.Row("echo/futures/rate:1000", counters=counters | more, label="client-late: p99_ns")
                    for more in ({}, {"offered_ops_per_s": 1000.0}))
    assert series.primary([closed]) == "cpu_vs_floor" and series.primary([loop]) == "p99_ns"
    assert loop.doubts_of("cpu_vs_floor", series.primary([loop])) == []


def test_aggregates_are_left_out() -> None:
    entry = measured.entry(NAME, {"x": 1.0}) | {"run_type": "aggregate"}
    assert rows.parse(measured.document([entry])).rows == []


@pytest.mark.parametrize("text", [
    "", "{", "[]", "null", '{"context": {}}', '{"context": {}, "benchmarks": 1}',
    '{"context": {}, "benchmarks": [{"run_type": "iteration"}]}',
    '{"context": {}, "benchmarks": [{"name": "a", "x": NaN}]}',
    '{"context": {}, "benchmarks": [{"name": "a", "x": Infinity}]}'])
def test_anything_else_is_a_broken_file(tmp_path: Path, text: str) -> None:
    file = tmp_path / "x.json"
    file.write_text(text)
    with pytest.raises(rows.BrokenFile):
        rows.load(file)


def test_missing_and_binary_files_are_broken(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    for name in ("missing", "binary"):
        with pytest.raises(rows.BrokenFile):
            rows.load(tmp_path / name)


def test_the_fixture_is_json_without_nan() -> None:
    json.loads(measured.document([measured.row(NAME, 1)]), parse_constant=pytest.fail)
