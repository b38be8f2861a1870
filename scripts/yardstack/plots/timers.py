# SPDX-License-Identifier: BSL-1.0
"""How late timers fire: median, tail and maximum of each contender, a panel a number of timers."""

from pathlib import Path

from yardstack import series
from yardstack.plots import marks
from yardstack.plots.ticks import short
from yardstack.runs import Run
from yardstack.units import tick

_COUNTERS = ("lateness_p50_ns", "lateness_p99_ns", "lateness_max_ns")


def draw(run: Run, folder: Path) -> dict[str, str]:
    groups: dict[tuple[int, int], dict[str, str]] = {}
    for name, row in series.rows_of(run, "timers").items():
        size, period = row.number("tasks"), row.number("period_us")
        if size is not None and period is not None and set(row.keys) == {"tasks", "period_us"}:
            groups.setdefault((size, period), {})[row.contender] = name
    if not groups:
        return {}
    titled = {f"{short(size)} timers, every {tick(period * 1000, '_ns')}": groups[size, period]
              for size, period in sorted(groups)}
    pacing = next((name for name in run.by_name if name.startswith("timers/floor-pacing")), "")
    limit = series.values(run, pacing, "lateness_p99_ns").estimate
    marks.draw(run, titled, _COUNTERS, "Lateness of timers", "after the deadline",
               folder / "timers.svg", limit)
    return {"timers.svg": f"How late timers fire after their own absolute schedule. {marks.LEGEND} The "
            "dashed grey line is the 99th percentile of what this machine does to a program that "
            "only spins."}
