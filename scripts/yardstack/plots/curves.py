# SPDX-License-Identifier: BSL-1.0
"""Curves of one counter over one key: what most pictures are made of."""

from yardstack import series
from yardstack.palette import is_reference, order
from yardstack.plots.frame import Axes
from yardstack.plots.lines import Point, line
from yardstack.plots.ticks import counts, quantity
from yardstack.runs import Run


def collect(run: Run, question: str, counter: str, key: str,
            allowed: dict[str, str] | None = None) -> dict[str, list[Point]]:
    """Contender to its points. Rows with other keys than `key` and `allowed` belong elsewhere."""
    found: dict[str, list[Point]] = {}
    wanted = allowed or {}
    for name, row in series.rows_of(run, question, **wanted).items():
        place = row.number(key)
        others = set(row.keys) - {key} - set(wanted)
        if place is not None and not others:
            found.setdefault(row.contender, []).append((place, series.values(run, name, counter)))
    return {contender: sorted(points, key=lambda point: point[0])
            for contender, points in found.items()
            if any(v.estimate or v.refused for _, v in points)}


def floors_of(run: Run, question: str, counter: str) -> dict[str, series.Values]:
    """References whose rows have no key: they hold everywhere."""
    return {row.contender: series.values(run, name, counter)
            for name, row in series.rows_of(run, question).items()
            if is_reference(row.contender) and not row.keys}


def draw(axis: Axes, curves: dict[str, list[Point]], counter: str, logarithmic: bool = True) -> None:
    """All curves on one axis, contenders first, then references in grey."""
    grey = 0
    for contender in order(set(curves)):
        line(axis, contender, curves[contender], grey)
        grey += is_reference(contender)
    if logarithmic:
        axis.set_yscale("log")
    else:
        axis.set_ylim(bottom=0)
    counts(axis, sorted({x for points in curves.values() for x, v in points if v.estimate or v.refused}))
    quantity(axis.yaxis, counter)
