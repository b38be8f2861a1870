# SPDX-License-Identifier: BSL-1.0
"""An interruption costs one cell: what is measured is kept, what is missing is measured, nothing goes on."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import measured
import pytest
from conftest import ROOT, only_folder
from yardstack import processes, profile, rows, runs
from yardstack.reproduce import blocks, kept


def test_ctrl_c_keeps_what_is_finished_and_leaves_no_process(
        programs: Path, tmp_path: Path, bare_environment: dict[str, str]) -> None:
    (programs / "misbehave").write_text("wait")
    process = subprocess.Popen(
        [ROOT / "scripts/reproduce", "--build", programs, "--out", tmp_path / "out"], cwd=tmp_path,
        env=bare_environment, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    wait_for(programs / "started")
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    last = told.strip().splitlines()[-1]
    assert "interrupted; 1 measured rows kept" in last and "--resume" in last
    folder = only_folder(tmp_path / "out")
    context = json.loads((folder / "context.json").read_text())
    assert context["finished"] is None and [call["status"] for call in context["calls"]] == [130]
    (raw,) = (folder / "raw").glob("*.json*")
    assert not still_running(programs)
    (programs / "misbehave").unlink()
    again = subprocess.run([ROOT / "scripts/reproduce", "--build", programs, "--resume", folder],
                           env=bare_environment, capture_output=True, text=True, timeout=120)
    assert again.returncode == 0, again.stderr
    first, second = (call["command"] for call in json.loads((folder / "context.json").read_text())["calls"]
                     if raw.name == f"{call['entry']}.block-{call['block']}.json")
    assert second == [*first[:len(first) - len(cells_of(first))], *cells_of(first)[1:]]
    assert [f"--cell={row.name}" for row in rows.load(raw).rows] == cells_of(first)
    quick = profile.load("quick")
    assert len(list((folder / "raw").glob("*.json*"))) == quick.blocks * len(quick.entries)


def cells_of(command: list[str]) -> list[str]:
    return [argument for argument in command if argument.startswith("--cell=")]


@pytest.mark.parametrize(("earlier", "faults"), [("wrong: byte 7", 1), ("refused: pid_max reached=1 limit=2", 0)])
def test_an_interrupted_call_is_gone_on_with_and_judged_by_all_its_rows(
        programs: Path, tmp_path: Path, earlier: str, faults: int) -> None:
    (tmp_path / "raw").mkdir()
    done, left = cells = [f"switch/threads/tasks:{n}" for n in (2, 3)]
    small = profile.Profile("small", 1, (profile.Entry("x", "bench-switch", tuple(cells), (), 1.0, 60.0),))
    out = runs.raw_file(tmp_path, "x", 1)
    out.write_text(measured.document([measured.entry(done, error=earlier)]))
    record = {"entry": "x", "program": "bench-switch", "block": 1, "status": 130, "noisy": True}
    context: dict[str, Any] = {"schema": runs.SCHEMA, "seed": 3, "tree_hash": "0123", "calls": [record]}
    assert blocks.visit(tmp_path, small, programs, context) == faults
    assert [call["status"] for call in context["calls"]] == [130, 0]
    assert [(row.name, row.error) for row in rows.load(out).rows] == [(done, earlier), (left, None)]
    assert runs.read(tmp_path).noisy_blocks == {"bench-switch": {1}}, "as noisy as when it was begun"
    assert blocks.visit(tmp_path, small, programs, context) == faults and len(context["calls"]) == 2


def test_a_program_that_hangs_is_ended_with_all_its_children(
        programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from yardstack.reproduce import call
    monkeypatch.setattr(processes, "GRACE_S", 0.2)
    (programs / "misbehave").write_text("hang")
    call.adopt_orphans()
    ending = call.call([str(programs / "bench-echo"), "--order-seed=1"], tmp_path / "x.json",
                       tmp_path / "x.log", timeout_s=1.0)
    assert ending.status == 1 and ending.complaint.startswith("timeout: no end after 1 s")
    assert not (tmp_path / "x.json").exists()
    wait_for_end(int((programs / "orphan").read_text()))


def test_a_program_that_hangs_keeps_what_it_has_measured(programs: Path, tmp_path: Path) -> None:
    (programs / "misbehave").write_text("wait")
    (tmp_path / "raw").mkdir()
    cells = tuple(f"switch/threads/tasks:{n}" for n in (2, 3))
    small = profile.Profile("small", 1, (profile.Entry("x", "bench-switch", cells, (), 1.0, 2.0),))
    context: dict[str, Any] = {"schema": runs.SCHEMA, "seed": 3, "tree_hash": "0123", "calls": []}
    assert blocks.visit(tmp_path, small, programs, context) == 1
    assert context["calls"][0]["complaint"] == "timeout: no end after 2 s"
    assert [row.name for row in rows.load(runs.raw_file(tmp_path, "x", 1)).rows] == [cells[0]]
    (programs / "misbehave").unlink()
    assert blocks.visit(tmp_path, small, programs, context) == 0
    assert [row.name for row in rows.load(runs.raw_file(tmp_path, "x", 1)).rows] == list(cells)


def test_no_row_is_kept_before_the_record_of_its_call(
        programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row without one would count as quiet."""
    (tmp_path / "raw").mkdir()
    cell = "switch/threads/tasks:2"
    small = profile.Profile("small", 1, (profile.Entry("x", "bench-switch", (cell,), (), 1.0, 60.0),))
    context: dict[str, Any] = {"schema": runs.SCHEMA, "seed": 3, "tree_hash": "0123", "calls": []}
    add = kept.add

    def add_and_be_interrupted(out: Path, fresh: Path) -> None:
        add(out, fresh)
        raise KeyboardInterrupt

    monkeypatch.setattr(kept, "add", add_and_be_interrupted)
    with pytest.raises(KeyboardInterrupt):
        blocks.visit(tmp_path, small, programs, context)
    run = runs.read(tmp_path)
    assert [row.name for row in run.rows] == [cell]
    assert [(call["entry"], call["block"]) for call in run.context["calls"]] == [("x", 1)]


def wait_for(file: Path) -> None:
    """A hang guard, not a measurement."""
    end = time.monotonic() + 60
    while not file.exists():
        assert time.monotonic() < end, f"{file} never came"
        time.sleep(0.02)


def wait_for_end(pid: int) -> None:
    end = time.monotonic() + 10
    while Path(f"/proc/{pid}").exists():
        assert time.monotonic() < end, f"{pid} was left running"
        time.sleep(0.02)


def still_running(programs: Path) -> list[str]:
    """Processes whose command line names the stand-in programs."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        if int(folder.name) != os.getpid():
            try:
                told = (folder / "cmdline").read_bytes().decode(errors="replace")
            except OSError:
                continue
            found += [told] if str(programs) in told else []
    return found
