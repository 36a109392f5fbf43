"""Units: what was told together takes one place, and its best member leads."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mags.graph.records import ArcKind
from mags.recall.recall import merge
from mags.recall.spread import peers
from tests.recall.small import Small

TOLD = 3
"""Episodes, each with as many facts."""


def family() -> tuple[Small, list[int]]:
    """Three episodes of three facts each; the ids of all twelve."""
    small, ids = Small(), []
    for i in range(TOLD):
        (said,) = small.say(f"turn {i}", at=float(i))
        facts = [small.fact(f"who{i}", f"does{j}", f"what{j}", source=said) for j in range(TOLD)]
        ids += [said, *facts]
    return small, ids


SMALL, IDS = family()
SCORES = st.lists(st.integers(-50, 50), min_size=len(IDS), max_size=len(IDS), unique=True)


def unit_of(row: int) -> int:
    """The row of the episode a row belongs to."""
    sources = peers(SMALL.state.graph, row, int(ArcKind.SOURCE)).tolist()
    return sources[0] if sources else row


@given(scores=SCORES)
def test_the_best_of_a_unit_leads_it_and_no_row_is_lost(scores):
    rows = SMALL.state.graph.rows(IDS)
    value = dict(zip(rows.tolist(), scores, strict=True))
    merged = merge(SMALL.state.graph, rows, np.array(scores, np.float32), k=TOLD)
    assert sorted(r for lead, rest in merged for r in (lead, *rest)) == sorted(rows.tolist())
    for lead, rest in merged:
        assert {unit_of(r) for r in (lead, *rest)} == {unit_of(lead)}
        assert value[lead] == max(value[r] for r in (lead, *rest))
    leads = [value[lead] for lead, _ in merged]
    assert leads == sorted(leads, reverse=True)


@given(scores=SCORES)
def test_a_place_more_leaves_those_before_it_as_they_are(scores):
    rows = SMALL.state.graph.rows(IDS)
    values = np.array(scores, np.float32)
    all_of = [lead for lead, _ in merge(SMALL.state.graph, rows, values, k=TOLD)]
    for k in range(TOLD):
        assert [lead for lead, _ in merge(SMALL.state.graph, rows, values, k=k)] == all_of[:k]


def test_where_a_fact_is_the_best_of_its_unit_the_hit_is_that_fact():
    small = Small()
    (said,) = small.say("Ben does this and that, and he lives in Rome, as you know")
    told = {o: small.fact("Ben", r, o, source=said) for r, o in
            (("lives in", "Rome"), ("works at", "Hydro"), ("plays", "cello"))}  # fmt: skip
    for question, obj in (("Who plays the cello?", "cello"), ("works at Hydro", "Hydro")):
        hit = small.ask(question)[0]
        assert (hit.id, hit.fact.object) == (told[obj], obj)
        assert hit.text == small.state.content(told[obj]).text
        assert set(hit.members) == {said, *told.values()} - {told[obj]}
