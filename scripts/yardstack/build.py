# SPDX-License-Identifier: BSL-1.0
"""Configuring and building a preset, and asking a build folder what it is."""

import os
import shutil
import sys
import time
from pathlib import Path

from yardstack import processes
from yardstack.errors import FAILED, CommandError
from yardstack.paths import BUILD, ROOT


def build(preset: str, *targets: str) -> Path:
    """Configures and builds a preset; returns its folder. Its log lies in build/logs/."""
    log = log_file(f"build-{preset}")
    started = time.monotonic()
    print(f"building {preset} …", file=sys.stderr, flush=True)
    target = ["--target", *targets] if targets else []
    with log.open("w") as out:
        for argv in (["cmake", "--preset", preset], ["cmake", "--build", "--preset", preset, *target]):
            if processes.run(argv, out, _environment()) != 0:
                raise CommandError(f"the {preset} build failed; {log} ends with:\n{tail(log)}", FAILED)
    print(f"built {preset} in {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
    return BUILD / preset


def _environment() -> dict[str, str]:
    """With ccache where it is installed and nothing else is said: the second build is then quick."""
    if shutil.which("ccache") is None:
        return dict(os.environ)
    return {"CMAKE_CXX_COMPILER_LAUNCHER": "ccache", "CCACHE_BASEDIR": str(ROOT),
            "CCACHE_NOHASHDIR": "1", "CCACHE_SLOPPINESS": "pch_defines,time_macros", **os.environ}


def log_file(name: str) -> Path:
    """A fresh log's path in build/logs/."""
    log = BUILD / "logs" / f"{name}.log"
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        log.touch()
    except OSError as error:
        raise CommandError(f"cannot build in {BUILD}: {error.strerror}; clone to where you may write"
                           ) from error
    return log


def tail(log: Path, lines: int = 40) -> str:
    """The last lines of a log, for a message."""
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])


def cache(folder: Path) -> dict[str, str]:
    """The entries of a build folder's CMakeCache.txt; empty where there is none."""
    try:
        text = (folder / "CMakeCache.txt").read_text(errors="replace")
    except OSError:
        return {}
    entries = (line for line in text.splitlines() if "=" in line and line[:1] not in "#/")
    return {left.split(":")[0]: right for left, _, right in (line.partition("=") for line in entries)}


def unpublishable(folder: Path) -> str | None:
    """Why figures of this build may not enter results/; None when they may."""
    entries = cache(folder)
    if sanitizers := entries.get("YARDSTACK_SANITIZE"):
        return f"{folder} is built with -fsanitize={sanitizers}"
    kind = entries.get("CMAKE_BUILD_TYPE", "")
    if kind not in ("Release", "RelWithDebInfo"):
        return f"{folder} is a {kind or 'nameless'} build, not Release"
    return None
