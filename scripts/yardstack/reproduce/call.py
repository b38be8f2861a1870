# SPDX-License-Identifier: BSL-1.0
"""Calling one measuring program: in a group of its own, guarded, interruptible, leaving no orphans."""

import contextlib
import ctypes
import os
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

from yardstack.rows import BrokenFile, load

_GRACE_S = 15.0
_PR_SET_CHILD_SUBREAPER = 36


@dataclass(frozen=True)
class Ending:
    """How a call ended. `complaint` is empty when its file is complete and was kept."""

    status: int
    complaint: str = ""


def adopt_orphans() -> None:
    """Lets grandchildren whose parent dies become ours, so that they can be ended too."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def call(command: list[str], out: Path, log: Path, timeout_s: float) -> Ending:
    """Runs a program until it ends; keeps its JSON at `out` only when that is complete.

    KeyboardInterrupt is handed to the program, which closes its files, and raised again.
    """
    partial = out.with_suffix(".json.partial")
    partial.unlink(missing_ok=True)
    argv = [*command, f"--benchmark_out={partial}", "--benchmark_out_format=json"]
    with log.open("w") as told:
        try:
            process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=told, stderr=told,
                                       start_new_session=True)
        except OSError as error:
            return Ending(127, f"cannot start {argv[0]}: {error.strerror}")
        try:
            status = process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            _end(process)
            partial.unlink(missing_ok=True)
            return Ending(1, f"timeout: no end after {timeout_s:.0f} s")
        except KeyboardInterrupt:
            _end(process)
            partial.unlink(missing_ok=True)
            raise
        finally:
            _end_orphans(process.pid)
    ending = _judge(status, partial, out, log)
    partial.unlink(missing_ok=True)
    return ending


def _judge(status: int, partial: Path, out: Path, log: Path) -> Ending:
    """Statuses 0 and 1 come with a whole file; all others have measured nothing to keep."""
    if status not in (0, 1):
        last = log.read_text(errors="replace").strip().splitlines()[-1:] or ["no message"]
        return Ending(status, f"status {status}: {last[0]}")
    try:
        load(partial)
    except BrokenFile as error:
        return Ending(1, f"status {status}, but {error}")
    os.replace(partial, out)
    return Ending(status)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Interrupt first, so that files are closed; then by force."""
    for number in (signal.SIGINT, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired, KeyboardInterrupt):
            process.wait(_GRACE_S)
            return


def _end_orphans(group: int) -> None:
    """Whatever the program left running in its session, or that has become ours."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
    for child in _children():
        if child != group:
            with contextlib.suppress(ProcessLookupError, ChildProcessError):
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)


def _children() -> list[int]:
    with contextlib.suppress(OSError):
        return list(map(int, Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()))
    return []
