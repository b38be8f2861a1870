# SPDX-License-Identifier: BSL-1.0
"""One rule for table, pictures and verdicts: the blocks that nothing speaks against, and how many they are."""

import dataclasses
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import measured
import pytest
from conftest import add, offer
from yardstack import claims, compare, plots, runs, series, table
from yardstack.claims import Claim, Part
from yardstack.plots import costs, curves, frame, memory

Maker = Callable[..., Path]
ROW, COUNTER = "switch/futures/tasks:2", "ns_per_switch"


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """The pictures that have been drawn, still open."""
    pictures: list[Any] = []
    close = frame.pyplot.close
    monkeypatch.setattr(frame.pyplot, "close", pictures.append)
    yield pictures
    close("all")


def figures(folder: Path, first: Path) -> dict[str, float | None]:
    """The same row's median, as each part of a report has it."""
    run = runs.read(folder)
    part = Part("a switch", ROW, (COUNTER,), at_most=1000)
    decision, = claims.decide(run, [Claim("C00", "", "", (part,))])["C00"]
    line, = (line for line in compare.lines(runs.read(first), run) if line.name == ROW)
    column = next(c for c in table.columns() if ROW in [row.format("futures") for row in c.rows])
    cell = table.fill(run, [column])["futures"][0]
    return {"verdict": decision.figure.median if decision.figure else None,
            "table": cell.estimate.median if cell.estimate else None,
            "comparison": line.second.median, "picture": series.values(run, ROW, COUNTER).estimate.median}


def test_noisy_blocks_are_in_no_figure(make_run: Maker) -> None:
    quiet, noisy = make_run("quiet", blocks=5), make_run("noisy", blocks=5, noisy=(1, 5))
    alone = series.values(runs.read(quiet), ROW, COUNTER).by_block
    kept = sorted(value for block, value in alone.items() if block not in (1, 5))
    assert set(figures(noisy, quiet).values()) == {kept[1]} != set(figures(quiet, quiet).values())


@pytest.mark.parametrize(("noisy", "doubt", "told"), [
    ((), None, ""), ((1, 2), None, "3 of 5 blocks"), ((1, 2, 3), "noisy in 3 of 5 blocks", ""),
    ((1, 2, 3, 4, 5), "noisy in 5 of 5 blocks", "")])
def test_figures_of_few_blocks_are_in_doubt_and_say_so(
        make_run: Maker, noisy: tuple[int, ...], doubt: str | None, told: str) -> None:
    run = runs.read(make_run(blocks=5, noisy=noisy))
    assert series.values(run, ROW, COUNTER).doubt == doubt
    column = next(c for c in table.columns() if ROW in [row.format("futures") for row in c.rows])
    cell = table.fill(run, [column])["futures"][0]
    assert (cell.kind, cell.why) == ("doubtful" if doubt else "figure", doubt or told)
    counted = series.values(run, "memory/futures/state:sleeping/tasks:10000", "heap_bytes_per_task")
    assert counted.doubt is None and len(counted.trusted) == 5, "noise adds no byte"


@pytest.mark.parametrize(("blocks", "doubt"), [(1, "only 1 block"), (2, "only 2 blocks"), (3, None)])
def test_too_few_blocks_are_in_doubt_however_quiet(make_run: Maker, blocks: int, doubt: str | None) -> None:
    assert series.values(runs.read(make_run(blocks=blocks)), ROW, COUNTER).doubt == doubt


def test_a_picture_shows_which_points_are_of_few_blocks(make_run: Maker) -> None:
    run = runs.read(make_run(blocks=5, noisy=(1, 2, 3, 4)))
    picture, axes = frame.panels(1, 1, (4, 3))
    found = curves.collect(run, "switch", COUNTER, "tasks")
    curves.draw(axes[0][0], {"futures": found["futures"]}, COUNTER)
    hollow = [line for line in axes[0][0].lines if line.get_markerfacecolor() == "white"]
    told = [text.get_text() for text in axes[0][0].texts]
    frame.pyplot.close(picture)
    assert len(hollow) == len(found["futures"]) and set(told) == {"1 of 5"}


@pytest.mark.parametrize(("noisy", "told"), [((), "5 blocks, 93.8 %"), ((1, 2), "3 blocks, 75 %"),
                                             ((1, 2, 3, 4), "1 block, none")])
def test_a_pictures_footer_tells_of_how_many_blocks_it_is(
        make_run: Maker, drawn: list[Any], noisy: tuple[int, ...], told: str) -> None:
    folder = make_run(blocks=5, noisy=noisy)
    for draw in (costs.switch, memory.draw):
        draw(runs.read(folder), folder)
    of_times, *of_counts = (picture.texts[-1].get_text() for picture in drawn)
    assert of_times.endswith(f"({told})")
    assert all(footer.endswith("(5 blocks, 93.8 %)") for footer in of_counts) and len(of_counts) == 2


def test_every_picture_tells_of_how_many_blocks_it_is(make_run: Maker, drawn: list[Any]) -> None:
    folder = make_run()
    captions = plots.draw_all(runs.read(folder), folder / "plots")
    assert len(drawn) == len(captions)
    assert all("(3 blocks, 75 %)" in picture.texts[-1].get_text() for picture in drawn)


def test_only_what_a_quieter_machine_would_mend_leaves_a_verdict_open(make_run: Maker) -> None:
    run = runs.read(make_run())
    label = {"noisy": "undecided", "client-limited": "unmeasurable"}
    for reason, outcome in label.items():
        rows = tuple(dataclasses.replace(row, label=f"{reason}: {COUNTER}") for row in run.rows)
        part = Part("a switch", ROW, (COUNTER,), at_most=1000)
        decision, = claims.decide(dataclasses.replace(run, rows=rows), [Claim("C00", "", "", (part,))])["C00"]
        assert decision.outcome == outcome


def label(folder: Path, labels: dict[int, str]) -> None:
    """Lets the row say this of itself, by block."""
    for block, words in labels.items():
        for file in (folder / "raw").glob(f"bench-switch*.block-{block}.json"):
            document = json.loads(file.read_text())
            for row in document["benchmarks"]:
                if row["name"].startswith(f"{ROW}/"):
                    row["label"] = words
            file.write_text(json.dumps(document))


@pytest.mark.parametrize(("labels", "doubt", "word"), [
    ({2: "throttled", 3: "noisy"}, None, "figure"),
    ({2: "overloaded"}, "overloaded in 1 of 5 blocks", "doubtful"),
    ({2: "overloaded", 3: "wide", 4: "noisy"}, "overloaded, wide in 2 of 5 blocks", "doubtful")])
def test_only_what_comes_from_outside_takes_a_block_out(
        make_run: Maker, labels: dict[int, str], doubt: str | None, word: str) -> None:
    """Whoever falls over in some blocks does not stand upright on the others."""
    folder = make_run(blocks=5)
    label(folder, {block: f"{reason}: {COUNTER}" for block, reason in labels.items()})
    run = runs.read(folder)
    found = series.values(run, ROW, COUNTER)
    assert found.doubt == doubt and found.estimate is not None
    assert found.estimate.blocks == 5 - sum(reason in series.OUTSIDE for reason in labels.values())
    column = next(c for c in table.columns() if ROW in [row.format("futures") for row in c.rows])
    assert table.fill(run, [column])["futures"][0].kind == word
    decision, = claims.decide(run, [Claim("C00", "", "", (Part("a switch", ROW, (COUNTER,), at_most=1000),))])["C00"]
    assert decision.outcome == ("unmeasurable" if doubt else "holds") and decision.why.endswith(doubt or "")


def test_what_a_disturbed_block_says_of_itself_is_not_held_against_the_row(make_run: Maker) -> None:
    folder = make_run(blocks=5, noisy=(1,))
    label(folder, {1: f"overloaded: {COUNTER}", 2: f"wide: {COUNTER}; noisy: {COUNTER}"})
    found = series.values(runs.read(folder), ROW, COUNTER)
    assert found.doubt is None and found.left_out == "noisy in 2 of 5 blocks"


def test_moves_of_stolen_tasks_depend_on_who_else_runs(make_run: Maker) -> None:
    folder, name = make_run(noisy=(1, 2, 3)), "parallel/fibers/work:turns/load:even/turns:1/tasks:2"
    add(folder, [measured.entry(name, {"moves_per_task": 0.2, "elapsed_vs_kept": 1.0, "valid": 1})])
    context = json.loads((folder / "context.json").read_text())
    context["calls"] += [{"program": "bench-parallel", "block": block, "noisy": True} for block in (1, 2, 3)]
    runs.write_json(folder / "context.json", context)
    assert series.values(runs.read(folder), name, "moves_per_task").doubt == "noisy in 3 of 3 blocks"


def test_rows_at_different_rates_are_never_pooled(make_run: Maker) -> None:
    folder, other = make_run("one", blocks=3), make_run("other", blocks=3)
    offer(folder, {1: 50_000, 2: 43_000, 3: 50_000})
    offer(other, {1: 43_000, 2: 43_000, 3: 43_000})
    run, second = runs.read(folder), runs.read(other)
    name = next(row.name for row in run.rows if row.name.startswith("echo/futures/") and row.counters)
    found = series.values(run, name, "p50_ns")
    assert sorted(found.trusted) == [1, 3] and found.doubts[2] == "another rate"
    assert name not in {line.name for line in compare.lines(run, second)}
    assert name in {line.name for line in compare.lines(run, run)}
