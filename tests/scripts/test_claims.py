# SPDX-License-Identifier: BSL-1.0
"""The declared claims, and the table on top, against what the profiles measure and what they say."""

import re

import pytest
from yardstack import claims, profile, table
from yardstack.claims import Claim, Part
from yardstack.rows import Row

PARTS = [pytest.param(part, id=f"{claim.id}-{part.name}") for claim in claims.load()
         for part in claim.parts]
#: What a part calls a thing, and the counters that are that thing.
VOCABULARY = {"CPU": "cpu", "missed": "missed", "latency": "p50_ns", "tail": "p99_ns",
              "throughput": "ops_per_s", "system calls": "syscalls", "switch": "_per_switch",
              "spawn": "ns_per_spawn", "memory": "bytes_per_task", "kernel memory": "kernel_bytes",
              "virtual memory": "virtual_bytes", "user memory": "user_bytes", r"(?<!compile )time": "ns_per",
              "allocations": "allocs_per", "bytes a suspension": "bytes_per", "effects": "effects_before_poll",
              "elapsed": "elapsed_vs", "speedup": "speedup", "leaks": "leaked_", "left over": "left_per",
              "lateness": "lateness_p99",
              "calls of the allocator": "allocator_calls", "heap grew": "heap_bytes_grown",
              "steps": "steps_per", "stale reads": "stale_reads",
              "wakes lost": "wakes_lost", "found": "found", "false alarms": "false_alarms", "clones": "clones",
              "spurious polls": "spurious_polls", "ended early": "early_ends",
              "polls within": "polls_within", "polls past": "refused_polls",
              "kept": "kept_bytes", "worker's stack": "stack_bytes", "state": "state_bytes",
              "headroom": "headroom_bytes", "told at once": "told_at_once", "stale pointers": "stale_pointers",
              "code": "code_bytes", "compile time": "compile_cpu_ns", "references": "references_per"}
CONTENDERS = {"thread": "threads", "fiber": "fibers", "future": "futures", "coroutine": "coroutines",
              "callback": "callbacks"}


def measured_by(name: str) -> set[str]:
    return {cell for entry in profile.load(name).entries for cell in entry.cells}


@pytest.mark.parametrize("name", ["standard", "rigorous"])
@pytest.mark.parametrize("part", PARTS)
def test_each_row_of_a_claim_is_measured(part: Part, name: str) -> None:
    assert {part.row, part.over or part.row} <= measured_by(name)


@pytest.mark.parametrize("part", PARTS)
def test_a_part_is_called_what_it_tests(part: Part) -> None:
    meant = [counter for word, counter in VOCABULARY.items() if re.search(rf"\b{word}\b", part.name)]
    assert meant, "names no counter"
    assert all(counter in " ".join(part.counter) for counter in meant)
    assert ("÷" in part.name) == (part.over is not None)
    assert ("refused" in part.name) == bool(part.refused_by)
    sides = part.name.split("÷")
    for side, row in zip(sides, filter(None, (part.row, part.over))):
        named = {contender for word, contender in CONTENDERS.items() if word in side}
        contender = Row(row).contender
        if contender.startswith(("floor-", "peer-")):  # named by what they are
            continue
        # a claim that is about one contender only need not name it in each part
        assert not named or contender in named, f"{row} is none of {named}"


@pytest.mark.parametrize("claim", [pytest.param(claim, id=claim.id) for claim in claims.load()])
def test_a_claim_can_be_refuted(claim: Claim) -> None:
    """The size of a future is a type's, asserted where it is compiled: no run decides it."""
    assert any(part.decides for part in claim.parts)
    for part in claim.parts:
        assert part.by_construction == part.row.startswith("frames/futures/shape:")


@pytest.mark.parametrize("column", [pytest.param(c, id=f"{c.title} {c.below}") for c in table.columns()])
def test_a_column_has_one_number_of_tasks(column: table.Column) -> None:
    sizes = [(row.number("tasks"), row.number("connections"), row.number("alive"))
             for row in (Row(pattern.format("futures")) for pattern in column.rows)]
    assert len({size for size in sizes if any(size)}) == 1
    assert column.rows[0].format("futures") in measured_by("standard")
