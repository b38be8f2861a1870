# SPDX-License-Identifier: BSL-1.0
"""The checks of style find what they are for."""

from pathlib import Path

from yardstack import lint

LINE = f"// {lint.LICENCE}\n"


def test_a_source_without_licence_line_is_named(tmp_path: Path) -> None:
    (tmp_path / "good.cpp").write_text(LINE)
    (tmp_path / "bad.cpp").write_text("int x;\n" + LINE)
    (tmp_path / "run.sh").write_text(f"#!/bin/sh\n# {lint.LICENCE}\n")
    (tmp_path / "notes.md").write_text("prose needs none\n")
    command = tmp_path / "command"
    command.write_text("#!/bin/sh\n")
    command.chmod(0o755)
    complaints = lint.licence_lines(tmp_path)
    assert [c.split(":")[0] for c in complaints] == ["bad.cpp", "command"]


def test_built_measured_and_hidden_files_are_no_sources(tmp_path: Path) -> None:
    for folder in ("build", "results", ".git", "__pycache__", ".ci", "io"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.cpp").write_text("")
    assert {file.parent.name for file in lint.sources(tmp_path)} == {".ci", "io"}


def test_a_badly_formatted_file_is_named_with_its_count(tmp_path: Path) -> None:
    (tmp_path / ".clang-format").write_text("BasedOnStyle: Google\n")
    (tmp_path / "good.cpp").write_text("int x;\n")
    (tmp_path / "bad.cpp").write_text("int   x ;\n")
    complaints = lint.formatting(tmp_path)
    assert len(complaints) == 1 and complaints[0].startswith("bad.cpp: ")
