# SPDX-License-Identifier: BSL-1.0
"""Two runs side by side: regressions are found, noise is not one."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import measured
import pytest
from conftest import add, offer

Command = Callable[..., subprocess.CompletedProcess[str]]
Maker = Callable[..., Path]


def test_a_seeded_slowdown_is_a_regression(command: Command, make_run: Maker) -> None:
    first, second = make_run(name="a"), make_run(name="b", factor=1.5)
    done = command("compare", first, second, "--fail-if-slower", 20)
    assert done.returncode == 3
    assert "switch/futures/tasks:2" in done.stdout and "slower" in done.stdout
    assert "50.0 % slower" in done.stderr
    assert "spawn" not in done.stderr


def test_the_same_run_twice_is_none(command: Command, make_run: Maker) -> None:
    done = command("compare", make_run(name="a"), make_run(name="b"), "--fail-if-slower", 0)
    assert done.returncode == 0 and done.stderr == "" and "slower" not in done.stdout


def test_faster_is_no_regression_and_without_a_limit_nothing_is(
        command: Command, make_run: Maker) -> None:
    first, second = make_run(name="a"), make_run(name="b", factor=1.5)
    faster = command("compare", second, first, "--fail-if-slower", 1)
    assert faster.returncode == 0 and "faster" in faster.stdout
    assert command("compare", first, second).returncode == 0


def test_too_few_blocks_are_no_regression(command: Command, make_run: Maker) -> None:
    first, second = make_run(name="a", blocks=2), make_run(name="b", blocks=2, factor=2)
    assert command("compare", first, second, "--fail-if-slower", 1).returncode == 0


def test_three_blocks_tell_no_small_change(command: Command, make_run: Maker) -> None:
    """Four per cent, with two per cent of noise: the ranges may lie apart, and it is still nothing."""
    first, second = make_run(name="a"), make_run(name="b", factor=1.04)
    done = command("compare", first, second, "--fail-if-slower", 3)
    assert done.returncode == 0 and done.stderr == ""


def test_noisy_blocks_make_no_regression(command: Command, make_run: Maker) -> None:
    first, second = make_run(name="a"), make_run(name="b", factor=2, noisy=(1,))
    assert command("compare", first, second, "--fail-if-slower", 20).returncode == 0


def test_rows_in_doubt_are_not_compared(command: Command, make_run: Maker) -> None:
    first = make_run(name="a")
    second = make_run(name="b")
    for file in (second / "raw").glob("bench-switch*"):
        file.write_text(file.read_text().replace('"valid": 1', '"valid": 0'))
    done = command("compare", first, second)
    assert "switch/" not in done.stdout
    assert "in the second run alone: switch/" in done.stderr, "a regression may hide there"


def test_rows_are_compared_by_what_they_speak_of(command: Command, make_run: Maker) -> None:
    first, second = make_run(name="a"), make_run(name="b")
    for folder, level in ((first, 10.0), (second, 20.0)):
        add(folder, [
            measured.entry("compose/futures/depth:1", {"ns_per_op": 7.0, "valid": 1}),
            measured.entry("compose/futures/depth:4", {"ns_per_op": 40.0, "ns_per_level": level, "valid": 1})])
    told = {line.split()[0]: line for line in command("compare", first, second).stdout.splitlines()}
    assert "+100.0 %" in told["compose/futures/depth:4"] and "slower" in told["compose/futures/depth:4"]
    assert "+0.0 %" in told["compose/futures/depth:1"]


def test_rows_at_another_rate_are_named_once(command: Command, make_run: Maker) -> None:
    first, second = make_run(name="a"), make_run(name="b")
    for folder, rate in ((first, 50_000), (second, 43_000)):
        offer(folder, dict.fromkeys((1, 2, 3), rate))
    done = command("compare", first, second)
    assert "echo/futures/" not in done.stdout and "echo/coroutines/" in done.stdout
    told, = done.stderr.splitlines()
    assert told.startswith("compare: at another rate: echo/futures/")


def test_a_row_of_few_blocks_is_told_with_its_doubt(command: Command, make_run: Maker) -> None:
    first, second = make_run(name="a"), make_run(name="b", factor=2, noisy=(1,))
    told = {line.split()[0]: line for line in command("compare", first, second).stdout.splitlines()}
    assert told["switch/futures/tasks:2"].endswith(" %  (noisy in 1 of 3 blocks)")
    assert not told["memory/futures/state:sleeping/tasks:10000"].endswith(")"), "noise adds no byte"


@pytest.mark.parametrize("limit", ["nan", "-1", "inf", "much"])
def test_a_limit_that_nothing_or_everything_exceeds_is_bad_usage(
        limit: str, command: Command, make_run: Maker) -> None:
    done = command("compare", make_run(name="a"), make_run(name="b"), f"--fail-if-slower={limit}")
    assert done.returncode == 2 and "--fail-if-slower" in done.stderr


@pytest.mark.parametrize("what", ["missing", "empty"])
def test_nothing_to_compare_is_status_2(command: Command, make_run: Maker, tmp_path: Path, what: str
                                        ) -> None:
    folder = make_run(name="a")
    other = tmp_path / "other"
    if what == "empty":
        shutil.copytree(folder, other)
        shutil.rmtree(other / "raw")
    done = command("compare", folder, other)
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1
