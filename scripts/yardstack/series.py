# SPDX-License-Identifier: BSL-1.0
"""Picking figures out of a run: by row and counter, over blocks, with every reason for a gap."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from yardstack.rows import Row
from yardstack.runs import Run
from yardstack.stats import Estimate, estimate

#: What decides a question; the counter that a row's `valid` speaks of.
PRIMARY = {"switch": "ns_per_switch", "spawn": "ns_per_spawn", "memory": "user_bytes_per_task",
           "echo": "server_cpu_ns_per_op", "timers": "lateness_p99_ns"}
#: Counters that noise does not touch: they count things, not time.
_COUNTS = ("bytes", "mappings", "syscalls", "allocs", "errors", "tasks")


@dataclass(frozen=True)
class Values:
    """A counter of a row, block by block, or why there is none."""

    name: str
    counter: str
    by_block: dict[int, float]
    doubt: str | None = None  #: why the values are not to be judged
    gap: str | None = None  #: why there are none: the row's error, or `not measured`

    @cached_property
    def estimate(self) -> Estimate | None:
        return estimate(list(self.by_block.values())) if self.by_block else None

    @property
    def refused(self) -> bool:
        return self.gap is not None and self.gap.startswith("refused:")


def values(run: Run, name: str, counters: str | Sequence[str]) -> Values:
    """The values of a counter (or of the sum of several) of the row with exactly this name."""
    wanted = [counters] if isinstance(counters, str) else list(counters)
    blocks = run.by_name.get(name, {})
    title = " + ".join(wanted)
    primary = PRIMARY.get(name.split("/")[0], "")
    found = {block: sum(row.counters[c] for c in wanted) for block, row in sorted(blocks.items())
             if all(c in row.counters for c in wanted)}
    if not found:
        return Values(name, title, {}, gap=_gap(blocks.values(), title))
    doubts = [row.doubt(c, primary) for row in blocks.values() for c in wanted]
    doubt = next(filter(None, doubts), None)
    return Values(name, title, found, doubt)


def quiet(run: Run, found: Values) -> dict[int, float]:
    """The blocks in which the machine was ours: what verdicts on time are made of."""
    if any(word in found.counter for word in _COUNTS):
        return found.by_block
    noisy = run.noisy_blocks.get(f"bench-{found.name.split('/')[0]}", set())
    return {block: value for block, value in found.by_block.items() if block not in noisy}


def rows_of(run: Run, question: str, **keys: str) -> dict[str, Row]:
    """One row a name for a question whose keys have the given values; one with figures if any."""
    chosen = (row for row in run.rows if row.question == question and
              all(row.keys.get(key) == value for key, value in keys.items()))
    return {row.name: row for row in sorted(chosen, key=lambda row: row.error is None)}


def _gap(rows: Iterable[Row], counter: str) -> str:
    errors = [row.error for row in rows if row.error]
    if errors:
        return next((e for e in errors if e.startswith("refused:")), errors[0])
    return f"no {counter} in its rows" if rows else "not measured"
