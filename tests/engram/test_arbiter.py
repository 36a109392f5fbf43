"""Every sentence of the arbiter's rules, by hand."""

from __future__ import annotations

import pytest

from mags.graph.records import NEVER, ArcKind, NodeFlag
from tests.engram.desk import DAY, Desk, add, retract, update


@pytest.fixture
def desk():
    return Desk()


def test_a_new_object_supersedes_in_a_one_valued_slot(desk):
    old = desk.say("I live in Oslo", add("Ana", "lives in", "Oslo"), at=10).facts[0]
    done = desk.say("I moved to Bergen", add("Ana", "lives in", "Bergen"), at=20)
    assert done.closed == [old]
    assert desk.facts() == [
        ("Ana", "lives in", "Oslo", 10, 20),
        ("Ana", "lives in", "Bergen", 20, NEVER),
    ]
    assert desk.state.graph.targets(done.facts[0], ArcKind.SUPERSEDES) == [old]
    assert desk.node(old)["closed_at"] == desk.now
    assert desk.reasons("supersede") == [
        {
            "rule": "supersede",
            "fact": old,
            "by": done.facts[0],
            "valid_to": 20 * DAY,
            "was_open": True,
        }
    ]


def test_the_table_counts_holders_of_a_seat_and_not_who_holds_a_feast(desk):
    for person in ("Ana", "Bob"):
        desk.say("a", add("seat of Pell", "is held by", person))
    for clan in ("Orn clan", "Vel clan"):
        desk.say("a", add("feast of Pell", "is held by", clan))
    assert desk.open() == {
        ("seat of Pell", "is held by", "Bob"),
        ("feast of Pell", "is held by", "Orn clan"),
        ("feast of Pell", "is held by", "Vel clan"),
    }


def test_an_unknown_relation_holds_many_values(desk):
    desk.say("a", add("Ana", "tinkers with", "clocks"))
    done = desk.say("b", add("Ana", "tinkers with", "radios"))
    assert done.closed == []
    assert len(desk.open()) == 2


def test_a_change_cue_makes_an_unknown_relation_hold_one(desk):
    desk.say("a", add("Ana", "tinkers with", "clocks"))
    done = desk.say("b", add("Ana", "tinkers with", "radios", change=True))
    assert len(done.closed) == 1
    assert desk.open() == {("Ana", "tinkers with", "radios")}


def test_a_change_cue_leaves_a_relation_many_valued_by_the_table(desk):
    desk.say("a", add("Ana", "likes", "tea"))
    desk.say("b", add("Ana", "likes", "coffee", change=True))
    assert desk.open() == {("Ana", "likes", "tea"), ("Ana", "likes", "coffee")}


def test_an_update_leaves_one_value_in_any_slot(desk):
    desk.say("a", add("Ana", "likes", "tea"))
    desk.say("b", update("Ana", "likes", "coffee"))
    assert desk.open() == {("Ana", "likes", "coffee")}


def test_a_kind_names_the_slot_further(desk):
    food = {"kind": "food"}
    desk.say("a", add("Ana", "favourite", "soup", qualifiers=food))
    desk.say("b", add("Ana", "favourite", "blue", qualifiers={"kind": "colour"}))
    assert len(desk.open()) == 2
    done = desk.say("c", add("Ana", "favourite", "rice", qualifiers=food))
    assert len(done.closed) == 1
    assert {f[2] for f in desk.open()} == {"rice", "blue"}


def test_a_kind_in_the_phrase_is_the_same_slot_as_a_kind_in_the_qualifier(desk):
    desk.say("a", add("Ana", "favourite", "soup", qualifiers={"kind": "food"}))
    desk.say("b", add("Ana", "favourite food", "rice"))
    assert {f[2] for f in desk.open()} == {"rice"}


def test_other_subjects_have_slots_of_their_own(desk):
    desk.say("a", add("Ana", "lives in", "Oslo"), add("Bob", "lives in", "Bergen"))
    assert len(desk.open()) == 2


def test_also_makes_a_slot_hold_several(desk):
    desk.say("a", add("Ana", "works at", "Hydro"))
    done = desk.say("b", add("Ana", "works at", "Equinor", one=False))
    assert done.closed == []
    assert {f[2] for f in desk.open()} == {"Hydro", "Equinor"}
    assert desk.broken_slots() == []


def test_what_an_operation_says_of_an_unknown_slot_lasts(desk):
    desk.say("a", add("Ana", "pilots", "a Cessna", one=True))
    desk.say("b", add("Ana", "pilots", "a Piper"))
    assert {f[2] for f in desk.open()} == {"a Piper"}


# -- time ------------------------------------------------------------------------------


def test_the_later_of_two_stated_times_is_the_newer_whatever_was_said_last(desk):
    desk.say("a", add("Ana", "lives in", "Oslo", since=20), at=30)
    done = desk.say("b", add("Ana", "lives in", "Bergen", since=10), at=31)
    assert done.closed == []
    assert desk.facts() == [
        ("Ana", "lives in", "Bergen", 10, 20),
        ("Ana", "lives in", "Oslo", 20, NEVER),
    ]
    oslo = next(i for i in desk.reasons("history"))["by"]
    assert desk.state.graph.targets(oslo, ArcKind.SUPERSEDES) == done.facts


def test_a_stated_time_against_an_observed_one_leaves_it_to_record_time(desk):
    desk.say("a", add("Ana", "lives in", "Oslo"), at=30)
    done = desk.say("b", add("Ana", "lives in", "Bergen", since=10), at=40)
    assert len(done.closed) == 1
    assert desk.open() == {("Ana", "lives in", "Bergen")}
    assert ("Ana", "lives in", "Oslo", 30, 30) in desk.facts()


def test_an_observed_time_does_not_beat_a_stated_one_still_ahead(desk):
    desk.say("a", add("Ana", "lives in", "Oslo", since=50), at=30)
    done = desk.say("b", add("Ana", "lives in", "Bergen"), at=40)
    assert done.closed == []
    assert desk.facts() == [
        ("Ana", "lives in", "Bergen", 40, 50),
        ("Ana", "lives in", "Oslo", 50, NEVER),
    ]


def test_a_later_statement_without_a_time_beats_an_earlier_stated_time(desk):
    desk.say("a", add("Ana", "lives in", "Oslo", since=20), at=30)
    desk.say("b", add("Ana", "lives in", "Bergen"), at=40)
    assert desk.facts() == [
        ("Ana", "lives in", "Oslo", 20, 40),
        ("Ana", "lives in", "Bergen", 40, NEVER),
    ]


def test_what_was_said_earlier_but_heard_later_does_not_close_the_present(desk):
    desk.say("a", add("Ana", "lives in", "Oslo"), at=40)
    done = desk.say("b", add("Ana", "lives in", "Bergen"), at=20)
    assert done.closed == []
    assert desk.facts() == [
        ("Ana", "lives in", "Bergen", 20, 40),
        ("Ana", "lives in", "Oslo", 40, NEVER),
    ]


def test_a_change_long_before_what_was_observed_is_history(desk):
    desk.say("a", add("Ana", "lives in", "Oslo"), at=5000)
    done = desk.say("b", add("Ana", "lives in", "Bergen", since=1000, change=True), at=5001)
    assert done.closed == []
    assert desk.open() == {("Ana", "lives in", "Oslo")}


@pytest.mark.parametrize("days_ago", [1, 50, 364])
def test_a_change_within_a_year_is_news(desk, days_ago):
    desk.say("a", add("Ana", "lives in", "Oslo"), at=5000)
    desk.say("b", add("Ana", "lives in", "Bergen", since=5001 - days_ago, change=True), at=5001)
    assert desk.open() == {("Ana", "lives in", "Bergen")}


def test_intervals_that_do_not_overlap_never_close_one_another(desk):
    desk.say("a", add("Ana", "lives in", "Oslo", since=30), at=40)
    done = desk.say("b", add("Ana", "lives in", "Bergen", since=10, until=20), at=41)
    assert done.closed == []
    assert desk.facts() == [
        ("Ana", "lives in", "Bergen", 10, 20),
        ("Ana", "lives in", "Oslo", 30, NEVER),
    ]


def test_what_was_over_when_said_does_not_close_what_goes_on(desk):
    desk.say("a", add("Ana", "lives in", "Oslo", since=10), at=40)
    done = desk.say("b", add("Ana", "lives in", "Bergen", since=20, until=30), at=41)
    assert done.closed == []
    assert desk.open() == {("Ana", "lives in", "Oslo")}


def test_a_period_in_between_ends_where_the_next_begins_and_shortens_the_one_before(desk):
    desk.say("a", add("Ana", "lives in", "Oslo", since=10), at=40)
    desk.say("b", add("Ana", "lives in", "Bergen", since=30), at=40)
    desk.say("c", add("Ana", "lives in", "Bodø", since=20), at=40)
    assert [f[2:] for f in desk.facts()] == [
        ("Oslo", 10, 20),
        ("Bodø", 20, 30),
        ("Bergen", 30, NEVER),
    ]


def test_equal_times_never_block_a_later_statement(desk):
    desk.say("a", add("Ana", "lives in", "Oslo", confidence=0.9), at=10)
    desk.say("b", add("Ana", "lives in", "Bergen", confidence=0.2), at=10)
    assert desk.open() == {("Ana", "lives in", "Bergen")}


def test_confidence_decides_between_equal_record_times(desk):
    desk.say(
        "a",
        add("Ana", "lives in", "Oslo", confidence=0.9),
        add("Ana", "lives in", "Bergen", confidence=0.5),
        at=10,
    )
    assert desk.open() == {("Ana", "lives in", "Oslo")}
    assert len(desk.facts()) == 2


def test_with_equal_confidence_the_last_word_counts(desk):
    desk.say("a", add("Ana", "lives in", "Oslo"), add("Ana", "lives in", "Bergen"), at=10)
    assert desk.open() == {("Ana", "lives in", "Bergen")}


def test_a_stated_end_closes_the_fact_it_belongs_to(desk):
    fact = desk.say("a", add("Ana", "works at", "Hydro"), at=10).facts[0]
    done = desk.say("b", add("Ana", "works at", "Hydro", until=30), at=40)
    assert done.closed == [fact]
    assert desk.facts() == [("Ana", "works at", "Hydro", 10, 30)]


# -- taking back -------------------------------------------------------------------------


def test_a_retraction_with_an_object_closes_that_fact(desk):
    desk.say("a", add("Ana", "likes", "tea"), add("Ana", "likes", "rum"), at=10)
    done = desk.say("b", retract("Ana", "likes", "rum"), at=20)
    assert len(done.closed) == 1
    assert done.facts == []
    assert desk.open() == {("Ana", "likes", "tea")}
    assert ("Ana", "likes", "rum", 10, 20) in desk.facts()
    assert desk.node(done.closed[0])["flags"] & NodeFlag.RETRACTED


def test_a_retraction_without_an_object_closes_the_slot(desk):
    desk.say("a", add("Ana", "likes", "tea"), add("Ana", "likes", "rum"))
    desk.say("b", retract("Ana", "likes"))
    assert desk.open() == set()


def test_a_retraction_of_nothing_says_so(desk):
    done = desk.say("b", retract("Ana", "likes", "rum"))
    assert done.closed == []
    assert len(desk.reasons("retract-nothing")) == 1


def test_a_retraction_said_before_the_fact_was_observed_is_not_about_it(desk):
    desk.say("a", add("Ana", "lives in", "Oslo"), at=40)
    desk.say("b", retract("Ana", "lives in", "Oslo"), at=20)
    assert desk.open() == {("Ana", "lives in", "Oslo")}


def test_a_plan_can_be_taken_back(desk):
    desk.say("a", add("Ana", "lives in", "Oslo", since=50), at=40)
    desk.say("b", retract("Ana", "lives in", "Oslo"), at=41)
    assert desk.facts() == [("Ana", "lives in", "Oslo", 50, 50)]


@pytest.mark.parametrize(
    "ending", [{"change": True}, {"since": 20}, {"until": 20}], ids=["no longer", "since", "until"]
)
def test_what_has_ended_is_not_marked_as_denied(desk, ending):
    desk.say("a", add("Ana", "works at", "Hydro"), at=10)
    done = desk.say("b", retract("Ana", "works at", "Hydro", **ending), at=20)
    assert desk.facts() == [("Ana", "works at", "Hydro", 10, 20)]
    assert not desk.node(done.closed[0])["flags"] & NodeFlag.RETRACTED


@pytest.mark.parametrize(("change", "marked"), [(False, 2), (True, 0)])
def test_a_symmetric_fact_is_denied_with_its_mirror_image_and_ends_with_it(desk, change, marked):
    desk.say("a", add("Ana", "is married to", "Bob"), add("Bob", "is married to", "Ana"))
    done = desk.say("b", retract("Ana", "is married to", "Bob", change=change))
    assert len(done.closed) == 2
    denied = [bool(desk.node(i)["flags"] & NodeFlag.RETRACTED) for i in done.closed]
    assert sum(denied) == marked


def test_after_a_retraction_the_same_statement_is_a_new_fact(desk):
    old = desk.say("a", add("Ana", "likes", "tea"), at=10).facts[0]
    desk.say("b", retract("Ana", "likes", "tea"), at=20)
    done = desk.say("c", add("Ana", "likes", "tea"), at=30)
    assert done.confirmed == []
    assert done.facts != [old]
    assert desk.node(old)["valid_to"] == 20 * DAY


# -- related relations -------------------------------------------------------------------


def test_the_opposite_of_a_fact_closes_it_for_the_same_object_only(desk):
    desk.say("a", add("Ana", "likes", "tea"), add("Ana", "likes", "rum"))
    desk.say("b", add("Ana", "dislikes", "rum"))
    assert desk.open() == {("Ana", "likes", "tea"), ("Ana", "dislikes", "rum")}


def test_a_symmetric_fact_is_closed_with_its_mirror_image(desk):
    desk.say("a", add("Ana", "is married to", "Bob"), add("Bob", "is married to", "Ana"))
    desk.say("b", add("Ana", "is married to", "Carl"))
    assert desk.open() == {("Ana", "is married to", "Carl")}
    assert len(desk.reasons("mirror")) == 1


def test_a_rival_on_the_other_side_of_a_symmetric_relation_is_left_alone(desk):
    desk.say("a", add("Carl", "is married to", "Dora"))
    desk.say("b", add("Ana", "is married to", "Carl"))
    assert len(desk.open()) == 2


def test_tense_is_a_relation_of_its_own(desk):
    desk.say("a", add("Ana", "lives in", "Oslo"))
    desk.say("b", add("Ana", "lived in", "Bergen"))
    assert len(desk.open()) == 2


# -- confirming --------------------------------------------------------------------------


def test_saying_it_again_confirms_once_a_speaker_and_session(desk):
    fact = desk.say("a", add("Ana", "lives in", "Oslo", confidence=0.5)).facts[0]
    again = add("Ana", "lives in", "oslo", confidence=0.5)
    done = desk.say("b", again)
    assert (done.facts, done.confirmed) == ([], [fact])
    assert desk.node(fact)["confidence"] == 0.5
    desk.say("c", again, session="s2")
    assert desk.node(fact)["confidence"] == 0.75
    desk.say("d", again, session="s2", speaker="Bob")
    assert desk.node(fact)["confidence"] == 0.875
    desk.say("e", again, session="s2", speaker="Bob")
    assert desk.node(fact)["confidence"] == 0.875
    assert desk.node(fact)["uses"] == 4
    assert len(desk.state.graph.targets(fact, ArcKind.SOURCE)) == 5


def test_without_sessions_a_day_counts_once(desk):
    fact = desk.say("a", add("Ana", "likes", "tea", confidence=0.5), session="", at=10).facts[0]
    desk.say("b", add("Ana", "likes", "tea", confidence=0.5), session="", at=10.5)
    assert desk.node(fact)["confidence"] == 0.5
    desk.say("c", add("Ana", "likes", "tea", confidence=0.5), session="", at=11)
    assert desk.node(fact)["confidence"] == 0.75


def test_a_closed_fact_is_never_confirmed(desk):
    old = desk.say("a", add("Ana", "lives in", "Oslo"), at=10).facts[0]
    desk.say("b", add("Ana", "lives in", "Bergen"), at=20)
    done = desk.say("c", add("Ana", "lives in", "Oslo"), at=30)
    assert done.confirmed == []
    assert desk.facts() == [
        ("Ana", "lives in", "Oslo", 10, 20),
        ("Ana", "lives in", "Bergen", 20, 30),
        ("Ana", "lives in", "Oslo", 30, NEVER),
    ]
    assert desk.node(old)["uses"] == 0


def test_an_assertion_lifts_confidence_to_its_own_and_no_further(desk):
    fact = desk.state_fact(add("Ana", "likes", "tea", confidence=0.5)).facts[0]
    desk.state_fact(add("Ana", "likes", "tea", confidence=0.9))
    desk.state_fact(add("Ana", "likes", "tea", confidence=0.9))
    assert desk.node(fact)["confidence"] == pytest.approx(0.9)


def test_a_confirmation_that_states_a_time_makes_it_known(desk):
    fact = desk.say("a", add("Ana", "lives in", "Oslo"), at=40).facts[0]
    desk.say("b", add("Ana", "lives in", "Oslo", since=10), at=41)
    assert desk.node(fact)["valid_from"] == 10 * DAY
    assert desk.node(fact)["flags"] & NodeFlag.STATED


def test_a_stated_start_in_the_middle_shortens_what_went_before(desk):
    desk.say("a", add("Ana", "lives in", "Bergen"), at=10)
    desk.say("b", add("Ana", "lives in", "Oslo"), at=40)
    desk.say("c", add("Ana", "lives in", "Oslo", since=20), at=41)
    assert desk.facts() == [
        ("Ana", "lives in", "Bergen", 10, 20),
        ("Ana", "lives in", "Oslo", 20, NEVER),
    ]


def test_an_earlier_stay_is_another_period(desk):
    desk.say("a", add("Ana", "lives in", "Bergen", since=20), at=40)
    desk.say("b", add("Ana", "lives in", "Oslo", since=30), at=40)
    desk.say("c", add("Ana", "lives in", "Oslo", since=10), at=41)
    assert [f[2:] for f in desk.facts()] == [
        ("Oslo", 10, 20),
        ("Bergen", 20, 30),
        ("Oslo", 30, NEVER),
    ]
