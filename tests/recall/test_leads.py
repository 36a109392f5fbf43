"""What lines lead to and from, by the facts that they gave."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

import mags
from mags.app import embedded
from mags.recall.leads import Leads
from mags.recall.settings import ChainSettings

FAMILY = (
    "Snumbar belongs to the Dreirsim family.",
    "Gurken belongs to the Dreirsim family.",
    "Tolvin belongs to the Dreirsim family.",
    "Berta belongs to the Dreirsim family.",
    "Far away a dog barks at Snumbar.",
)


@contextmanager
def leads(*lines: str, spread: float = 0.5) -> Iterator[tuple[Leads, list[int]]]:
    """The leads of these lines, and their rows."""
    settings = ChainSettings(dropped=0.5, unread=0.7, spread=spread)
    memory = mags.open(None, embedder=embedded(), clock=lambda: 1e6)
    ids = [memory.observe(line, at=60.0 * i).episode_id for i, line in enumerate(lines)]
    with memory._live.reading() as state:
        yield Leads(state, 1e6, settings), [state.graph.row(i) for i in ids]


def test_a_lead_to_one_of_several_of_a_kind_is_worth_the_root_of_its_share():
    with leads(*FAMILY) as (found, rows):
        assert found.to(rows[0], "snumbar") == 1.0
        assert found.to(rows[0], "dreirsim") == 0.5
        assert found.away(rows[0], "dreirsim") == 1.0


@pytest.mark.parametrize(("spread", "worth"), [(0.0, 1.0), (1.0, 0.25)])
def test_the_number_of_counterparts_counts_as_much_as_the_settings_say(spread: float, worth: float):
    with leads(*FAMILY, spread=spread) as (found, rows):
        assert found.to(rows[0], "dreirsim") == worth


def test_a_line_that_gave_no_fact_lies_between_and_ends_chains_as_well_as_any():
    with leads(*FAMILY) as (found, rows):
        assert found.to(rows[4], "snumbar") == found.away(rows[4], "snumbar") == 0.7
        assert found.ending(rows[4], frozenset({"dog"})) == 1.0


def test_a_name_that_the_facts_of_a_line_do_not_hold_of_is_dropped():
    with leads(*FAMILY) as (found, rows):
        assert found.to(rows[0], "berta") == found.away(rows[0], "berta") == 0.5
        assert found.ending(rows[0], frozenset({"berta"})) == 0.5
        assert found.ending(rows[0], frozenset({"berta", "snumbar"})) == 1.0
