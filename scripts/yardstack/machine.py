# SPDX-License-Identifier: BSL-1.0
"""What this machine is, and what the sources are that were built on it."""

import hashlib
import os
import platform
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from yardstack.paths import ROOT, SOURCE_FOLDERS


def first_line(path: str | Path) -> str | None:
    """The first line of a file of /proc or /sys; None where it is missing, unreadable or empty."""
    try:
        lines = Path(path).read_text(errors="replace").splitlines()
    except OSError:
        return None
    return lines[0].strip() if lines else None


def cpu_model() -> str:
    """The processor's name as the kernel tells it, else the architecture."""
    try:
        cpuinfo = Path("/proc/cpuinfo").read_text()
    except OSError:
        cpuinfo = ""
    found = re.search(r"^(?:model name|Model|cpu model)\s*:\s*(.+)$", cpuinfo, re.MULTILINE)
    return found.group(1).strip() if found else platform.machine()


def cpu_count() -> int:
    """The CPUs that this process may use."""
    return len(os.sched_getaffinity(0))


def folder_name() -> str:
    """`amd-epyc-2-cores`: tells machines apart without naming the host."""
    model = re.sub(r"\((r|tm)\)|\bcpu\b|@.*|\d+-core processor", "", cpu_model().lower())
    slug = re.sub(r"[^a-z0-9]+", "-", model).strip("-")
    return f"{slug}-{cpu_count()}-core{'s' if cpu_count() != 1 else ''}"


def identity(about: Mapping[str, object]) -> tuple[object, ...]:
    """What of a machine's description must be the same for figures to belong to one run."""
    return tuple(about.get(key) for key in ("cpu_model", "cpus", "architecture", "kernel"))


def describe() -> dict[str, object]:
    """The machine's part of context.json."""
    memory = first_line("/proc/meminfo") or ""
    return {
        "cpu_model": cpu_model(),
        "cpus": cpu_count(),
        "architecture": platform.machine(),
        "kernel": platform.release(),
        "distribution": platform.freedesktop_os_release().get("PRETTY_NAME", "")
        if Path("/etc/os-release").exists() else "",
        "memory_kib": int((re.findall(r"\d+", memory) or ["0"])[0]),
        "clock_source": first_line(
            "/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        "mitigations": {file.name: first_line(file) for file in
                        sorted(Path("/sys/devices/system/cpu/vulnerabilities").glob("*"))},
    }


def tree_hash(root: Path = ROOT) -> str:
    """What cmake/tree_hash.cmake gives the programs: a hash over the names and contents of the sources."""
    listing = "".join(
        f"{name} {hashlib.sha256((root / name).read_bytes()).hexdigest()}\n"
        for folder in SOURCE_FOLDERS
        for name in sorted(str(file.relative_to(root)) for file in (root / folder).rglob("*")
                           if file.is_file()))
    return hashlib.sha256(listing.encode()).hexdigest()[:16]


def revision() -> dict[str, object]:
    """The commit and whether the tree differs from it; empty outside a clone or without git."""
    def git(*arguments: str) -> str | None:
        try:
            done = subprocess.run(["git", "-C", str(ROOT), *arguments], stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True)
        except OSError:
            return None
        return done.stdout.strip() if done.returncode == 0 else None

    commit = git("rev-parse", "HEAD")
    if commit is None:
        return {}
    return {"commit": commit, "modified": bool(git("status", "--porcelain", "--untracked-files=no"))}
