# SPDX-License-Identifier: BSL-1.0
"""Exit statuses, and how a command ends with one clear line instead of a traceback."""

import argparse
import os
import signal
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

OK, FAILED, USAGE, REGRESSION, REFUSED, INTERRUPTED = 0, 1, 2, 3, 4, 130


class CommandError(Exception):
    """Ends the command with one line on stderr and the given exit status."""

    def __init__(self, message: str, status: int = USAGE) -> None:
        super().__init__(message)
        self.status = status


class Parser(argparse.ArgumentParser):
    """Tells of bad usage in one line, as of anything else; `--help` has the rest."""

    def error(self, message: str) -> NoReturn:
        raise CommandError(message)


def entry(name: str, main: Callable[[Sequence[str]], int]) -> None:
    """Runs `main` and turns its failures into the documented exit statuses."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # a stop is an interruption too
    if signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:  # and a terminal that closes; not under nohup
        signal.signal(signal.SIGHUP, signal.default_int_handler)
    try:
        status = main(sys.argv[1:])
        print(end="", flush=True)  # what cannot be written is to be told here, not by the interpreter's end
        sys.exit(status)
    except CommandError as error:
        print(f"{name}: {error}", file=sys.stderr)
        sys.exit(error.status)
    except KeyboardInterrupt:
        print(f"{name}: interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        sys.stderr.close()  # whoever read our output has gone; nothing is left to say
        sys.exit(FAILED)
    except OSError as error:  # a full disk, a folder that vanished
        print(f"{name}: {error}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # where output is stuck, it is so at the end again
        sys.exit(FAILED)
