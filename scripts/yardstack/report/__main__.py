# SPDX-License-Identifier: BSL-1.0
"""Writes verdicts.json, table.md, plots/*.svg and report.html anew from what a run's folder has measured."""

from collections.abc import Sequence
from pathlib import Path

from yardstack import packages, runs, verdicts
from yardstack.errors import OK, CommandError, Parser, entry


def render(folder: Path) -> Path:
    """Judges, draws and reports. Returns the page's path."""
    from yardstack import plots
    from yardstack.report import markdown
    from yardstack.report.page import page
    run = runs.read(folder)
    judged = verdicts.judge(run)
    try:
        runs.write_json(folder / "verdicts.json", {"schema": runs.SCHEMA,
                                                   "verdicts": verdicts.as_json(judged)})
        captions = plots.draw_all(run, folder / "plots")
        (folder / "table.md").write_text(markdown.trade_off(run))
        file = folder / "report.html"
        file.write_text(page(run, judged, captions))
    except OSError as error:
        raise CommandError(f"cannot write into {folder}: {error.strerror}") from error
    return file


def main(arguments: Sequence[str]) -> int:
    parser = Parser(prog="scripts/report", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="DIR", help="a run's folder")
    options = parser.parse_args(arguments)
    runs.read_context(options.folder)
    packages.ensure("report")
    print(render(options.folder))
    return OK


if __name__ == "__main__":
    entry("report", main)
