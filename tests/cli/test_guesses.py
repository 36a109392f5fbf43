"""The terminal marks what is a guess."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from rich.console import Console

from mags.cli import printing
from mags.cli.printing import print_basis
from mags.memory.views import Citation, NodeView, Reply
from mags.ports.chat import Usage
from mags.recall.found import FactView, Found, Hit, Trace

TRACE = Trace(queries=("q",), tick=1, seq=1, anchors=(), hits=())
DAY = datetime(2024, 3, 4, tzinfo=UTC)


def fact(*, tentative: bool) -> FactView:
    return FactView(
        id=7,
        subject="Ana",
        relation="lives in",
        object="Oslo",
        valid_from=DAY,
        valid_to=None,
        text="Ana lives in Oslo.",
        tentative=tentative,
    )


def shown(*things: object) -> str:
    console = Console(width=120)
    with console.capture() as captured:
        console.print(*things)
    return captured.get()


def hit(told: FactView) -> Hit:
    return Hit(id=7, text=told.text, score=1.0, kind="fact", episode_ids=(), fact=told)


def node(told: FactView) -> NodeView:
    return NodeView(
        id=7,
        kind="fact",
        text=told.text,
        meta={},
        strength=1.0,
        importance=0.5,
        confidence=0.6,
        valid_from=DAY,
        valid_to=None,
        recorded_at=DAY,
        uses=0,
        pinned=False,
        cold=False,
        sources=(),
        fact=told,
    )


@pytest.mark.parametrize("tentative", [True, False])
def test_tables_of_facts_hits_and_nodes_mark_guesses_alone(tentative):
    told = fact(tentative=tentative)
    found = Found(hits=(hit(told),), trace=TRACE)
    for table in (printing.facts([told]), printing.hits(found), printing.node(node(told))):
        assert ("Ana lives in Oslo. (a guess)" in shown(table)) is tentative


@pytest.mark.parametrize("tentative", [True, False])
def test_what_an_answer_rests_on_is_marked_where_it_is_a_guess(tentative):
    cited = Citation(
        id=7, text="Ana lives in Oslo.", speaker="", at=DAY, episode_ids=(), tentative=tentative
    )
    reply = Reply(text="Oslo", citations=(cited,), trace=TRACE, usage=Usage())
    console = Console(width=120)
    with console.capture() as captured:
        print_basis(reply, console)
    assert ("Ana lives in Oslo. (a guess)" in captured.get()) is tentative
