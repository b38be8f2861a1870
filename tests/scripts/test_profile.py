# SPDX-License-Identifier: BSL-1.0
"""Profiles keep what they promise, and their order comes from the seed alone."""

from pathlib import Path

import pytest
from yardstack import profile
from yardstack.errors import CommandError

#: With a margin: what is expected was seen on a quiet machine.
PROMISED_S = {"quick": 4 * 60, "standard": 18.5 * 60, "rigorous": 2 * 3600}


@pytest.mark.parametrize("name", profile.names())
def test_a_profile_keeps_its_promises(name: str) -> None:
    loaded = profile.load(name)
    assert loaded.blocks >= 3
    cells = [cell for entry in loaded.entries for cell in entry.cells]
    assert len(cells) == len(set(cells)) == loaded.cells()
    for entry in loaded.entries:
        question = entry.program.removeprefix("bench-")
        assert all(cell.startswith(f"{question}/") for cell in entry.cells)
    expected = loaded.blocks * sum(entry.expected_s for entry in loaded.entries)
    assert expected <= PROMISED_S[name]


def test_quick_has_at_most_eighty_cells() -> None:
    assert profile.load("quick").cells() <= 80


def test_each_block_visits_all_in_an_order_of_the_seed() -> None:
    loaded = profile.load("quick")
    schedule = loaded.schedule(7)
    assert schedule == loaded.schedule(7) != loaded.schedule(8)
    for block in range(1, loaded.blocks + 1):
        visited = [entry.key for number, entry, _ in schedule if number == block]
        assert sorted(visited) == sorted(entry.key for entry in loaded.entries)
    assert len({seed for _, _, seed in schedule}) == len(schedule)


def test_braces_multiply() -> None:
    assert profile.expand("a/{b,c}/n:{1,2}") == ["a/b/n:1", "a/b/n:2", "a/c/n:1", "a/c/n:2"]
    assert profile.expand("plain") == ["plain"]


@pytest.mark.parametrize("text", [
    "", "blocks = 3", "blocks = ", "blocks = 3\n[[program]]\nname = 'x'",
    "blocks = 3\n" + 2 * "[[program]]\nname = 'x'\ncells = ['x/y']\nexpected_s = 1\n"])
def test_a_bad_profile_is_named_in_one_line(tmp_path: Path, text: str) -> None:
    file = tmp_path / "bad.toml"
    file.write_text(text)
    with pytest.raises(CommandError, match="bad.toml") as caught:
        profile.read(file)
    assert "\n" not in str(caught.value)
