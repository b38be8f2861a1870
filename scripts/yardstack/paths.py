# SPDX-License-Identifier: BSL-1.0
"""Where things lie in the tree, whatever the working directory is."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts"
PROFILES = SCRIPTS / "profiles"
RESULTS = ROOT / "results"
BUILD = ROOT / "build"

#: The folders whose contents decide what is measured.
SOURCE_FOLDERS = ("io", "threads", "stackful", "stackless", "harness", "cmake")


def within(path: Path, folder: Path) -> bool:
    """Whether `path`, links resolved, lies in `folder` (or is it)."""
    return path.resolve().is_relative_to(folder.resolve())
