"""What lines lead to and from, by the facts that they gave."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mags
from mags import inspect
from mags.app import embedded
from mags.index.state import State
from mags.memory.memory import Memory
from mags.recall.lines import Leads, LineFacts, Lines
from mags.recall.settings import ChainSettings

FAMILY = (
    "Snumbar belongs to the Dreirsim family.",
    "Gurken belongs to the Dreirsim family.",
    "Tolvin belongs to the Dreirsim family.",
    "Berta belongs to the Dreirsim family.",
    "Far away a dog barks at Snumbar.",
)


def remember(lines: Sequence[str], memory: Memory) -> list[int]:
    return [memory.observe(line, at=60.0 * i).episode_id for i, line in enumerate(lines)]


@contextmanager
def leads(*lines: str, spread: float = 0.5) -> Iterator[tuple[list[LineFacts], State]]:
    """What these lines hold, and the state."""
    memory = mags.open(None, embedder=embedded(), clock=lambda: 1e6)
    ids = remember(lines, memory)
    with memory._live.reading() as state:
        yield Leads(state).of([state.graph.row(i) for i in ids], 1e6, spread), state


def to(held: LineFacts, state: State, word: str) -> float:
    return held.to(state.lexicon.number(word), ChainSettings(dropped=0.5, unread=0.7))


def test_a_lead_to_one_of_several_of_a_kind_is_worth_the_root_of_its_share():
    with leads(*FAMILY) as (found, state):
        assert to(found[0], state, "snumbar") == 1.0
        assert to(found[0], state, "dreirsim") == 0.5


@pytest.mark.parametrize(("spread", "worth"), [(0.0, 1.0), (1.0, 0.25)])
def test_the_number_of_counterparts_counts_as_much_as_the_settings_say(spread: float, worth: float):
    with leads(*FAMILY, spread=spread) as (found, state):
        assert to(found[0], state, "dreirsim") == worth


def test_a_line_that_gave_no_fact_lies_between():
    with leads(*FAMILY) as (found, state):
        assert not found[4].worth
        assert to(found[4], state, "snumbar") == 0.7


def test_a_name_that_the_facts_of_a_line_do_not_hold_of_is_dropped():
    with leads(*FAMILY) as (found, state):
        assert to(found[0], state, "berta") == 0.5


TOLD = (
    *FAMILY,
    "Snumbar lives in Porto.",
    "Snumbar moved to Lisbon.",
    "Gurken lives in Porto.",
    "Gurken no longer belongs to the Dreirsim family.",
    "Berta will be in Lisbon until tomorrow.",
    "The Dreirsim family celebrates the day of Kamrul.",
)


def looked_up(leads: Leads, rows: list[int], moment: float) -> list[tuple[dict[int, float], bool]]:
    return [(dict(one.worth), one.over) for one in leads.of(rows, moment, 0.5)]


@given(st.lists(st.sampled_from(TOLD), min_size=1, max_size=8), st.data())
def test_what_is_kept_of_lines_and_leads_is_what_would_be_found_anew(
    lines: list[str], data: st.DataObject
):
    memory = mags.open(None, embedder=embedded(), clock=lambda: 1e6)
    rows: list[int] = []
    for i, line in enumerate(lines):
        memory.snapshot(str(i))
        seen = memory.observe(line, at=86_400.0 * i)
        if data.draw(st.booleans()):
            memory.rollback(str(i))
        with memory._live.reading() as state:
            if seen.episode_id in state.graph:
                rows.append(state.graph.row(seen.episode_id))
            for moment in (86_400.0 * i, 1e6, 0.0):
                kept = looked_up(state.following(Leads), rows, moment)
                assert kept == looked_up(Leads(state), rows, moment)
            for one, other in zip(
                state.following(Lines).of(rows), Lines(state).of(rows), strict=True
            ):
                assert one.terms == other.terms
                assert one.numbers.tolist() == other.numbers.tolist()


def test_a_line_that_is_forgotten_is_kept_by_nothing_that_takes_lines_apart():
    memory = mags.open(None, embedder=embedded(), clock=lambda: 1e6)
    kept = remember(("Zorvana lives in Quellmar.", "Ana likes tea."), memory)
    inspect.chains(memory, "Where does Zorvana live?", ("In Quellmar", "In Porto"))
    inspect.chains(memory, "What does Ana like?", ("Tea", "Coffee"))
    memory.forget("Zorvana")
    with memory._live.reading() as state:
        lines = state.following(Lines)
        assert kept[0] not in state.graph
        assert all("zorvana" not in line.terms for line in lines._lines.values())
        assert "zorvana" not in lines._naming
