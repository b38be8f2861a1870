# SPDX-License-Identifier: BSL-1.0
"""What a suspended task keeps, beside what it would have to: futures, and frames by compiler."""

from pathlib import Path

from yardstack import series
from yardstack.palette import order, style
from yardstack.plots.frame import PALE, Axes, finish, panels, shown, strength
from yardstack.plots.ticks import binary_ticks
from yardstack.rows import Row, limit_name
from yardstack.runs import Run
from yardstack.units import figure

_SHAPES = {"dead": "a local that is over", "live": "a local that is needed",
           "disjoint": "two that never meet"}
_COMPILERS = {"gcc": "GCC", "clang": "clang"}


def draw(run: Run, folder: Path) -> dict[str, str]:
    by_shape = {shape: series.rows_of(run, "frames", shape=shape) for shape in _SHAPES}
    if not any(series.values(run, name, "kept_bytes").estimate
               for rows in by_shape.values() for name in rows):
        return {}
    found = {_maker(row) for rows in by_shape.values() for row in rows.values()}
    ranks = order({contender for contender, _, _ in found})
    makers = sorted(found, key=lambda maker: (ranks.index(maker[0]), maker))
    picture, axes = panels(1, len(_SHAPES), (9.2, 1.5 + 0.34 * len(makers)), sharey=True, sharex=True)
    for axis, (shape, rows) in zip(axes[0], by_shape.items()):
        _panel(axis, run, {_maker(row): row for row in rows.values()}, makers)
        axis.set_title(_SHAPES[shape])
    axes[0][0].set_yticks(range(len(makers)), [_name(maker) for maker in makers])
    axes[0][0].invert_yaxis()
    finish(picture, run, folder / "frames.svg", "Kept across a suspension, of locals of 1 KiB")
    return {"frames.svg": "What a suspended task keeps of locals of 1 KiB, less what it keeps without "
                          "them. The dashed line is what is live at one moment, the dotted one all "
                          f"locals together. {PALE}"}


def _maker(row: Row) -> tuple[str, str, str]:
    return row.contender, row.keys.get("compiler", ""), row.keys.get("optimise", "")


def _name(maker: tuple[str, str, str]) -> str:
    contender, compiler, level = maker
    return f"{contender}, {_COMPILERS.get(compiler, compiler)} -O{level}" if compiler else contender


def _panel(axis: Axes, run: Run, rows: dict[tuple[str, str, str], Row],
           makers: list[tuple[str, str, str]]) -> None:
    for counter, dashes in (("live_bytes", (0, (5, 2))), ("sum_bytes", (0, (1, 1.5)))):
        limits = [found.median for row in rows.values()
                  if (found := series.values(run, row.name, counter).estimate)]
        if limits:
            axis.axvline(max(limits), color="#666666", linewidth=1.2, linestyle=dashes, zorder=3)
    for place, maker in enumerate(makers):
        if maker not in rows:
            continue
        colour = style(maker[0]).colour
        kept = series.values(run, rows[maker].name, "kept_bytes")
        told = f"refused: {limit_name(kept.gap or '')}" if kept.refused else ""
        if estimate := shown(axis, kept):
            axis.barh([place], [estimate.median], height=0.62, color=colour, alpha=strength(kept))
            told = figure(estimate.median, "bytes")
        axis.annotate(told, (estimate.median if estimate else 0, place), xytext=(4, 0),
                      textcoords="offset points", va="center", fontsize=7.5, zorder=4,
                      bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.85})
    axis.set_xlim(0, 2900)
    binary_ticks(axis.xaxis, 2900, 3)
    axis.grid(axis="y", visible=False)
