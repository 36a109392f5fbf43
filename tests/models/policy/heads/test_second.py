"""Rules first, and where they read nothing what the heads are sure of, as a guess."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

import mags
from mags.models.embed.hashing import HashEmbedder
from mags.models.embed.onnx import OnnxEmbedder
from mags.models.policy.heads import HeadsPolicy
from mags.models.policy.heads.second import RulesFirst
from mags.models.policy.rules import RulePolicy
from mags.ports.policy import Act, Operation, Turn
from mags.settings import Settings

HUMMED = Turn(text="Hm, that again.", speaker="Ana", at=1.7e9)
PLAIN = Turn(text="I live in Bergen.", speaker="Ana", at=1.7e9)


class Reading:
    """Reads the same of every turn."""

    def __init__(self, *read: Operation) -> None:
        self._read = read

    def sure(self, turn, recent, recalled, *, least):
        return tuple(one for one in self._read if one.confidence >= least)


def lives(where: str, confidence: float, act: Act = Act.ADD) -> Operation:
    return Operation(
        act=act,
        subject="Ana",
        relation="lives in",
        object=where,
        confidence=confidence,
        one=True if act is Act.UPDATE else None,
        change=act is not Act.ADD,
    )


def held(*read: Operation) -> tuple[Operation, ...]:
    return RulesFirst(Reading(*read)).write(HUMMED, (), ()).operations


def test_a_fact_is_held_as_a_guess_less_surely_than_what_the_rules_read():
    (guess,) = held(lives("Oslo", 0.98))
    (plain,) = RulesFirst(Reading()).write(PLAIN, (), ()).operations
    assert guess.tentative
    assert not plain.tentative
    assert guess.confidence == 0.69 < plain.confidence


def test_what_the_heads_are_less_sure_of_keeps_its_confidence():
    assert [one.confidence for one in held(lives("Oslo", 0.62))] == [0.62]


def test_a_sure_change_is_taken_as_it_is_told():
    assert held(lives("Oslo", 0.95, Act.UPDATE)) == (lives("Oslo", 0.95, Act.UPDATE),)
    assert held(lives("Oslo", 0.95, Act.RETRACT)) == (lives("Oslo", 0.95, Act.RETRACT),)


def test_an_unsure_change_is_a_guess_of_what_is_so_now():
    (guess,) = held(lives("Oslo", 0.8, Act.UPDATE))
    assert (guess.act, guess.one, guess.change, guess.tentative) == (Act.ADD, None, False, True)


def test_an_unsure_retraction_is_left_out():
    assert held(lives("Oslo", 0.8, Act.RETRACT)) == ()


def test_what_is_less_sure_than_asked_is_left_out():
    assert held(lives("Oslo", 0.59)) == ()


def test_who_read_a_turn_is_said():
    writing = RulesFirst(Reading(lives("Oslo", 0.98))).write(HUMMED, (), ())
    assert writing.why == "Read by heads: rules read nothing."


def test_a_sure_change_mentions_whom_it_tells_of_and_a_guess_nobody():
    change, told = (lives("Oslo", 0.98, act) for act in (Act.UPDATE, Act.ADD))
    assert "Ana" in RulesFirst(Reading(change)).write(HUMMED, (), ()).mentions
    assert "Ana" not in RulesFirst(Reading(told)).write(HUMMED, (), ()).mentions


def test_the_heads_add_what_the_rules_did_not_read_of_a_turn():
    tea = Operation(act=Act.ADD, subject="Ana", relation="likes", object="tea", confidence=0.9)
    writing = RulesFirst(Reading(tea, lives("Oslo", 0.98))).write(PLAIN, (), ())
    assert [one.object for one in writing.operations] == ["Bergen", "tea"]
    assert [one.tentative for one in writing.operations] == [False, True]
    assert writing.why == "Read by heads: 1 more than rules read."


@pytest.mark.parametrize("object_", ["Bergen", "bergen, Norway", "Bergen city"])
def test_the_heads_add_nothing_of_what_the_rules_read(object_: str):
    near = Operation(act=Act.ADD, subject="Ana", relation="is from", object=object_, confidence=0.9)
    alone = RulePolicy().write(PLAIN, (), ())
    assert RulesFirst(Reading(near)).write(PLAIN, (), ()) == alone
    far = replace(near, object="Rome")
    assert len(RulesFirst(Reading(far)).write(PLAIN, (), ()).operations) == 2


def test_the_heads_add_nothing_that_a_fact_of_the_same_person_names_in_passing():
    said = "I play chess with my swimming coach Bente."
    turn = Turn(text=said, speaker="Ana", at=1.7e9)
    alone = len(RulePolicy().write(turn, (), ()).operations)
    swims = Operation(
        act=Act.ADD, subject="Ana", relation="plays", object="swimming", confidence=0.9
    )
    assert len(RulesFirst(Reading(swims)).write(turn, (), ()).operations) == alone > 0
    another = replace(swims, subject="Bente")
    assert len(RulesFirst(Reading(another)).write(turn, (), ()).operations) == alone + 1


def test_the_heads_do_not_tell_the_other_way_round_what_the_rules_read():
    turn = Turn(text="Carol is married to Erik.", speaker="Bob", at=1.7e9)
    mirror = Operation(
        act=Act.ADD, subject="Erik", relation="is married to", object="Carol", confidence=0.9
    )
    alone = RulePolicy().write(turn, (), ())
    assert len(alone.operations) == 1
    assert RulesFirst(Reading(mirror)).write(turn, (), ()) == alone


def told(read: Mapping[str, Operation], *talk: str) -> set[str]:
    """What is open after a talk of which the heads read something where `read` says so."""

    class Some:
        def sure(self, turn, recent, recalled, *, least):
            return (read[turn.text],) if turn.text in read else ()

    embedder = HashEmbedder(64)
    with mags.open(
        None, settings=Settings(), policy=RulesFirst(Some()), embedder=embedder
    ) as memory:
        for day, text in enumerate(talk):
            memory.observe(text, speaker="Ana", at=1.7e9 + day * 86_400.0)
        facts = memory.facts(current=True)
        return {f"{fact.text}{' (a guess)' if fact.tentative else ''}" for fact in facts}


def test_plain_talk_stays_true_whatever_the_heads_read_into_the_rest():
    wrong = {"Hm, Oslo again.": lives("Oslo", 0.99), "Ah well.": lives("Rome", 0.7, Act.UPDATE)}
    talk = ("I live in Bergen.", "Hm, Oslo again.", "Ah well.", "I like tea.")
    plain = {"Ana lives in Bergen.", "Ana likes tea."}
    guesses = {"Ana lives in Oslo. (a guess)", "Ana lives in Rome. (a guess)"}
    assert told({}, *talk) == plain
    assert told(wrong, *talk) == plain | guesses


def test_what_is_said_plainly_takes_the_place_of_a_guess():
    read = {"Hm, Oslo again.": lives("Oslo", 0.99)}
    assert told(read, "Hm, Oslo again.") == {"Ana lives in Oslo. (a guess)"}
    assert told(read, "Hm, Oslo again.", "I live in Bergen.") == {"Ana lives in Bergen."}
    assert told(read, "I live in Bergen.", "I moved to Oslo!") == {"Ana moved to Oslo."}


def test_a_change_that_the_heads_surely_read_takes_effect():
    read = {"Hm, Oslo again.": lives("Oslo", 0.95, Act.UPDATE)}
    assert told(read, "I live in Bergen.", "Hm, Oslo again.") == {"Ana lives in Oslo."}


def test_the_shipped_heads_add_guesses_and_sure_changes_only():
    shipped = RulesFirst(HeadsPolicy(OnnxEmbedder()))
    talk = (
        "Honestly, pottery has me hooked.",
        "Calling Oslo home these days, loving it.",
        "Anyone seen my Leica? Cost me a fortune.",
        "So the Volvo is gone.",
    )
    rules = RulePolicy()
    for text in talk:
        turn = Turn(text=text, speaker="Ana", at=1.7e9)
        if rules.write(turn, (), ()).operations:
            continue
        for one in shipped.write(turn, (), ()).operations:
            assert one.tentative or (one.act is not Act.ADD and one.confidence >= 0.9)
            assert one.confidence <= 0.69 or not one.tentative
