# SPDX-License-Identifier: BSL-1.0
"""The kernel's limits on what the experiments create in numbers."""

import os
import resource
from collections.abc import Iterator
from pathlib import Path

from yardstack.doctor.finding import Finding, number

#: What the standard profile wants of each.
WANTED_DESCRIPTORS = 20_000
WANTED_TASKS = 12_000
WANTED_MAPPINGS = 262_144
WANTED_PORTS = 28_000


def cgroup_folders() -> Iterator[Path]:
    """Our control groups and all their ancestors, version 1 and 2."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        base = Path("/sys/fs/cgroup") / (controllers.removeprefix("name=") if controllers else "")
        folder = base / path.lstrip("/")
        yield folder
        yield from (parent for parent in folder.parents if parent.is_relative_to(base))


def descriptors() -> Finding:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = hard == resource.RLIM_INFINITY
    ceiling = number("/proc/sys/fs/nr_open") or hard
    usable = ceiling if unlimited else hard
    few = usable < WANTED_DESCRIPTORS
    command = f"ulimit -Hn {ceiling}" if usable < ceiling else "sysctl -w fs.nr_open=4194304"
    return Finding("descriptors", f"soft {soft}, hard {hard}, fs.nr_open {ceiling}",
                   f"at most {usable} connections a process", command, few)


def tasks() -> Finding:
    """Threads and processes: the smallest of all limits binds, and is named."""
    limits: dict[str, int | None] = {
        "kernel.pid_max": number("/proc/sys/kernel/pid_max"),
        "kernel.threads-max": number("/proc/sys/kernel/threads-max")}
    _, hard = resource.getrlimit(resource.RLIMIT_NPROC)
    if os.geteuid() != 0 and hard != resource.RLIM_INFINITY:
        limits["RLIMIT_NPROC"] = hard
    for folder in cgroup_folders():
        limits[f"{folder}/pids.max"] = number(f"{folder}/pids.max")
    known = {name: limit for name, limit in limits.items() if limit is not None}
    if not known:
        return Finding("threads", "no limit found")
    name, limit = min(known.items(), key=lambda item: item[1])
    few = limit < WANTED_TASKS
    change = {"RLIMIT_NPROC": "ulimit -u unlimited"}.get(
        name, f"sysctl -w {name}=4194304" if name.startswith("kernel.") else f"echo max > {name}")
    return Finding("threads", f"{name} {limit} binds", f"threads are refused near {limit}",
                   change, few)


def mappings() -> Finding:
    limit = number("/proc/sys/vm/max_map_count")
    if limit is None:
        return Finding("mappings", "vm.max_map_count unknown")
    few = limit < WANTED_MAPPINGS
    return Finding("mappings", f"vm.max_map_count {limit}",
                   f"stacks guarded by mprotect are refused near {limit // 2}",
                   f"sysctl -w vm.max_map_count={WANTED_MAPPINGS}" if few else "")


def overcommit() -> Finding:
    mode = number("/proc/sys/vm/overcommit_memory")
    strict = mode == 2
    return Finding("overcommit", f"vm.overcommit_memory {mode}",
                   "large reservations are refused" if strict else "large reservations are free",
                   "sysctl -w vm.overcommit_memory=0" if strict else "", strict)


def ports() -> Finding:
    low, high = 32768, 60999
    try:
        low, high = map(int, Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split())
    except (OSError, ValueError):
        return Finding("ports", "range unknown")
    few = high - low + 1 < WANTED_PORTS
    return Finding("ports", f"{low}-{high}", f"{high - low + 1} connections a source address",
                   "sysctl -w net.ipv4.ip_local_port_range='1024 65535'" if low > 1024 else "", few)


def backlog() -> Finding:
    limit = number("/proc/sys/net/core/somaxconn")
    few = limit is not None and limit < 4096
    return Finding("backlog", f"net.core.somaxconn {limit}", "connections waiting to be accepted",
                   "sysctl -w net.core.somaxconn=4096" if few else "", few)
