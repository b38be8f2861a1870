# SPDX-License-Identifier: BSL-1.0
"""Every program of the release build, interrupted: valid files, and no process left."""

import signal
import subprocess
import time
from pathlib import Path

import pytest
from built import BUILD, SMALL, descendants, pytestmark, started  # noqa: F401
from yardstack import rows

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
        assert told.splitlines()[-1] == f"{name}: interrupted: 0 of 2 rows are measured"
    assert_gone(children)
    found = rows.load(out).rows
    assert len(found) == 2
    assert all(row.error and row.error.startswith("interrupted:") for row in found)
