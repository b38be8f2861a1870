# SPDX-License-Identifier: BSL-1.0
"""The parts of the system that colour the figures."""

import ctypes
import mmap
import os
import platform
import re
import time
from pathlib import Path

from yardstack import machine
from yardstack.doctor.finding import Finding, number
from yardstack.doctor.limits import cgroup_folders

_GUARD_INSTALL = 102  # MADV_GUARD_INSTALL, Linux 6.13; younger than Debian's headers


def user() -> Finding:
    root = os.geteuid() == 0
    return Finding("user", "root" if root else f"uid {os.geteuid()}",
                   "" if root else "no own memory cgroup a cell: kernel memory from /proc/meminfo",
                   "" if root else "sudo scripts/reproduce")


def cpus() -> Finding:
    usable, online = machine.cpu_count(), os.cpu_count() or 1
    one = usable < 2
    return Finding("CPUs", f"{usable} of {online} usable, {machine.cpu_model()}",
                   "server and client share one CPU" if one else "", warning=one)


def quota() -> Finding:
    for folder in cgroup_folders():
        limit = machine.first_line(folder / "cpu.max")
        if limit and not limit.startswith("max"):
            return Finding("CPU quota", f"{folder}/cpu.max {limit}", "the kernel throttles us",
                           f"echo max > {folder}/cpu.max", True)
    return Finding("CPU quota", "none")


def governor() -> Finding:
    mode = machine.first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    slow = mode is not None and mode != "performance"
    return Finding("governor", mode or "none (virtual machine)",
                   "frequency follows load" if slow else "",
                   "cpupower frequency-set -g performance" if slow else "", slow)


def huge_pages() -> Finding:
    modes = machine.first_line("/sys/kernel/mm/transparent_hugepage/enabled") or "unknown"
    mode = next(iter(re.findall(r"\[(\w+)\]", modes)), modes)
    always = mode == "always"
    return Finding("huge pages", mode, "default thread stacks may become resident whole, 2 MiB"
                   if always else "",
                   "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled" if always else "",
                   always)


def clock() -> Finding:
    source = machine.first_line(
        "/sys/devices/system/clocksource/clocksource0/current_clocksource") or "unknown"
    slow = source in ("hpet", "acpi_pm")
    started, reads = time.perf_counter_ns(), 20_000
    for _ in range(reads):
        time.monotonic_ns()
    cost = (time.perf_counter_ns() - started) / reads
    return Finding("clock", source, f"at most {cost:.0f} ns a reading",
                   "echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource"
                   if slow else "", slow)


def cgroups() -> Finding:
    if Path("/sys/fs/cgroup/cgroup.controllers").exists():
        version, place = 2, Path("/sys/fs/cgroup")
    elif Path("/sys/fs/cgroup/memory").exists():
        version, place = 1, Path("/sys/fs/cgroup/memory")
    else:
        return Finding("cgroups", "no memory controller", "kernel memory from /proc/meminfo",
                       warning=True)
    writable = os.access(place, os.W_OK)
    return Finding("cgroups", f"version {version}, {'writable' if writable else 'not writable'}",
                   "kernel memory a cell" if writable else "kernel memory from /proc/meminfo",
                   "" if writable else "sudo scripts/reproduce", not writable)


def perf() -> Finding:
    level = number("/proc/sys/kernel/perf_event_paranoid")
    closed = level is not None and level > 1 and os.geteuid() != 0
    return Finding("perf", f"kernel.perf_event_paranoid {level}",
                   "no hardware counters" if closed else "",
                   "sysctl -w kernel.perf_event_paranoid=1" if closed else "")


def light_guards() -> Finding:
    """Tries MADV_GUARD_INSTALL on a page of our own."""
    libc = ctypes.CDLL(None, use_errno=True)
    page = mmap.mmap(-1, 2 * mmap.PAGESIZE)
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    works = libc.madvise(ctypes.c_void_p(address), mmap.PAGESIZE, _GUARD_INSTALL) == 0
    return Finding("light guards", "yes" if works else f"no (Linux {platform.release()})",
                   "a million guarded stacks" if works else
                   "guarded stacks stop at the mappings", "" if works else "Linux 6.13 or later")
