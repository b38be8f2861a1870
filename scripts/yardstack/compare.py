# SPDX-License-Identifier: BSL-1.0
"""Two runs side by side: each row's primary counter, the second over the first.

A row is slower when Welch's t-test on the logarithms of its trusted blocks tells the two runs apart, after
Holm's correction over all rows compared; with --fail-if-slower, when it tells the second from the first
slowed down by the given percentage. Three blocks tell only large changes. What drifts from one run to
the next is in no block's scatter: a small change is one only if it comes back when both are run again.
Different machines are compared with a warning: their ratio is no regression.
"""

import argparse
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from yardstack import packages, runs, series, stats
from yardstack.errors import OK, REGRESSION, CommandError, Parser, entry
from yardstack.runs import Run
from yardstack.stats import Estimate
from yardstack.units import figure


@dataclass(frozen=True)
class Line:
    """One row in both runs. All primary counters are costs: more is worse."""

    name: str
    counter: str
    first: Estimate
    second: Estimate
    blocks: tuple[list[float], list[float]]  #: trusted ones, of both runs
    doubt: str = ""  #: why it is told, but tells nothing: too few blocks are left
    certain: bool = False  #: whether the blocks of the two runs can be told apart

    @property
    def change(self) -> float:
        """In per cent of the first; infinite where that is zero."""
        if self.first.median == 0:
            return 0.0 if self.second.median == 0 else float("inf")
        return (self.second.median / self.first.median - 1) * 100

    def told(self) -> tuple[str, ...]:
        word = "" if not self.certain else "slower" if self.change > 0 else "faster"
        if word and "bytes" in self.counter:
            word = "larger" if self.change > 0 else "smaller"
        word = f"({self.doubt})" if self.doubt else word
        return (self.name, figure(self.first.median, self.counter),
                figure(self.second.median, self.counter), f"{self.change:+.1f} %", word)


def lines(first: Run, second: Run) -> list[Line]:
    """The rows that both have measured, at the same rate, and that both trust in at least one block."""
    found = []
    for name in sorted(set(first.by_name) & set(second.by_name)):
        counter = series.primary([*first.by_name[name].values(), *second.by_name[name].values()])
        if not counter or name.startswith("selftest/"):  # the instrument's ratio is no cost
            continue
        if at_another_rate(first, second, name):
            continue
        one, other = (series.values(run, name, counter) for run in (first, second))
        if one.estimate and other.estimate and one.trusted and other.trusted:
            blocks = list(one.trusted.values()), list(other.trusted.values())
            doubt = one.doubt or other.doubt or ""
            found.append(Line(name, counter, one.estimate, other.estimate, blocks, doubt))
    return [replace(line, certain=certain) for line, certain in zip(found, apart(found))]


def at_another_rate(first: Run, second: Run, name: str) -> bool:
    """Whether an open loop was offered more in one run than in the other: they are no samples of one thing."""
    rates = {series.offered(run, name) for run in (first, second)} - {None}
    return len(rates) > 1


def apart(compared: Sequence[Line], per_cent: float = 0.0) -> list[bool]:
    """Of each line, whether the second run differs from the first slowed down by so much."""
    raw = [stats.p_apart(*line.blocks, 1 + per_cent / 100) for line in compared]
    tested = [p for p in raw if p is not None]
    corrected = iter(stats.holm(tested))
    return [p is not None and next(corrected) < stats.SIGNIFICANT for p in raw]


def missing(first: Run, second: Run, compared: Sequence[Line]) -> list[str]:
    """Rows of both runs, at one rate, of which only the first has a figure that nobody doubts."""
    names = {line.name for line in compared}
    return [name for name in sorted(set(first.by_name) & set(second.by_name) - names)
            if not name.startswith("selftest/") and not at_another_rate(first, second, name)
            and (counter := series.primary(first.by_name[name].values()))
            and series.values(first, name, counter).trusted]


def per_cent(text: str) -> float:
    number = float(text)
    if not 0 <= number < math.inf:  # nothing is above a NaN, everything above -1
        raise argparse.ArgumentTypeError(f"{text} is no number from 0 up")
    return number


def main(arguments: Sequence[str]) -> int:
    parser = Parser(prog="scripts/compare", description=__doc__)
    parser.add_argument("first", type=Path, metavar="A", help="a run's folder")
    parser.add_argument("second", type=Path, metavar="B", help="another run's folder")
    parser.add_argument("--fail-if-slower", type=per_cent, metavar="PCT",
                        help="exit status 3 if a row is certainly slower by more than PCT per cent")
    options = parser.parse_args(arguments)
    for folder in (options.first, options.second):
        runs.read_context(folder)
    packages.ensure("report")
    first, second = runs.read(options.first), runs.read(options.second)
    if first.context.get("machine") != second.context.get("machine"):
        print("compare: these runs are of different machines or kernels", file=sys.stderr)
    found = lines(first, second)
    if not found:
        raise CommandError("the two runs have no measured row in common")
    told = [line.told() for line in found]
    widths = [max(map(len, column)) for column in zip(*told)]
    for row in told:
        print("  ".join(cell.ljust(w) if i in (0, 4) else cell.rjust(w)
                        for i, (cell, w) in enumerate(zip(row, widths))).rstrip())
    alone = "without a figure, or with a doubted one, in the {} run alone"
    for why, names in ((alone.format("second"), missing(first, second, found)),
                       (alone.format("first"), missing(second, first, found)),
                       ("at another rate", [name for name in sorted(set(first.by_name) & set(second.by_name))
                                            if at_another_rate(first, second, name)])):
        if names:
            print(f"compare: {why}: {', '.join(names)}", file=sys.stderr)
    limit = options.fail_if_slower
    slower = [] if limit is None else [
        line for line, certain in zip(found, apart(found, limit)) if certain and line.change > limit]
    for line in slower:
        print(f"compare: {line.name} is {line.change:.1f} % slower", file=sys.stderr)
    return REGRESSION if slower else OK


if __name__ == "__main__":
    entry("compare", main)
