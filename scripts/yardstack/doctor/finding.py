# SPDX-License-Identifier: BSL-1.0
"""One thing the doctor found."""

from dataclasses import dataclass

from yardstack.machine import first_line


@dataclass(frozen=True)
class Finding:
    """A subject, what holds here, and what would change it. Nothing is ever changed by us."""

    subject: str
    found: str
    means: str = ""
    command: str = ""  #: empty when nothing is to be gained
    warning: bool = False  #: whether a reproduction should say so before it starts


def number(path: str) -> int | None:
    """The number a file of /proc or /sys begins with; None where there is none (`max`)."""
    word = (first_line(path) or "").split()[:1]
    return int(word[0]) if word and word[0].lstrip("-").isdigit() else None
