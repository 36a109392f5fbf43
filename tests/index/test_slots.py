"""Guesses that something surely held outdoes, against a plain definition for one fact."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mags.graph.delta import Draft
from mags.graph.graph import Graph
from mags.graph.records import NEVER, ArcKind, NodeFlag, NodeKind
from mags.index.state import Slots

times = st.sampled_from([0.0, 1.0, 2.0])
facts = st.lists(
    st.fixed_dictionaries(
        {
            "subject": st.sampled_from([1, 2]),
            "object": st.sampled_from([2, 3]),
            "slot": st.sampled_from([7, 2**63 + 8]),
            "flags": st.sampled_from(
                [0, NodeFlag.ONE, NodeFlag.GUESS, NodeFlag.GUESS | NodeFlag.ONE]
            ),
            "valid_from": st.sampled_from([-NEVER, 0.0, 1.0]),
            "valid_to": st.sampled_from([1.0, 2.0, NEVER, NEVER]),
            "recorded_at": times,
        }
    ),
    max_size=10,
)


def graph_of(made, gone):
    """Three things and some facts about them, of which those in `gone` are removed again."""
    graph = Graph()
    draft = Draft(graph)
    for thing in (1, 2, 3):
        draft.add_node(id=thing, kind=NodeKind.ENTITY)
    for i, fact in enumerate(made, start=4):
        draft.add_node(id=i, kind=NodeKind.FACT, **fact)
        draft.add_arc(i, fact["subject"], ArcKind.SUBJECT)
        draft.add_arc(i, fact["object"], ArcKind.OBJECT)
    graph.apply(draft.delta("edit"))
    draft = Draft(graph)
    for i in gone:
        if i in graph:
            draft.remove_node(i)
    graph.apply(draft.delta("edit"))
    return graph


def holds(fact, moment):
    return fact["valid_from"] <= moment < fact["valid_to"]


def is_outdone(fact, every, moment, known):
    """Whether one guess has something sure in its slot: the same fact, or one with no room."""
    if not fact["flags"] & NodeFlag.GUESS:
        return False
    return any(
        not other["flags"] & NodeFlag.GUESS
        and (other["subject"], other["slot"]) == (fact["subject"], fact["slot"])
        and (known is None or other["recorded_at"] <= known)
        and (holds(other, moment) or not holds(fact, moment))
        and (other["object"] == fact["object"] or other["flags"] & NodeFlag.ONE)
        for other in every
    )


@given(facts, st.sets(st.integers(4, 13), max_size=3), times, st.none() | times)
def test_what_is_outdone_is_so_by_the_definition_for_one_fact(made, gone, moment, known):
    graph = graph_of(made, gone)
    rows = graph.where(NodeKind.FACT)
    every = [made[i - 4] for i in graph.nodes["id"][rows].tolist()]
    wanted = [is_outdone(fact, every, moment, known) for fact in every]
    assert Slots(graph).outdone(rows, moment, known).tolist() == wanted
    # Whichever facts are asked about, and in whatever order, the others count as well.
    assert Slots(graph).outdone(rows[::-2], moment, known).tolist() == wanted[::-2]


def test_no_fact_has_nothing_that_outdoes_it():
    found = Slots(graph_of([], [])).outdone(np.zeros(0, np.int64), 0.0)
    assert found.dtype == np.bool_
    assert not len(found)
