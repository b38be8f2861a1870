# SPDX-License-Identifier: BSL-1.0
"""What all commands have in common."""

import subprocess
from collections.abc import Callable

import pytest


@pytest.mark.parametrize("name", ["reproduce", "report", "compare", "doctor", "test", "lint"])
def test_bad_usage_is_one_line_and_status_2(
        command: Callable[..., subprocess.CompletedProcess[str]], name: str) -> None:
    done = command(name, "--nonsense")
    assert done.returncode == 2 and done.stdout == ""
    line, = done.stderr.splitlines()
    assert line.startswith(f"{name}: ")
