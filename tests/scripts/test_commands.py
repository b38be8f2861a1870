# SPDX-License-Identifier: BSL-1.0
"""What all commands have in common."""

import os
import subprocess
from collections.abc import Callable

import pytest
from conftest import ROOT


@pytest.mark.parametrize("name", ["reproduce", "report", "compare", "doctor", "test", "lint"])
def test_bad_usage_is_one_line_and_status_2(
        command: Callable[..., subprocess.CompletedProcess[str]], name: str) -> None:
    done = command(name, "--nonsense")
    assert done.returncode == 2 and done.stdout == ""
    line, = done.stderr.splitlines()
    assert line.startswith(f"{name}: ")


def test_a_table_that_finds_no_room_is_one_line_and_a_failure() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run([ROOT / "scripts/doctor"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (1, "doctor: [Errno 28] No space left on device\n")


def test_without_standard_output_a_command_works_on() -> None:
    done = subprocess.run([ROOT / "scripts/doctor"], stderr=subprocess.PIPE, text=True, timeout=60,
                          preexec_fn=lambda: os.close(1))
    assert (done.returncode, done.stderr) == (0, "")
