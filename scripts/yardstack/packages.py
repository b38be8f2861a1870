# SPDX-License-Identifier: BSL-1.0
"""What has to be installed, and installing it where we may."""

import importlib
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from yardstack.errors import CommandError
from yardstack.paths import SCRIPTS

INCLUDE_FOLDERS = (Path("/usr/include"), Path("/usr/local/include"))
LIBRARY_FOLDERS = (Path("/usr/lib"), Path("/usr/lib64"), Path("/usr/local/lib"))


@dataclass(frozen=True)
class Package:
    """A Debian package and the probe that tells whether what it brings is present."""

    purpose: str
    name: str
    probe: str

    def present(self) -> bool:
        kind, what = self.probe.split(":", 1)
        if kind == "command":
            return shutil.which(what) is not None
        if kind == "module":
            return importlib.util.find_spec(what) is not None
        if kind == "header":
            return any((folder / what).exists() for folder in INCLUDE_FOLDERS)
        pattern = (f"lib{what}.*", f"*/lib{what}.*")
        return any(next(folder.glob(p), None) for folder in LIBRARY_FOLDERS for p in pattern)


def known(file: Path = SCRIPTS / "packages.txt") -> list[Package]:
    """The packages of `packages.txt`."""
    lines = (line.split() for line in file.read_text().splitlines() if not line.startswith("#"))
    return [Package(*fields) for fields in lines if fields]


def missing(purposes: Iterable[str]) -> list[Package]:
    """The packages for these purposes whose probe finds nothing."""
    wanted = set(purposes)
    return [p for p in known() if p.purpose in wanted and not p.present()]


def ensure(*purposes: str) -> None:
    """Installs what is missing when root; else ends with one line naming the packages (status 2)."""
    absent = missing(purposes)
    if not absent:
        return
    names = [package.name for package in absent]
    command = f"apt-get install {' '.join(names)}"
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise CommandError(f"these packages are missing; as root: {command}")
    _install(names, command)
    importlib.invalidate_caches()
    if still := missing(purposes):
        raise CommandError(f"installed, yet not found: {' '.join(p.name for p in still)}")


def _install(names: list[str], command: str) -> None:
    print(f"installing: {' '.join(names)}", file=sys.stderr)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for argv in (
        ["apt-get", "-qq", "update"],
        ["apt-get", "-qq", "-y", "--no-install-recommends", "install", *names],
    ):
        done = subprocess.run(argv, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            last = done.stdout.strip().splitlines()[-1:] or ["no message"]
            raise CommandError(f"`{' '.join(argv[:3])}` failed ({last[0]}); by hand: {command}")
