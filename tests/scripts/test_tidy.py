# SPDX-License-Identifier: BSL-1.0
"""clang-tidy's findings are told each time, and what is tidy is looked at once."""

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from yardstack import tidy

NINJA = """rule cxx
  command = c++ -MD -MF $out.d -c $in -o $out
  depfile = $out.d
  deps = gcc
build tidy.o: cxx tidy.cpp
build untidy.o: cxx untidy.cpp
default tidy.o untidy.o
"""


@pytest.fixture
def build(tmp_path: Path) -> Path:
    """A build of two sources with a header each, one of them with a fault."""
    if shutil.which(tidy.TIDY) is None or shutil.which("ninja") is None:
        pytest.skip(f"without {tidy.TIDY} or ninja")
    (tmp_path / "build.ninja").write_text(NINJA)
    (tmp_path / ".clang-tidy").write_text("Checks: '-*,modernize-use-nullptr'\nWarningsAsErrors: '*'\n")
    for name, value in (("tidy", "nullptr"), ("untidy", "0")):
        (tmp_path / f"{name}.hpp").write_text(f"inline int* of_{name}() {{ return {value}; }}\n")
        (tmp_path / f"{name}.cpp").write_text(f'#include "{name}.hpp"\nint* x = {value};\n')
    commands = [{"directory": str(tmp_path), "file": f"{name}.cpp", "command": f"c++ -c {name}.cpp"}
                for name in ("tidy", "untidy")]
    (tmp_path / "compile_commands.json").write_text(json.dumps(commands))
    _compile(tmp_path)
    return tmp_path


def _compile(build: Path) -> None:
    subprocess.run(["ninja", "-C", str(build)], check=True, capture_output=True)


def test_each_finding_is_told_until_it_is_mended(build: Path) -> None:
    for _ in range(2):
        found = tidy.complaints(build)
        assert found and all("untidy.cpp" in line and "nullptr" in line for line in found)
    (build / "untidy.cpp").write_text('#include "untidy.hpp"\nint* x = nullptr;\n')
    assert tidy.complaints(build) == []


def test_only_what_has_changed_is_looked_at_again(build: Path) -> None:
    tidy.complaints(build)
    assert [source.name for source in tidy.untidied(build)] == ["untidy.cpp"]
    later = time.time() + 10
    os.utime(build / "tidy.hpp", (later, later))
    assert [source.name for source in tidy.untidied(build)] == ["tidy.cpp", "untidy.cpp"]
