# SPDX-License-Identifier: BSL-1.0
"""Profiles: which cells a run visits, how often, for how long. Data, in scripts/profiles/*.toml."""

import hashlib
import random
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

from yardstack.errors import CommandError
from yardstack.paths import PROFILES


@dataclass(frozen=True)
class Entry:
    """One call of a program in each block."""

    key: str  #: names its files
    program: str
    cells: tuple[str, ...]
    arguments: tuple[str, ...]
    expected_s: float  #: for the first guess of the time left
    timeout_s: float  #: guards against a program that hangs

    def only(self, cells: Sequence[str]) -> "Entry":
        """The same call of some of its cells."""
        return replace(self, cells=tuple(cells), expected_s=self.expected_s * len(cells) / len(self.cells))

    def command(self, seed: int) -> list[str]:
        """The program and its arguments, without the folder it lies in."""
        return [self.program, f"--order-seed={seed}", *self.arguments,
                *(f"--cell={cell}" for cell in self.cells)]


@dataclass(frozen=True)
class Profile:
    name: str
    blocks: int
    entries: tuple[Entry, ...]

    @property
    def digest(self) -> str:
        """Tells one state of a profile from another."""
        return hashlib.sha256(repr(self).encode()).hexdigest()[:16]

    def cells(self) -> int:
        return sum(len(entry.cells) for entry in self.entries)

    def schedule(self, seed: int) -> list[tuple[int, Entry, int]]:
        """Block, entry and order seed of each call: every block visits all, in its own order."""
        chance = random.Random(seed)
        calls = []
        for block in range(1, self.blocks + 1):
            order = list(self.entries)
            chance.shuffle(order)
            calls += [(block, entry, chance.randrange(1, 2**31)) for entry in order]
        return calls


def names() -> list[str]:
    return sorted(file.stem for file in PROFILES.glob("*.toml"))


def load(name: str) -> Profile:
    """Reads a profile by name. Raises CommandError naming what is wrong with it."""
    return read(PROFILES / f"{name}.toml")


def read(file: Path) -> Profile:
    try:
        data = tomllib.loads(file.read_text())
        entries = tuple(_entry(table) for table in data["program"])
        profile = Profile(file.stem, int(data["blocks"]), entries)
    except (OSError, tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as error:
        raise CommandError(f"profile {file}: {type(error).__name__}: {error}") from error
    keys = [entry.key for entry in profile.entries]
    if len(set(keys)) < len(keys):
        raise CommandError(f"profile {file}: two entries have one key; give one a `key`")
    return profile


def expand(pattern: str) -> list[str]:
    """`a/{b,c}/n:{1,2}` -> a/b/n:1, a/b/n:2, a/c/n:1, a/c/n:2."""
    parts = re.split(r"\{([^}]*)\}", pattern)
    choices = [part.split(",") if index % 2 else [part] for index, part in enumerate(parts)]
    return ["".join(chosen) for chosen in product(*choices)]


def _entry(table: dict[str, Any]) -> Entry:
    expected = float(table["expected_s"])
    return Entry(
        key=table.get("key", table["name"]),
        program=table["name"],
        cells=tuple(cell for pattern in table["cells"] for cell in expand(pattern)),
        arguments=tuple(table.get("arguments", ())),
        expected_s=expected,
        timeout_s=float(table.get("timeout_s", 120 + 10 * expected)))
