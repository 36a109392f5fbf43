"""A guess closes nothing that is held at least as surely."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags.graph.node import NEVER
from tests.engram.desk import Desk, add, retract, update

WHY = "less sure than what it would close"
OSLO = ("Ana", "lives in", "Oslo")
BERGEN = ("Ana", "lives in", "Bergen")


@pytest.fixture
def desk():
    return Desk()


def guess(*told: str, confidence: float = 0.6):
    return add(*told, confidence=confidence, tentative=True)


def test_a_guess_is_left_out_where_something_else_is_held_as_surely(desk):
    desk.say("I live in Oslo", add(*OSLO, confidence=0.6), at=10)
    done = desk.say("Bergen it is", guess(*BERGEN), at=20)
    assert done.closed == done.facts == []
    assert done.ignored == [(0, WHY)]
    assert desk.facts() == [(*OSLO, 10, NEVER)]
    assert desk.state.content(done.episode).text == "Bergen it is"


def test_a_guess_closes_what_is_held_less_surely(desk):
    desk.say("Oslo, maybe", guess(*OSLO, confidence=0.5), at=10)
    done = desk.say("Bergen it is", guess(*BERGEN), at=20)
    assert len(done.closed) == 1
    assert desk.open() == {BERGEN}


def test_what_is_told_plainly_closes_a_guess(desk):
    desk.say("Bergen it is", guess(*BERGEN, confidence=0.9), at=10)
    desk.say("I live in Oslo", add(*OSLO, confidence=0.5), at=20)
    assert desk.open() == {OSLO}


def test_a_guess_stands_beside_others_where_a_slot_holds_many(desk):
    desk.say("I like tea", add("Ana", "likes", "tea"))
    done = desk.say("Coffee for me", guess("Ana", "likes", "coffee"))
    assert done.closed == []
    assert len(desk.open()) == 2


def test_a_guess_that_says_what_is_held_confirms_it(desk):
    fact = desk.say("I live in Oslo", add(*OSLO), session="a").facts[0]
    done = desk.say("Oslo is home", guess(*OSLO), session="b")
    assert done.confirmed == [fact]


def test_a_guess_denies_nothing_held_as_surely(desk):
    desk.say("I like tea", add("Ana", "likes", "tea"))
    done = desk.say("Tea, well", guess("Ana", "dislikes", "tea"))
    assert done.ignored == [(0, WHY)]
    assert desk.open() == {("Ana", "likes", "tea")}


def test_a_guess_takes_nothing_back_that_is_held_as_surely(desk):
    desk.say("I like tea", add("Ana", "likes", "tea"))
    done = desk.say("No tea", retract("Ana", "likes", "tea", confidence=0.6, tentative=True))
    assert done.closed == []
    assert done.ignored == [(0, WHY)]


def test_a_change_that_is_a_guess_closes_nothing_held_as_surely(desk):
    desk.say("I like tea", add("Ana", "likes", "tea"))
    done = desk.say("Coffee now", update("Ana", "likes", "coffee", confidence=0.6, tentative=True))
    assert done.closed == []
    assert desk.open() == {("Ana", "likes", "tea")}


@given(st.lists(st.tuples(st.sampled_from(["Oslo", "Bergen", "Rome"]), st.booleans()), max_size=8))
def test_guesses_never_close_what_is_told_surely(told):
    desk = Desk()
    last = None
    for day, (city, plain) in enumerate(told):
        said = add("Ana", "lives in", city, confidence=0.8 if plain else 0.6, tentative=not plain)
        desk.say(f"{city} {day}", said, at=10 + day)
        last = city if plain else last
    if last is not None:
        assert desk.open() == {("Ana", "lives in", last)}
