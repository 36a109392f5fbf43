"""Forgetting: true erasure of what is named, and of everything derived from it alone."""

from __future__ import annotations

from collections.abc import Iterable

from mags.errors import NotFound
from mags.graph.draft import Draft
from mags.graph.edge import ArcKind
from mags.graph.node import NodeKind
from mags.index.state import State
from mags.index.tokens import fold, terms
from mags.memory.live import Live
from mags.memory.views import Forgotten


class Forgetter:
    """Erases from graph, journal, snapshots, branches, indexes and file."""

    def __init__(self, live: Live) -> None:
        """Erases in the memory of `live`."""
        self._live = live

    def forget(self, wanted: int | str, *, dry_run: bool = False) -> Forgotten:
        """Erase a node by id, an entity by name, or whatever holds a phrase.

        With it go facts and notes that have no other source, themes that list it, entities
        that nothing else mentions. Raises NotFound when nothing matches.
        """
        with self._live.reading() as state:
            chosen = closure(state, self._matching(state, wanted))
            plan = _by_kind(state, chosen)
        if dry_run:
            return Forgotten(nodes=plan, dry_run=True)
        with self._live.writing() as state:
            draft = Draft(state.graph)
            for node_id in sorted(chosen):
                draft.remove_node(node_id)
            draft.reason("forget", nodes=len(chosen))
            delta = draft.delta("forget", base=state.seq, recorded_at=self._live.clock())
            self._live.commit(delta)
        erased = self._live.store.contents.erase(sorted(chosen))
        self._live.erased(sorted(chosen))
        return Forgotten(nodes=plan, contents=erased)

    def _matching(self, state: State, wanted: int | str) -> set[int]:
        if isinstance(wanted, int):
            state.graph.row(wanted)
            return {wanted}
        entities = state.names.find(wanted)
        if entities:
            return {n for entity in entities for n in _told_of(state, entity)}
        found = set(_holding(state, wanted))
        if not found:
            raise NotFound(
                f"nothing in this memory is named {wanted!r} or holds these words", query=wanted
            )
        return found


def _told_of(state: State, entity: int) -> set[int]:
    """An entity, the facts about it, and the episodes and notes that mention or say it."""
    facts = {*state.slots.of(entity), *state.slots.about(entity)}
    said = {i for fact in facts for i in state.graph.targets(fact, ArcKind.SOURCE)}
    mentions = set(state.graph.origins(entity, ArcKind.MENTIONS))
    spoken = state.graph.where(NodeKind.EPISODE)
    mine = spoken[state.graph.nodes["subject"][spoken] == entity]
    own = {int(i) for i in state.graph.nodes["id"][mine]}
    return {entity} | facts | said | mentions | own


def _holding(state: State, phrase: str) -> Iterable[int]:
    """Nodes whose text holds the phrase, case and accents folded."""
    wanted = fold(phrase)
    _, rows = state.lexicon.scores(terms(phrase))
    kinds = state.graph.nodes["kind"][rows]
    ids = [
        int(state.graph.nodes["id"][row])
        for row, kind in zip(rows, kinds, strict=True)
        if state.graph.alive[row] and kind != NodeKind.THEME
    ]
    for content in state.words(ids):
        if wanted in fold(content.text):
            yield content.node


def closure(state: State, chosen: set[int]) -> set[int]:
    """Everything that must go with `chosen`."""
    graph = state.graph
    gone = set(chosen)
    for node_id in sorted(chosen):
        if state.kind(node_id) == NodeKind.EPISODE:
            derived = graph.origins(node_id, ArcKind.SOURCE)
            gone.update(d for d in derived if not set(graph.targets(d, ArcKind.SOURCE)) - gone)
    for node_id in sorted(gone):
        if state.kind(node_id) == NodeKind.ENTITY:
            gone.update(state.slots.of(node_id), state.slots.about(node_id))
    for node_id in sorted(gone):
        gone.update(graph.origins(node_id, ArcKind.MEMBER))
    return gone | _orphans(state, gone)


def _orphans(state: State, gone: set[int]) -> set[int]:
    """Entities that only what goes has mentioned."""
    graph = state.graph
    touched: set[int] = set()
    for node_id in gone:
        for kind in (ArcKind.MENTIONS, ArcKind.SUBJECT, ArcKind.OBJECT):
            touched.update(graph.targets(node_id, kind))
    orphans = set()
    speakers = set(graph.nodes["subject"][graph.where(NodeKind.EPISODE)].tolist())
    for entity in touched - gone:
        holders = {int(i) for i in graph.arcs_to(entity)["src"]}
        if not holders - gone and entity not in speakers:
            orphans.add(entity)
    return orphans


def _by_kind(state: State, ids: set[int]) -> dict[str, tuple[int, ...]]:
    out: dict[str, list[int]] = {}
    for node_id in sorted(ids):
        out.setdefault(state.kind(node_id).name.lower(), []).append(node_id)
    return {kind: tuple(found) for kind, found in out.items()}
