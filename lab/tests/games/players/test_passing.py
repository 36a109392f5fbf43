"""Lines that told what ends of itself are over once all of it is."""

from __future__ import annotations

import mags
from mags.models.embed.hashing import HashEmbedder
from mags_lab.games.players.passing import Passing


def test_a_line_lapses_once_when_all_that_it_told_has_ended_or_is_forgotten():
    memory = mags.open(None, embedder=HashEmbedder(64), clock=lambda: 0.0)
    first = memory.assert_fact("Ada", "guards", "the gate", until=100.0).facts[0]
    second = memory.assert_fact("Ada", "guards", "the well", until=200.0).facts[0]
    passing = Passing()
    passing.told(7, [first, second])
    passing.told(8, [])
    assert passing.lapsed(memory, 150.0) == []
    assert passing.lapsed(memory, 250.0) == [7]
    assert passing.lapsed(memory, 250.0) == []
    passing.told(9, [first])
    memory.forget(first)
    assert passing.lapsed(memory, 50.0) == [9]
