# SPDX-License-Identifier: BSL-1.0
"""Missing packages: installed by root, named in one line to anybody else."""

import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT
from yardstack import packages
from yardstack.errors import CommandError


def write_tool(folder: Path, name: str, body: str) -> None:
    tool = folder / name
    tool.write_text(f"#!/bin/sh\n{body}\n")
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)


@pytest.fixture
def empty_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH on which no tool is found, except those that a test puts there."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def test_each_line_of_the_list_has_a_probe_that_is_understood() -> None:
    assert len(packages.known()) > 10
    for package in packages.known():
        assert package.probe.split(":")[0] in ("command", "module", "header", "library")


def test_what_is_present_needs_nothing() -> None:
    packages.ensure("report")


def test_without_root_one_line_names_the_packages(
        empty_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(CommandError) as caught:
        packages.ensure("build")
    assert caught.value.status == 2
    assert "\n" not in str(caught.value)
    for name in ("cmake", "ninja-build", "g++"):
        assert name in str(caught.value)


def test_root_updates_once_then_installs_without_questions(
        empty_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    record = empty_path / "record"
    write_tool(empty_path, "apt-get", f'''echo "$DEBIAN_FRONTEND $@" >> {record}
case "$*" in *install*) for t in cmake ninja g++; do
  echo > {empty_path}/$t; {shutil.which("chmod", path="/bin:/usr/bin")} +x {empty_path}/$t
done;; esac''')
    packages.ensure("build")
    update, install = record.read_text().splitlines()
    assert update == "noninteractive -qq update"
    assert install.startswith("noninteractive -qq -y") and "cmake ninja-build g++" in install


def test_a_failing_installer_is_told_with_its_last_word(
        empty_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    write_tool(empty_path, "apt-get", "echo no network; exit 100")
    with pytest.raises(CommandError, match="no network"):
        packages.ensure("build")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
@pytest.mark.parametrize("command", ["test", "reproduce"])
def test_a_real_user_without_tools_gets_one_line_and_status_2(
        tmp_path: Path, command: str) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in ("bash", "dirname", "readlink", "python3"):
        target = "/usr/bin/python3" if tool == "python3" else shutil.which(tool)
        (folder / tool).symlink_to(target or "")
    for parent in (tmp_path, *tmp_path.parents):
        if parent.stat().st_uid == 0 and parent not in (Path("/"), Path("/tmp")):
            parent.chmod(parent.stat().st_mode | 0o055)
    scripts = shutil.copytree(ROOT / "scripts", tmp_path / "tree" / "scripts")
    scripts.parent.chmod(0o777)  # the user's own clone
    done = subprocess.run([scripts / command], user=65534, group=65534, extra_groups=[],
                          env={"PATH": str(folder)}, capture_output=True, text=True, cwd="/")
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1 and "cmake" in done.stderr


@pytest.mark.parametrize(("hidden", "command"), [
    (("CLI11",), "apt-get install libcli11-dev"),
    (("benchmark", "fmt", "nlohmann_json", "CLI11", "GTest", "Boost"),
     "apt-get install libbenchmark-dev libfmt-dev nlohmann-json3-dev libcli11-dev libgtest-dev "
     "libboost-context-dev libboost-fiber-dev")], ids=["one", "all"])
def test_configuring_names_all_that_is_missing_in_one_command(
        hidden: tuple[str, ...], command: str, tmp_path: Path) -> None:
    done = subprocess.run(
        ["cmake", "-G", "Ninja", "-S", ROOT, "-B", tmp_path,
         *(f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in hidden)],
        capture_output=True, text=True, timeout=120)
    assert done.returncode != 0
    assert command in [line.strip() for line in done.stderr.splitlines()]
    assert all(name in done.stderr for name in hidden)
