"""What comes out of a recall names the episodes it came from."""

from __future__ import annotations

import numpy as np

from mags.graph.delta import Draft
from mags.graph.records import ArcKind
from mags.recall.candidates import documents
from mags.recall.recall import provenance
from tests.recall.small import Small


def test_episodes_come_best_first_and_those_that_are_no_candidates_last():
    small = Small()
    said = small.say("I moved.", "To Oslo.", "It is cold.", "I stay.")
    fact = small.fact("Ana", "lives in", "Oslo", source=said[2])
    draft = Draft(small.state.graph)
    for episode in (said[3], said[1], said[0]):
        draft.add_arc(fact, episode, ArcKind.SOURCE)
    small.apply(draft)
    graph = small.state.graph
    rows = graph.rows([fact, *said])
    merged = [(int(rows[0]), []), (int(rows[4]), [int(rows[2])])]
    scores = np.array([1.0, 2.0], np.float32)
    own, best = provenance(graph, merged, rows[[1, 3]], scores)
    assert own == [tuple(sorted(said)), ()]
    assert best == [(said[2], said[0], said[1], said[3]), (said[1], said[3])]


def test_whether_there_are_documents_is_known_anew_after_each_change():
    small = Small()
    assert not documents(small.state)
    small.say("I live in Oslo.")
    assert not documents(small.state)
    (written,) = small.say("Oslo is a city.", speaker="")
    assert documents(small.state)
    draft = Draft(small.state.graph)
    draft.remove_node(written)
    small.apply(draft)
    assert not documents(small.state)
