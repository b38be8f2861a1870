# SPDX-License-Identifier: BSL-1.0
"""A whole run over stand-in programs: kept, resumed, interrupted, refused, never overwritten."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, only_folder
from yardstack import errors, machine, packages, profile, runs
from yardstack.reproduce import __main__ as reproduce
from yardstack.reproduce import blocks

Command = Callable[..., subprocess.CompletedProcess[str]]
CALLS = profile.load("quick").blocks * len(profile.load("quick").entries)


def test_a_run_leaves_everything_the_contract_names(
        command: Command, programs: Path, tmp_path: Path) -> None:
    done = command("reproduce", "--build", programs, "--out", tmp_path / "out", "--seed", 7)
    assert done.returncode == 0, done.stderr
    folder = only_folder(tmp_path / "out")
    assert done.stdout == f"{folder / 'report.html'}\n"
    assert machine.folder_name() in folder.name and folder.name.endswith("-quick")
    context = json.loads((folder / "context.json").read_text(), parse_constant=pytest.fail)
    assert context["seed"] == 7 and context["finished"] and len(context["calls"]) == CALLS
    assert len(context["tree_hash"]) == 16
    assert len(list((folder / "raw").glob("*.json"))) == CALLS
    assert json.loads((folder / "verdicts.json").read_text(), parse_constant=pytest.fail)
    assert (folder / "table.md").read_text().startswith("| contender |")
    assert list((folder / "plots").glob("*.svg")) and (folder / "report.html").stat().st_size > 10_000
    assert not list(folder.rglob("*.partial"))
    assert f"[{CALLS}/{CALLS}] block 3 of 3" in done.stderr and "left" in done.stderr


def test_a_second_run_of_the_day_overwrites_nothing(tmp_path: Path) -> None:
    first, second = runs.create(tmp_path, "quick"), runs.create(tmp_path, "quick")
    assert first != second and second.name == f"{first.name}-2"


SMALL = profile.Profile("small", 2, (
    profile.Entry("bench-switch", "bench-switch", ("switch/threads/tasks:2",), (), 1.0, 60.0),
    profile.Entry("timers", "bench-timers", ("timers/futures/tasks:9/period_us:9",), (), 1.0, 60.0)))


def visit(programs: Path, folder: Path) -> tuple[int, dict[str, Any]]:
    """The small profile, measured in this process."""
    (folder / "raw").mkdir(parents=True, exist_ok=True)
    context: dict[str, Any] = {"seed": 3, "tree_hash": "0123", "calls": []}
    return blocks.visit(folder, SMALL, programs, context), context


@pytest.mark.parametrize(("how", "status", "complaint"), [
    ("crash", -6, "status -6: no message"), ("usage", 2, "status 2: --cell: no such row"),
    ("nan", 1, "NaN is not JSON"), ("wrong", 1, "")])
def test_a_failing_program_fails_its_calls_and_only_them(
        programs: Path, tmp_path: Path, how: str, status: int, complaint: str) -> None:
    (programs / "misbehave").write_text(how)
    faults, context = visit(programs, tmp_path)
    assert faults == 4
    assert [call["status"] for call in context["calls"]] == [status] * 4
    assert all(complaint in call.get("complaint", "") for call in context["calls"])
    kept = list((tmp_path / "raw").glob("*.json"))
    assert len(kept) == (4 if how == "wrong" else 0)
    assert not list((tmp_path / "raw").glob("*.part*"))


def test_a_program_that_was_not_built_is_named(programs: Path, tmp_path: Path) -> None:
    (programs / "bench-timers").unlink()
    faults, context = visit(programs, tmp_path)
    assert faults == 2
    complaints = {call["complaint"] for call in context["calls"] if call["status"]}
    assert complaints == {f"cannot start {programs / 'bench-timers'}: No such file or directory"}


def test_all_blocks_are_offered_the_rate_of_the_first(
        programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[list[str]] = []
    measure = blocks.call

    def watch(command: list[str], *others: Any) -> Any:
        called.append(command)
        return measure(command, *others)

    monkeypatch.setattr(blocks, "call", watch)
    (tmp_path / "raw").mkdir()
    row = "echo/threads/transport:tcp/connections:64/bytes:64"
    half = profile.Profile("half", 2, (
        profile.Entry("half", "bench-echo", (row, f"{row}/rate:half"), (), 1.0, 60.0),
        profile.Entry("closed", "bench-echo", (row,), (), 1.0, 60.0)))
    blocks.visit(tmp_path, half, programs, {"seed": 3, "tree_hash": "0123", "calls": []})
    kept = f"--half-rates={tmp_path / 'half-rates.txt'}"
    assert [kept in command for command in called] == [
        any(argument.endswith("rate:half") for argument in command) for command in called]
    assert sum(kept in command for command in called) == 2


def test_every_call_is_recorded_with_who_else_was_there(programs: Path, tmp_path: Path) -> None:
    _, context = visit(programs, tmp_path)
    assert json.loads((tmp_path / "context.json").read_text())["calls"] == context["calls"]
    for call in context["calls"]:
        assert call["command"][0] == call["program"] and call["seconds"] >= 0
        assert 0 <= call["others_share"] and call["noisy"] in (True, False)


def test_failures_reach_report_and_exit_status(
        command: Command, programs: Path, tmp_path: Path) -> None:
    (programs / "misbehave").write_text("wrong")
    done = command("reproduce", "--build", programs, "--out", tmp_path / "out")
    assert done.returncode == 1
    assert "bench-echo: failed in block 1, 2, 3" in done.stderr and "Traceback" not in done.stderr
    assert "wrong: byte 7" in (only_folder(tmp_path / "out") / "report.html").read_text()


def test_finished_calls_are_kept_and_broken_ones_redone(programs: Path, tmp_path: Path) -> None:
    visit(programs, tmp_path)
    kept, broken, lost, other = sorted((tmp_path / "raw").glob("*.json"))
    before = {file: file.stat().st_mtime_ns for file in (kept, broken, other)}
    broken.write_text(broken.read_text()[:100])
    lost.unlink()
    faults, context = visit(programs, tmp_path)
    assert faults == 0 and len(context["calls"]) == 2  # a fresh context records what was redone
    assert {file: file.stat().st_mtime_ns == when for file, when in before.items()} == {
        kept: True, broken: False, other: True}
    assert json.loads(broken.read_text()) and lost.exists()


def test_a_run_of_other_sources_is_not_continued(
        command: Command, programs: Path, make_run: Callable[..., Path]) -> None:
    done = command("reproduce", "--build", programs, "--resume", make_run())
    assert done.returncode == 2 and "the sources and profile and machine have changed" in done.stderr


def test_programs_of_other_sources_are_not_measured(programs: Path, tmp_path: Path) -> None:
    (programs / "misbehave").write_text("old")
    with pytest.raises(errors.CommandError, match="other sources"):
        visit(programs, tmp_path)
    assert not list((tmp_path / "raw").glob("*.json"))


@pytest.mark.parametrize(("part", "key"), [("machine", "kernel"), ("machine", "cpus"),
                                           ("build", "CMAKE_BUILD_TYPE"), ("build", "CMAKE_CXX_COMPILER")])
def test_a_run_of_another_machine_or_build_is_not_continued(
        part: str, key: str, command: Command, programs: Path, tmp_path: Path) -> None:
    assert command("reproduce", "--build", programs, "--out", tmp_path / "out").returncode == 0
    folder = only_folder(tmp_path / "out")
    context = json.loads((folder / "context.json").read_text())
    context[part][key] = "another"
    (folder / "context.json").write_text(json.dumps(context))
    done = command("reproduce", "--build", programs, "--resume", folder)
    assert done.returncode == 2 and "was begun" in done.stderr


@pytest.mark.parametrize(("cache", "reason"), [
    ("CMAKE_BUILD_TYPE:STRING=Debug\n", "Debug build"), ("", "nameless build"),
    ("CMAKE_BUILD_TYPE:STRING=RelWithDebInfo\nYARDSTACK_SANITIZE:STRING=thread\n",
     "-fsanitize=thread")])
def test_builds_that_measure_nothing_stay_out_of_results(
        command: Command, programs: Path, cache: str, reason: str) -> None:
    (programs / "CMakeCache.txt").write_text(cache)
    before = sorted((ROOT / "results").iterdir())
    done = command("reproduce", "--build", programs)
    assert done.returncode == 2 and reason in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert sorted((ROOT / "results").iterdir()) == before


@pytest.mark.parametrize("arguments", [
    ["--profile", "huge"], ["--seed", "x"], ["--nonsense"], ["--resume", "/nonexistent"],
    ["--build", "/nonexistent"], ["--resume", "/", "--profile", "quick"]])
def test_bad_usage_is_status_2_before_anything_is_made(
        command: Command, tmp_path: Path, arguments: list[str]) -> None:
    done = command("reproduce", *arguments, *([] if "--resume" in arguments else
                                              ["--out", tmp_path / "out"]))
    assert done.returncode == 2
    assert done.stderr.startswith("reproduce: ") and len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("where", ["file", "file/below", "/proc/nowhere"])
def test_a_folder_that_cannot_be_written_is_found_before_anything_is_built(
        where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(packages, "ensure", lambda *_: pytest.fail("installs"))
    monkeypatch.setattr(reproduce, "build", lambda _: pytest.fail("builds"))
    with pytest.raises(errors.CommandError, match="cannot write into") as caught:
        reproduce.main(["--out", str(tmp_path / where)])
    assert caught.value.status == 2 and "\n" not in str(caught.value)


def test_a_folder_that_can_be_written_is_left_as_it_was(tmp_path: Path) -> None:
    runs.make_writable(tmp_path / "new")
    assert not list((tmp_path / "new").iterdir())


def test_a_machine_that_fails_midway_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    def full(_: object) -> int:
        raise OSError(28, "No space left on device", "context.json")

    with pytest.raises(SystemExit) as caught:
        errors.entry("reproduce", full)
    assert caught.value.code == 1
    assert capsys.readouterr().err.splitlines() == [
        "reproduce: [Errno 28] No space left on device: 'context.json'"]
