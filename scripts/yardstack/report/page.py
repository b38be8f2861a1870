# SPDX-License-Identifier: BSL-1.0
"""The whole page: one file, no network, no script."""

from collections.abc import Sequence
from pathlib import Path

from yardstack.report import sections
from yardstack.report.html import text
from yardstack.runs import Run
from yardstack.verdicts import Verdict

_HERE = Path(__file__).resolve().parent


def page(run: Run, verdicts: Sequence[Verdict], captions: dict[str, str]) -> str:
    """report.html for a run whose plots have been drawn."""
    machine = run.context.get("machine", {})
    title = f"Where a waiting task keeps its state: {machine.get('cpu_model', 'unknown machine')}"
    state = "" if run.context.get("finished") else (
        "<p class='note'>This run was not finished: some blocks are missing.</p>")
    parts = [
        f"<h1>{text(title)}</h1>",
        f"<p class='where'>{text(_where(run))}</p>", state,
        "<h2>The trade</h2>", (_HERE / "legend.html").read_text(), sections.trade_off(run),
        "<h2>Verdicts</h2>", sections.verdict_table(verdicts),
        "<h2>Pictures</h2>", sections.pictures(run, captions),
        "<h2>Refused, failed, in doubt</h2>", sections.gaps(run),
        "<h2>The instrument on known ratios</h2>", sections.instrument(run),
        "<h2>Noise</h2>", sections.noise(run),
        "<h2>All figures</h2>", sections.all_figures(run),
        (_HERE / "reading.html").read_text(),
        "<h2>Machine and build</h2>", sections.context(run),
    ]
    return (f"<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'><title>{text(title)}</title>"
            "<meta name='viewport' content='width=device-width, initial-scale=1'>\n"
            f"<style>{(_HERE / 'page.css').read_text()}</style></head>\n<body><main>\n"
            + "\n".join(parts) + "\n</main></body></html>\n")


def _where(run: Run) -> str:
    known = run.context
    machine = known.get("machine", {})
    return (f"{machine.get('cpus', '?')} CPUs, Linux {machine.get('kernel', '?')}; "
            f"{known.get('profile', '?')} profile, {known.get('blocks', '?')} blocks, seed "
            f"{known.get('seed', '?')}; begun {str(known.get('started', '?'))[:16].replace('T', ' ')}"
            f" UTC; sources {known.get('tree_hash', '?')}")
