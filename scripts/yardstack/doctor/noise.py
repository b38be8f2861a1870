# SPDX-License-Identifier: BSL-1.0
"""How much of a CPU's time is taken away from a program that never waits."""

import os
import time

from yardstack.doctor.finding import Finding

_SECONDS = 0.4
_GAP_NS = 20_000  # well above one turn of the interpreter's loop
_LOUD_SHARE = 0.02
_LOUD_GAP_NS = 5_000_000


def gaps(cpu: int, seconds: float = _SECONDS) -> list[int]:
    """Spins on one CPU and returns the gaps, in ns, in which it was not running."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {cpu})
    try:
        found, last = [], time.perf_counter_ns()
        end = last + int(seconds * 1e9)
        while last < end:
            now = time.perf_counter_ns()
            if now - last > _GAP_NS:
                found.append(now - last)
            last = now
        return found
    finally:
        os.sched_setaffinity(0, allowed)


def noise(seconds: float = _SECONDS) -> list[Finding]:
    """One finding a CPU, for at most eight of them."""
    findings = []
    for cpu in sorted(os.sched_getaffinity(0))[:8]:
        lost = gaps(cpu, seconds)
        share, longest = sum(lost) / (seconds * 1e9), max(lost, default=0)
        loud = share > _LOUD_SHARE or longest > _LOUD_GAP_NS
        findings.append(Finding(
            f"noise, CPU {cpu}", f"{share:.1%} lost, longest gap {longest / 1e6:.2f} ms",
            "tails up to that gap are the machine's own" if longest > 200_000 else "",
            "stop other programs; on a shared host, try again later" if loud else "", loud))
    return findings
