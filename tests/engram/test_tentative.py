"""A guess closes nothing and stands in the way of nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags.graph.records import NEVER, NodeFlag, NodeKind
from tests.engram.desk import DAY, Desk, add, retract, update

OSLO = ("Ana", "lives in", "Oslo")
BERGEN = ("Ana", "lives in", "Bergen")
WORKS = ("Ana", "works at", "Acme")


@pytest.fixture
def desk():
    return Desk()


def guess(*told: str, confidence: float = 0.6, **more):
    return add(*told, confidence=confidence, tentative=True, **more)


def sure(desk: Desk) -> list[tuple]:
    """Every fact that is no guess, with its times, whether it is denied and what it closed."""
    return sorted(
        (*_words(desk, i), float(n["valid_from"]), float(n["valid_to"]), float(n["confidence"]))
        for i in desk.state.graph.ids(NodeKind.FACT).tolist()
        if not int((n := desk.node(i))["flags"]) & NodeFlag.GUESS
    )


def guesses(desk: Desk) -> dict[tuple[str, str, str], float]:
    """Every guess, with the day on which it ended."""
    return {
        _words(desk, i): float(n["valid_to"]) / DAY
        for i in desk.state.graph.ids(NodeKind.FACT).tolist()
        if int((n := desk.node(i))["flags"]) & NodeFlag.GUESS
    }


def _words(desk: Desk, fact: int) -> tuple[str, str, str]:
    meta = desk.state.content(fact).meta
    return meta["subject"], meta["relation"], meta["object"]


def test_a_guess_stands_beside_what_is_surely_held(desk):
    desk.say("I live in Oslo", add(*OSLO), at=10)
    done = desk.say("Bergen it is", guess(*BERGEN), at=20)
    assert done.closed == []
    assert desk.open() == {OSLO, BERGEN}
    assert guesses(desk) == {BERGEN: NEVER}


def test_a_guess_closes_nothing_that_is_held_less_surely(desk):
    desk.say("I live in Oslo", add(*OSLO, confidence=0.3), at=10)
    done = desk.say("Bergen it is", guess(*BERGEN, confidence=0.9), at=20)
    assert done.closed == []
    assert desk.open() == {OSLO, BERGEN}


def test_a_guess_closes_no_other_guess(desk):
    desk.say("Oslo, maybe", guess(*OSLO, confidence=0.5), at=10)
    done = desk.say("Bergen it is", guess(*BERGEN), at=20)
    assert done.closed == []
    assert guesses(desk) == {OSLO: NEVER, BERGEN: NEVER}


def test_what_is_told_plainly_ends_the_guesses_that_do_not_hold_beside_it(desk):
    desk.say("Bergen it is", guess(*BERGEN, confidence=0.9), at=10)
    done = desk.say("I live in Oslo", add(*OSLO, confidence=0.5), at=20)
    assert len(done.closed) == 1
    assert desk.open() == {OSLO}
    assert guesses(desk) == {BERGEN: 20}


def test_a_guess_in_between_hides_no_rival_from_what_is_told_plainly(desk):
    desk.say("I live in Oslo", add(*OSLO), at=10)
    desk.say("Bergen it is", guess(*BERGEN), at=20)
    desk.say("I moved to Rome", add("Ana", "lives in", "Rome"), at=30)
    assert desk.open() == {("Ana", "lives in", "Rome")}
    assert (*OSLO, 10, 30) in desk.facts()


def test_what_is_told_plainly_takes_the_place_of_the_guess_of_it(desk):
    desk.say("Bergen it is", guess(*BERGEN), at=10)
    done = desk.say("I live in Bergen", add(*BERGEN, confidence=0.8), at=20)
    assert len(done.facts) == 1
    assert done.confirmed == []
    assert sure(desk) == [(*BERGEN, 20 * DAY, NEVER, pytest.approx(0.8))]
    assert guesses(desk) == {BERGEN: 20}


def test_a_guess_stands_beside_others_where_a_slot_holds_many(desk):
    desk.say("I like tea", add("Ana", "likes", "tea"))
    done = desk.say("Coffee for me", guess("Ana", "likes", "coffee"))
    assert done.closed == []
    assert len(desk.open()) == 2


def test_a_guess_that_says_what_is_held_makes_it_no_surer(desk):
    desk.say("I live in Oslo", add(*OSLO, confidence=0.8), session="a")
    before = sure(desk)
    done = desk.say("Oslo is home", guess(*OSLO), session="b")
    assert (done.facts, done.confirmed) == ([], [])
    assert done.ignored == [(0, "held surely already")]
    assert sure(desk) == before


def test_a_guess_that_is_made_again_is_one_guess(desk):
    fact = desk.say("Oslo, maybe", guess(*OSLO, confidence=0.5), session="a").facts[0]
    done = desk.say("Oslo is home", guess(*OSLO, confidence=0.5), session="b")
    assert (done.facts, done.confirmed) == ([], [fact])
    assert desk.node(fact)["confidence"] == pytest.approx(0.75)


def test_a_guess_denies_nothing(desk):
    desk.say("I like tea", add("Ana", "likes", "tea"))
    desk.say("Tea, well", guess("Ana", "dislikes", "tea"))
    assert desk.open() == {("Ana", "likes", "tea"), ("Ana", "dislikes", "tea")}
    desk.say("I hate tea", add("Ana", "dislikes", "tea"))
    assert desk.open() == {("Ana", "dislikes", "tea")}


def test_a_guess_takes_nothing_back(desk):
    desk.say("I like tea", add("Ana", "likes", "tea", confidence=0.2))
    desk.say("Coffee, maybe", guess("Ana", "likes", "coffee"))
    for thing in ("tea", "coffee"):
        done = desk.say("No more", retract("Ana", "likes", thing, tentative=True))
        assert done.closed == []
        assert done.ignored == [(0, "a guess takes nothing back")]
    assert len(desk.open()) == 2


def test_a_change_that_is_a_guess_closes_nothing(desk):
    desk.say("I like tea", add("Ana", "likes", "tea"))
    done = desk.say("Coffee now", update("Ana", "likes", "coffee", confidence=0.6, tentative=True))
    assert done.closed == []
    assert len(desk.open()) == 2


def test_the_end_of_a_job_ends_what_is_sure_and_what_is_guessed(desk):
    desk.say("I work at Acme", add(*WORKS), at=10)
    desk.say("The gig at Zorb is fine", guess("Ana", "works at", "Zorb"), at=20)
    done = desk.say("I was fired", retract("Ana", "works at", change=True), at=30)
    assert len(done.closed) == 2
    assert desk.open() == set()


def test_a_guess_never_makes_it_unclear_which_thing_is_meant(desk):
    desk.say("I drive a red Toyota", add("Ana", "drives", "red Toyota"), at=10)
    desk.say("The old Toyota", guess("Ana", "drives", "old Toyota"), at=20)
    desk.say("I sold the Toyota", retract("Ana", "drives", "Toyota", change=True), at=30)
    assert ("Ana", "drives", "red Toyota", 10, 30) in desk.facts()


def test_what_joins_two_things_no_longer_ends_the_guess_of_it(desk):
    desk.say("Acme, perhaps", guess(*WORKS), at=10)
    desk.say("I have nothing to do with Acme", retract("Ana", "", "Acme"), at=20)
    assert guesses(desk) == {WORKS: 20}


NAMES = st.sampled_from(["Ana", "Bob"])
TOLD = st.one_of(
    st.tuples(NAMES, st.just("lives in"), st.sampled_from(["Oslo", "Bergen", "Rome"])),
    st.tuples(NAMES, st.sampled_from(["likes", "dislikes"]), st.sampled_from(["tea", "milk"])),
    st.tuples(NAMES, st.just("is married to"), NAMES),
    st.tuples(NAMES, st.just("zorbs"), st.sampled_from(["Oslo", "tea", "Acme"])),
    st.tuples(NAMES, st.just("works at"), st.sampled_from(["Acme", "Zorb"])),
)
ACTS = st.sampled_from([add, add, update, retract])
DAYS = st.sampled_from([None, 1, 3, 500])
SAID = st.tuples(ACTS, TOLD, DAYS, st.booleans())
TURNS = st.lists(st.tuples(st.lists(SAID, max_size=2), st.lists(SAID, max_size=2)), max_size=8)


def operation(said, **more):
    act, told, since, change = said
    return act(*told, since=since, change=change, **more)


@given(TURNS)
def test_what_is_surely_held_is_the_same_with_guesses_and_without(turns):
    plain, guessing = Desk(), Desk()
    for number, (told, guessed) in enumerate(turns):
        stated = [operation(one) for one in told]
        more = [operation(one, confidence=0.6, tentative=True) for one in guessed]
        plain.say(f"Turn {number}", *stated)
        guessing.say(f"Turn {number}", *more[:1], *stated, *more[1:])
        assert sure(guessing) == sure(plain)


@given(TURNS)
def test_no_guess_is_ever_closed_by_a_guess(turns):
    desk = Desk()
    for number, (told, guessed) in enumerate(turns):
        desk.say(f"Turn {number}", *[operation(one) for one in told])
        before = {guess for guess, until in guesses(desk).items() if until == NEVER}
        more = [operation(one, confidence=0.6, tentative=True) for one in guessed]
        done = desk.say(f"Turn {number}, maybe", *more)
        assert done.closed == []
        assert before <= {guess for guess, until in guesses(desk).items() if until == NEVER}
