# SPDX-License-Identifier: BSL-1.0
"""Picking figures out of a run: by row and counter, over blocks, with every reason for a gap."""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from yardstack.rows import Row
from yardstack.runs import Run
from yardstack.stats import ENOUGH_BLOCKS, Estimate, estimate

#: What decides a row, a cost; of several the first that the row has.
PRIMARY: dict[str, tuple[str, ...]] = {
    "switch": ("ns_per_switch",), "spawn": ("ns_per_spawn", "ns_per_create"), "memory": ("user_bytes_per_task",),
    "echo": ("cpu_vs_floor",), "timers": ("lateness_p99_ns",), "depth": ("ns_per_switch",),
    "compose": ("ns_per_level", "ns_per_suspension", "elapsed_vs_longest", "ns_per_op"),
    "frames": ("kept_bytes", "worker_stack_bytes", "state_bytes"), "stacks": ("ns_per_create",),
    "wake": ("ns_per_wake",), "parallel": ("elapsed_vs_one",), "cancel": ("ns_per_cancel",),
    "blocking": ("lateness_p99_ns",), "selftest": ("ratio",)}
#: The doubt that a quieter machine would not have.
NOISY = "noisy"
OTHER_RATE = "another rate"
#: What befalls a block whoever is measured in it: it says nothing of the row, and is left out. Any other
#: doubt is the row's own; without its blocks whoever falls over in every second one would look upright.
OUTSIDE = {NOISY, "throttled", "slow-clock", "shared-cpu", OTHER_RATE}
#: Counters that noise does not touch: they count things, not time.
_COUNTS = ("bytes", "mappings", "syscalls", "allocs", "errors", "tasks", "effects", "steps",
           "leaked", "left", "stale", "told", "edges", "wakes", "polls", "clones", "found", "references",
           "allocator", "early_ends")

OFFERED = "offered_ops_per_s"


@dataclass(frozen=True)
class Values:
    """A counter of a row, block by block, or why there is none."""

    name: str
    counter: str
    by_block: dict[int, float]
    doubts: dict[int, str]  #: blocks whose value is not to be judged, and why: the label's reason or `noisy`
    gap: str | None = None  #: why there is no value at all: the row's error, or `not measured`

    @cached_property
    def undisturbed(self) -> dict[int, float]:
        """The values that nothing from outside speaks against."""
        return {block: v for block, v in self.by_block.items() if self.doubts.get(block) not in OUTSIDE}

    @cached_property
    def trusted(self) -> dict[int, float]:
        """The values that nothing speaks against, none where a doubt is the row's own: what verdicts, tables
        and pictures are made of."""
        return {} if self.own_doubt else self.undisturbed

    @cached_property
    def estimate(self) -> Estimate | None:
        """Of the undisturbed blocks; only where there is none, of the others."""
        shown = self.undisturbed or self.by_block
        return estimate(list(shown.values())) if shown else None

    @property
    def doubt(self) -> str | None:
        """Why the estimate is not to be compared; None where enough blocks are trusted."""
        if not self.by_block or len(self.trusted) >= ENOUGH_BLOCKS:
            return None
        return self.own_doubt or self.left_out or \
            f"only {len(self.trusted)} block{'s' if len(self.trusted) > 1 else ''}"

    @property
    def own_doubt(self) -> str:
        """`overloaded in 1 of 5 blocks`; empty where whatever is doubted has come from outside."""
        return self._told([reason for reason in self.doubts.values() if reason not in OUTSIDE])

    @property
    def left_out(self) -> str:
        """`noisy in 2 of 5 blocks`; empty where all are trusted."""
        return self._told(list(self.doubts.values()))

    def _told(self, reasons: Sequence[str]) -> str:
        told = ", ".join(sorted(set(reasons)))
        return f"{told} in {len(reasons)} of {len(self.by_block)} blocks" if told else ""

    @property
    def refused(self) -> bool:
        return self.gap is not None and self.gap.startswith("refused:")


def primary(rows: Iterable[Row]) -> str:
    """The counter that decides rows of one name, of which `valid` speaks; empty where none of them has it."""
    return next((counter for row in rows for counter in _deciding(row) if counter in row.counters), "")


def _deciding(row: Row) -> tuple[str, ...]:
    """What an open loop is for is its tail."""
    return ("p99_ns",) if OFFERED in row.counters else PRIMARY.get(row.question, ())


def values(run: Run, name: str, counters: str | Sequence[str], per: str | None = None) -> Values:
    """The values of a counter (or of the sum of several) of the row with exactly this name; with `per`
    divided by that counter of the same row."""
    wanted = [counters] if isinstance(counters, str) else list(counters)
    blocks = run.by_name.get(name, {})
    needed = [*wanted, per] if per else wanted
    title = " + ".join(wanted) + (f" ÷ {per}" if per else "")
    decides = primary(blocks.values())
    noisy = _noisy_blocks(run, name, title)
    rate = offered(run, name)
    found, doubts = {}, {}
    for block, row in sorted(blocks.items()):
        if all(c in row.counters for c in needed) and (per is None or row.counters[per]):
            found[block] = sum(row.counters[c] for c in wanted) / (row.counters[per] if per else 1)
            told = [reason for c in needed for reason in row.doubts_of(c, decides)]
            told += [OTHER_RATE] if row.counters.get(OFFERED, rate) != rate else []
            told += [NOISY] if block in noisy else []
            if told:  # what a disturbed block says besides may have come of the disturbance
                doubts[block] = next((reason for reason in told if reason in OUTSIDE), told[0])
    return Values(name, title, found, doubts, None if found else _gap(blocks.values(), title))


def offered(run: Run, name: str) -> float | None:
    """The rate that an open loop was offered, messages a second: that of most blocks. What others have
    measured at another rate is no sample of the same thing."""
    rates = [row.counters[OFFERED] for _, row in sorted(run.by_name.get(name, {}).items())
             if OFFERED in row.counters]
    return statistics.mode(rates) if rates else None


def rows_of(run: Run, question: str, **keys: str) -> dict[str, Row]:
    """One row a name for a question whose keys have the given values; one with figures if any."""
    chosen = (row for row in run.rows if row.question == question and
              all(row.keys.get(key) == value for key, value in keys.items()))
    return {row.name: row for row in sorted(chosen, key=lambda row: row.error is None)}


def _noisy_blocks(run: Run, name: str, counter: str) -> set[int]:
    """The blocks in which others had too much of the machine for this counter."""
    if any(word in counter for word in _COUNTS):
        return set()
    return run.noisy_blocks.get(f"bench-{name.split('/')[0]}", set())


def _gap(rows: Iterable[Row], counter: str) -> str:
    errors = [row.error for row in rows if row.error]
    if errors:
        return next((e for e in errors if e.startswith("refused:")), errors[0])
    return f"no {counter} in its rows" if rows else "not measured"
