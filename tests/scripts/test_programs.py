# SPDX-License-Identifier: BSL-1.0
"""One small run of every program of the release build: figures, usage, interruption.

Nothing is said about how long anything takes: the machine may be busy.
"""

import contextlib
import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT
from yardstack import machine, rows, series

BUILD = ROOT / "build" / "release"
#: A cell of each question that is small on any machine.
SMALL = {
    "bench-blocking": "blocking/futures/disturber:call/tasks:10",
    "bench-cancel": "cancel/futures/what:sleep/tasks:10",
    "bench-frames": "frames/futures/shape:disjoint",
    "bench-compose": "compose/futures/depth:8",
    "bench-depth": "depth/futures/levels:10",
    "bench-switch": "switch/futures/tasks:2",
    "bench-spawn": "spawn/futures/alive:1",
    "bench-memory": "memory/futures/state:sleeping/tasks:1000",
    "bench-parallel": "parallel/futures/work:burst/workers:1/tasks:2",
    "bench-echo": "echo/futures/transport:unix/connections:2/bytes:64",
    "bench-stacks": "stacks/fibers/stack:16384/depth:1",
    "bench-timers": "timers/futures/tasks:10/period_us:1000",
    "bench-wake": "wake/futures/spurious:1",
    "bench-selftest": "selftest/slowdown/percent:10",
}
TOOLS = ("yardstack-load", "yardstack-serve")
#: Cells that last longer than a test waits: by their seconds, or where those mean nothing by their size.
ENDLESS = ("--seconds=600", "--timeout=900")
LONG = {**{name: (cell, cell.replace("futures", "threads")) for name, cell in SMALL.items()},
        "bench-cancel": ("cancel/futures/what:read/tasks:10", "cancel/futures/what:sleep/tasks:10"),
        "bench-compose": ("compose/futures/depth:8", "compose/callbacks/depth:8"),
        "bench-frames": ("frames/futures/tasks:4000000", "frames/coroutines/tasks:4000000"),
        "bench-memory": ("memory/futures/state:sleeping/tasks:4000000",
                         "memory/futures/state:sleeping/tasks:3000000"),
        "bench-stacks": ("stacks/fibers/stack:16384/depth:1", "stacks/fibers/stack:65536/depth:1"),
        "bench-wake": ("wake/futures/spurious:1", "wake/coroutines/spurious:1"),
        "bench-selftest": ("selftest/slowdown/percent:10", "selftest/slowdown/percent:2")}

pytestmark = pytest.mark.skipif(not (BUILD / "CMakeCache.txt").exists(),
                                reason="build/release is not there: cmake --preset release")


def programs() -> list[str]:
    """Every bench program that the build files name, whether built or not."""
    text = (ROOT / "harness/benchmarks/CMakeLists.txt").read_text()
    questions = re.search(r"foreach\(question IN ITEMS ([^)]*)\)", text)
    assert questions, "harness/benchmarks/CMakeLists.txt names no question"
    return [f"bench-{question}" for question in questions.group(1).split()]


def run(name: str, *arguments: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([BUILD / name, *arguments], cwd=folder, stdin=subprocess.DEVNULL,
                          env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, timeout=300)


def descendants(pid: int) -> list[int]:
    found = []
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in map(int, (task / "children").read_text().split()):
                found += [child, *descendants(child)]
    return found


@contextlib.contextmanager
def started(argv: list[str | Path]) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def wait_until_busy(process: subprocess.Popen[str]) -> list[int]:
    """Until it has a child of its own: the first cell has begun. A hang guard, no measurement."""
    end = time.monotonic() + 60
    while not (children := descendants(process.pid)):
        assert time.monotonic() < end and process.poll() is None, "no cell ever began"
        time.sleep(0.02)
    return children


def assert_gone(pids: list[int]) -> None:
    end = time.monotonic() + 20
    while left := [pid for pid in pids if Path(f"/proc/{pid}/cmdline").exists() and
                   Path(f"/proc/{pid}/cmdline").read_bytes()]:
        assert time.monotonic() < end, f"left running: {left}"
        time.sleep(0.02)


def test_each_program_has_a_small_cell_here() -> None:
    assert set(programs()) == set(SMALL)


@pytest.mark.parametrize("name", programs())
def test_a_small_cell_gives_a_row(name: str, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    done = run(name, f"--cell={SMALL[name]}", "--seconds=0.05", f"--benchmark_out={out}",
               "--benchmark_out_format=json", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    output = rows.load(out)
    row, = output.rows
    assert row.name == SMALL[name]
    assert row.error is None
    assert series.PRIMARY[row.question] in row.counters or row.counters["valid"] == 0
    assert output.context["tree_hash"] == machine.tree_hash()
    assert output.context["build_type"] == "Release"


@pytest.mark.parametrize("name", [*SMALL, *TOOLS])
def test_help_is_status_0(name: str) -> None:
    done = run(name, "--help")
    assert done.returncode == 0 and "Usage" in done.stdout and done.stderr == ""


@pytest.mark.parametrize("name", [*SMALL, *TOOLS])
@pytest.mark.parametrize("argument", ["--nonsense", "--nonsense=1", "--threads=-1"])
def test_an_unknown_flag_is_status_2_and_one_line(name: str, argument: str) -> None:
    done = run(name, argument)
    assert done.returncode == 2
    assert done.stdout == "" and len(done.stderr.splitlines()) == 1
    assert name in done.stderr


@pytest.mark.parametrize("name", list(SMALL))
@pytest.mark.parametrize("arguments", [
    ["--benchmark_filter=^nothing$"], ["--benchmark_filter=("], ["--benchmark_repetitions=3"],
    ["--contenders=", "--seconds=1"], ["--cell=nothing/at:all"], ["--cell=/"], ["--contenders=nobody"],
    ["--seconds=0"], ["--seconds=x"], ["--benchmark_format=xml"], ["--benchmark_out_format=xml"],
    ["--benchmark_out=/dev/null/x", "--benchmark_out_format=json"], ["--order-seed=-1"],
    ["--subject-cpu=99999"], ["--histograms=/dev/null/x"]], ids=lambda value: value[0])
def test_bad_usage_is_found_before_the_first_cell(name: str, arguments: list[str]) -> None:
    done = run(name, *arguments)
    assert done.returncode == 2
    assert done.stdout == "" and len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stderr.startswith(f"{name}: ")


@pytest.mark.parametrize("name", list(SMALL))
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP],
                         ids=["Ctrl-C", "terminate", "hang-up"])
def test_an_interruption_leaves_valid_json_and_no_process(
        name: str, number: signal.Signals, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    argv: list[str | Path] = [BUILD / name, f"--cell={','.join(LONG[name])}", *ENDLESS,
                              f"--benchmark_out={out}", "--benchmark_out_format=json"]
    with started(argv) as process:
        children = wait_until_busy(process)
        process.send_signal(number)
        _, told = process.communicate(timeout=60)
        assert process.returncode == 130, told
    assert_gone(children)
    found = rows.load(out).rows
    assert len(found) == 2
    assert all(row.error and row.error.startswith("interrupted:") for row in found)


def test_a_limit_is_a_refused_row_and_no_failure(tmp_path: Path) -> None:
    limit = int(Path("/proc/sys/kernel/pid_max").read_text())
    if limit > 40_000:
        pytest.skip(f"pid_max is {limit}: reaching it would take too long")
    out = tmp_path / "out.json"
    done = run("bench-memory", f"--cell=memory/threads/state:sleeping/tasks:{limit + 1000}",
               f"--benchmark_out={out}", "--benchmark_out_format=json")
    row, = rows.load(out).rows
    assert done.returncode == 0
    assert row.refused and "reached=" in (row.error or "") and "limit=" in (row.error or "")


def test_listed_rows_are_what_can_be_measured() -> None:
    for name in programs():
        listed = [rows.plain_name(line) for line in run(
            name, "--benchmark_list_tests").stdout.split()]
        assert listed and len(set(listed)) == len(listed)
        assert all(cell.startswith(name.removeprefix("bench-") + "/") for cell in listed)


def test_every_cell_of_every_profile_is_known_to_its_program() -> None:
    from yardstack import profile
    for loaded in map(profile.load, profile.names()):
        for entry in loaded.entries:
            done = run(entry.program, "--benchmark_list_tests", f"--cell={','.join(entry.cells)}")
            assert done.returncode == 0, f"{loaded.name}: {done.stderr}"
            assert sorted(map(rows.plain_name, done.stdout.split())) == sorted(entry.cells)


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
    out = tmp_path / "out.json"
    done = run("bench-wake", f"--cell=wake/{contender}/rule:{rule}", f"--benchmark_out={out}",
               "--benchmark_out_format=json")
    assert done.returncode == 0, done.stderr
    row, = rows.load(out).rows
    assert {counter: row.counters.get(counter) for counter in RULES[rule]} == RULES[rule]


@pytest.mark.parametrize("contender", ["futures", "coroutines", "callbacks", "floor-calls"])
def test_a_level_is_what_compares_composed_tasks(contender: str, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    done = run("bench-compose", f"--cell=compose/{contender}/depth:8", "--seconds=0.01",
               f"--benchmark_out={out}", "--benchmark_out_format=json")
    assert done.returncode == 0, done.stderr
    row, = rows.load(out).rows
    assert row.counters["valid"] == (row.doubt("ns_per_level") is None)
    assert bool(row.doubt("ns_per_level")) == bool(row.doubt("ns_per_op"))
    assert ("a task, spawned and run" in row.label) == (contender == "callbacks")


def test_what_is_cancelled_leaves_nothing_behind(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    reads = [f"cancel/{c}/what:read/tasks:20" for c in ("threads", "fibers", "futures", "coroutines", "callbacks")]
    sleeps = [f"cancel/{c}/what:sleep/tasks:20" for c in ("fibers", "futures", "coroutines", "callbacks")]
    done = run("bench-cancel", f"--cell={','.join([*reads, *sleeps])}", "--seconds=0.01",
               f"--benchmark_out={out}", "--benchmark_out_format=json")
    assert done.returncode == 0, done.stderr
    found = rows.load(out).rows
    assert {row.name for row in found} == {*reads, *sleeps}
    for row in found:
        leaks = {counter: value for counter, value in row.counters.items() if counter.startswith("leaked_")}
        assert set(leaks.values()) == {0}, f"{row.name}: {leaks}"
        assert ("leaked_stacks" in leaks) == (row.contender == "fibers")


@pytest.mark.parametrize("contender", ["fibers", "boost-fibers", "futures", "coroutines"])
def test_a_generation_is_spawned_on_a_fresh_heap_and_on_a_warm_one(contender: str, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    done = run("bench-spawn", f"--cell=spawn/{contender}/together:100", "--seconds=0.01",
               f"--benchmark_out={out}", "--benchmark_out_format=json")
    assert done.returncode == 0, done.stderr
    row, = rows.load(out).rows
    assert row.counters["cold_ns_per_create"] > 0 and row.counters["ns_per_create"] > 0
    assert row.counters["ns_per_create_batches"] >= 5
    assert "ns_per_spawn" not in row.counters  # that is a whole life


@pytest.mark.parametrize("cell", ["spawn/threads/together:10", "spawn/futures",
                                  "spawn/futures/alive:1/together:1", "spawn/floor-allocate/together:1",
                                  "wake/threads/spurious:1", "wake/fibers/rule:order",
                                  "wake/futures/spurious:1/wait:busy", "wake/futures",
                                  "wake/floor-eventfd/wait:parked"])
def test_a_row_that_means_nothing_is_refused_before_the_first_cell(cell: str) -> None:
    done = run(f"bench-{cell.split('/')[0]}", f"--cell={cell}")
    assert done.returncode == 2 and cell in done.stderr


def test_the_rows_are_json_for_anybody(tmp_path: Path) -> None:
    done = run("bench-switch", f"--cell={SMALL['bench-switch']}", "--seconds=0.05",
               "--benchmark_format=json")
    json.loads(done.stdout, parse_constant=pytest.fail)
