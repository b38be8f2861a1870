# SPDX-License-Identifier: BSL-1.0
"""Calling one measuring program: in a group of its own, guarded, interruptible, leaving no orphans."""

import contextlib
import ctypes
import os
import signal
from dataclasses import dataclass
from pathlib import Path

from yardstack import processes
from yardstack.errors import FAILED, INTERRUPTED, OK
from yardstack.rows import BrokenFile, load

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

    KeyboardInterrupt is handed to the program, which closes its files: status 130.
    """
    partial = out.with_suffix(".json.partial")
    partial.unlink(missing_ok=True)
    argv = [*command, f"--benchmark_out={partial}", "--benchmark_out_format=json"]
    try:
        with log.open("w") as told:
            try:
                status = processes.run(argv, told, timeout_s=timeout_s)
            except KeyboardInterrupt:
                status = INTERRUPTED
        ending = _judge(status, partial, out, log)
    except (FileNotFoundError, PermissionError) as error:
        ending = Ending(127, f"cannot start {argv[0]}: {error.strerror}")
    except TimeoutError as error:
        _judge(INTERRUPTED, partial, out, log)  # what it had measured by then
        ending = Ending(FAILED, f"timeout: {error}")
    finally:
        _end_orphans()
        for left_over in (partial, *partial.parent.glob(f"{partial.name}.*.part")):  # of a killed program
            left_over.unlink(missing_ok=True)
    return ending


def _judge(status: int, partial: Path, out: Path, log: Path) -> Ending:
    """Statuses 0, 1 and 130 come with a whole file; all others have measured nothing to keep."""
    if status not in (OK, FAILED, INTERRUPTED):
        last = log.read_text(errors="replace").strip().splitlines()[-1:] or ["no message"]
        return Ending(status, f"status {status}: {last[0]}")
    try:
        load(partial)
    except BrokenFile as error:
        return Ending(status or FAILED, f"status {status}, but {error}")
    os.replace(partial, out)
    return Ending(status)


def _end_orphans() -> None:
    """Whatever left the program's group and has become ours."""
    for child in _children():
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def _children() -> list[int]:
    with contextlib.suppress(OSError):
        return list(map(int, Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()))
    return []
