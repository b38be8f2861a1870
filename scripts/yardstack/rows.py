# SPDX-License-Identifier: BSL-1.0
"""Rows of the measuring programs, read from Google Benchmark's JSON."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

#: What Google Benchmark 1.7 appends to a name.
_SUFFIX = re.compile(r"/(iterations|repeats|min_time|min_warmup_time|threads):[^/]+"
                     r"|/(manual_time|real_time|process_time)")
#: Keys of a row of Google Benchmark that are no counters of ours.
_NO_COUNTERS = {"family_index", "per_family_instance_index", "repetitions", "repetition_index",
                "threads", "iterations", "real_time", "cpu_time"}


class BrokenFile(Exception):
    """A file that is no result of a measuring program."""


@dataclass(frozen=True)
class Row:
    """One measured cell in one block: counters, or the error that took their place."""

    name: str
    block: int = 1
    counters: Mapping[str, float] = field(default_factory=dict)
    error: str | None = None
    label: str = ""

    @property
    def question(self) -> str:
        return self.name.split("/")[0]

    @property
    def contender(self) -> str:
        return self.name.split("/")[1] if "/" in self.name else ""

    @property
    def keys(self) -> dict[str, str]:
        """`tasks:1000` and the like; where a key stands twice the last one counts."""
        return dict(part.split(":", 1) for part in self.name.split("/")[2:] if ":" in part)

    def number(self, key: str) -> int | None:
        value = self.keys.get(key, "")
        return int(value) if value.isdigit() else None

    @property
    def refused(self) -> bool:
        return self.error is not None and self.error.startswith("refused:")

    @property
    def defect(self) -> bool:
        """Whether something is wrong: neither a figure, nor a limit, nor an interruption."""
        return self.error is not None and not self.error.startswith(("refused:", "interrupted:"))

    def doubts_of(self, counter: str, primary: str = "") -> list[str]:
        """Why a counter is not to be trusted: the label's reasons that list it; empty if it is."""
        reasons = [reason for reason, counters in self.doubts().items() if counter in counters]
        silent = counter == primary and self.counters.get("valid", 1) == 0
        return reasons or (["not valid"] if silent else [])

    def doubts(self) -> dict[str, list[str]]:
        """Reason to those of its counters that the row has, as the label says; its other parts are notes."""
        parts = (part.partition(": ") for part in self.label.split("; "))
        listed = {reason: [c for c in words.split() if c in self.counters] for reason, _, words in parts}
        return {reason: counters for reason, counters in listed.items() if counters}


@dataclass(frozen=True)
class Output:
    """One program's JSON file."""

    context: Mapping[str, Any]
    rows: list[Row]


def plain_name(name: str) -> str:
    """A row's name without what Google Benchmark appends."""
    return _SUFFIX.sub("", name)


def limit_name(error: str) -> str:
    """`pid_max` of `refused: pid_max reached=32450 limit=32768`."""
    return error.removeprefix("refused:").split(" reached=")[0].strip()


def parse(text: str, block: int = 1) -> Output:
    """Reads a program's JSON. Raises BrokenFile for anything else, NaN included."""
    try:
        document = json.loads(text, parse_constant=_no_constant)
        entries = document["benchmarks"]
        rows = [_row(entry, block) for entry in entries if entry.get("run_type") != "aggregate"]
        return Output(document["context"], rows)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BrokenFile(f"not the JSON of a measuring program: {error}") from error


def load(file: Path, block: int = 1) -> Output:
    """Reads a program's JSON file."""
    try:
        return parse(file.read_text(), block)
    except (OSError, UnicodeDecodeError) as error:
        raise BrokenFile(str(error)) from error


def _row(entry: dict[str, Any], block: int) -> Row:
    error = entry["error_message"] if entry.get("error_occurred") else None
    counters = {} if error else {
        key: float(value) for key, value in entry.items()
        if key not in _NO_COUNTERS and isinstance(value, (int, float)) and not isinstance(value, bool)}
    return Row(plain_name(entry["name"]), block, counters, error, entry.get("label", ""))


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")
