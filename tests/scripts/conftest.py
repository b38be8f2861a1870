# SPDX-License-Identifier: BSL-1.0
"""Makes the package under scripts/ importable, and finds the built programs."""

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory that is not the project's."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def bare_environment() -> dict[str, str]:
    """No display, no terminal type, nothing of ours exported."""
    return {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")}
