# SPDX-License-Identifier: BSL-1.0
"""The include rule holds, and what breaks it is found."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import check_includes as rule  # noqa: E402


def test_the_tree_keeps_the_rule() -> None:
    done = subprocess.run([sys.executable, ROOT / "scripts" / "check_includes.py"],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A small tree that keeps the rule."""
    heavy = tmp_path / "usr"
    files = {
        "io/clock.hpp": "", "io/clock.cpp": '#include "io/clock.hpp"\n',
        "threads/stack.hpp": '#include "io/clock.hpp"\n',
        "threads/backend.hpp": '#include "threads/stack.hpp"\n',
        "threads/stack.cpp": '#include "threads/stack.hpp"\n',
        "stackful/backend.hpp": "", "stackful/fiber.cpp": '#include "io/clock.hpp"\n',
        "harness/row.hpp": '#include "io/clock.hpp"\n',
        "harness/row.cpp": '#include "harness/row.hpp"\n',
        "harness/contenders.hpp": '#include "threads/backend.hpp"\n',
        "harness/json.cpp": f'#include "{heavy}/nlohmann/json.hpp"\n',
        "harness/flags.cpp": f'#include "{heavy}/CLI/CLI.hpp"\n#include "generated.hpp"\n',
        "harness/workloads/echo.cpp": '#include "harness/contenders.hpp"\n',
        "harness/floors/epoll.cpp": '#include "harness/row.hpp"\n',
        "usr/nlohmann/json.hpp": "", "usr/CLI/CLI.hpp": "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        # The name, because GCC takes two headers of the same age and text for one and the same.
        once = f"#pragma once  // {name}\n" if name.endswith(".hpp") else ""
        (tmp_path / name).write_text(once + text)
    return tmp_path


def test_a_tree_that_keeps_the_rule_is_let_alone(tree: Path) -> None:
    assert rule.complaints(tree, []) == []


@pytest.mark.parametrize(("file", "include", "complaint"), [
    ("io/clock.cpp", "threads/stack.hpp", "io/clock.cpp: depends on threads/stack.hpp"),
    ("io/clock.cpp", "harness/row.hpp", "io/clock.cpp: depends on harness/row.hpp"),
    ("threads/stack.cpp", "stackful/backend.hpp", "threads/stack.cpp: depends on stackful/backend.hpp"),
    ("threads/stack.cpp", "harness/row.hpp", "threads/stack.cpp: depends on harness/row.hpp"),
    ("harness/row.cpp", "harness/contenders.hpp", "harness/row.cpp: depends on threads/backend.hpp"),
    ("harness/row.hpp", "threads/backend.hpp",
     "harness/row.hpp: includes threads/backend.hpp; only workloads see rooms"),
    ("harness/workloads/echo.cpp", "threads/stack.hpp",
     "harness/workloads/echo.cpp: includes threads/stack.hpp instead of the room's backend.hpp"),
    ("harness/floors/epoll.cpp", "io/clock.hpp",
     "harness/floors/epoll.cpp: includes io/clock.hpp; floors stand without io/"),
    ("threads/stack.hpp", "stackful/backend.hpp", "threads/stack.cpp: depends on stackful/backend.hpp"),
])
def test_what_breaks_the_rule_is_named(tree: Path, file: str, include: str, complaint: str) -> None:
    with (tree / file).open("a") as text:
        text.write(f'#include "{include}"\n')
    assert complaint in rule.complaints(tree, [])


def test_a_heavy_header_belongs_to_one_source(tree: Path) -> None:
    with (tree / "harness/row.cpp").open("a") as text:
        text.write(f'#include "{tree}/usr/CLI/CLI.hpp"\n')
    (tree / "harness/json.cpp").unlink()
    assert rule.complaints(tree, []) == [
        "nlohmann/json.hpp: seen by nobody instead of one source",
        "CLI/CLI.hpp: seen by harness/flags.cpp, harness/row.cpp instead of one source"]


def build(tree: Path) -> Path:
    """Compiles one source the way a build does, its dependencies recorded."""
    folder = tree / "build" / "some"
    folder.mkdir(parents=True)
    (folder / "build.ninja").write_text(
        "rule cxx\n  command = g++ -I../.. -MD -MF $out.d -c $in -o $out\n"
        "  deps = gcc\n  depfile = $out.d\nbuild clock.o: cxx ../../io/clock.cpp\n")
    subprocess.run(["ninja", "-C", folder], check=True, stdout=subprocess.DEVNULL)
    return folder


def test_a_builds_own_record_is_used(tree: Path) -> None:
    assert {"io/clock.cpp", "io/clock.hpp"} <= rule.recorded(build(tree), tree)["io/clock.cpp"]


def test_a_record_older_than_its_files_is_not_believed(tree: Path) -> None:
    folder = build(tree)
    (tree / "io/clock.hpp").write_text('#pragma once\n#include "harness/row.hpp"\n')
    assert rule.recorded(folder, tree) == {}
    assert "io/clock.cpp: depends on harness/row.hpp" in rule.complaints(tree, [folder])
