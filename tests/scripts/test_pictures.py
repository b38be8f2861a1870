# SPDX-License-Identifier: BSL-1.0
"""Pictures: one a question that has figures, and what they show."""

import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import measured
import pytest
from conftest import add
from yardstack import palette, plots, runs

EXPECTED = {"switch.svg", "spawn.svg", "memory-sleeping.svg", "memory-connected.svg", "timers.svg",
            "echo-tcp-64.svg", "echo-tcp-64-vs-floor.svg"}


def axes_drawn(draw: Callable[..., dict[str, str]], folder: Path, name: str) -> list[Any]:
    """The panels of the one picture that a drawer makes of a run."""
    from yardstack.plots import frame
    axes: list[Any] = []
    (folder / "plots").mkdir(exist_ok=True)
    keep, frame.pyplot.close = frame.pyplot.close, lambda picture: axes.extend(picture.axes)
    try:
        assert set(draw(runs.read(folder), folder / "plots")) == {name}
    finally:
        frame.pyplot.close = keep
        keep("all")
    return axes


def test_every_question_has_its_picture(make_run: Callable[..., Path]) -> None:
    from yardstack.plots import frame
    folder = make_run()
    captions = plots.draw_all(runs.read(folder), folder / "plots")
    assert EXPECTED <= set(captions)
    for name, caption in captions.items():
        ElementTree.parse(folder / "plots" / name)
        assert caption.endswith(".")
        assert (frame.IN_DOUBT in caption) == (name != "stacks.svg"), "that one writes the reason into its squares"


def test_a_refusal_is_drawn_and_named(make_run: Callable[..., Path]) -> None:
    from yardstack.plots import frame
    folder = make_run()
    add(folder, [measured.row(f"switch/{c}/tasks:100000", 1) for c in ("threads", "futures")])
    picture, axes = frame.panels(1, 1, (4, 3))
    from yardstack.plots import curves
    curves.draw(axes[0][0], curves.collect(runs.read(folder), "switch", "ns_per_switch", "tasks"),
                "ns_per_switch")
    told = [text.get_text() for text in axes[0][0].texts]
    frame.pyplot.close(picture)
    assert told == ["threads refused: pid_max"]


def test_the_map_of_stacks_tells_what_is_held_and_where_a_stack_ends(make_run: Callable[..., Path]) -> None:
    from yardstack.plots import stacks
    folder = make_run()
    assert "stacks.svg" not in plots.draw_all(runs.read(folder), folder / "plots")
    held = {"resident_bytes_per_stack": 4096, "high_water_bytes": 4096, "stack_bytes": 16384}
    add(folder, [measured.entry("stacks/fibers/stack:16384/depth:1", {**held, "valid": 1}),
                 measured.entry("stacks/fibers/stack:16384/depth:100",
                                error="refused: stack_bytes reached=20480 limit=20416 "
                                      "(usable of stack:16384, at call 71)"),
                 measured.entry("stacks/fibers/stack:16384/depth:7/guard:none", {**held, "valid": 1})])
    axis, = axes_drawn(stacks.draw, folder, "stacks.svg")
    drawn = [text.get_text() for text in axis.texts]
    assert sorted(drawn) == ["4.00 KiB\n25.0% used", "overflows\nat call 71"]


#: Rows of each, with those that belong in no picture, and the panels that they make.
LATE = {"lateness_p50_ns": 1e4, "lateness_p99_ns": 1e5, "lateness_max_ns": 1e6, "valid": 1}
TWO = {"task_1_begin_ns": 1e3, "task_1_end_ns": 2e7, "task_2_begin_ns": 1e3, "task_2_end_ns": 2e7, "valid": 1}
LATER: dict[str, tuple[dict[str, dict[str, float]], list[str]]] = {
    "cancel.svg": (
        {"cancel/futures/what:sleep/tasks:1000": {"ns_per_cancel": 30, "valid": 1},
         "cancel/threads/what:read/tasks:1000": {"ns_per_cancel": 3e4, "valid": 1},
         "cancel/callbacks/what:sleep/tasks:1000/token:none": {"left_per_task": 1, "valid": 1}},
        ["1k tasks that read", "1k tasks that sleep"]),
    "parallel.svg": (
        {"parallel/futures/work:sleep/tasks:64": {"elapsed_vs_one": 1, "valid": 1},
         "parallel/futures/work:burst/workers:1/tasks:64": {"elapsed_vs_one": 64, "valid": 1},
         "parallel/futures/work:burst/workers:2/tasks:64/stealing:off": {"elapsed_vs_one": 64, "valid": 1},
         "parallel/futures/work:burst/workers:2/tasks:2": {"elapsed_vs_one": 1, "valid": 1}},
        ["sleeps", "bursts, one worker", "two, without stealing"]),
    "parallel-timeline.svg": (
        {"parallel/futures/work:sleep/tasks:2": TWO, "parallel/threads/work:burst/workers:1/tasks:2": TWO,
         "parallel/futures/work:burst/workers:2/tasks:2/stealing:off": TWO,
         "parallel/futures/work:burst/workers:2/tasks:64": {"elapsed_vs_one": 1, "valid": 1}},
        ["sleeping", "computing, one worker"]),
    "blocking.svg": (
        {"blocking/futures/disturber:call/tasks:100": LATE, "blocking/futures/disturber:pool/tasks:100": LATE,
         "blocking/futures/disturber:hog/tasks:10": LATE, "blocking/floor-pacing": LATE},
        ["blocks in a pool", "blocks its worker"]),
    "wake.svg": (
        {"wake/futures/from:thread": {"ns_per_wake": 1e4, "p99_ns": 3e4, "valid": 1},
         "wake/futures/wait:parked": {"cpu_share": 0.001, "valid": 1},
         "wake/coroutines/wait:busy": {"cpu_share": 0.99, "valid": 1},
         "wake/futures/rule:order": {"wakes_lost": 0, "valid": 1}},
        ["Woken from another CPU", "Waiting, parked or polled"])}


@pytest.mark.parametrize("name", LATER)
def test_each_question_is_drawn_in_panels(make_run: Callable[..., Path], name: str) -> None:
    from yardstack.plots import cancel, parallel, timeline, timers, wake
    draw = {"cancel.svg": cancel.draw, "parallel.svg": parallel.draw, "parallel-timeline.svg": timeline.draw,
            "blocking.svg": timers.blocking, "wake.svg": wake.draw}[name]
    folder = make_run()
    assert draw(runs.read(folder), folder) == {}
    rows, titles = LATER[name]
    add(folder, [measured.entry(row, counters) for row, counters in rows.items()])
    axes = axes_drawn(draw, folder, name)
    assert [axis.get_title("left") for axis in axes] == titles
    places = {label.get_text().split(",")[0] for label in axes[0].get_yticklabels()}
    assert places <= {row.split("/")[1] for row in rows} and "futures" in places


def test_who_is_never_parked_has_no_mark_of_one(make_run: Callable[..., Path]) -> None:
    from yardstack.plots import wake
    folder = make_run()
    add(folder, [measured.entry("wake/coroutines/wait:busy", {"cpu_share": 0.99, "valid": 1})])
    _, shares = axes_drawn(wake.draw, folder, "wake.svg")
    marks = [line.get_markerfacecolor() for line in shares.lines if line.get_marker() == "D"]
    assert marks == ["white"], "polled again and again: hollow"


def test_a_bar_with_a_part_below_zero_is_hollow_and_as_long_as_the_table_says(make_run: Callable[..., Path]) -> None:
    from yardstack.plots import memory
    folder = make_run()
    kinds = {"heap_bytes_per_task": 0, "page_table_bytes_per_task": 0, "slab_bytes_per_task": 1240}
    for file in (folder / "raw").glob("bench-memory*"):
        document = json.loads(file.read_text())
        document["benchmarks"] = [measured.entry(
            "memory/floor-socket/state:connected/tasks:1000",
            {**kinds, "user_bytes_per_task": -404, "kernel_bytes_per_task": 1240, "valid": 1})]
        file.write_text(json.dumps(document))
    left, _ = axes_drawn(memory.draw, folder, "memory-connected.svg")
    bar, = (patch for patch in left.patches if patch.get_width())
    assert bar.get_width() == 836 and bar.get_facecolor()[3] == 0
    assert [text.get_text() for text in left.texts] == ["836 B; user -404 B"]


def test_a_bar_of_memory_ends_in_the_interval_of_the_whole(make_run: Callable[..., Path]) -> None:
    from yardstack.plots import memory
    folder = make_run()
    for block, file in enumerate(sorted((folder / "raw").glob("bench-memory*"))):
        document = json.loads(file.read_text())
        document["benchmarks"] = [measured.entry(
            "memory/futures/state:sleeping/tasks:1000",
            {"heap_bytes_per_task": 100 + block, "user_bytes_per_task": 100 + block,
             "kernel_bytes_per_task": 0, "valid": 1})]
        file.write_text(json.dumps(document))
    for axis in axes_drawn(memory.draw, folder, "memory-sleeping.svg"):
        (low, high), = (segment[:, 0] for drawn in axis.containers if getattr(drawn, "has_xerr", False)
                        for segment in drawn.lines[2][0].get_segments())
        assert (low, high) == (100, 102)


def test_composed_tasks_are_drawn_by_the_level(make_run: Callable[..., Path]) -> None:
    from yardstack.plots import costs
    folder = make_run()
    add(folder, [measured.entry("compose/futures/depth:1", {"ns_per_op": 7, "valid": 1}),
                      measured.entry("compose/futures/depth:4", {"ns_per_op": 40, "ns_per_level": 11, "valid": 1})])
    axis, = axes_drawn(costs.compose, folder, "compose.svg")
    assert [line.get_ydata()[0] for line in axis.lines if line.get_marker() == "^"] == [11]
    assert list(axis.get_xticks()) == [4], "one level is nothing to divide by"


def test_every_contender_looks_different() -> None:
    looks = list(palette.CONTENDERS.values())
    assert len({look.colour for look in looks}) == len({look.marker for look in looks}) == len(looks)
    json.dumps(palette.order(set(palette.CONTENDERS) | {"floor-x", "tokio"}))
    assert palette.order({"floor-x", "tokio", "futures"}) == ["futures", "tokio", "floor-x"]
