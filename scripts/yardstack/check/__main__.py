# SPDX-License-Identifier: BSL-1.0
"""Builds everything, runs every test and check.

In this order: the release build and its tests, lint, the tests of scripts and programs, the two
sanitizer builds with their tests, the clang build. Each tells how long it took.
The last line counts: `N passed, N failed, N skipped`; every skip is named with its reason.
"""

import argparse
import sys
import time
from collections.abc import Callable, Sequence

from yardstack import packages
from yardstack.check import steps
from yardstack.check.outcome import Outcome
from yardstack.errors import FAILED, OK, Parser, entry

Step = tuple[str, Callable[[], Outcome]]

ALWAYS: list[Step] = [
    ("release: build and tests", lambda: steps.built_and_tested("release")),
    ("lint", steps.linted),
    ("scripts and programs", steps.pytest),
    ("asan-ubsan: build and tests", lambda: steps.built_and_tested("asan-ubsan")),
    ("tsan: build and tests", lambda: steps.built_and_tested("tsan")),
    ("clang: build", lambda: steps.built("clang")),
]
LONG: list[Step] = [
    ("clang: tests", lambda: steps.ctest("clang")),
    ("clang 19: the stackless room", steps.stackless_with_clang_19),
    ("fibers under valgrind", steps.contract_under_valgrind),
    ("clang-tidy and types", steps.tidied),
]


def run(chosen: Sequence[Step]) -> Outcome:
    """Runs the steps in order, telling each one's count and time, then what was skipped or failed."""
    total, times = Outcome(), []
    for name, step in chosen:
        started = time.monotonic()
        print(f"== {name}", flush=True)
        outcome = step()
        times.append((name, time.monotonic() - started))
        print(f"   {outcome.line()} in {times[-1][1]:.0f} s", flush=True)
        total += outcome
    print("\ntime taken:")
    print(*(f"{seconds:6.0f} s  {name}" for name, seconds in times), sep="\n")
    for name, reason in total.skips:
        print(f"skipped: {name}: {reason}")
    for name in total.failures:
        print(f"failed: {name}")
    return total


def main(arguments: Sequence[str]) -> int:
    parser = Parser(prog="scripts/test", description=__doc__,
                    formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true",
                        help="also clang-tidy, the tests of the clang builds, valgrind, and long forms")
    options = parser.parse_args(arguments)
    packages.ensure("build", "report", "test", "lint", *(["tidy"] if options.all else []))
    if options.all:
        steps.announce_long_forms()
    total = run([*ALWAYS, *(LONG if options.all else [])])
    sys.stdout.flush()
    print(total.line(), flush=True)
    return FAILED if total.failures else OK


if __name__ == "__main__":
    entry("test", main)
