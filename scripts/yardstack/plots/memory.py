# SPDX-License-Identifier: BSL-1.0
"""What a waiting task's memory consists of, side by side."""

from dataclasses import dataclass
from pathlib import Path

from yardstack import series
from yardstack.palette import MEMORY_KINDS, order, style
from yardstack.plots.frame import PALE, Axes, finish, panels, shown, strength
from yardstack.plots.ticks import binary_ticks, short
from yardstack.rows import Row, limit_name
from yardstack.runs import Run
from yardstack.series import Values
from yardstack.units import figure, tick

#: What the table has as a whole; kinds are its parts.
_WHOLE = {"user_bytes_per_task": "user", "kernel_bytes_per_task": "kernel"}
#: Of the whole: a part that is further below zero is no rounding.
_NEGLIGIBLE = 0.05
#: The right panel enlarges what the left one cannot show.
_ENLARGED = 16
_TITLES = {"sleeping": "a sleeping task", "connected": "an idle connection and its task"}


def draw(run: Run, folder: Path) -> dict[str, str]:
    captions = {}
    for state, title in _TITLES.items():
        chosen = _one_row_each(series.rows_of(run, "memory", state=state))
        if any(_kinds(run, row) for row in chosen.values()):
            file = f"memory-{state}.svg"
            _draw(run, chosen, title, folder / file)
            captions[file] = (f"Memory of {title}, by kind: the slope over the number of tasks, each "
                              "alive and waiting (their number beside the name). The right panel "
                              "enlarges the left one. Figures and intervals are the table's, of what is "
                              "resident; a heap may be more. A hollow bar is only the whole: one of its parts "
                              f"came out below zero. {PALE}")
    return captions


def _one_row_each(rows: dict[str, Row]) -> dict[str, Row]:
    """Per contender and variant (stack, guard) the row with most tasks that has figures."""
    best: dict[str, Row] = {}
    for row in sorted(rows.values(), key=lambda r: (r.error is None, r.number("tasks") or 0)):
        best[f"{row.contender}{_variant(row)}"] = row
    return best


def _variant(row: Row) -> str:
    """`, 8 MiB stacks, mprotect`"""
    stack, guard = row.number("stack"), row.keys.get("guard", "")
    told = [f"{tick(stack, 'bytes')} stacks" if stack else "", guard]
    return "".join(f", {word}" for word in told if word)


@dataclass(frozen=True)
class _Bar:
    """A row's kinds of memory, or where one of its parts came out below zero, only the whole and which."""

    kinds: dict[str, float]
    whole: float
    interval: tuple[float, float]
    below_zero: str
    strength: float

    @property
    def length(self) -> float:
        return max(0.0, self.whole) if self.below_zero else sum(self.kinds.values())

    @property
    def end(self) -> float:
        """Of all that is drawn."""
        return max(self.length, self.interval[1])


def _kinds(run: Run, row: Row) -> dict[str, Values]:
    found = {kind: series.values(run, row.name, kind) for kind in MEMORY_KINDS}
    return {kind: values for kind, values in found.items() if values.estimate}


def _bar(run: Run, row: Row, found: dict[str, Values]) -> _Bar:
    kinds = {kind: values.estimate.median for kind, values in found.items() if values.estimate}
    sides = {side: values.estimate.median for counter, side in _WHOLE.items()
             if (values := series.values(run, row.name, counter)).estimate}
    whole = series.values(run, row.name, list(_WHOLE)).estimate
    total = whole.median if whole else sum(kinds.values())
    parts = {**{MEMORY_KINDS[kind][0]: part for kind, part in kinds.items()}, **sides}
    told = ", ".join(f"{name} {figure(part, 'bytes')}" for name, part in parts.items()
                     if part < -_NEGLIGIBLE * abs(total))
    return _Bar({kind: max(0.0, part) for kind, part in kinds.items()}, total,
                whole.bounds() if whole else (total, total), told, strength(*found.values()))


def _draw(run: Run, chosen: dict[str, Row], title: str, file: Path) -> None:
    ranks = order({row.contender for row in chosen.values()})
    labels = sorted(chosen, key=lambda label: (ranks.index(chosen[label].contender), label))
    found = [_kinds(run, chosen[label]) for label in labels]
    bars = [_bar(run, chosen[label], kinds) for label, kinds in zip(labels, found)]
    largest = max(bar.end for bar in bars)
    picture, axes = panels(1, 2, (9.2, 1.6 + 0.42 * len(labels)), sharey=True)
    for axis, limit in zip(axes[0], (largest * 1.15, largest / _ENLARGED)):
        _stack(axis, bars)
        _tell(axis, bars, limit)
        axis.set_xlim(0, limit)
        axis.grid(axis="y", visible=False)
        binary_ticks(axis.xaxis, limit)
    for values in (values for kinds in found for values in kinds.values()):
        shown(axes[0][0], values)
    for place, label in enumerate(labels):
        if chosen[label].error:
            _refused(axes[0][0], place, chosen[label])
    axes[0][0].set_title(f"Memory of {title}")
    axes[0][1].set_title(f"the same, {_ENLARGED} times enlarged")
    axes[0][0].set_yticks(range(len(labels)), [
        f"{label}, {short(chosen[label].number('tasks') or 0)}" for label in labels])
    axes[0][0].invert_yaxis()
    finish(picture, run, file)


def _stack(axis: Axes, bars: list[_Bar]) -> None:
    """A bar a row, of its kinds, with the interval of the whole; hollow where they do not add up to it."""
    starts = [0.0] * len(bars)
    for kind, (title, colour) in MEMORY_KINDS.items():
        widths = [0.0 if bar.below_zero else bar.kinds.get(kind, 0.0) for bar in bars]
        if any(widths):
            drawn = axis.barh(range(len(bars)), widths, left=starts, color=colour, label=title, height=0.66,
                              edgecolor="white", linewidth=0.5)
            for patch, bar in zip(drawn, bars):
                patch.set_alpha(bar.strength)
        starts = [start + width for start, width in zip(starts, widths)]
    for place, bar in enumerate(bars):
        if bar.below_zero:
            axis.barh([place], [bar.length], facecolor="none", edgecolor="#777777", height=0.66)
        if bar.kinds:
            low, high = bar.interval
            axis.errorbar([bar.whole], [place], xerr=[[bar.whole - low], [high - bar.whole]], color="black",
                          capsize=2.5, elinewidth=1, alpha=bar.strength)


def _tell(axis: Axes, bars: list[_Bar], limit: float) -> None:
    """Each bar's figure, as the table has it, at its end; at the edge where it leaves the panel."""
    for place, bar in enumerate(bars):
        told = figure(bar.whole, "bytes") + (f"; {bar.below_zero}" if bar.below_zero else "")
        if bar.kinds and bar.end <= limit * 0.9:
            axis.annotate(told, (bar.end, place), xytext=(4, 0), fontsize=8,
                          textcoords="offset points", va="center")
        elif bar.kinds:
            axis.annotate(f"{told} →", (0.99, place), fontsize=8, ha="right",
                          xycoords=("axes fraction", "data"), va="center",
                          bbox={"facecolor": "white", "edgecolor": "none", "pad": 1, "alpha": 0.9})


def _refused(axis: Axes, place: int, row: Row) -> None:
    axis.plot([0], [place], "X", color=style(row.contender).colour, markersize=8, clip_on=False)
    axis.annotate(f"refused: {limit_name(row.error or '')}", (0, place), xytext=(8, 0), fontsize=7.5,
                  textcoords="offset points", va="center", color=style(row.contender).colour)
