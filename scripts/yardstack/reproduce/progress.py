# SPDX-License-Identifier: BSL-1.0
"""Progress on stderr, one line a call, with the time left."""

import statistics
import sys
from collections import defaultdict
from collections.abc import Sequence

from yardstack.profile import Entry

Call = tuple[int, Entry, int]


class Progress:
    """Guesses from what the same entry took in earlier blocks, else from the profile."""

    def __init__(self, calls: Sequence[Call], blocks: int) -> None:
        self._waiting = list(calls)
        self._all = len(calls)
        self._blocks = blocks
        self._taken: dict[str, list[float]] = defaultdict(list)

    def left_s(self) -> float:
        return sum(statistics.mean(self._taken[entry.key]) if self._taken[entry.key]
                   else entry.expected_s for _, entry, _ in self._waiting)

    def start(self, call: Call) -> None:
        block, entry, _ = call
        number = self._all - len(self._waiting) + 1
        print(f"[{number}/{self._all}] block {block} of {self._blocks}: {entry.key}, "
              f"{len(entry.cells)} cells; about {clock(self.left_s())} left",
              file=sys.stderr, flush=True)

    def end(self, call: Call, seconds: float | None) -> None:
        """`seconds` is None for a call that was kept from an earlier start."""
        self._waiting.remove(call)
        if seconds is not None:
            self._taken[call[1].key].append(seconds)


def clock(seconds: float) -> str:
    """`2 min 05 s`"""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
