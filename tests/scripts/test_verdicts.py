# SPDX-License-Identifier: BSL-1.0
"""Rules decide as declared: each word of a verdict from a run made to deserve it."""

import json
from collections.abc import Callable
from pathlib import Path

import measured
import pytest
from yardstack import claims, runs, verdicts
from yardstack.claims import Claim, Part
from yardstack.errors import CommandError

RATIO = {"row": "switch/threads/tasks:2", "over": "switch/futures/tasks:2",
         "counter": ("ns_per_switch",)}
DEAR = Part("dear", **RATIO, at_least=10)
CHEAP = Part("cheap", **RATIO, at_most=10)
REFUSED = Part("refused", "memory/threads/state:sleeping/tasks:100000", (), refused_by=("pid_max",))
MISSING = Part("missing", "depth/fibers/calls:9", ("ns_per_resume",), at_most=1)
LIMITED = Part("limited", "echo/futures/transport:tcp/connections:1000/bytes:64", ("ops_per_s",),
               at_least=1)
UNREFUSED = Part("unrefused", "switch/threads/tasks:2", (), refused_by=("pid_max",))


@pytest.mark.parametrize(("parts", "word"), [
    ((DEAR,), "reproduced"), ((CHEAP,), "refuted"), ((DEAR, CHEAP), "conditional"),
    ((REFUSED,), "reproduced"), ((UNREFUSED,), "refuted"), ((MISSING,), "not measurable here"),
    ((LIMITED,), "not measurable here"), ((DEAR, MISSING), "conditional")])
def test_the_word_follows_from_the_parts(
        make_run: Callable[..., Path], parts: tuple[Part, ...], word: str) -> None:
    run = runs.read(make_run())
    verdict, = verdicts.judge(run, [Claim("C00", "text", "S", parts)])
    assert verdict.word == word
    if word == "conditional":
        assert all(part.name in verdict.condition for part in parts)


def test_a_failure_is_no_refusal(make_run: Callable[..., Path]) -> None:
    folder = make_run()
    row = measured.entry("memory/threads/state:sleeping/tasks:7", error="crashed: SIGSEGV")
    (folder / "raw" / "more.block-1.json").write_text(measured.document([row]))
    part = Part("seven", "memory/threads/state:sleeping/tasks:7", (), refused_by=("pid_max",))
    verdict, = verdicts.judge(runs.read(folder), [Claim("C00", "", "S", (part,))])
    assert verdict.word == "not measurable here" and "SIGSEGV" in verdict.condition


@pytest.mark.parametrize(("refused", "limits", "outcome"), [
    ((1, 2, 3), ("pid_max",), "holds"), ((1, 2, 3), ("RLIMIT_NOFILE",), "unmeasurable"),
    ((1, 2), ("pid_max",), "undecided")])
def test_a_refusal_counts_by_a_named_limit_and_in_all_blocks(
        make_run: Callable[..., Path], refused: tuple[int, ...], limits: tuple[str, ...], outcome: str
        ) -> None:
    folder, name = make_run(), "memory/callbacks/state:sleeping/tasks:9"
    for block in (1, 2, 3):
        row = measured.entry(name, error="refused: pid_max reached=1 limit=2") if block in refused \
            else measured.entry(name, {"user_bytes_per_task": 8e5})
        (folder / "raw" / f"more.block-{block}.json").write_text(measured.document([row]))
    part = Part("nine", name, ("user_bytes_per_task",), at_least=1, refused_by=limits)
    assert claims.decide(runs.read(folder), [Claim("C00", "", "S", (part,))])["C00"][0].outcome == outcome


def test_where_nothing_refuses_the_cost_decides(make_run: Callable[..., Path]) -> None:
    dear, cheap = (Part("", "memory/threads/state:sleeping/tasks:10000", ("user_bytes_per_task",),
                        at_least=limit, refused_by=("pid_max",)) for limit in (4096, 1e6))
    decided = claims.decide(runs.read(make_run()), [Claim("C00", "", "S", (dear, cheap))])["C00"]
    assert [decision.outcome for decision in decided] == ["holds", "fails"]


def test_a_counter_can_be_taken_per_another_of_its_row(make_run: Callable[..., Path]) -> None:
    part = Part("", "timers/futures/tasks:1000/period_us:10000", ("lateness_max_ns",),
                per="lateness_p99_ns", at_least=29)
    figure = claims.decide(runs.read(make_run()), [Claim("C00", "", "S", (part,))])["C00"][0].figure
    assert figure is not None and figure.median == pytest.approx(30)
    assert part.unit == "" and "lateness_max_ns ÷ lateness_p99_ns ≥ 29" in part.rule


@pytest.mark.parametrize(("kind", "intro"), [("secondary", "beside it, "), ("by_construction", "by construction, ")])
def test_a_part_that_decides_nothing_is_told_but_not_judged(
        make_run: Callable[..., Path], kind: str, intro: str) -> None:
    other = Part("other", **RATIO, at_most=10, **{kind: True})
    verdict, = verdicts.judge(runs.read(make_run()), [Claim("C00", "", "S", (DEAR, other))])
    assert verdict.word == "reproduced"
    assert verdicts.told(verdict.decisions[1]).startswith(f"{intro}other: ")
    assert verdicts.as_json([verdict])[0]["parts"][1][kind]


def test_two_blocks_are_too_few(make_run: Callable[..., Path]) -> None:
    verdict, = verdicts.judge(runs.read(make_run(blocks=2)), [Claim("C00", "", "S", (DEAR,))])
    assert verdict.word == "no verdict" and "2 of 2 blocks, 3 are needed" in verdict.condition


def test_noisy_blocks_decide_nothing_about_time_but_all_about_counts(
        make_run: Callable[..., Path]) -> None:
    run = runs.read(make_run(noisy=(2,)))
    counted = Part("counted", "memory/futures/state:sleeping/tasks:10000",
                   ("heap_bytes_per_task",), at_most=176)
    timed, exact = verdicts.judge(run, [Claim("C00", "", "S", (DEAR,)),
                                        Claim("C01", "", "S", (counted,))])
    assert timed.word == "no verdict" and "2 of 3 blocks, 3 are needed (noisy in 1 of 3 blocks)" in timed.condition
    assert exact.word == "reproduced"


def test_a_figure_at_the_threshold_of_noise_is_no_verdict(make_run: Callable[..., Path]) -> None:
    close = Part("close", "switch/futures/tasks:2", ("ns_per_switch",), over="switch/futures/tasks:2",
                 at_least=1.0000001)
    run = runs.read(make_run())
    truth, = verdicts.judge(run, [Claim("C00", "", "S", (close,))])
    assert truth.word == "refuted"  # the same row over itself is exactly one in each block
    wobbling = Part("wobbling", "switch/futures/tasks:2", ("ns_per_switch",), at_most=6.95)
    verdict, = verdicts.judge(run, [Claim("C00", "", "S", (wobbling,))])
    assert verdict.word == "no verdict" and "too close to tell" in verdict.condition


def test_more_tests_of_one_counter_make_each_harder(make_run: Callable[..., Path]) -> None:
    run = runs.read(make_run())
    alone = claims.decide(run, [Claim("C00", "", "S", (DEAR,))])["C00"][0]
    many = claims.decide(run, [Claim("C00", "", "S", (DEAR,) * 5)])["C00"][0]
    assert alone.p is not None and many.p == pytest.approx(5 * alone.p)


def test_several_counters_are_added_up(make_run: Callable[..., Path]) -> None:
    part = Part("sum", "memory/futures/state:sleeping/tasks:10000",
                ("user_bytes_per_task", "kernel_bytes_per_task"), at_most=162)
    decision = claims.decide(runs.read(make_run()), [Claim("C00", "", "S", (part,))])["C00"][0]
    assert decision.figure is not None and decision.figure.median == 162
    assert decision.outcome == "holds"


def test_the_declared_claims_are_sound_and_all_decidable(make_run: Callable[..., Path]) -> None:
    declared = claims.load()
    assert {"C01", "C02", "C03", "C07", "C08", "C09", "C26", "C30", "C34", "C36"} <= {
        claim.id for claim in declared}
    written = verdicts.as_json(verdicts.judge(runs.read(make_run())))
    json.dumps(written, allow_nan=False)
    for verdict in written:
        assert verdict["verdict"] in ("reproduced", "refuted", "conditional", "not measurable here",
                                      "no verdict")
        for part in verdict["parts"]:
            assert part["rule"] and part["command"].startswith("build/release/bench-")


@pytest.mark.parametrize("text", [
    "", "[[claim]]\nid = 'C1'",
    "[[claim]]\nid='C1'\ntext=''\nsource=''\n[[claim.part]]\nname='p'\nrow='r'",
    "[[claim]]\nid='C1'\ntext=''\nsource=''\n[[claim.part]]\nname='p'\nrow='r'\nrefusd_by=['x']",
    "[[claim]]\nid='C1'\ntext=''\nsource=''\n[[claim.part]]\nname='p'\nrow='r'\nat_least=1\nat_most=2"])
def test_a_badly_declared_claim_is_named(tmp_path: Path, text: str) -> None:
    file = tmp_path / "claims.toml"
    file.write_text(text)
    with pytest.raises(CommandError, match="claims.toml"):
        claims.load(file)
