"""What is derived from memories alone, so that it has to go with them; living or not."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from mags.graph.edge import ArcKind
from mags.graph.node import Content, NodeFlag, NodeKind
from mags.graph.past import Past
from mags.index.state import State
from mags.ports.store import Store

CITED = re.compile(r"\bm(\d+)\b")


def closure(state: State, store: Store, chosen: set[int]) -> set[int]:
    """Everything that must go with `chosen`, those of them included that are in no graph.

    What is not in this graph any more (rolled back, pruned, edited away), or on another branch
    only, goes by all that ever was: by the same rules, so that no rollback brings it back.
    """
    gone = set(chosen)
    while True:
        alive = {i for i in gone if i in state.graph}
        more = gone | _derived(state, alive) | _orphans(state, alive)
        if more == gone:
            break
        gone = more
    gone |= _answers(state, gone)
    return _gone_before(state, store, gone)


def _gone_before(state: State, store: Store, gone: set[int]) -> set[int]:
    """`gone`, and what was derived from it alone and lives here no more."""
    past, living = store.journal.past(), state.graph
    while True:
        ids = np.fromiter(gone, np.int64, len(gone))
        found = _once_derived(past, ids) | _once_orphans(past, ids)
        more = gone | {i for i in found if i not in living}
        if more == gone:
            break
        gone = more
    answers = (i for i in _once_answers(past) if i not in living and i not in gone)
    return gone | {one.node for one in store.contents.scan(answers) if _cites(one, gone)}


def _derived(state: State, gone: set[int]) -> set[int]:
    """Facts and notes with no other source, facts about what goes, themes that list it."""
    graph = state.graph
    out: set[int] = set()
    for node_id in sorted(gone):
        kind = state.kind(node_id)
        if kind == NodeKind.EPISODE:
            for made in graph.origins(node_id, ArcKind.SOURCE):
                if not set(graph.targets(made, ArcKind.SOURCE)) - gone:
                    out.add(made)
        elif kind == NodeKind.ENTITY:
            out.update(state.slots.of(node_id), state.slots.about(node_id))
        out.update(graph.origins(node_id, ArcKind.MEMBER))
    return out


def _answers(state: State, gone: set[int]) -> set[int]:
    """Answers from memory that cite what goes: they quote it."""
    graph = state.graph
    rows = graph.where(NodeKind.EPISODE)
    recalled = (graph.nodes["flags"][rows] & int(NodeFlag.RECALLED)) > 0
    ids = [int(i) for i in graph.nodes["id"][rows[recalled]]]
    return {content.node for content in state.words(ids) if _cites(content, gone)}


def _orphans(state: State, gone: set[int]) -> set[int]:
    """Entities that only what goes has mentioned."""
    graph = state.graph
    touched: set[int] = set()
    for node_id in gone:
        for kind in (ArcKind.MENTIONS, ArcKind.SUBJECT, ArcKind.OBJECT):
            touched.update(graph.targets(node_id, kind))
    orphans = set()
    for entity in touched - gone:
        holders = {int(i) for i in graph.arcs_to(entity)["src"]}
        if not holders - gone and not _speaks(state, entity, gone):
            orphans.add(entity)
    return orphans


def _speaks(state: State, entity: int, gone: set[int]) -> bool:
    spoken = state.graph.where(NodeKind.EPISODE)
    mine = spoken[state.graph.nodes["subject"][spoken] == entity]
    return any(int(i) not in gone for i in state.graph.nodes["id"][mine])


def _once_derived(past: Past, gone: NDArray[np.int64]) -> set[int]:
    """Facts and notes that never had another source, facts about what goes, themes of it."""
    made = np.unique(past.into(gone, ArcKind.SOURCE)["src"])
    sources = past.out_of(made, ArcKind.SOURCE)
    kept = sources["src"][~np.isin(sources["dst"], gone)]
    about = past.into(gone, ArcKind.SUBJECT, ArcKind.OBJECT, ArcKind.MEMBER)["src"]
    return {*np.setdiff1d(made, kept).tolist(), *about.tolist()}


def _once_orphans(past: Past, gone: NDArray[np.int64]) -> set[int]:
    """Entities that only what goes has ever mentioned, or spoken for."""
    kinds = (ArcKind.MENTIONS, ArcKind.SUBJECT, ArcKind.OBJECT)
    touched = np.unique(past.out_of(gone, *kinds)["dst"])
    holders = past.into(touched, *kinds)
    held = holders["dst"][~np.isin(holders["src"], gone)]
    said = past.nodes[past.nodes["kind"] == int(NodeKind.EPISODE)]
    spoken = said["subject"][~np.isin(said["id"], gone)]
    return {*np.setdiff1d(touched, np.concatenate([held, spoken])).tolist()}


def _once_answers(past: Past) -> list[int]:
    answers = (past.nodes["flags"] & int(NodeFlag.RECALLED)) > 0
    ids: list[int] = past.nodes["id"][answers].tolist()
    return ids


def _cites(content: Content, gone: set[int]) -> bool:
    return any(int(number) in gone for number in CITED.findall(content.text))
