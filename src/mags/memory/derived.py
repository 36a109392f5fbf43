"""What is derived from memories alone, so that it has to go with them; living or not."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mags.graph.delta import Past
from mags.graph.records import ArcKind, Content, NodeFlag, NodeKind
from mags.index.state import State
from mags.ports.store import Store

CITED = re.compile(r"[\[(]\s*m\d{1,18}(?:\s*[,;]?\s*m?\d{1,18})*\s*[\])]", re.ASCII)
NUMBER = re.compile(r"\d{1,18}", re.ASCII)
"""Citations as answers have them (`mags.models.answer.citations`); bare words are none."""
HOLDS = (ArcKind.MENTIONS, ArcKind.SUBJECT, ArcKind.OBJECT)
"""What an entity is spoken of by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Derived:
    """`gone`: what is erased everywhere. `parted`: what leaves this graph only.

    The latter rests here on what goes alone, but another branch, or what was rolled back, still
    tells it: erased, it would be missing there.
    """

    gone: set[int]
    parted: set[int]


def closure(state: State, store: Store, chosen: set[int]) -> Derived:
    """Everything that must go with `chosen`, those of them included that are in no graph.

    By all that ever was: what something else has ever told, here or on another branch, is kept
    for that; no rollback brings back what rests on `chosen` alone.
    """
    past, graph = store.journal.past(), state.graph
    gone = set(chosen)
    while True:
        ids = np.fromiter(gone, np.int64, len(gone))
        alive = {i for i in gone if i in graph}
        here = (_derived(state, alive) | _orphans(state, alive)) - _held(past, ids)
        once = {i for i in _once_derived(past, ids) | _once_orphans(past, ids) if i not in graph}
        themes = set(past.into(ids, ArcKind.MEMBER)["src"].tolist())  # a later text may quote it
        more = gone | here | once | themes
        if more == gone:
            more = gone | _answers(store, past, gone)
            if more == gone:
                return Derived(gone=gone, parted=_parted(state, gone))
        gone = more


def _parted(state: State, gone: set[int]) -> set[int]:
    """What is derived from `gone` alone in this graph, and is not among it."""
    left = set(gone)
    while True:
        alive = {i for i in left if i in state.graph}
        more = left | _derived(state, alive) | _orphans(state, alive)
        if more == left:
            return {i for i in left - gone if i in state.graph}
        left = more


def _held(past: Past, gone: NDArray[np.int64]) -> set[int]:
    """What something else than `gone` has ever told: facts, notes and entities."""
    made = np.unique(past.into(gone, ArcKind.SOURCE)["src"])
    touched = np.unique(past.out_of(gone, *HOLDS)["dst"])
    about = past.into(gone, ArcKind.SUBJECT, ArcKind.OBJECT)["src"]
    told = np.setdiff1d(made, [*_once_derived(past, gone), *about.tolist()])
    return {*told.tolist(), *np.setdiff1d(touched, [*_once_orphans(past, gone)]).tolist()}


def _derived(state: State, gone: set[int]) -> set[int]:
    """Facts and notes with no other source that nobody gave by hand; facts about what goes;
    themes that list it.
    """
    graph = state.graph
    out: set[int] = set()
    for node_id in sorted(gone):
        kind = state.kind(node_id)
        if kind == NodeKind.EPISODE:
            for made in graph.origins(node_id, ArcKind.SOURCE):
                if not _given(state, made) and not set(graph.targets(made, ArcKind.SOURCE)) - gone:
                    out.add(made)
        elif kind == NodeKind.ENTITY:
            out.update(state.slots.of(node_id), state.slots.about(node_id))
        out.update(graph.origins(node_id, ArcKind.MEMBER))
    return out


def _given(state: State, node_id: int) -> bool:
    return bool(int(state.graph.view(node_id)["flags"][0]) & NodeFlag.GIVEN)


def _answers(store: Store, past: Past, gone: set[int]) -> set[int]:
    """Answers from memory that cite what goes: they quote it."""
    answers = past.nodes["id"][(past.nodes["flags"] & int(NodeFlag.RECALLED)) > 0].tolist()
    left = [i for i in answers if i not in gone]
    return {one.node for one in store.contents.scan(left) if _cites(one, gone)}


def _orphans(state: State, gone: set[int]) -> set[int]:
    """Entities that only what goes has mentioned."""
    graph = state.graph
    touched: set[int] = set()
    for node_id in gone:
        for kind in HOLDS:
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
    made = np.setdiff1d(past.into(gone, ArcKind.SOURCE)["src"], past.given)
    sources = past.out_of(made, ArcKind.SOURCE)
    kept = sources["src"][~np.isin(sources["dst"], gone)]
    about = past.into(gone, ArcKind.SUBJECT, ArcKind.OBJECT, ArcKind.MEMBER)["src"]
    return {*np.setdiff1d(made, kept).tolist(), *about.tolist()}


def _once_orphans(past: Past, gone: NDArray[np.int64]) -> set[int]:
    """Entities that only what goes has ever mentioned, or spoken for."""
    touched = np.unique(past.out_of(gone, *HOLDS)["dst"])
    holders = past.into(touched, *HOLDS)
    held = holders["dst"][~np.isin(holders["src"], gone)]
    said = past.nodes[past.nodes["kind"] == int(NodeKind.EPISODE)]
    spoken = said["subject"][~np.isin(said["id"], gone)]
    return {*np.setdiff1d(touched, np.concatenate([held, spoken])).tolist()}


def _cites(content: Content, gone: set[int]) -> bool:
    groups = CITED.findall(content.text)
    return any(int(number) in gone for group in groups for number in NUMBER.findall(group))
