# SPDX-License-Identifier: BSL-1.0
"""How late tasks wake: median, tail and maximum of each contender; timers, and those beside a disturber."""

from pathlib import Path

from yardstack import series
from yardstack.plots import marks
from yardstack.plots.ticks import short
from yardstack.rows import Row
from yardstack.runs import Run
from yardstack.units import tick

_PACING = ("The dashed grey line is the 99th percentile of what this machine does to a program that only "
           "spins.")
_DISTURBERS = {"none": "sleeps, too", "pool": "blocks in a pool", "call": "blocks its worker",
               "hog": "computes"}
_COUNTERS = ("lateness_p50_ns", "lateness_p99_ns", "lateness_max_ns")


def draw(run: Run, folder: Path) -> dict[str, str]:
    groups = marks.grouped(run, "timers", _place)
    if not groups:
        return {}
    titled = {f"{short(size)} timers, every {tick(period * 1000, '_ns')}": rows
              for (size, period), rows in groups.items()}
    marks.draw(run, titled, _COUNTERS, "Lateness of timers", "after the deadline",
               folder / "timers.svg", _pacing(run, "timers"))
    return {"timers.svg": f"How late timers fire after their own absolute schedule. {marks.LEGEND} {_PACING}"}


def blocking(run: Run, folder: Path) -> dict[str, str]:
    sizes = {size for row in series.rows_of(run, "blocking").values() if (size := row.number("tasks"))}
    if not sizes:
        return {}
    groups = marks.grouped(run, "blocking", lambda row: _disturber(row, max(sizes)))
    titled = {list(_DISTURBERS.values())[which]: rows for which, rows in groups.items()}
    marks.draw(run, titled, _COUNTERS, f"Lateness of {short(max(sizes))} tasks on one CPU, beside one that …",
               "after the deadline", folder / "blocking.svg", _pacing(run, "blocking"))
    return {"blocking.svg": "How late tasks wake that only sleep, beside one that blocks for 10 ms again and "
                            f"again, or computes without end. {marks.LEGEND} {_PACING}"}


def _place(row: Row) -> tuple[int, int] | None:
    size, period = row.number("tasks"), row.number("period_us")
    return (size, period) if size is not None and period is not None and len(row.keys) == 2 else None


def _disturber(row: Row, size: int) -> int | None:
    known = row.keys.get("disturber", "")
    return list(_DISTURBERS).index(known) if row.number("tasks") == size and known in _DISTURBERS else None


def _pacing(run: Run, question: str) -> list[float]:
    floor = next((name for name in run.by_name if name.startswith(f"{question}/floor-pacing")), "")
    found = series.values(run, floor, "lateness_p99_ns").estimate
    return [found.median] if found else []
