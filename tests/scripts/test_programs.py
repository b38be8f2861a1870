# SPDX-License-Identifier: BSL-1.0
"""One small run of every program of the release build: figures, usage, limits.

Nothing is said about how long anything takes: the machine may be busy.
"""

import json
from pathlib import Path

import pytest
from built import SMALL, TOOLS, programs, pytestmark, run  # noqa: F401
from yardstack import machine, profile, rows, series


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
    assert series.primary([row]) or row.counters["valid"] == 0
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
    for loaded in map(profile.load, profile.names()):
        for entry in loaded.entries:
            done = run(entry.program, "--benchmark_list_tests", f"--cell={','.join(entry.cells)}")
            assert done.returncode == 0, f"{loaded.name}: {done.stderr}"
            assert sorted(map(rows.plain_name, done.stdout.split())) == sorted(entry.cells)


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
