# SPDX-License-Identifier: BSL-1.0
"""Claims and the rules that decide them. Rules are data (scripts/claims.toml), declared before a run.

A claim has parts. A part compares a counter of a row, or its ratio to another row in the same block,
with a threshold, or expects a refusal. All parts hold: reproduced. All fail: refuted. Otherwise:
conditional, naming what holds and what does not.
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
from yardstack.runs import Run


@dataclass(frozen=True)
class Part:
    """One comparison. `over` makes it a ratio; exactly one of the three rules is set."""

    name: str
    row: str
    counter: tuple[str, ...]
    over: str | None = None
    at_least: float | None = None
    at_most: float | None = None
    refused: bool = False

    @property
    def rule(self) -> str:
        if self.refused:
            return "is refused"
        sign, limit = ("≥", self.at_least) if self.at_least is not None else ("≤", self.at_most)
        return f"{' + '.join(self.counter)}{' ratio' if self.over else ''} {sign} {limit:g}"

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
    part = Part(**fields)
    if sum((part.at_least is not None, part.at_most is not None, part.refused)) != 1:
        raise ValueError(f"part `{part.name}` needs one of at_least, at_most, refused")
    return part


def decide(run: Run, claims: Sequence[Claim]) -> dict[str, list[Decision]]:
    """All parts of all claims; the tests of one question's counter are corrected together (Holm)."""
    decisions = {claim.id: [_measure(run, part) for part in claim.parts] for claim in claims}
    families: dict[tuple[str, ...], list[tuple[str, int]]] = defaultdict(list)
    for claim, found in decisions.items():
        for index, decision in enumerate(found):
            if decision.p is not None:
                part = decision.part
                families[part.row.split("/")[0], *part.counter].append((claim, index))
    for members in families.values():
        raw = [decisions[claim][index].p or 0.0 for claim, index in members]
        for (claim, index), p in zip(members, stats.holm(raw)):
            decisions[claim][index] = _conclude(replace(decisions[claim][index], p=p))
    return decisions


def _measure(run: Run, part: Part) -> Decision:
    """The figure and its uncorrected p, or why there is neither."""
    if part.refused:
        return _expect_refusal(run, part)
    found = series.values(run, part.row, part.counter)
    base = series.values(run, part.over, part.counter) if part.over else None
    for side in filter(None, (found, base)):
        reason = side.gap or (side.doubt if side.doubt != "noisy" else None)
        if reason:
            return Decision(part, "unmeasurable", f"{side.name}: {reason}")
    usable = series.quiet(run, found)
    data = stats.ratios(usable, series.quiet(run, base)) if base else list(usable.values())
    if len(data) < stats.ENOUGH_BLOCKS:
        return Decision(part, "undecided", f"{len(data)} quiet of {len(found.by_block)} blocks, "
                        f"{stats.ENOUGH_BLOCKS} are needed", stats.estimate(data) if data else None)
    threshold = part.at_least if part.at_least is not None else part.at_most
    assert threshold is not None
    return Decision(part, "undecided", figure=stats.estimate(data), p=stats.p_value(data, threshold))


def _expect_refusal(run: Run, part: Part) -> Decision:
    rows = list(run.by_name.get(part.row, {}).values())
    if not rows:
        return Decision(part, "unmeasurable", f"{part.row}: not measured")
    other = next((row for row in rows if not row.refused), None)
    if other is None:
        return Decision(part, "holds", rows[0].error or "")
    if other.error:
        return Decision(part, "unmeasurable", f"{part.row}: {other.error}")
    return Decision(part, "fails", "measured without a refusal")


def _conclude(decision: Decision) -> Decision:
    part, figure, p = decision.part, decision.figure, decision.p
    assert figure is not None and p is not None
    met = figure.median >= part.at_least if part.at_least is not None else (
        part.at_most is not None and figure.median <= part.at_most)
    touches = figure.median == (part.at_least if part.at_least is not None else part.at_most)
    if p < stats.SIGNIFICANT or touches:
        return replace(decision, outcome="holds" if met else "fails")
    return replace(decision, why=f"too close to tell (p {p:.2g} after Holm)")
