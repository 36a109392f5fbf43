"""Counts and sizes of a memory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mags.graph.graph import REVERSE
from mags.graph.records import NEVER, ArcKind, NodeKind
from mags.index.state import State
from mags.memory.live import Live
from mags.memory.parts import Parts
from mags.memory.views import Stats


def stats(live: Live, parts: Parts) -> Stats:
    """Counts by kind, open and closed facts, bytes."""
    store = live.store
    size = dict(store.facts.size())
    marks, branches = store.points.marks(), store.facts.branches()
    with live.reading() as state:
        counted = _counted(state)
    return replace(
        counted,
        branch=store.branch,
        embedder=live.embedder.name,
        policy=parts.policy.name,
        answerer=parts.answerer.name,
        bytes_on_disk=int(size.get("bytes", 0)),
        snapshots=tuple(mark.name for mark in marks),
        branches=tuple(mark.name for mark in branches),
        parts=size,
    )


def _counted(state: State) -> Stats:
    graph = state.graph
    nodes = graph.nodes[graph.where()]
    facts = nodes[nodes["kind"] == NodeKind.FACT]
    kinds = np.concatenate([graph.adjacency.columns["kind"][graph.adjacency.positions()[1]]])
    counts = np.bincount(kinds[kinds < REVERSE], minlength=9)
    memory = (
        graph.nodes.nbytes + graph.adjacency.nbytes + state.vectors.nbytes + state.lexicon.nbytes
    )
    return Stats(
        nodes={k.name.lower(): int((nodes["kind"] == k).sum()) for k in NodeKind},
        arcs={k.name.lower(): int(counts[k]) for k in ArcKind},
        open_facts=int((facts["valid_to"] == NEVER).sum()),
        closed_facts=int((facts["valid_to"] != NEVER).sum()),
        tick=graph.tick,
        seq=state.seq,
        branch="",
        embedder="",
        policy="",
        answerer="",
        bytes_on_disk=0,
        bytes_in_memory=int(memory),
    )
