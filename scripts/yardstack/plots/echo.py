# SPDX-License-Identifier: BSL-1.0
"""Echo servers: throughput, CPU an operation and tail against connections; CPU against the floor."""

from pathlib import Path

from yardstack import series
from yardstack.palette import order
from yardstack.plots import curves, marks
from yardstack.plots.frame import HOLLOW, Axes, finish, panels
from yardstack.plots.lines import Point, line
from yardstack.plots.ticks import counts, short
from yardstack.runs import Run

_PANELS = {"ops_per_s": "Throughput", "server_cpu_ns_per_op": "Server CPU an operation",
           "p99_ns": "Latency, 99th percentile"}

_NEAR_FLOOR = (0.9, 1.25)


def draw(run: Run, folder: Path) -> dict[str, str]:
    rows = series.rows_of(run, "echo").values()
    kinds = sorted({(r.keys["transport"], r.keys["bytes"], r.keys.get("rate")) for r in rows
                    if "transport" in r.keys and "bytes" in r.keys and "active" not in r.keys},
                   key=str)
    captions: dict[str, str] = {}
    for transport, size, rate in kinds:
        keys = {"transport": transport, "bytes": size} | ({"rate": rate} if rate else {})
        name = f"echo-{transport}-{size}" + (f"-rate-{rate}" if rate else "")
        what = f"{size}-byte echoes over {transport.upper()}"
        if rate:
            pace = f"{int(rate):,} a second" if rate.isdigit() else "half of what floor and client reach together"
            if _tails(run, keys, f"{what}, {pace}", folder / f"{name}.svg"):
                captions[f"{name}.svg"] = (
                    f"Latency of {what} in open loop, from the intended send time, at {pace}. "
                    f"{marks.LEGEND}")
            continue
        if _against_connections(run, keys, f"{what}, closed loop", folder / f"{name}.svg"):
            captions[f"{name}.svg"] = (
                f"{what}, closed loop: each connection sends its next message when the last has come "
                f"back. {HOLLOW}")
        if _against_floor(run, keys, what, folder / f"{name}-vs-floor.svg"):
            captions[f"{name}-vs-floor.svg"] = (
                f"Server CPU of {what} as a ratio to a plain epoll loop in alternating slices. "
                f"At 1.0 the room costs nothing beside its system calls. {HOLLOW}")
    return captions


def _tails(run: Run, keys: dict[str, str], what: str, file: Path) -> bool:
    groups: dict[int, dict[str, str]] = {}
    for name, row in series.rows_of(run, "echo", **keys).items():
        connections = row.number("connections")
        if connections is not None and set(row.keys) == {"connections", *keys}:
            groups.setdefault(connections, {})[row.contender] = name
    if groups:
        marks.draw(run, {f"{short(n)} connections": groups[n] for n in sorted(groups)},
                   ("p50_ns", "p99_ns", "max_ns"), f"Latency of {what}", "latency", file)
    return bool(groups)


def _against_connections(run: Run, keys: dict[str, str], what: str, file: Path) -> bool:
    found = {counter: curves.collect(run, "echo", counter, "connections", keys)
             for counter in _PANELS}
    found = {counter: points for counter, points in found.items() if points}
    if not found:
        return False
    picture, axes = panels(1, len(found), (3.7 * len(found), 4.2))
    for axis, (counter, points) in zip(axes[0], found.items()):
        curves.draw(axis, points, counter, logarithmic=counter == "p99_ns")
        axis.set_title(_PANELS[counter])
        axis.set_xlabel("connections")
    finish(picture, run, file, what)
    return True


def _against_floor(run: Run, keys: dict[str, str], what: str, file: Path) -> bool:
    found = curves.collect(run, "echo", "cpu_vs_floor", "connections", keys)
    if not any(v.estimate for points in found.values() for _, v in points):
        return False
    picture, axes = panels(1, 2, (9.6, 4.0))
    for axis, title in zip(axes[0], ("all contenders", "near the floor")):
        _side_by_side(axis, found)
        axis.set_title(title)
        axis.set_xlabel("connections")
    axes[0][0].set_ylabel("contender ÷ floor-epoll")
    axes[0][1].set_ylim(*_NEAR_FLOOR)
    finish(picture, run, file, f"Server CPU against the epoll floor: {what}")
    return True


def _side_by_side(axis: Axes, found: dict[str, list[Point]]) -> None:
    """Points without lines, a little apart, so that none hides another."""
    for index, contender in enumerate(order(set(found))):
        shift = 1 + 0.06 * (index - (len(found) - 1) / 2)
        line(axis, contender, [(x * shift, v) for x, v in found[contender]])
    for drawn in axis.containers:
        drawn.lines[0].set_linestyle("none")
    axis.axhline(1.0, color="#666666", linestyle=(0, (5, 2)), linewidth=1, zorder=1)
    counts(axis, sorted({x for points in found.values() for x, _ in points}))
