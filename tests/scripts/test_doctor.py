# SPDX-License-Identifier: BSL-1.0
"""The doctor tells and never touches."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT
from yardstack.doctor import limits, noise
from yardstack.doctor.__main__ import examine, table
from yardstack.doctor.finding import Finding

SUBJECTS = {"CPUs", "descriptors", "threads", "mappings", "ports", "cgroups", "huge pages", "perf",
            "governor", "clock", "light guards"}


def test_everything_asked_for_is_examined() -> None:
    assert SUBJECTS <= {finding.subject for finding in examine(with_noise=False)}


def test_columns_are_aligned() -> None:
    lines = table([Finding("a", "1", "so", "do x"), Finding("longer", "22", "", "", True)]).splitlines()
    assert lines[0].index("found here") == lines[2].index("1") == lines[3].index("22")
    assert lines[3].startswith("!") and not lines[2].startswith("!")


def test_it_runs_anywhere_without_the_libraries_of_the_report(
        command: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    done = command("doctor")
    assert done.returncode == 0 and "noise, CPU" in done.stdout, done.stderr
    found = json.loads(command("doctor", "--json").stdout, parse_constant=pytest.fail)
    assert SUBJECTS <= {finding["subject"] for finding in found}
    assert command("doctor", "--fix").returncode == 2


def test_the_smallest_limit_binds_and_is_named(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pids.max").write_text("77\n")
    above = tmp_path / "above"
    above.mkdir()
    (above / "pids.max").write_text("max\n")
    monkeypatch.setattr(limits, "cgroup_folders", lambda: iter([above, tmp_path]))
    finding = limits.tasks()
    assert f"{tmp_path}/pids.max 77 binds" in finding.found and finding.warning
    assert finding.command == f"echo max > {tmp_path}/pids.max"


def test_no_script_writes_a_kernel_setting() -> None:
    """Commands are told as text; nothing in the package runs sysctl or opens /proc/sys to write."""
    for file in (ROOT / "scripts").rglob("*.py"):
        text = file.read_text()
        assert '["sysctl' not in text and "'sysctl'" not in text
        assert not [line for line in text.splitlines() if "/proc/sys" in line and "write" in line]


def test_noise_is_heard_on_each_cpu() -> None:
    findings = noise.noise(seconds=0.05)
    assert findings and all("lost, longest gap" in finding.found for finding in findings)
