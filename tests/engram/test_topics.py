"""What has no topic in common never closes; what was only guessed contradicts nothing."""

from __future__ import annotations

import pytest

from mags.engram.claim import apart, unlike
from mags.ports.relations import normalise
from tests.engram.desk import Desk, add, retract, update


def about(topic: str, relation: str, object_: str, **more):
    return add("Ana", relation, object_, qualifiers={"topic": topic} if topic else {}, **more)


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (about("grocery budget", "budget", "400"), about("gift budget", "budget", "100")),
        (about("budget", "budget", "2000"), about("gift budget", "budget", "100")),
        (about("", "budget", "400"), about("", "budget", "100")),
        (about("work", "works at", "Stem"), about("second work", "works at", "Petal")),
        (about("", "works at", "Stem"), about("weekend job", "works at", "Petal")),
        (about("age", "age", "34"), about("dog's age", "age", "5")),
        (about("kitchen budget", "budget", "4000"), about("bathroom budget", "budget", "6000")),
    ],
)
def test_what_has_no_topic_in_common_holds_side_by_side(desk, first, second):
    desk.say("The first.", first)
    seen = desk.say("The second.", second)
    assert seen.closed == []
    assert {fact[2] for fact in desk.open()} == {first.object, second.object}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (about("grocery budget", "budget", "400"), about("budget for groceries", "budget", "450")),
        (about("work", "works at", "Stem"), about("new job", "works at", "Petal")),
        (about("second work", "works at", "Stem"), about("second job", "works at", "Petal")),
        (about("home", "lives in", "Bonn"), about("", "lives in", "Rome")),
        (about("Ana's home", "lives in", "Bonn"), about("home", "lives in", "Rome")),
        (about("", "budget", "400"), about("", "budget", "450", change=True)),
    ],
)
def test_what_is_of_one_topic_closes_as_ever(desk, first, second):
    desk.say("The first.", first)
    desk.say("The second.", second)
    assert {fact[2] for fact in desk.open()} == {second.object}


def test_the_topic_of_another_than_who_speaks_names_whose_it_is(desk):
    desk.say("My mother is 60.", add("Ana's mother", "age", "60"), speaker="Ana")
    now = add("Ana's mother", "age", "61", qualifiers={"topic": "mother's age"})
    desk.say("Mum is 61.", now, speaker="Ana")
    assert desk.open() == {("Ana's mother", "age", "61")}


def test_the_second_job_that_is_quit_leaves_the_first(desk):
    desk.say("I work at Stem.", about("work", "works at", "Stem"))
    desk.say("I also work at Petal.", about("second work", "works at", "Petal"))
    gone = retract("Ana", "works at", change=True, qualifiers={"topic": "second job"})
    desk.say("I quit my second job.", gone)
    assert desk.open() == {("Ana", "works at", "Stem")}


def test_the_same_sum_for_two_things_is_two_facts(desk):
    desk.say("400 for groceries.", about("groceries", "budget", "400"))
    seen = desk.say("400 for gifts.", about("gifts", "budget", "400"))
    assert len(seen.facts) == 1
    assert seen.confirmed == []


def test_sentences_close_nothing_across_topics(desk):
    said = "Ana keeps four hundred euros for food every month."
    desk.say(said, about("grocery budget", "puts aside", "400", text=said))
    again = "Ana keeps not four hundred but a hundred euros for gifts every month."
    seen = desk.say(again, about("gift budget", "puts aside", "100", text=again))
    assert seen.closed == []


@pytest.mark.parametrize(
    "guess",
    [
        "Perhaps Beata works at Shell now.",
        "I think Beata does not work at Lumen any more.",
        "Beata might not be at Lumen now.",
        "I heard Beata no longer works at Lumen.",
    ],
)
@pytest.mark.parametrize("read", [True, False])
def test_a_turn_of_which_only_guesses_were_read_closes_nothing(desk, guess, read):
    desk.say("Beata works at Lumen.", add("Beata", "works at", "Lumen"), mentions=("Beata",))
    operations = [update("Beata", "works at", "Shell", change=True, tentative=True)] * read
    seen = desk.say(guess, *operations, mentions=("Beata",), understood=read)
    assert seen.closed == []
    assert ("Beata", "works at", "Lumen") in desk.open()


def test_topics_of_which_one_is_not_told_are_alike_across_slots():
    assert not unlike({"topic": "car"}, {})
    assert unlike({"topic": "car"}, {"topic": "home"})
    assert not unlike({"topic": "kitchen debt"}, {"topic": "kitchen"})
    assert not apart({}, {}, normalise("lives in"), "Ana", own=True)
