# SPDX-License-Identifier: BSL-1.0
"""How busy others kept the machine while we measured."""

import os
import resource
import time
from dataclasses import dataclass
from pathlib import Path

#: More than this share of all CPUs taken by others, or stolen by the host, makes a call noisy.
NOISY_SHARE = 0.1


@dataclass(frozen=True)
class Photograph:
    """CPU seconds since boot, and those of our own ended children."""

    at: float
    busy: float
    stolen: float
    ours: float

    @staticmethod
    def take() -> "Photograph":
        ticks = os.sysconf("SC_CLK_TCK")
        fields = [int(field) / ticks for field in
                  Path("/proc/stat").read_text().splitlines()[0].split()[1:]]
        user, nice, system, _, _, irq, soft, steal = (fields + [0.0] * 8)[:8]
        ended, own = (resource.getrusage(who) for who in
                      (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF))
        ours = ended.ru_utime + ended.ru_stime + own.ru_utime + own.ru_stime
        return Photograph(time.monotonic(), user + nice + system + irq + soft, steal, ours)


def compare(before: Photograph, after: Photograph) -> dict[str, object]:
    """The record of a call: seconds, shares of all CPUs, and whether that is too much."""
    seconds = after.at - before.at
    available = max(seconds, 1e-3) * (os.cpu_count() or 1)
    ours = after.ours - before.ours
    others = max(0.0, after.busy - before.busy - ours) / available
    stolen = max(0.0, after.stolen - before.stolen) / available
    return {"seconds": round(seconds, 2), "others_share": round(others, 4),
            "stolen_share": round(stolen, 4), "noisy": others > NOISY_SHARE or stolen > NOISY_SHARE}
