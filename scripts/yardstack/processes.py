# SPDX-License-Identifier: BSL-1.0
"""Programs in groups of their own, so that an interruption ends them with all they have started."""

import contextlib
import os
import select
import signal
import subprocess
from collections.abc import Mapping, Sequence
from typing import IO

from yardstack.paths import ROOT

#: Seconds that a program has to close its files.
GRACE_S = 15.0


def start(argv: Sequence[str], output: IO[str], environment: Mapping[str, str] | None = None
          ) -> subprocess.Popen[bytes]:
    """Starts a program in the project's folder, without input, all it says going to `output`."""
    return subprocess.Popen(argv, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=output,
                            stderr=output, start_new_session=True)


def run(argv: Sequence[str], output: IO[str], environment: Mapping[str, str] | None = None,
        timeout_s: float | None = None) -> int:
    """Runs a program to its end and returns its status. Whatever ends the waiting ends its group.

    Raises TimeoutError when it has not ended in time.
    """
    process = start(argv, output, environment)
    try:
        if not _ended(process, timeout_s):
            _interrupt(process)
            raise TimeoutError(f"no end after {timeout_s:.0f} s")
    except KeyboardInterrupt:
        _interrupt(process)
        raise
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # what it has left behind
        process.wait()
    return process.returncode


def _ended(process: subprocess.Popen[bytes], timeout_s: float | None) -> bool:
    """Waits without collecting the process: until then its group's number is nobody else's."""
    descriptor = os.pidfd_open(process.pid)
    try:
        return bool(select.select([descriptor], [], [], timeout_s)[0])
    finally:
        os.close(descriptor)


def _interrupt(process: subprocess.Popen[bytes]) -> None:
    """Lets a group close its files; a second interruption cuts that short."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGINT)
    with contextlib.suppress(KeyboardInterrupt):
        _ended(process, GRACE_S)
