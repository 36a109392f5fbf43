"""What use has wired together comes up together, and nothing else does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags.graph.delta import Draft
from mags.graph.records import ArcKind
from mags.plasticity.hebbian import Hebb
from mags.recall.ranking import association_boost
from mags.recall.settings import AssociationBoostSettings
from tests.recall.small import Small

SETTINGS = AssociationBoostSettings(matches=1, weight=10.0, rate=0.1)


def turns(count: int) -> tuple[Small, np.ndarray]:
    """A memory of so many turns, and their rows."""
    small = Small()
    said = small.say(*(f"Turn number {n}." for n in range(count)))
    return small, small.state.graph.rows(said)


def cite(small: Small, ids: list[int], times: int = 1) -> None:
    """Cite some nodes together, so many times."""
    for _ in range(times):
        draft = Draft(small.state.graph)
        Hebb()(draft, dict.fromkeys(ids, 1.0), tick=small.state.graph.tick, day=1)
        small.apply(draft)


def ids_of(small: Small, rows: np.ndarray) -> list[int]:
    return small.state.graph.nodes["id"][rows].tolist()


def scores(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


def test_what_was_cited_with_the_best_match_is_lifted_by_the_charge_of_the_wire():
    small, rows = turns(4)
    ids = ids_of(small, rows)
    cite(small, [ids[0], ids[2]])
    added = association_boost(small.state.graph, rows, scores(3, 2, 1, 0), SETTINGS)
    assert added == pytest.approx([0, 0, 1.0, 0], abs=1e-5)


def test_a_wire_from_what_is_no_match_lifts_nothing():
    small, rows = turns(3)
    ids = ids_of(small, rows)
    cite(small, [ids[1], ids[2]])
    assert not association_boost(small.state.graph, rows, scores(3, 2, 1), SETTINGS).any()


@given(times=st.integers(1, 12))
def test_a_wire_counts_no_more_than_its_uses_made_of_it(times):
    small, rows = turns(2)
    ids = ids_of(small, rows)
    draft = Draft(small.state.graph)
    draft.add_arc(ids[0], ids[1], ArcKind.ASSOCIATION, w=0.9)
    small.apply(draft)
    assert not association_boost(small.state.graph, rows, scores(2, 1), SETTINGS).any()
    cite(small, ids, times)
    added = association_boost(small.state.graph, rows, scores(2, 1), SETTINGS)
    assert added[1] == pytest.approx(10 * (1 - 0.9**times), rel=1e-4)


def test_a_weight_of_zero_or_no_matches_switch_it_off():
    small, rows = turns(2)
    cite(small, ids_of(small, rows))
    for off in (AssociationBoostSettings(weight=0.0), AssociationBoostSettings(matches=0)):
        assert not association_boost(small.state.graph, rows, scores(2, 1), off).any()


def test_nothing_found_is_nothing_lifted():
    small, _ = turns(1)
    nothing = np.zeros(0, np.int64)
    assert len(association_boost(small.state.graph, nothing, scores(), SETTINGS)) == 0


def test_recall_shows_what_use_adds_as_a_share_of_the_score():
    small = Small()
    ids = small.say("The lamp oil is in the shed.", "Ring the bell at noon.")
    before = small.ask("Where is the lamp oil?", k=2)
    assert all(hit.shares["wired"] == 0.0 for hit in before.trace.hits)
    cite(small, ids)
    after = small.ask("Where is the lamp oil?", k=2)
    lift = after.trace.of(ids[1]).shares["wired"]
    assert lift == pytest.approx(AssociationBoostSettings().weight * 0.1, rel=1e-4)
    assert after.trace.of(ids[1]).score == pytest.approx(
        before.trace.of(ids[1]).score + lift, abs=1e-3
    )
