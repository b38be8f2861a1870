# SPDX-License-Identifier: BSL-1.0
"""The steps of a test run. Each returns an Outcome; none stops the others."""

import os
import shutil
import sys
from collections.abc import Callable

from yardstack import lint, processes, tidy
from yardstack.build import build, log_file, tail
from yardstack.check.outcome import Outcome, from_junit
from yardstack.errors import CommandError
from yardstack.paths import BUILD, ROOT

#: Set for the tests by `scripts/test --all`: those that have a long form then run it.
LONG_FORM = "YARDSTACK_LONG_TESTS"
#: The case of the contract that lets the process open no more descriptors.
AT_THE_LIMIT = "AcceptAtTheDescriptorLimitDoesNotSpinAndRecovers"

#: C++ tests at a time, on a machine of any size: much of a test is waiting, and each has limits,
#: ports and children of its own.
TESTS_AT_A_TIME = 2


def built(preset: str) -> Outcome:
    """One passed: the preset configures and builds without a warning."""
    try:
        build(preset)
    except CommandError as error:
        print(error)
        return Outcome(failures=[f"build {preset}"])
    return Outcome(passed=1)


def ctest(preset: str) -> Outcome:
    """The C++ tests of a built preset."""
    junit = BUILD / preset / "ctest.xml"
    junit.unlink(missing_ok=True)
    argv = ["ctest", "--test-dir", str(BUILD / preset), "--output-on-failure",
            "--parallel", str(TESTS_AT_A_TIME), "--output-junit", str(junit)]
    return _ran(argv, f"ctest {preset}", lambda: from_junit(junit, preset))


def built_and_tested(preset: str) -> Outcome:
    """Build, then the C++ tests, which are skipped by name where the build failed."""
    outcome = built(preset)
    if outcome.failures:
        outcome.skips.append((f"ctest {preset}", "its build failed"))
        return outcome
    outcome += ctest(preset)
    return outcome


def contract_under_valgrind() -> Outcome:
    """What fibers promise, with their stacks registered, on one worker, on two, and on the move."""
    name = "valgrind"
    skips = [(f"{name}: boost-fibers", "the prebuilt library does not register its own stacks"),
             (f"{name}: Limits/fibers.{AT_THE_LIMIT}", "valgrind itself needs descriptors at the limit")]
    if shutil.which("valgrind") is None:
        return Outcome(skips=[*skips, (f"{name}: fibers", "valgrind is not there")])
    argv = ["valgrind", "-q", "--error-exitcode=9", f"--log-file={log_file('valgrind-errors')}",
            str(BUILD / "release" / "tests" / "test-contract"),
            f"--gtest_filter=*/fibers.*:*/fibers_on_two_workers.*:*/fibers_migrating.*-*.{AT_THE_LIMIT}"]
    outcome = _gtest(argv, name)
    outcome.skips += skips
    return outcome


def stackless_with_clang_19() -> Outcome:
    """The stackless room, coroutines at -O0 among it: a compiler that lays frames out its own way."""
    if shutil.which("clang++-19") is None:
        return Outcome(skips=[("clang-19: stackless", "clang++-19 is not there")])
    try:
        build("clang-19", "test-stackless")
    except CommandError as error:
        print(error)
        return Outcome(failures=["build clang-19"])
    return _gtest([str(BUILD / "clang-19" / "tests" / "test-stackless")], "clang-19")


def _gtest(argv: list[str], name: str) -> Outcome:
    """One test program, run whole."""
    junit = BUILD / f"{name}.xml"
    junit.unlink(missing_ok=True)
    return _ran([*argv, f"--gtest_output=xml:{junit}"], name, lambda: from_junit(junit, name))


def pytest() -> Outcome:
    """The tests of the scripts and of the built programs."""
    junit = BUILD / "pytest.xml"
    junit.unlink(missing_ok=True)
    argv = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
            f"--junitxml={junit}", str(ROOT / "tests")]
    return _ran(argv, "pytest", lambda: from_junit(junit, "pytest"))


def _ran(argv: list[str], name: str, read: Callable[[], Outcome]) -> Outcome:
    log = log_file(name.replace(" ", "-"))
    with log.open("w") as out:
        status = processes.run(argv, out)
    outcome = read()
    if status != 0 and not outcome.failures:
        outcome.failures.append(f"{name}: ended with status {status}")
    if outcome.failures:
        print(f"{log} ends with:\n{tail(log, 80)}")
    return outcome


def linted() -> Outcome:
    """One case a check."""
    return _checked(lint.CHECKS)


def tidied() -> Outcome:
    """clang-tidy over what it has not yet found tidy, and mypy; minutes at first, so only with --all."""
    return _checked({"clang-tidy": tidy.complaints, "types": lint.types})


def _checked(checks: dict[str, Callable[[], list[str]]]) -> Outcome:
    outcome = Outcome()
    for name, check in checks.items():
        complaints = check()
        for complaint in complaints:
            print(f"  {name}: {complaint}")
        if complaints:
            outcome.failures.append(f"lint: {name}")
        else:
            outcome.passed += 1
    return outcome


def announce_long_forms() -> None:
    os.environ[LONG_FORM] = "1"
