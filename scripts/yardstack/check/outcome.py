# SPDX-License-Identifier: BSL-1.0
"""What a step of the test run came to, read from JUnit files where a runner wrote one."""

import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Outcome:
    """Counts of one step. Skips and failures are named, so that nothing is silent."""

    passed: int = 0
    failures: list[str] = field(default_factory=list)
    skips: list[tuple[str, str]] = field(default_factory=list)  #: name, reason

    def __iadd__(self, other: "Outcome") -> "Outcome":
        self.passed += other.passed
        self.failures += other.failures
        self.skips += other.skips
        return self

    def line(self) -> str:
        return f"{self.passed} passed, {len(self.failures)} failed, {len(self.skips)} skipped"


def from_junit(file: Path, step: str) -> Outcome:
    """Counts the cases of a JUnit file; a file that is missing, broken or empty is a failure."""
    try:
        cases = list(ElementTree.parse(file).getroot().iter("testcase"))
    except (OSError, ElementTree.ParseError) as error:
        return Outcome(failures=[f"{step}: no readable result file: {error}"])
    outcome = Outcome()
    for case in cases:
        name = f"{step}: {'.'.join(filter(None, (case.get('classname'), case.get('name'))))}"
        if case.get("classname") == case.get("name"):  # ctest repeats the name
            name = f"{step}: {case.get('name')}"
        if case.find("failure") is not None or case.find("error") is not None:
            outcome.failures.append(name)
        elif (skipped := case.find("skipped")) is not None:
            outcome.skips.append((name, _reason(skipped, case.findtext("system-out") or "")))
        elif case.get("status") in ("notrun", "disabled"):
            outcome.skips.append((name, case.get("status", "")))
        else:
            outcome.passed += 1
    if not cases:
        outcome.failures.append(f"{step}: no test was found")
    return outcome


def _reason(skipped: ElementTree.Element, output: str) -> str:
    """pytest puts the reason into the element, GoogleTest into the line after `…: Skipped`; a test that
    is declared only to be skipped says `skipped: …`."""
    lines = [line.strip() for line in output.splitlines()]
    for line in lines:
        if line.startswith("skipped: "):
            return line.removeprefix("skipped: ")
    for line, following in zip(lines, lines[1:]):
        if line.endswith(": Skipped") and following:
            return following
    return skipped.get("message") or "no reason given"
