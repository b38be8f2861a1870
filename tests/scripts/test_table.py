# SPDX-License-Identifier: BSL-1.0
"""The trade-off table: what stands in it, what is marked, what competes."""

from collections.abc import Callable
from pathlib import Path

import measured
import pytest
from conftest import add
from yardstack import palette, runs, table
from yardstack.report.__main__ import render


def test_the_table_shows_refusals_failures_and_doubts(make_run: Callable[..., Path]) -> None:
    folder = make_run()
    add(folder, [measured.entry("switch/callbacks/tasks:2", error="refused: pid_max reached=1 limit=2"),
                 measured.entry("switch/callbacks/tasks:30000", error="wrong: byte 7"),
                 measured.entry("spawn/callbacks/alive:10000", {"ns_per_spawn": 5.0, "valid": 1},
                                label="noisy: ns_per_spawn")])
    cells = table.fill(runs.read(folder), table.columns())["callbacks"]
    assert [(c.kind, c.text) for c in cells if c.kind != "none"] == [
        ("refused", "refused pid_max"), ("failed", "wrong"), ("doubtful", "5.00 ns")]
    assert not any(cell.best for cell in cells)


def row_of(name: str, counter: str, values: tuple[float, ...], **more: object) -> list[dict[str, object]]:
    return [measured.entry(name, {counter: value, "valid": 1, **more}) for value in values]


def add_blocks(folder: Path, key: str, rows: list[dict[str, object]]) -> None:
    for block, row in enumerate(rows, 1):
        (folder / "raw" / f"{key}.block-{block}.json").write_text(measured.document([row]))


@pytest.mark.parametrize(("values", "best"), [((56.0, 90.0, 95.0), True), ((90.0, 91.0, 92.0), False)])
def test_all_that_cannot_be_told_from_the_best_are_marked(
        make_run: Callable[..., Path], values: tuple[float, ...], best: bool) -> None:
    folder = make_run()
    name = "spawn/callbacks/alive:10000"
    smallest = table.fill(runs.read(folder), table.columns())["futures"][4].estimate
    assert smallest is not None and smallest.high is not None
    scale = smallest.high / 60
    add_blocks(folder, "more", row_of(name, "ns_per_spawn", tuple(v * scale for v in values)))
    filled = table.fill(runs.read(folder), table.columns())
    assert filled["futures"][4].best and filled["callbacks"][4].best == best


def test_too_few_blocks_crown_nobody(make_run: Callable[..., Path]) -> None:
    filled = table.fill(runs.read(make_run(blocks=2)), table.columns())
    assert not any(cell.best for cells in filled.values() for cell in cells)


def test_noisy_blocks_crown_nobody_by_time(make_run: Callable[..., Path]) -> None:
    filled = table.fill(runs.read(make_run(noisy=(1, 2, 3))), table.columns())
    assert not any(cell.best for cell in filled["futures"][2:])
    assert filled["futures"][0].best and filled["futures"][0].kind == "figure"
    assert all(cell.kind == "doubtful" and cell.why for cell in filled["futures"][2:])


def test_no_figure_of_a_row_that_is_not_valid_stands_there_silently(make_run: Callable[..., Path]) -> None:
    folder = make_run()
    label = "few-rounds: cpu_vs_floor"
    name = "echo/callbacks/transport:tcp/connections:64/bytes:64"
    add(folder, [measured.entry(name, {"server_cpu_ns_per_op": 1.0, "cpu_vs_floor": 0.1, "valid": 0},
                                label=label)])
    cells = [cell for cell in table.fill(runs.read(folder), table.columns())["callbacks"] if cell.text]
    assert [(cell.kind, cell.best) for cell in cells] == [("doubtful", False)] * 2
    assert [cell.why for cell in cells] == ["row not valid: few-rounds", "few-rounds in 3 of 3 blocks"]
    shown = render(folder).read_text()
    assert "<small>few-rounds in 3 of 3 blocks</small>" in shown and "<small>row not valid: few-rounds</small>" in shown


def test_a_smaller_number_of_tasks_takes_no_larger_ones_place(make_run: Callable[..., Path]) -> None:
    folder = make_run()
    add(folder, [measured.entry("memory/callbacks/state:sleeping/tasks:1000",
                                {"user_bytes_per_task": 100.0, "kernel_bytes_per_task": 24.0})])
    assert "callbacks" not in table.fill(runs.read(folder), table.columns())


def test_floors_stand_below_and_do_not_compete(make_run: Callable[..., Path]) -> None:
    filled = table.fill(runs.read(make_run()), table.columns())
    names = list(filled)
    assert names[:5] == list(palette.CONTENDERS)[:5]
    assert all(palette.is_reference(name) for name in names[5:])
    assert not any(cell.best for name in names[5:] for cell in filled[name])
    assert filled["futures"][0].best


def test_a_variant_of_the_row_is_found_by_its_longer_name(make_run: Callable[..., Path]) -> None:
    folder = make_run()
    add(folder, [measured.entry("memory/callbacks/state:sleeping/tasks:10000/stack:16384/guard:none",
                                {"user_bytes_per_task": 100.0, "kernel_bytes_per_task": 24.0})])
    assert table.fill(runs.read(folder), table.columns())["callbacks"][0].text == "124 B"
