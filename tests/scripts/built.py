# SPDX-License-Identifier: BSL-1.0
"""The programs of the release build: which there are, a small cell of each, and how tests run them."""

import contextlib
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT
from yardstack import rows

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


def measure(out: Path, *cells: str, seconds: float = 0.01) -> list[rows.Row]:
    """The rows of some cells of one question, each without an error."""
    done = run(f"bench-{cells[0].split('/')[0]}", f"--cell={','.join(cells)}", f"--seconds={seconds}",
               f"--benchmark_out={out}", "--benchmark_out_format=json")
    assert done.returncode == 0, done.stderr
    found = rows.load(out).rows
    assert sorted(row.name for row in found) == sorted(cells)
    assert not any(row.error for row in found)
    return found


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
