# SPDX-License-Identifier: BSL-1.0
"""Claims and the rules that decide them. Rules are data (scripts/claims.toml), declared before a run.

A claim has parts. A part compares a counter of a row, or its ratio to another counter of that row or to
another row in the same block, with a threshold, or is content with a refusal by one of the limits it
names. All parts hold: reproduced. All fail: refuted. Otherwise: conditional, naming what holds and what
does not. Secondary parts are told, but decide nothing; nor do those that are so by construction, which no
run could refute.
"""

import tomllib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from yardstack import series, stats
from yardstack.errors import CommandError
from yardstack.paths import SCRIPTS
from yardstack.rows import Row, limit_name
from yardstack.runs import Run


@dataclass(frozen=True)
class Part:
    """One comparison. `per` divides by a counter of the same row, `over` by another row's value."""

    name: str
    row: str
    counter: tuple[str, ...]
    per: str | None = None
    over: str | None = None
    at_least: float | None = None
    at_most: float | None = None
    refused_by: tuple[str, ...] = ()  #: limits whose refusal is as good as the threshold met
    secondary: bool = False
    by_construction: bool = False  #: a type says so, at compile time

    @property
    def decides(self) -> bool:
        return not self.secondary and not self.by_construction

    @property
    def threshold(self) -> float | None:
        return self.at_least if self.at_least is not None else self.at_most

    @property
    def unit(self) -> str:
        """The counter whose unit the figure has; a ratio has none."""
        return "" if self.per or self.over or not self.counter else self.counter[0]

    @property
    def rule(self) -> str:
        told = [f"refused by {', '.join(self.refused_by)}"] if self.refused_by else []
        if self.threshold is not None:
            sign = "≥" if self.at_least is not None else "≤"
            what = " + ".join(self.counter) + (f" ÷ {self.per}" if self.per else "")
            told.append(f"{what}{' ratio' if self.over else ''} {sign} {self.threshold:g}")
        return ", or ".join(told)

    @property
    def command(self) -> str:
        cells = ",".join(filter(None, (self.row, self.over)))
        return f"build/release/bench-{self.row.split('/')[0]} --cell={cells}"


@dataclass(frozen=True)
class Claim:
    id: str
    text: str
    source: str
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Decision:
    """What became of a part: `holds`, `fails`, `undecided` or `unmeasurable`, and why."""

    part: Part
    outcome: str
    why: str = ""
    figure: stats.Estimate | None = None
    p: float | None = None  #: corrected, where it was tested


def load(file: Path = SCRIPTS / "claims.toml") -> list[Claim]:
    """Reads the declared claims. Raises CommandError naming what is wrong with the file."""
    try:
        tables = tomllib.loads(file.read_text())["claim"]
        return [Claim(t["id"], t["text"], t["source"], tuple(map(_part, t["part"]))) for t in tables]
    except (OSError, tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as error:
        raise CommandError(f"{file}: {type(error).__name__}: {error}") from error


def _part(table: dict[str, Any]) -> Part:
    counter = table.get("counter", ())
    fields: dict[str, Any] = dict(table)
    fields["counter"] = (counter,) if isinstance(counter, str) else tuple(counter)
    fields["refused_by"] = tuple(table.get("refused_by", ()))
    part = Part(**fields)
    if part.at_least is not None and part.at_most is not None:
        raise ValueError(f"part `{part.name}` has both at_least and at_most")
    if part.threshold is None and not part.refused_by:
        raise ValueError(f"part `{part.name}` needs at_least, at_most or refused_by")
    if (part.threshold is not None) != bool(part.counter):
        raise ValueError(f"part `{part.name}` needs a counter with its threshold, and only then")
    return part


def decide(run: Run, claims: Sequence[Claim]) -> dict[str, list[Decision]]:
    """All parts of all claims; the tests of one question's counter are corrected together (Holm)."""
    decisions = {claim.id: [_measure(run, part) for part in claim.parts] for claim in claims}
    families: dict[tuple[str, ...], list[tuple[str, int]]] = defaultdict(list)
    for claim, found in decisions.items():
        for index, decision in enumerate(found):
            if decision.p is not None:
                part = decision.part
                families[part.row.split("/")[0], *part.counter, part.per or ""].append((claim, index))
    for members in families.values():
        raw = [decisions[claim][index].p or 0.0 for claim, index in members]
        for (claim, index), p in zip(members, stats.holm(raw)):
            decisions[claim][index] = _conclude(replace(decisions[claim][index], p=p))
    return decisions


def _measure(run: Run, part: Part) -> Decision:
    """The figure and its uncorrected p, or why there is neither."""
    rows = list(run.by_name.get(part.row, {}).values())
    if part.refused_by and (part.threshold is None or any(row.refused for row in rows)):
        return _refusal(part, rows)
    found = series.values(run, part.row, part.counter, part.per)
    base = series.values(run, part.over, part.counter, part.per) if part.over else None
    sides = list(filter(None, (found, base)))
    for side in sides:
        if side.gap or side.own_doubt or (not side.trusted and series.NOISY not in side.doubts.values()):
            return Decision(part, "unmeasurable", f"{side.name}: {side.gap or side.own_doubt or side.left_out}")
    data = stats.ratios(found.trusted, base.trusted) if base else list(found.trusted.values())
    if len(data) < stats.ENOUGH_BLOCKS:
        why = ", ".join(dict.fromkeys(side.left_out for side in sides if side.left_out))
        return Decision(part, "undecided", f"{len(data)} of {len(found.by_block)} blocks, {stats.ENOUGH_BLOCKS} are "
                        "needed" + (f" ({why})" if why else ""), stats.estimate(data) if data else None)
    assert part.threshold is not None
    return Decision(part, "undecided", figure=stats.estimate(data),
                    p=stats.p_value(data, part.threshold))


def _refusal(part: Part, rows: Sequence[Row]) -> Decision:
    """A refusal counts where one of the named limits made it, in all blocks, and in enough of them."""
    refused = [row.error or "" for row in rows if row.refused]
    broken = next((row.error for row in rows if row.error and not row.refused), None)
    other = next((limit for limit in map(limit_name, refused) if limit not in part.refused_by), None)
    if not rows or broken:
        return Decision(part, "unmeasurable", f"{part.row}: {broken or 'not measured'}")
    if not refused:
        return Decision(part, "fails", "measured without a refusal")
    if other is not None:
        return Decision(part, "unmeasurable", f"{part.row}: refused by {other}, which is no limit of it")
    if len(refused) < len(rows) or len(refused) < stats.ENOUGH_BLOCKS:
        return Decision(part, "undecided", f"refused in {len(refused)} of {len(rows)} blocks, "
                        f"{stats.ENOUGH_BLOCKS} and all are needed")
    return Decision(part, "holds", refused[0])


def _conclude(decision: Decision) -> Decision:
    part, figure, p = decision.part, decision.figure, decision.p
    assert figure is not None and p is not None
    met = figure.median >= part.at_least if part.at_least is not None else (
        part.at_most is not None and figure.median <= part.at_most)
    touches = figure.median == part.threshold
    if p < stats.SIGNIFICANT or touches:
        return replace(decision, outcome="holds" if met else "fails")
    return replace(decision, why=f"too close to tell (p {p:.2g} after Holm)")
