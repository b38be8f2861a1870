# SPDX-License-Identifier: BSL-1.0
"""`scripts/lint`: format, licence lines, include rule."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from yardstack import packages
from yardstack.errors import FAILED, OK, Parser, entry
from yardstack.paths import ROOT, SCRIPTS

LICENCE = "SPDX-License-Identifier: BSL-1.0"
CXX = {".cpp", ".hpp"}
COMMENTED = CXX | {".py", ".sh", ".toml", ".cmake"}
#: Folders that hold no source of ours.
SKIPPED = {"build", "out", "results", "__pycache__"}


def sources(root: Path = ROOT) -> Iterator[Path]:
    """The files of the tree, without what is built, measured or hidden."""
    for folder, names, files in os.walk(root):
        names[:] = sorted(n for n in names if n not in SKIPPED and (n == ".ci" or n[0] != "."))
        yield from (Path(folder, name) for name in sorted(files))


def needs_licence_line(file: Path) -> bool:
    """Sources, build files and executables; not prose and not data formats without comments."""
    if file.suffix in COMMENTED or file.name == "CMakeLists.txt":
        return True
    return not file.suffix and os.access(file, os.X_OK)


def licence_lines(root: Path = ROOT) -> list[str]:
    """Files that do not state their licence in the first line (the second after `#!`)."""
    complaints = []
    for file in filter(needs_licence_line, sources(root)):
        lines = file.read_text(errors="replace").splitlines()[:2] + ["", ""]
        if LICENCE not in lines[1 if lines[0].startswith("#!") else 0]:
            complaints.append(f"{file.relative_to(root)}: does not begin with `{LICENCE}`")
    return complaints


def formatting(root: Path = ROOT) -> list[str]:
    """What clang-format would change."""
    files = [str(file) for file in sources(root) if file.suffix in CXX]
    if not files:
        return []
    done = subprocess.run(["clang-format-14", "--dry-run", "--Werror", *files], cwd=root,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode == 0:
        return []
    places = [line.split(":")[0] for line in done.stderr.splitlines() if ": error:" in line]
    return [f"{Path(file).relative_to(root)}: {places.count(file)} places; run clang-format-14 -i"
            for file in sorted(set(places))] or [done.stderr.strip()]


def include_rule(root: Path = ROOT) -> list[str]:
    """What scripts/check_includes.py says against the direction io <- rooms <- harness."""
    done = subprocess.run([sys.executable, str(SCRIPTS / "check_includes.py")], cwd=root,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode == 0:
        return []
    return (done.stdout + done.stderr).strip().splitlines() or ["check_includes.py failed silently"]


def types() -> list[str]:
    """What mypy says about the package under scripts/."""
    done = subprocess.run(["mypy", "--no-error-summary"], cwd=ROOT, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True)
    return [] if done.returncode == 0 else (done.stdout + done.stderr).strip().splitlines()


CHECKS: dict[str, Callable[[], list[str]]] = {
    "format": formatting, "licence lines": licence_lines, "include rule": include_rule}


def main(arguments: Sequence[str]) -> int:
    Parser(prog="scripts/lint", description=__doc__).parse_args(arguments)
    packages.ensure("lint")
    status = OK
    for name, check in CHECKS.items():
        complaints = check()
        print(f"{name}: {'ok' if not complaints else f'{len(complaints)} complaints'}")
        for complaint in complaints:
            print(f"  {complaint}")
            status = FAILED
    return status


if __name__ == "__main__":
    entry("lint", main)
