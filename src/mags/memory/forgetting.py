"""Forgetting: true erasure of what is named, and of everything derived from it alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from mags import caches
from mags.errors import NotFound
from mags.graph.delta import Draft
from mags.graph.records import ArcKind, Content, NodeKind
from mags.index.state import State
from mags.index.tokens import fold
from mags.memory.derived import Derived, closure
from mags.memory.live import Live
from mags.memory.views import Forgotten

_SPACE = re.compile(r"\s+")


class Forgetter:
    """Erases from graph, journal, snapshots, branches, indexes, caches and file."""

    def __init__(self, live: Live) -> None:
        """Erases in the memory of `live`."""
        self._live = live

    def forget(self, wanted: int | str, *, dry_run: bool = False) -> Forgotten:
        """Erase a node by id, a thing by name, or whatever holds a phrase.

        The id of an entity erases what its name does: itself, what is said of it, and every turn
        that tells of it. The id of a turn erases the turn; that of a fact, a note or a theme erases
        it alone, and the turns that told it stay. `dry_run` erases nothing, and tells what would
        go, with its texts.

        A phrase is looked for, as whole words, in every word the memory keeps: texts, names,
        speakers, sessions, attributes; also those of nodes that were edited, rolled back or
        live on another branch. With it go facts and notes that have no other source and were
        not asserted by hand, answers that cited it, themes that list it, entities that nothing
        else mentions.

        One transaction: acknowledged it is complete, interrupted it did not happen. Raises
        NotFound when nothing matches; StoreBusy or StoreFull with `erased` True where all is
        gone from the memory, but bytes may stay in the file until it is opened again.
        """
        if dry_run:
            with self._live.reading() as state:
                found = closure(state, self._live.store, self._matching(state, wanted))
                held = self._live.store.contents.scan(sorted(found.gone))
                said = [(content.node, content.text) for content in held]  # the newest last
                return replace(_planned(state, found), contents=len(said), texts=dict(said))
        try:
            with self._live.writing() as state:
                found = closure(state, self._live.store, self._matching(state, wanted))
                plan, chosen = _planned(state, found), found.gone
                draft = Draft(state.graph)
                for node_id in sorted(chosen | found.parted):
                    if node_id in state.graph:
                        draft.remove_node(node_id)
                draft.reason("forget", nodes=len(chosen))
                delta = draft.delta("forget", base=state.seq, recorded_at=self._live.clock())
                self._live.commit(delta)
                erased = self._live.erase(sorted(chosen))
        finally:
            caches.clear()
        self._finish()
        return replace(plan, contents=erased, dry_run=False)

    def _finish(self) -> None:
        """See to it that the file is clean, or say that it is not yet."""
        store = self._live.store
        try:
            if store.facts.size().get("to_clean"):
                store.contents.erase([])
        finally:
            self._live.tidy(always=True)

    def _matching(self, state: State, wanted: int | str) -> set[int]:
        if isinstance(wanted, str):
            found = self._named(state, wanted)
            if not found:
                raise NotFound(
                    f"nothing in this memory is named {wanted!r} or holds these words", query=wanted
                )
            return found
        said = [content.text for content in self._live.store.contents.scan([wanted])]
        if wanted not in state.graph and not said:
            raise NotFound(f"no node {wanted} in this memory", node_id=wanted)
        if not self._is_entity(state, wanted):
            return {wanted}
        name = state.content(wanted).text if wanted in state.graph else said[-1]
        return {wanted} | self._named(state, name)

    def _named(self, state: State, name: str) -> set[int]:
        """What tells of the things of a name, and whatever else holds it as a phrase."""
        told = {n for entity in state.names.find(name) for n in _told_of(state, entity)}
        return told.union(_holding(self._live.store.contents.scan(), name))

    def _is_entity(self, state: State, node_id: int) -> bool:
        if node_id in state.graph:
            return state.kind(node_id) == NodeKind.ENTITY
        past = self._live.store.journal.past().nodes
        return bool(np.any(past["kind"][past["id"] == node_id] == int(NodeKind.ENTITY)))


def _told_of(state: State, entity: int) -> set[int]:
    """An entity, the facts about it, and the episodes and notes that mention or say it."""
    facts = {*state.slots.of(entity), *state.slots.about(entity)}
    said = {i for fact in facts for i in state.graph.targets(fact, ArcKind.SOURCE)}
    mentions = set(state.graph.origins(entity, ArcKind.MENTIONS))
    spoken = state.graph.where(NodeKind.EPISODE)
    mine = spoken[state.graph.nodes["subject"][spoken] == entity]
    own = {int(i) for i in state.graph.nodes["id"][mine]}
    return {entity} | facts | said | mentions | own


def _holding(contents: Iterable[Content], phrase: str) -> Iterator[int]:
    """Nodes any of whose words, now or before, hold the phrase; case and accents folded."""
    wanted = _plain(phrase)
    if not wanted:
        return
    for content in contents:
        if any(holds(_plain(text), wanted) for text in _texts(content)):
            yield content.node


def _texts(content: Content) -> Iterator[str]:
    yield content.text
    yield from _strings(content.meta)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield str(name)
            yield from _strings(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _strings(inner)


def _plain(text: str) -> str:
    return _SPACE.sub(" ", fold(text)).strip()


def holds(text: str, phrase: str) -> bool:
    """Whether a text holds a phrase as whole words (both folded)."""
    at = text.find(phrase)
    while at >= 0:
        if not (_inside_a_word(text, at) or _inside_a_word(text, at + len(phrase))):
            return True
        at = text.find(phrase, at + 1)
    return False


def _inside_a_word(text: str, at: int) -> bool:
    return 0 < at < len(text) and _joins(text[at - 1]) and _joins(text[at])


def _joins(character: str) -> bool:
    """Letters that have case, and digits: scripts without spaces have no word bounds to keep."""
    return character.isdigit() or character.lower() != character.upper()


def _planned(state: State, found: Derived) -> Forgotten:
    nodes: dict[str, list[int]] = {}
    ids = found.gone
    for node_id in sorted(i for i in ids if i in state.graph):
        nodes.setdefault(state.kind(node_id).name.lower(), []).append(node_id)
    return Forgotten(
        nodes={kind: tuple(found) for kind, found in nodes.items()},
        past=tuple(sorted(i for i in ids if i not in state.graph)),
        parted=tuple(sorted(found.parted)),
        dry_run=True,
    )
