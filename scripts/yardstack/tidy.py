# SPDX-License-Identifier: BSL-1.0
"""clang-tidy over the sources of the clang build. What was tidy, and has not changed since (nor
anything that it includes), is not looked at again: the first time takes long, the next ones do not."""

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from yardstack import ninja
from yardstack.paths import BUILD, ROOT

TIDY = "clang-tidy-14"
CLANG = BUILD / "clang"
CONFIGURATION = ROOT / ".clang-tidy"


def complaints(build: Path = CLANG) -> list[str]:
    """What it says, a line each, of all sources that are not known to be tidy."""
    if shutil.which(TIDY) is None:
        return [f"{TIDY} is not on the path"]
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as several:
        found = several.map(lambda source: _of(source, build), untidied(build))
        return sorted({line for lines in found for line in lines})


def untidied(build: Path) -> list[Path]:
    """The sources that a build compiles, but for those that are as they were when found tidy."""
    commands = json.loads((build / "compile_commands.json").read_text())
    sources = {Path(command["directory"], command["file"]).resolve() for command in commands}
    return sorted(sources - set(_still_tidy(ninja.compiled(build), build)))


def _still_tidy(objects: Iterable[ninja.Compiled], build: Path) -> Iterable[Path]:
    for compiled in objects:
        mark = _mark(compiled.source, build)
        if mark.exists() and (since := mark.stat().st_mtime_ns) > CONFIGURATION.stat().st_mtime_ns:
            if compiled.is_current(since):
                yield compiled.source


def _mark(source: Path, build: Path) -> Path:
    """Lies there, with the time of the look, for a source that was found tidy."""
    return build / "tidy" / str(source).lstrip("/")


def _of(source: Path, build: Path) -> list[str]:
    mark, began = _mark(source, build), time.time_ns()
    done = subprocess.run([TIDY, "-quiet", "-p", str(build), str(source)], cwd=ROOT,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        mark.unlink(missing_ok=True)
        lines = [line for line in done.stdout.splitlines() if ": warning:" in line or ": error:" in line]
        return lines or [f"{source}: {(done.stderr or done.stdout).strip()[-500:]}"]
    mark.parent.mkdir(parents=True, exist_ok=True)
    mark.touch()
    os.utime(mark, ns=(began, began))
    return []
