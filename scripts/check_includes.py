#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks the direction of the architecture, io <- rooms <- harness, on the compiler's own word.

What a source depends on is taken from the newest build that knows it (`ninja -t deps`) and, where
no build does or files have changed since, asked from the compiler. Prints one line a complaint;
exits with 1 if there is any, 2 if the compiler cannot say.
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from yardstack import ninja

ROOT = Path(__file__).resolve().parents[1]
GROUND = "io"
ROOMS = ("threads", "stackful", "stackless")
HALL = "harness"
FOLDERS = (GROUND, *ROOMS, HALL)
WORKLOADS = f"{HALL}/workloads/"
#: What bench-frames has compilers compile, to measure them: of a room no more than that.
PROBES = f"{WORKLOADS}probes/"
FLOORS = f"{HALL}/floors/"
#: The list of contenders: the one header of the hall that sees rooms; only workloads include it.
LIST = f"{HALL}/contenders.hpp"
#: Seconds each time it is compiled, so one source a header.
HEAVY = ("nlohmann/json.hpp", "CLI/CLI.hpp")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)

#: A source and all it depends on: files of ours by their path below the root, others whole.
Dependencies = Mapping[str, frozenset[str]]


def folder_of(path: str) -> str:
    """The first folder of a file of ours; empty for others."""
    first = path.split("/", 1)[0]
    return first if first in FOLDERS else ""


def allowed_folders(source: str) -> set[str]:
    """The folders of ours that a source may depend on."""
    folder = folder_of(source)
    if folder in (GROUND, *ROOMS):
        return {GROUND, folder}
    return set(FOLDERS) if source.startswith(WORKLOADS) else {GROUND, HALL}


def wrong_direction(dependencies: Dependencies) -> Iterator[str]:
    """Sources that see a folder which is none of their business."""
    for source, seen in sorted(dependencies.items()):
        for path in sorted(seen):
            if folder_of(path) and folder_of(path) not in allowed_folders(source):
                yield f"{source}: depends on {path}"


def heavy_headers(dependencies: Dependencies) -> Iterator[str]:
    """Heavy headers that more than one source sees, or none."""
    for header in HEAVY:
        seers = sorted(source for source, seen in dependencies.items()
                       if any(path.endswith(f"/{header}") for path in seen))
        if len(seers) != 1:
            yield f"{header}: seen by {', '.join(seers) or 'nobody'} instead of one source"


def through_the_front_door(texts: Mapping[str, str]) -> Iterator[str]:
    """Direct includes of a room from outside that are not its backend.hpp."""
    for file, text in sorted(texts.items()):
        for path in INCLUDE.findall(text):
            room = folder_of(path)
            if room not in ROOMS or room == folder_of(file):
                continue
            if not file.startswith(WORKLOADS) and file != LIST:
                yield f"{file}: includes {path}; only workloads see rooms"
            elif not path.endswith("/backend.hpp") and not file.startswith(PROBES):
                yield f"{file}: includes {path} instead of the room's backend.hpp"


def floors_stand_alone(texts: Mapping[str, str]) -> Iterator[str]:
    """Floors that use the ground floor: they would share its cost, and its bugs. (The types of
    io/socket.hpp reach them through the line to the parent; only what they include counts.)"""
    for file, text in sorted(texts.items()):
        for path in INCLUDE.findall(text):
            if file.startswith(FLOORS) and folder_of(path) == GROUND:
                yield f"{file}: includes {path}; floors stand without {GROUND}/"


def texts_of(root: Path) -> dict[str, str]:
    """All headers and sources of ours, those that nobody compiles included."""
    return {str(file.relative_to(root)): file.read_text()
            for folder in FOLDERS for file in (root / folder).rglob("*.[ch]pp")}


def named(path: Path, root: Path) -> str:
    """Below the root for files of ours."""
    path = path.resolve()
    return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)


def recorded(build: Path, root: Path) -> dict[str, frozenset[str]]:
    """What a build has recorded of sources that have not changed since, nor what they include."""
    return {named(one.source, root): frozenset(named(file, root) for file in one.files)
            for one in ninja.compiled(build) if one.is_current(one.at_ns)}


def asked(source: str, root: Path) -> frozenset[str]:
    """The compiler's answer; headers that a build generates count as there."""
    done = subprocess.run(["g++", "-std=c++20", f"-I{root}", "-M", "-MG", source], cwd=root,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"g++ -M {source}: {done.stderr.strip()}")
    words = done.stdout.replace("\\\n", " ").split()[1:]
    return frozenset(named(root / word, root) for word in words)


def dependencies_of(root: Path, builds: list[Path]) -> dict[str, frozenset[str]]:
    """Of every source of ours (tests may see everything, so they are left out)."""
    known: dict[str, frozenset[str]] = {}
    for build in sorted(builds, key=lambda folder: folder.stat().st_mtime):
        known |= recorded(build, root)
    sources = (named(file, root) for folder in FOLDERS for file in (root / folder).rglob("*.cpp"))
    return {source: known.get(source) or asked(source, root) for source in sorted(sources)}


def complaints(root: Path, builds: list[Path]) -> list[str]:
    """Everything that is wrong, in the order of the rules."""
    dependencies = dependencies_of(root, builds)
    texts = texts_of(root)
    return [*wrong_direction(dependencies), *heavy_headers(dependencies),
            *through_the_front_door(texts), *floors_stand_alone(texts)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("builds", nargs="*", type=Path, metavar="BUILD",
                        help="build folders that may know the answers (default: all of build/*)")
    builds = parser.parse_args().builds or list((ROOT / "build").glob("*/build.ninja"))
    folders = [build.parent if build.name == "build.ninja" else build for build in builds]
    found = complaints(ROOT, folders)
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
