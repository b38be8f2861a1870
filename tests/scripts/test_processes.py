# SPDX-License-Identifier: BSL-1.0
"""Programs end with all that they have started."""

import os
import signal
import threading
import time
from pathlib import Path

import pytest
from yardstack import processes

#: A program with a child in its group, deaf to interruptions or not.
PARENT = "{} sleep 600 & echo $! > {}; wait"


def assert_ended(pid: int) -> None:
    end = time.monotonic() + 10
    while Path(f"/proc/{pid}/cmdline").exists() and Path(f"/proc/{pid}/cmdline").read_bytes():
        assert time.monotonic() < end, f"{pid} was left running"
        time.sleep(0.02)


def run(script: str, folder: Path, timeout_s: float | None = None) -> int:
    with (folder / "log").open("w") as output:
        return processes.run(["sh", "-c", script], output, timeout_s=timeout_s)


@pytest.mark.parametrize("deafness", ["", "trap '' INT;"])
def test_time_outs_end_the_whole_group(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deafness: str) -> None:
    monkeypatch.setattr(processes, "GRACE_S", 0.2)
    with pytest.raises(TimeoutError, match="no end after"):
        run(PARENT.format(deafness, tmp_path / "pid"), tmp_path, timeout_s=0.5)
    assert_ended(int((tmp_path / "pid").read_text()))


def test_an_interruption_ends_the_whole_group(tmp_path: Path) -> None:
    def interrupt() -> None:
        pid = tmp_path / "pid"
        while not (pid.exists() and pid.read_text()):  # it is there before it says anything
            time.sleep(0.02)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        run(PARENT.format("", tmp_path / "pid"), tmp_path)
    assert_ended(int((tmp_path / "pid").read_text()))


def test_what_a_program_leaves_behind_ends_with_it(tmp_path: Path) -> None:
    assert run(f"sleep 600 & echo $! > {tmp_path / 'pid'}; exit 3", tmp_path) == 3
    assert_ended(int((tmp_path / "pid").read_text()))
