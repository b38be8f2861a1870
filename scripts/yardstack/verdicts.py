# SPDX-License-Identifier: BSL-1.0
"""Verdicts: what a run says of each claim, in words and as verdicts.json."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from yardstack import claims
from yardstack.claims import Claim, Decision
from yardstack.runs import Run
from yardstack.stats import Estimate, coverage, coverage_words
from yardstack.units import figure, tick

REPRODUCED, REFUTED, CONDITIONAL = "reproduced", "refuted", "conditional"
UNMEASURABLE, NO_VERDICT = "not measurable here", "no verdict"


@dataclass(frozen=True)
class Verdict:
    claim: Claim
    word: str
    condition: str  #: what it depends on, or why there is none
    decisions: tuple[Decision, ...]


def judge(run: Run, declared: Sequence[Claim] | None = None) -> list[Verdict]:
    """One verdict a claim, in the order of the file."""
    declared = claims.load() if declared is None else declared
    decided = claims.decide(run, declared)
    return [_verdict(claim, decided[claim.id]) for claim in declared]


def _verdict(claim: Claim, decisions: Sequence[Decision]) -> Verdict:
    deciding = [d for d in decisions if d.part.decides]
    by = {outcome: [d.part.name for d in deciding if d.outcome == outcome]
          for outcome in ("holds", "fails", "undecided", "unmeasurable")}
    unknown = by["undecided"] + by["unmeasurable"]
    if not by["holds"] and not by["fails"]:
        word = NO_VERDICT if by["undecided"] else UNMEASURABLE
        reasons = "; ".join(dict.fromkeys(d.why for d in deciding))
        return Verdict(claim, word, reasons, tuple(decisions))
    if not unknown and not (by["holds"] and by["fails"]):
        return Verdict(claim, REPRODUCED if by["holds"] else REFUTED, "", tuple(decisions))
    phrases = (("holds for", by["holds"]), ("not for", by["fails"]), ("open:", unknown))
    text = "; ".join(f"{intro} {', '.join(f'“{name}”' for name in names)}"
                     for intro, names in phrases if names)
    return Verdict(claim, CONDITIONAL, text, tuple(decisions))


def told(decision: Decision) -> str:
    """A part in one line: figure, interval, rule."""
    part = decision.part
    intro = "by construction, " if part.by_construction else "beside it, " if part.secondary else ""
    name = intro + part.name
    if decision.figure is None:
        return f"{name}: {decision.why or decision.outcome}"
    sign = "≥" if part.at_least is not None else "≤"
    rule = f"{sign} {tick(part.threshold or 0.0, part.unit)}: {decision.why or decision.outcome}"
    return f"{name}: {with_interval(decision.figure, part.unit)} ({rule})"


def with_interval(estimate: Estimate, counter: str = "") -> str:
    """`12.4 ns [12.1, 12.9; 3 blocks, 75 %]`: the last is how often such an interval holds the median."""
    text = figure(estimate.median, counter)
    if estimate.low is None or estimate.high is None:
        return f"{text} [1 block]"
    return (f"{text} [{figure(estimate.low, counter)}, {figure(estimate.high, counter)}; "
            f"{estimate.blocks} blocks, {coverage_words(estimate.blocks)}]")


def as_json(verdicts: Sequence[Verdict]) -> list[dict[str, Any]]:
    """What verdicts.json holds."""
    return [{
        "id": v.claim.id, "claim": v.claim.text, "source": v.claim.source, "verdict": v.word,
        "condition": v.condition,
        "parts": [{
            "name": d.part.name, "rule": d.part.rule, "secondary": d.part.secondary,
            "by_construction": d.part.by_construction, "row": d.part.row, "over": d.part.over,
            "outcome": d.outcome, "why": d.why, "p_holm": d.p, "command": d.part.command,
            "median": d.figure.median if d.figure else None,
            "interval": [d.figure.low, d.figure.high] if d.figure else None,
            "coverage": coverage(d.figure.blocks) if d.figure and d.figure.low is not None else None,
            "blocks": d.figure.blocks if d.figure else 0,
        } for d in v.decisions]} for v in verdicts]
