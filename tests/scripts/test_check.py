# SPDX-License-Identifier: BSL-1.0
"""The test command counts what its runners report, and lets nothing vanish."""

from pathlib import Path

import pytest
from yardstack.check import __main__ as check
from yardstack.check.outcome import Outcome, from_junit

CTEST = """<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="Linux-g++" tests="4" failures="1" disabled="1" skipped="1">
 <testcase name="Wheel.FiresInOrder" classname="Wheel.FiresInOrder" status="run"/>
 <testcase name="Wheel.Late" classname="Wheel.Late" status="fail"><failure message=""/></testcase>
 <testcase name="Reactor.Stale" classname="Reactor.Stale" status="notrun">
  <skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>
  <system-out>[ RUN ] Reactor.Stale
/x/reactor_test.cpp:12: Skipped
the kernel has no epoll_pwait2
[  SKIPPED ] Reactor.Stale</system-out></testcase>
 <testcase name="Bare" classname="Bare" status="notrun">
  <skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>
  <system-out>skipped: a sanitizer is there
</system-out></testcase>
 <testcase name="Gone" classname="Gone" status="disabled"/>
</testsuite>"""

PYTEST = """<testsuites><testsuite name="pytest" tests="2">
 <testcase classname="tests.a" name="works"/>
 <testcase classname="tests.a" name="needs"><skipped type="pytest.skip" message="no chromium"/>
 </testcase></testsuite></testsuites>"""


def junit(folder: Path, text: str) -> Path:
    file = folder / "junit.xml"
    file.write_text(text)
    return file


def test_ctest_results_are_counted_and_skips_carry_their_reason(tmp_path: Path) -> None:
    outcome = from_junit(junit(tmp_path, CTEST), "tsan")
    assert outcome.passed == 1
    assert outcome.failures == ["tsan: Wheel.Late"]
    assert outcome.skips == [("tsan: Reactor.Stale", "the kernel has no epoll_pwait2"),
                             ("tsan: Bare", "a sanitizer is there"), ("tsan: Gone", "disabled")]


def test_pytest_results_are_counted(tmp_path: Path) -> None:
    outcome = from_junit(junit(tmp_path, PYTEST), "pytest")
    assert outcome.line() == "1 passed, 0 failed, 1 skipped"
    assert outcome.skips == [("pytest: tests.a.needs", "no chromium")]


@pytest.mark.parametrize("text", ["", "<testsuite>", "<testsuite/>"])
def test_no_result_is_a_failure(tmp_path: Path, text: str) -> None:
    assert len(from_junit(junit(tmp_path, text), "x").failures) == 1
    assert len(from_junit(tmp_path / "missing.xml", "x").failures) == 1


def test_the_run_names_skips_and_failures_and_sums(capsys: pytest.CaptureFixture[str]) -> None:
    total = check.run([("a", lambda: Outcome(passed=2, skips=[("s", "why")])),
                       ("b", lambda: Outcome(passed=1, failures=["f"]))])
    assert total.line() == "3 passed, 1 failed, 1 skipped"
    said = capsys.readouterr().out
    assert "skipped: s: why" in said and "failed: f" in said
