# SPDX-License-Identifier: BSL-1.0
"""The page: complete, self-contained, the same for the same data."""

import re
import subprocess
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest
from conftest import write_run
from yardstack import units
from yardstack.report.__main__ import render

Command = Callable[..., subprocess.CompletedProcess[str]]


class Balance(HTMLParser):
    """Fails on a tag that is closed before its children, or never."""

    VOID = {"meta", "br", "path", "use"}

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open and self.open.pop() == tag, f"</{tag}> closes something else"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    return render(write_run(tmp_path_factory.mktemp("page") / "run")).read_text()


def test_the_same_data_gives_the_same_bytes(make_run: Callable[..., Path]) -> None:
    folder = make_run()
    render(folder)
    files = {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    render(folder)
    assert files == {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_the_page_needs_nothing_else(page: str) -> None:
    assert not re.search(r'(?:src|href)="(?!#)', re.sub(r"<(?:metadata|svg)[^>]*>", "", page))
    assert "<script" not in page and "http-equiv" not in page and "@import" not in page
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(ids)
    assert set(re.findall(r"url\(#([^)]+)\)", page)) <= set(ids)


def test_the_page_is_well_formed_and_escapes_what_it_was_told(page: str) -> None:
    checker = Balance()
    checker.feed(page)
    assert checker.open == []
    assert "Test &lt;CPU&gt; &amp; Co" in page and "<CPU>" not in page


@pytest.mark.parametrize("piece", [
    "The trade", "Verdicts", "Refused, failed, in doubt", "How to read this", "Limits", "floor-epoll",
    "pid_max reached=32450 limit=32768", "client-limited: ops_per_s p99_ns", "C34", "rerun",
    "build/release/bench-switch", "Holm", "; 3 blocks, 75 %]", "blocks, coverage"])
def test_the_page_says(page: str, piece: str) -> None:
    assert piece in page


def test_a_run_without_any_row_still_has_a_page(make_run: Callable[..., Path]) -> None:
    folder = make_run()
    for file in (folder / "raw").iterdir():
        file.unlink()
    assert "not measurable here" in render(folder).read_text()


def test_broken_files_are_named_on_the_page(command: Command, make_run: Callable[..., Path]) -> None:
    folder = make_run()
    (folder / "raw" / "bench-echo.block-2.json").write_text('{"context": {')
    done = command("report", folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(folder / "report.html")
    assert "bench-echo.block-2.json" in (folder / "report.html").read_text()


@pytest.mark.parametrize("text", [None, "{", '{"schema": 99}', "[]"])
def test_a_folder_of_no_run_is_status_2(command: Command, tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "context.json").write_text(text)
    done = command("report", tmp_path)
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1


def test_a_page_that_cannot_be_written_is_status_2(
        command: Command, make_run: Callable[..., Path]) -> None:
    folder = make_run()
    (folder / "report.html").mkdir()
    done = command("report", folder)
    assert done.returncode == 2 and "cannot write into" in done.stderr


@pytest.mark.parametrize(("value", "counter", "text", "tick"), [
    (6.8, "ns_per_switch", "6.80 ns", "6.8 ns"), (1000, "p99_ns", "1.00 µs", "1 µs"),
    (2.5e9, "server_cpu_ns_per_op", "2.50 s", "2.5 s"), (160, "heap_bytes_per_task", "160 B", "160 B"),
    (34406, "user_bytes_per_task", "33.6 KiB", "33.6 KiB"), (412000, "ops_per_s", "412 k/s", "412 k/s"),
    (1.0312, "cpu_vs_floor", "1.03", "1.03"), (0, "errors", "0", "0"), (32450, "x", "32,450", "32,450"),
    (100, "p50_ns", "100 ns", "100 ns"), (0.0123, "x", "0.012", "0.012")])
def test_figures_carry_their_unit(value: float, counter: str, text: str, tick: str) -> None:
    assert units.figure(value, counter) == text
    assert units.tick(value, counter) == tick
