"""What holds whatever is said."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags.graph.records import NEVER, NodeKind
from mags.ports.policy import Act, Operation
from tests.engram.desk import DAY, Desk, add

SUBJECTS = ["Ana", "Bob", "Carl"]
OBJECTS = ["Oslo", "Bergen", "Ana", "Bob", "tea"]
RELATIONS = ["lives in", "likes", "dislikes", "is married to", "tinkers with", "favourite food"]
DAYS = st.one_of(st.none(), st.integers(1, 60))


@st.composite
def operations(draw):
    since, until = draw(DAYS), draw(st.one_of(st.none(), st.none(), DAYS))
    return Operation(
        act=draw(st.sampled_from([Act.ADD, Act.ADD, Act.UPDATE, Act.RETRACT, Act.NOTE])),
        subject=draw(st.sampled_from([*SUBJECTS, "I", "she", ""])),
        relation=draw(st.sampled_from(RELATIONS)),
        object=draw(st.sampled_from([*OBJECTS, ""])),
        text=draw(st.sampled_from(["", "", "Water boils at 100 degrees."])),
        valid_from=None if since is None else since * DAY,
        valid_to=None if until is None else until * DAY,
        one=draw(st.sampled_from([None, None, True, False])),
        change=draw(st.booleans()),
        confidence=draw(st.sampled_from([0.2, 0.8, 1.0])),
    )


TURNS = st.lists(
    st.tuples(
        st.lists(operations(), max_size=3),
        st.sampled_from(SUBJECTS),
        st.sampled_from(["s1", "s2", ""]),
        st.integers(1, 60),
        st.booleans(),
    ),
    min_size=1,
    max_size=8,
)


def tell(desk, turns):
    for number, (said, speaker, session, at, echo) in enumerate(turns):
        attrs = {"recalled": "yes"} if echo else {}
        desk.say(f"turn {number}", *said, speaker=speaker, session=session, at=at, attrs=attrs)


@given(TURNS)
def test_no_slot_that_holds_one_fact_has_two_open(turns):
    desk = Desk()
    for turn in turns:
        tell(desk, [turn])
        assert desk.broken_slots() == []


@given(TURNS)
def test_no_operation_loses_an_episode(turns):
    desk = Desk()
    tell(desk, turns)
    episodes = desk.state.graph.ids(NodeKind.EPISODE)
    texts = [desk.state.content(int(i)).text for i in episodes]
    assert texts == [f"turn {number}" for number in range(len(turns))]
    assert (
        desk.state.graph.nodes["valid_to"][desk.state.graph.where(NodeKind.EPISODE)] == NEVER
    ).all()


@given(TURNS)
def test_numbers_stay_in_their_ranges(turns):
    desk = Desk()
    tell(desk, turns)
    graph = desk.state.graph
    nodes, arcs = graph.nodes[graph.where()], graph.arcs()
    for name in ("strength", "importance", "confidence"):
        assert ((nodes[name] >= 0) & (nodes[name] <= 1)).all()
    assert ((arcs["w"] >= 0) & (arcs["w"] <= 1)).all()
    assert (nodes["valid_from"] <= nodes["valid_to"]).all()
    assert ((nodes["valid_to"] < NEVER) == (nodes["closed_at"] < NEVER)).all()


@given(TURNS)
def test_what_was_applied_can_be_taken_back_bit_for_bit(turns):
    desk = Desk()
    digests = []
    for turn in turns:
        digests.append(desk.state.graph.digest())
        tell(desk, [turn])
    for delta, before in zip(reversed(desk.deltas), reversed(digests), strict=True):
        desk.state.apply(delta.inverse())
        assert desk.state.graph.digest() == before


@given(TURNS)
def test_the_same_turns_give_the_same_graph(turns):
    one, two = Desk(), Desk()
    tell(one, turns)
    tell(two, turns)
    assert one.state.graph.digest() == two.state.graph.digest()


@given(st.permutations(["Oslo", "Bergen", "Bodø", "Hamar"]), st.permutations([10, 20, 30, 40]))
def test_stated_times_give_one_history_in_whatever_order_they_are_told(places, days):
    told = dict(zip(days, places, strict=True))
    desk = Desk()
    for day, place in told.items():
        desk.say(place, add("Ana", "lives in", place, since=day), at=100)
    in_order = sorted(told)
    ends = [*in_order[1:], NEVER]
    assert desk.facts() == [
        ("Ana", "lives in", told[day], day, end) for day, end in zip(in_order, ends, strict=True)
    ]


@pytest.mark.parametrize("order", list(permutations([10, 20, 30])))
def test_what_was_said_at_different_times_gives_one_history_in_whatever_order_it_is_heard(order):
    places = {10: "Oslo", 20: "Bergen", 30: "Bodø"}
    desk = Desk()
    for day in order:
        desk.say("x", add("Ana", "lives in", places[day]), at=day)
    assert [f[2:] for f in desk.facts()] == [
        ("Oslo", 10, 20),
        ("Bergen", 20, 30),
        ("Bodø", 30, NEVER),
    ]


@given(st.integers(1, 6), st.floats(0.05, 0.95))
def test_the_same_statement_from_n_sessions_is_one_fact_of_greater_confidence(n, confidence):
    desk = Desk()
    for number in range(n):
        desk.say("tea", add("Ana", "likes", "tea", confidence=confidence), session=f"s{number}")
    facts = desk.state.graph.ids(NodeKind.FACT)
    assert len(facts) == 1
    expected = np.float32(1.0 - (1.0 - confidence) ** n)
    assert float(desk.node(int(facts[0]))["confidence"]) == pytest.approx(float(expected), abs=1e-4)
