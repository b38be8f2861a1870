# SPDX-License-Identifier: BSL-1.0
"""Makes the package under scripts/ importable; folders of stand-in programs and of runs."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "scripts"))

import measured  # noqa: E402
from yardstack import profile, runs  # noqa: E402

# A shell's background jobs, and what nohup starts, ignore signals, and hand that on to all they start.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

PROGRAMS = ("bench-switch", "bench-spawn", "bench-memory", "bench-echo", "bench-timers")


@pytest.fixture
def bare_environment() -> dict[str, str]:
    """No display, no terminal type, nothing of ours exported."""
    return {"PATH": os.environ["PATH"]}


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A release build's folder whose programs are stand-ins; its `misbehave` file makes them fail."""
    folder = tmp_path / "programs"
    folder.mkdir()
    (folder / "CMakeCache.txt").write_text("CMAKE_BUILD_TYPE:STRING=Release\n")
    for name in PROGRAMS:
        program = folder / name
        program.write_text(f"#!{sys.executable} -S\nimport sys\nsys.path.insert(0, {str(HERE)!r})\n"
                           "import fake_bench\nsys.exit(fake_bench.main())\n")
        program.chmod(0o755)
    return folder


@pytest.fixture
def command(tmp_path: Path, bare_environment: dict[str, str]
            ) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs one of scripts/ from a foreign folder, without terminal and display."""
    def run(name: str, *arguments: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run([ROOT / "scripts" / name, *map(str, arguments)], cwd=tmp_path,
                              env=bare_environment, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=120)
    return run


def only_folder(parent: Path) -> Path:
    folder, = parent.iterdir()
    return folder


def write_run(folder: Path, blocks: int = 3, factor: float = 1.0, noisy: tuple[int, ...] = ()
              ) -> Path:
    """Writes the folder of a finished quick run: everything measured, quiet but for `noisy`."""
    (folder / "raw").mkdir(parents=True)
    calls = []
    for entry in profile.load("quick").entries:
        for block in range(1, blocks + 1):
            rows = [measured.row(cell, block) for cell in entry.cells]
            for row in rows:
                for counter in {"ns_per_switch", "cpu_vs_floor"} & set(row):
                    row[counter] *= factor
            runs.raw_file(folder, entry.key, block).write_text(measured.document(rows))
            calls.append({"entry": entry.key, "program": entry.program, "block": block,
                          "command": entry.command(block), "status": 0, "seconds": 1.0,
                          "others_share": 0.0, "stolen_share": 0.0, "noisy": block in noisy})
    runs.write_json(folder / "context.json", {
        "schema": runs.SCHEMA, "profile": "quick", "blocks": blocks, "seed": 1, "calls": calls,
        "started": "2026-01-02T03:04:05+00:00", "finished": "2026-01-02T03:08:05+00:00",
        "tree_hash": "0" * 16, "profile_hash": "0", "doctor": [],
        "machine": {"cpu_model": "Test <CPU> & Co", "cpus": 2, "kernel": "6.1"}})
    return folder


def add(folder: Path, rows: list[dict[str, object]]) -> None:
    """The same rows in each of three blocks."""
    for block in (1, 2, 3):
        (folder / "raw" / f"more.block-{block}.json").write_text(measured.document(rows))


def offer(folder: Path, rates: dict[int, int]) -> None:
    """Lets the run's row of an open loop have had these rates, by block."""
    for block, rate in rates.items():
        for file in (folder / "raw").glob(f"*.block-{block}.json"):
            document = json.loads(file.read_text())
            for row in document["benchmarks"]:
                if row["name"].startswith("echo/futures/") and not row.get("error_occurred"):
                    row["offered_ops_per_s"] = rate
            file.write_text(json.dumps(document))


@pytest.fixture
def make_run(tmp_path: Path) -> Callable[..., Path]:
    """`write_run` below the test's own folder, by name."""
    def make(name: str = "run", **options: Any) -> Path:
        return write_run(tmp_path / name, **options)
    return make
