"""The sentence banks: complete, apart from one another, and telling nothing by themselves."""

import re
from itertools import combinations
from json import dumps
from pathlib import Path

import pytest

from mags.errors import InvalidInput, NotFound
from mags_lab.games.nonsense.bank import NonsenseBank, bank
from mags_lab.games.nonsense.game import Nonsense
from mags_lab.games.nonsense.levels import level
from mags_lab.games.nonsense.rules import VALUES
from mags_lab.games.sentences import BANKS, Lists, sentence

PAIRS = list(combinations(BANKS, 2))
LISTS = ("told", "again", "change", "question", "right", "wrong", "frames")


def lines(made: NonsenseBank) -> list[str]:
    lists: list[Lists] = [getattr(made, name) for name in LISTS]
    return [line for table in lists for found in table.values() for line in found]


@pytest.mark.parametrize(("name", "another"), PAIRS)
def test_all_banks_have_the_same_keys(name: str, another: str) -> None:
    one, other = bank(name), bank(another)
    for table in (*LISTS, "kinds", "action"):
        assert getattr(one, table).keys() == getattr(other, table).keys()
    assert len(one.laws) == len(other.laws)


@pytest.mark.parametrize(("name", "another"), PAIRS)
def test_no_sentence_stands_in_two_banks(name: str, another: str) -> None:
    one, other = bank(name), bank(another)
    assert set(lines(one)) & set(lines(other)) == set()
    assert set(one.filler) & set(other.filler) == set()


@pytest.mark.parametrize(("name", "another"), PAIRS)
def test_no_made_up_kind_of_thing_stands_in_two_banks(name: str, another: str) -> None:
    def kinds(made: NonsenseBank) -> set[str]:
        return {
            kind for found in made.kinds.values() for kind in found if re.search("[a-z]{3}", kind)
        }

    one, other = bank(name), bank(another)
    assert kinds(one) & kinds(other) == set()
    assert set(one.acts) & set(other.acts) == set()
    assert set(one.deeds) & set(other.deeds) == set()
    assert {law.status for law in one.laws} & {law.status for law in other.laws} == set()
    assert {one.honest, one.lying} & {other.honest, other.lying} == set()


@pytest.mark.parametrize("name", BANKS)
def test_a_bank_says_nothing_twice_in_one_list(name: str) -> None:
    made = bank(name)
    lists: list[Lists] = [getattr(made, name) for name in LISTS]
    assert [f for table in lists for f in table.values() if len(set(f)) != len(f)] == []
    assert len(set(made.filler)) == len(made.filler) >= 40


@pytest.mark.parametrize("name", BANKS)
def test_every_relation_that_changes_can_be_told_without_what_it_was(name: str) -> None:
    for found in bank(name).change.values():
        assert sum("{old}" not in line for line in found) >= 2


@pytest.mark.parametrize("name", BANKS)
def test_a_clause_has_no_full_stop_so_that_it_fits_into_a_frame(name: str) -> None:
    made = bank(name)
    clauses = [
        c
        for table in (made.told, made.again, made.change)
        for found in table.values()
        for c in found
    ]
    assert [c for c in clauses if c.endswith((".", "!", "?")) or c[0].isupper()] == []
    assert len(made.told) == len(VALUES)


def test_a_sentence_begins_with_a_capital_and_ends_once() -> None:
    assert sentence("the gate is shut") == "The gate is shut."
    assert sentence("Is it?") == "Is it?"


def test_an_unknown_bank_is_said_to_be_unknown() -> None:
    with pytest.raises(NotFound, match="scored, tuning, unseen"):
        bank("other")


def test_a_bank_may_be_a_file_that_says_some_things_otherwise(tmp_path: Path) -> None:
    told = ["{s} runs with {o}", *(f"{{s}} is with {{o}} ({i})" for i in range(5))]
    tables = {**bank("tuning").told, "clan": told}
    rows = "\n".join(f"{dumps(key)} = {dumps(list(found))}" for key, found in tables.items())
    path = tmp_path / "mine.toml"
    path.write_text(f"[told]\n{rows}\n", encoding="utf-8")
    made = bank(str(path))
    assert made.name == "mine"
    assert made.told["clan"][0] == "{s} runs with {o}"
    assert made.question == bank("tuning").question
    scene = Nonsense(level("tiny"), bank_name=str(path)).begin(0)
    assert scene.actions


def test_a_file_that_is_none_or_has_a_flaw_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        bank(str(tmp_path / "none.toml"))
    for i, text in enumerate(("no toml", '[told]\nclan = ["{s} is with {o}"]\n')):
        path = tmp_path / f"{i}.toml"
        path.write_text(text, encoding="utf-8")
        with pytest.raises(InvalidInput):
            bank(str(path))
