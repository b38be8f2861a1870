# SPDX-License-Identifier: BSL-1.0
"""What a build has recorded of its objects: ninja asks the compiler while it compiles."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Compiled:
    """A source, all files that it includes, and when it was compiled."""

    source: Path
    files: tuple[Path, ...]  #: the source first
    at_ns: int

    def is_current(self, since_ns: int) -> bool:
        """Whether none of its files has changed, or gone, since then."""
        return all(file.exists() and file.stat().st_mtime_ns <= since_ns for file in self.files)


def compiled(build: Path) -> list[Compiled]:
    """All objects of a build folder whose record is valid; none where nothing was built."""
    done = subprocess.run(["ninja", "-C", str(build), "-t", "deps"], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True)
    found = []
    for entry in done.stdout.split("\n\n"):
        head, *lines = entry.splitlines() or [""]
        if valid := re.search(r"deps mtime (\d+) \(VALID\)", head):
            files = tuple((build / line.strip()).resolve() for line in lines)
            found.append(Compiled(files[0], files, int(valid[1])))
    return found
