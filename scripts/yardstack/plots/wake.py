# SPDX-License-Identifier: BSL-1.0
"""What a wake-up from another CPU costs, and what a task costs that waits for one."""

from pathlib import Path

from matplotlib.ticker import FuncFormatter, LogLocator

from yardstack import series
from yardstack.palette import order
from yardstack.plots import marks
from yardstack.plots.frame import PALE, Axes, finish, panels
from yardstack.plots.ticks import quantity
from yardstack.runs import Run


def draw(run: Run, folder: Path) -> dict[str, str]:
    woken = {row.contender: name for name, row in series.rows_of(run, "wake", **{"from": "thread"}).items()}
    waiting = [{row.contender: name for name, row in series.rows_of(run, "wake", wait=wait).items()}
               for wait in ("parked", "busy")]
    names = order({*woken, *waiting[0], *waiting[1]})
    if not names:
        return {}
    picture, axes = panels(1, 2, (8.0, 1.5 + 0.36 * len(names)), sharey=True)
    for place, contender in enumerate(names):
        latencies = [series.values(run, woken.get(contender, ""), counter) for counter in ("ns_per_wake", "p99_ns")]
        shares = [series.values(run, rows.get(contender, ""), "cpu_share") for rows in waiting]
        for axis, found in zip(axes[0], (latencies, shares)):
            marks.contenders_marks(axis, place, contender, found)
    _dress(*axes[0])
    marks.name_places(axes[0][0], names)
    finish(picture, run, folder / "wake.svg")
    return {"wake.svg": "Left: from the call of a thread on another CPU until the task runs that had slept in the "
                        "kernel; filled marks are medians, hollow ones 99th percentiles. Right: how much of a CPU a "
                        "task uses while it waits; filled where it is parked until it is woken, hollow where it is "
                        f"polled again and again. {PALE}"}


def _dress(latency: Axes, share: Axes) -> None:
    latency.set_xscale("log")
    share.set_xscale("log")
    marks.dress(latency, "Woken from another CPU", "until the task runs")
    marks.dress(share, "Waiting, parked or polled", "share of a CPU")
    quantity(latency.xaxis, "ns_per_wake")
    share.xaxis.set_major_locator(LogLocator(subs=(1,)))
    share.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value * 100:g} %"))
