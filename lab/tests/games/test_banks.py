"""The third bank of every game: as large as that to build on, and in words of its own."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from importlib import resources
from typing import Any

import pytest

FILES = {
    "nonsense": ("nonsense", "{}"),
    "companion": ("companion", "{}"),
    "logic": ("logic", "{}"),
    "plain knights": ("logic", "plain-{}"),
    "adventures": ("adventures", "{}"),
}
SHARED = {"nonsense": 0.03, "companion": 0.05, "logic": 0.03, "plain knights": 0.0}
"""The largest share of a bank's runs of four words that another bank may have as well.

A placeholder is a word: what is left over is mostly "the {t} of {s} is" and "now instead of {old}".
Adventures speak of rooms all the time: "{thing} in the {room}" and its like are a twentieth.
"""
WORDS = re.compile(r"[a-z']+|\{\w+\}")


def table(game: str, bank: str) -> dict[str, Any]:
    package, name = FILES[game]
    path = resources.files(f"mags_lab.games.{package}") / "data" / f"{name.format(bank)}.toml"
    return tomllib.loads(path.read_text("utf-8"))


def lines(found: object, key: str = "") -> Iterator[tuple[str, str]]:
    """Every line of a table with the keys that lead to it."""
    if isinstance(found, dict):
        for name, inner in found.items():
            yield from lines(inner, f"{key}.{name}")
    elif isinstance(found, list):
        for inner in found:
            yield from lines(inner, key)
    elif isinstance(found, str):
        yield key, found


def runs(game: str, bank: str) -> set[tuple[str, ...]]:
    """All runs of four words in a bank."""
    found = set()
    for _, line in lines(table(game, bank)):
        words = WORDS.findall(line.casefold())
        found |= {tuple(words[at : at + 4]) for at in range(len(words) - 3)}
    return found


@pytest.mark.parametrize("other", ["tuning", "scored"])
@pytest.mark.parametrize("game", FILES)
def test_hardly_four_words_in_a_row_stand_in_another_bank(game: str, other: str) -> None:
    mine = runs(game, "unseen")
    assert len(mine & runs(game, other)) <= SHARED.get(game, 0.1) * len(mine)


@pytest.mark.parametrize("game", sorted(set(FILES) - {"adventures"}))
def test_there_are_as_many_ways_to_say_a_thing_as_in_the_bank_to_build_on(game: str) -> None:
    tuning, unseen = ([key for key, _ in lines(table(game, bank))] for bank in ("tuning", "unseen"))
    assert set(tuning) == set(unseen)
    fewer = {key for key in set(tuning) if unseen.count(key) < tuning.count(key)}
    assert fewer == set()


@pytest.mark.parametrize("game", FILES)
def test_a_slot_of_the_third_bank_is_one_that_the_bank_to_build_on_has_too(game: str) -> None:
    def slots(bank: str) -> set[str]:
        return {slot for _, line in lines(table(game, bank)) for slot in re.findall(r"{\w+}", line)}

    assert slots("unseen") <= slots("tuning")
