# SPDX-License-Identifier: BSL-1.0
"""One colour and one marker a contender, the same in every picture.

The colours are Okabe and Ito's, told apart by colour-blind readers (Color Universal Design, 2008);
markers tell them apart without any colour. Floors and peers are grey.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Style:
    colour: str
    marker: str
    dashes: str | tuple[int, tuple[float, ...]] = "-"


CONTENDERS: dict[str, Style] = {
    "threads": Style("#D55E00", "s"),
    "fibers": Style("#0072B2", "o"),
    "boost-fibers": Style("#56B4E9", "v"),
    "futures": Style("#009E73", "^"),
    "coroutines": Style("#CC79A7", "D"),
    "callbacks": Style("#E69F00", "P"),
}
#: Kinds of memory, from the task's own to the kernel's, in the order they are stacked.
MEMORY_KINDS: dict[str, tuple[str, str]] = {
    "heap_bytes_per_task": ("user heap", "#009E73"),
    "stack_bytes_per_task": ("touched stack", "#0072B2"),
    "page_table_bytes_per_task": ("page tables", "#F0E442"),
    "kernel_stack_bytes_per_task": ("kernel stack", "#D55E00"),
    "slab_bytes_per_task": ("kernel objects (slab)", "#E69F00"),
}
_GREY_DASHES: tuple[tuple[int, tuple[float, ...]], ...] = (
    (0, (5, 2)), (0, (2, 2)), (0, (7, 2, 2, 2)), (0, (1, 1.5)), (0, (9, 3)))


def is_reference(contender: str) -> bool:
    """Floors and peers: what the contenders are measured against."""
    return contender.startswith(("floor-", "peer-"))


def order(contenders: set[str]) -> list[str]:
    """Contenders in the palette's order, then others, then floors and peers."""
    known = list(CONTENDERS)
    return sorted(contenders, key=lambda c: (
        is_reference(c), known.index(c) if c in known else len(known), c))


def style(contender: str, index: int = 0) -> Style:
    """The contender's style; `index` tells several floors of one picture apart."""
    if is_reference(contender):
        return Style("#666666", "_" if contender.startswith("floor-") else "x",
                     _GREY_DASHES[index % len(_GREY_DASHES)])
    return CONTENDERS.get(contender, Style("#000000", "*"))
