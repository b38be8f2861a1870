# SPDX-License-Identifier: BSL-1.0
"""What README.md shows of the reference run is what the run says."""

import re

from conftest import ROOT
from yardstack import runs
from yardstack.report import markdown

README = (ROOT / "README.md").read_text()


def test_the_table_is_that_of_the_run_it_links_to() -> None:
    run = runs.read(ROOT / re.findall(r"\[reference run\]\((results/[^)]+)\)", README)[0])
    assert markdown.trade_off(run) in README
