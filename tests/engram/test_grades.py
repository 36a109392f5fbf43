"""Whose word a statement is decides what it may end; what it may not end it disputes."""

from __future__ import annotations

import pytest

from mags.graph.records import NEVER, Grade, NodeFlag, grade_in
from tests.engram.desk import DAY, Desk, add, retract, update

HOME = add("Ana", "lives in", "Oslo")
ROME = update("Ana", "lives in", "Rome")


@pytest.fixture
def desk() -> Desk:
    """Ana has said where she lives."""
    desk = Desk()
    desk.say("I live in Oslo.", HOME, speaker="Ana")
    return desk


def homes(desk: Desk) -> set[str]:
    return {object_ for subject, relation, object_ in desk.open() if relation == "lives in"}


def disputed(desk: Desk) -> set[tuple[str, str]]:
    """Relation and object of the open facts that are disputed."""
    nodes = desk.state.graph.nodes[desk.state.graph.where()]
    found = set()
    for node_id in nodes["id"][(nodes["flags"] & int(NodeFlag.DISPUTED)) != 0].tolist():
        meta = desk.state.content(node_id).meta
        if "relation" in meta and desk.node(node_id)["valid_to"] == NEVER:
            found.add((meta["relation"], meta["object"]))
    return found


def graded(desk: Desk, fact: int) -> Grade:
    return grade_in(int(desk.node(fact)["flags"]))


def test_a_rumour_stands_disputed_beside_what_a_person_says_of_herself(desk):
    seen = desk.say("Ana moved to Rome.", ROME, speaker="Bob")
    assert homes(desk) == {"Oslo", "Rome"}
    assert seen.closed == []
    assert seen.disputed == seen.facts
    assert disputed(desk) == {("lives in", "Rome")}
    assert [r["rule"] for r in desk.deltas[-1].reasons].count("dispute") == 1


def test_the_newer_word_of_the_person_closes_the_older_and_the_rumour(desk):
    desk.say("Ana moved to Rome.", ROME, speaker="Bob")
    desk.say("I moved to Bergen.", update("Ana", "lives in", "Bergen"), speaker="Ana")
    assert homes(desk) == {"Bergen"}


def test_the_person_herself_settles_a_dispute_either_way(desk):
    desk.say("Ana moved to Rome.", ROME, speaker="Bob")
    other = Desk()
    other.say("I live in Oslo.", HOME, speaker="Ana")
    other.say("Ana moved to Rome.", ROME, speaker="Bob")
    desk.say("I still live in Oslo.", HOME, speaker="Ana")
    assert homes(desk) == {"Oslo"}
    other.say("It is true, I moved to Rome.", ROME, speaker="Ana")
    assert homes(other) == {"Rome"}
    assert disputed(other) == set()


def test_two_independent_speakers_settle_it_and_one_who_says_it_again_does_not(desk):
    for session in ("s2", "s3", "s4"):
        desk.say("Ana moved to Rome.", ROME, speaker="Bob", session=session)
    assert homes(desk) == {"Oslo", "Rome"}
    desk.say("Ana moved to Rome.", ROME, speaker="Carl")
    assert homes(desk) == {"Rome"}
    assert disputed(desk) == set()


def test_repetition_by_one_speaker_does_not_make_what_is_disputed_surer(desk):
    (fact,) = desk.say("Ana moved to Rome.", ROME, speaker="Bob", session="s2").facts
    before = float(desk.node(fact)["confidence"])
    desk.say("Ana moved to Rome.", ROME, speaker="Bob", session="s3")
    assert float(desk.node(fact)["confidence"]) == before


@pytest.mark.parametrize(
    ("said", "speaker", "grade"),
    [
        (ROME, "Ana", Grade.SELF),
        (ROME, "Bob", Grade.THIRD),
        (ROME, "", Grade.THIRD),
        (update("Ana", "lives in", "Rome", qualifiers={"source": "Carl"}), "Bob", Grade.REPORTED),
        (ROME, "assistant", Grade.TOOL),
    ],
)
def test_a_fact_keeps_whose_word_it_is(said, speaker, grade):
    desk = Desk()
    (fact,) = desk.say("It is so.", said, speaker=speaker).facts
    assert graded(desk, fact) is grade


def test_what_is_asserted_by_hand_is_worth_more_than_a_third_party_and_less_than_oneself(desk):
    desk.say("I live in Bonn.", add("Bob", "lives in", "Bonn"), speaker="Bob")
    given = desk.state_fact(add("Cleo", "lives in", "Lima"))
    assert graded(desk, given.facts[0]) is Grade.OWNER
    desk.say("Cleo lives in Rome.", add("Cleo", "lives in", "Rome"), speaker="Bob")
    assert ("lives in", "Rome") in disputed(desk)
    assert desk.state_fact(ROME).disputed  # Ana has told herself where she lives


def test_hearsay_does_not_bear_out_a_rumour_nor_a_tool_what_one_person_says(desk):
    desk.say("Ana moved to Rome.", ROME, speaker="Bob")
    heard = update("Ana", "lives in", "Rome", qualifiers={"source": "Dora"})
    desk.say("Dora said that Ana moved to Rome.", heard, speaker="Carl")
    desk.say("Ana lives in Rome.", ROME, speaker="assistant")
    assert "Oslo" in homes(desk)


def test_what_follows_from_a_rumour_is_worth_no_more_than_it(desk):
    (rumour,) = desk.say("Bob is with Dave in Rome.", ROME, speaker="Bob").facts
    derived = add("Ana", "works at", "Stem", rests_on=(rumour,))
    (fact,) = desk.say("So I work at Stem.", derived, speaker="Ana").facts
    assert graded(desk, fact) is Grade.THIRD


def test_another_cannot_take_back_what_a_person_says_of_herself_but_two_can(desk):
    over = retract("Ana", "lives in", "Oslo", change=True)
    seen = desk.say("Ana no longer lives in Oslo.", over, speaker="Bob")
    assert homes(desk) == {"Oslo"}
    assert seen.closed == []
    assert disputed(desk) == {("no longer lives in", "Oslo")}
    desk.say("Ana no longer lives in Oslo.", over, speaker="Carl")
    assert homes(desk) == set()


def test_a_stated_end_told_by_another_ends_nothing_that_a_person_says_of_herself(desk):
    desk.say("Ana lived there until May.", add("Ana", "lives in", "Oslo", until=900), speaker="Bob")
    assert homes(desk) == {"Oslo"}


def test_a_date_that_lies_ahead_locks_no_slot(desk):
    desk.say("Ana lives in Rome.", ROME, speaker="Bob", at=50_000)
    desk.say("I moved to Bergen.", update("Ana", "lives in", "Bergen"), speaker="Ana")
    assert ("Ana", "lives in", "Bergen") in desk.open()
    assert disputed(desk) == {("lives in", "Rome")}


def test_equal_grades_are_as_before_the_newer_closes(desk):
    desk.say("Dave lives in Rome.", add("Dave", "lives in", "Rome"), speaker="Bob")
    desk.say("Dave moved to Paris.", update("Dave", "lives in", "Paris"), speaker="Ana")
    assert ("Dave", "lives in", "Rome") not in desk.open()


def test_where_one_person_alone_speaks_all_statements_have_one_grade():
    desk = Desk()
    desk.say("I live in Oslo.", add("user", "lives in", "Oslo"), speaker="user")
    heard = update("user", "lives in", "Rome", qualifiers={"source": "mum"})
    desk.say("Mum says that I live in Rome.", heard, speaker="user")
    assert desk.open() == {("user", "lives in", "Rome")}
    desk.state_fact(update("user", "lives in", "Lima"))
    assert desk.open() == {("user", "lives in", "Lima")}
    desk.say("You live in Bonn.", update("user", "lives in", "Bonn"), speaker="assistant")
    assert ("user", "lives in", "Lima") in desk.open()


def test_what_a_person_says_of_what_is_named_as_hers_is_her_own_word(desk):
    desk.say("My dog is called Rex.", add("Ana's dog", "is aged", "3"), speaker="Ana")
    desk.say("Ana's dog is 5.", update("Ana's dog", "is aged", "5"), speaker="Bob")
    assert ("age", "5") in disputed(desk)


def test_a_fact_of_an_older_file_is_graded_by_who_said_it(desk):
    fact = next(int(i) for i in desk.state.slots.of(desk.state.names.find("Ana")[0]))
    row = desk.state.graph.row(fact)
    desk.state.graph.nodes["flags"][row] &= 0b1111111111  # as version 0.1 wrote it
    desk.say("Ana moved to Rome.", ROME, speaker="Bob")
    assert "Oslo" in homes(desk)


def test_a_dispute_ends_with_the_fact_that_was_disputed(desk):
    (fact,) = desk.say("Ana moved to Rome.", ROME, speaker="Bob").facts
    now = desk.now
    assert desk.state.slots.outranked(fact, now)
    gone = retract("Ana", "lives in", "Oslo", change=True)
    desk.say("I no longer live in Oslo.", gone, speaker="Ana")
    assert not desk.state.slots.outranked(fact, now + 9 * DAY)
