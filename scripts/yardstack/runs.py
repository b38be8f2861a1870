# SPDX-License-Identifier: BSL-1.0
"""A run's folder: context.json, raw/ENTRY.block-N.json, then verdicts, table, plots and report."""

import datetime
import json
import os
import tempfile
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from yardstack import machine
from yardstack.errors import CommandError
from yardstack.rows import BrokenFile, Row, load

SCHEMA = 1
#: Strings in a program's context that differ from call to call, or that name the host.
_NOT_OF_THE_MACHINE = {"date", "host_name", "executable", "order_seed", "seconds", "timeout"}


@dataclass(frozen=True)
class Run:
    """Everything a run has measured."""

    folder: Path
    context: Mapping[str, Any]
    rows: tuple[Row, ...]
    complaints: tuple[str, ...] = ()  #: files that could not be read
    said: Mapping[str, str] = field(default_factory=dict)  #: the programs' own context

    @cached_property
    def by_name(self) -> dict[str, dict[int, Row]]:
        """Row name to block to row."""
        found: dict[str, dict[int, Row]] = defaultdict(dict)
        for row in self.rows:
            found[row.name][row.block] = row
        return dict(found)

    @cached_property
    def noisy_blocks(self) -> dict[str, set[int]]:
        """Program to the blocks in which other programs took too much of the machine."""
        noisy: dict[str, set[int]] = defaultdict(set)
        for call in self.context.get("calls", []):
            if call.get("noisy"):
                noisy[call["program"]].add(call["block"])
        return dict(noisy)


def make_writable(folder: Path) -> None:
    """Makes a folder if there is none, and tries whether it takes files: before what takes minutes."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise CommandError(f"cannot write into {folder}: {error.strerror}") from error


def create(parent: Path, suffix: str) -> Path:
    """Makes a new dated, machine-named folder in `parent`; never one that exists."""
    name = f"{datetime.date.today().isoformat()}-{machine.folder_name()}-{suffix}"
    for number in range(1, 1000):
        folder = parent / (name if number == 1 else f"{name}-{number}")
        try:
            (folder / "raw").mkdir(parents=True, exist_ok=False)
            return folder
        except FileExistsError:
            continue
        except OSError as error:
            raise CommandError(f"cannot write into {parent}: {error.strerror}") from error
    raise CommandError(f"{parent} holds a thousand runs of today")


def write_json(file: Path, document: object) -> None:
    """Writes the whole file or nothing."""
    partial = file.with_suffix(file.suffix + ".partial")
    partial.write_text(json.dumps(document, indent=1, allow_nan=False) + "\n")
    os.replace(partial, file)


def read_context(folder: Path) -> dict[str, Any]:
    """The context of a run's folder. Raises CommandError where there is none."""
    try:
        context = json.loads((folder / "context.json").read_text())
    except (OSError, ValueError) as error:
        raise CommandError(f"{folder} is not the folder of a run: {error}") from error
    if not isinstance(context, dict) or context.get("schema") != SCHEMA:
        raise CommandError(f"{folder} was written by another version (schema is not {SCHEMA})")
    return context


def raw_file(folder: Path, key: str, block: int) -> Path:
    """One program's JSON of one block."""
    return folder / "raw" / f"{key}.block-{block}.json"


def read(folder: Path) -> Run:
    """Reads a run; files that are broken or partial are named, not fatal."""
    context = read_context(folder)
    rows: list[Row] = []
    complaints = []
    said: dict[str, str] = {}
    for file in sorted((folder / "raw").glob("*.block-*.json")):
        number = file.stem.rpartition("-")[2]
        try:
            output = load(file, int(number))
            rows += output.rows
            said |= {k: v for k, v in output.context.items()
                     if isinstance(v, str) and k not in _NOT_OF_THE_MACHINE}
        except (BrokenFile, ValueError) as error:
            complaints.append(f"{file.name}: {error}")
    return Run(folder, context, tuple(rows), tuple(complaints), said)
