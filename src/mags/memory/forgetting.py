"""Forgetting: erasure of what is named, and of everything that is derived from it alone.

First what is meant (an id, a name or a phrase), then what rests on that alone, here or on another
branch, then the erasure from graph, journal, snapshots, branches, indexes, caches and file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mags import caches
from mags.errors import NotFound
from mags.graph.delta import Draft, PastGraph
from mags.graph.records import ArcKind, Content, NodeFlag, NodeKind
from mags.index.state import State
from mags.index.tokens import fold
from mags.memory.live import Live
from mags.memory.views import Forgotten
from mags.memory.weights import sweep
from mags.ports.store import Store
from mags.ports.weights import ArtifactStore

CITED = re.compile(r"[\[(]\s*m\d{1,18}(?:\s*[,;]?\s*m?\d{1,18})*\s*[\])]", re.ASCII)
NUMBER = re.compile(r"\d{1,18}", re.ASCII)
"""Citations as answers write them (`mags.models.answer.context`)."""
HOLDS = (ArcKind.MENTIONS, ArcKind.SUBJECT, ArcKind.OBJECT)
"""Kinds of arcs that lead to an entity from what tells of it."""
TELLS = (*HOLDS, ArcKind.SOURCE, ArcKind.MEMBER)
"""Kinds of arcs by which something rests on something else."""
_SPACE = re.compile(r"\s+")


def forget(
    live: Live, wanted: int | str, *, dry_run: bool = False, artifacts: ArtifactStore | None = None
) -> Forgotten:
    """Erase a node by id, a thing by name, or whatever holds a phrase.

    The id of an entity erases what its name does: itself, what is said of it, and every turn
    that tells of it. The id of a turn erases the turn; that of a fact, a note or a theme erases
    it alone, and the turns that told it stay. `dry_run` erases nothing and returns what would
    go, with its texts.

    A phrase is looked for, as whole words, in every word the memory keeps: texts, names,
    speakers, sessions, attributes; also those of nodes that were edited, rolled back or
    live on another branch. With it go facts and notes that have no other source and were
    not asserted by hand, answers that cited it, themes that list it, entities that nothing
    else mentions.

    One transaction: it is complete, or it did not happen. What was taught to a model of it is
    deleted from `artifacts` then, or told to be out of reach. Raises NotFound when nothing matches;
    StoreBusy or StoreFull with `erased` True where all is gone from the memory, but bytes may
    stay in the file until it is opened again.
    """
    store = live.store
    if dry_run:
        with live.reading() as state:
            gone, parted = closure(state, store, _matching(state, store, wanted))
            held = store.contents.scan(sorted(gone))
            said = [(content.node, content.text) for content in held]  # the newest last
            here = state.words(sorted(i for i in gone if i in state.graph))
            texts = {**dict(said), **{one.node: one.text for one in here}}
            earlier: dict[int, tuple[str, ...]] = {}
            for node, text in dict.fromkeys(said):
                if text != texts[node]:
                    earlier[node] = (*earlier.get(node, ()), text)
            taught, kept = sweep(live, artifacts, gone)
            plan = replace(_planned(state, gone, parted), weights=taught, out_of_reach=kept)
            return replace(plan, contents=len(said), texts=texts, earlier=earlier)
    try:
        with live.writing() as state:
            gone, parted = closure(state, store, _matching(state, store, wanted))
            plan = _planned(state, gone, parted)
            draft = Draft(state.graph)
            for node_id in sorted(gone | parted):
                if node_id in state.graph:
                    draft.remove_node(node_id)
            draft.reason("forget", nodes=len(gone))
            live.commit_draft(draft, "forget")
            erased = live.erase(sorted(gone))
    finally:
        caches.clear()
    try:
        taught, kept = sweep(live, artifacts)
        if store.facts.size().get("to_clean"):
            store.contents.erase([])  # cleans the file, or raises where it cannot yet
    finally:
        live.tidy(always=True)
    return replace(plan, contents=erased, dry_run=False, weights=taught, out_of_reach=kept)


def _planned(state: State, gone: set[int], parted: set[int]) -> Forgotten:
    nodes: dict[str, list[int]] = {}
    for node_id in sorted(i for i in gone if i in state.graph):
        nodes.setdefault(state.kind(node_id).name.lower(), []).append(node_id)
    return Forgotten(
        nodes={kind: tuple(ids) for kind, ids in nodes.items()},
        past=tuple(sorted(i for i in gone if i not in state.graph)),
        parted=tuple(sorted(parted)),
        dry_run=True,
    )


# -- what is meant -----------------------------------------------------------------


def _matching(state: State, store: Store, wanted: int | str) -> set[int]:
    if isinstance(wanted, str):
        found = _called(state, store, wanted)
        if not found:
            raise NotFound(
                f"nothing in this memory is named {wanted!r} or holds these words", query=wanted
            )
        return found
    said = [content.text for content in store.contents.scan([wanted])]
    if wanted in state.graph:
        entity = state.kind(wanted) == NodeKind.ENTITY
    elif said:
        past = store.journal.past().nodes
        entity = bool(np.any(past["kind"][past["id"] == wanted] == int(NodeKind.ENTITY)))
    else:
        raise NotFound(f"no node {wanted} in this memory", node_id=wanted)
    if not entity:
        return {wanted}
    # Of a node that is here no more the newest words, which `scan` gives last.
    name = state.content(wanted).text if wanted in state.graph else said[-1]
    return {wanted} | _called(state, store, name)


def _called(state: State, store: Store, name: str) -> set[int]:
    """Everything about the entities of a name, and whatever else holds it as a phrase."""
    found = {n for entity in state.names.find(name) for n in _nodes_about(state, entity)}
    return found.union(_holding(store.contents.scan(), name))


def _nodes_about(state: State, entity: int) -> set[int]:
    """An entity, the facts about it, and the episodes and notes that mention or say it."""
    facts = {*state.slots.of(entity), *state.slots.about(entity)}
    said = {i for fact in facts for i in state.graph.targets(fact, ArcKind.SOURCE)}
    mentions = state.graph.origins(entity, ArcKind.MENTIONS)
    turns = state.graph.nodes[state.graph.where(NodeKind.EPISODE)]
    spoken = turns["id"][turns["subject"] == entity].tolist()
    return {entity, *facts, *said, *mentions, *spoken}


def _holding(contents: Iterable[Content], phrase: str) -> Iterator[int]:
    """Nodes any of whose words, now or before, hold the phrase; case and accents folded."""
    wanted = _plain(phrase)
    if not wanted:
        return
    for content in contents:
        if any(holds(_plain(text), wanted) for text in _strings([content.text, content.meta])):
            yield content.node


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from map(str, value)
        yield from _strings(list(value.values()))
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
    """Whether a place lies between two letters or digits, and so inside a word.

    Only letters that have case count: scripts without it write no spaces between words.
    """
    around = text[at - 1 : at + 1] if 0 < at < len(text) else " "
    return all(one.isdigit() or one.lower() != one.upper() for one in around)


# -- what goes with it -------------------------------------------------------------


def closure(state: State, store: Store, chosen: set[int]) -> tuple[set[int], set[int]]:
    """What is erased everywhere with `chosen`, in no graph any more or not; what leaves this only.

    What something else has ever told, here or on another branch, is kept for that: it leaves this
    graph where it rests here on `chosen` alone. What does so everywhere goes, so that no rollback
    brings it back.
    """
    past, now = store.journal.past(), PastGraph.present(state.graph, *TELLS)
    gone = set(chosen)
    while True:
        ids = np.fromiter(gone, np.int64, len(gone))
        here = _resting(now, ids, ArcKind.MEMBER) - _held(past, ids)
        once = {i for i in _resting(past, ids) if i not in state.graph}
        themes = set(past.into(ids, ArcKind.MEMBER)["src"].tolist())  # a later text may quote it
        more = gone | here | once | themes
        # Answers last: to find them, the text of each is read.
        if more == gone:
            more = gone | _answers(store, past, gone)
            if more == gone:
                return gone, _parted(now, gone)
        gone = more


def _parted(now: PastGraph, gone: set[int]) -> set[int]:
    """What is derived from `gone` alone in this graph and does not belong to it."""
    left = set(gone)
    while True:
        more = left | _resting(now, np.fromiter(left, np.int64, len(left)), ArcKind.MEMBER)
        if more == left:
            return left - gone
        left = more


def _resting(graph: PastGraph, gone: NDArray[np.int64], *also: ArcKind) -> set[int]:
    """What rests on `gone` alone; an entity on arcs of kinds in `also`, too."""
    return _derived(graph, gone) | _orphans(graph, gone, *also)


def _held(past: PastGraph, gone: NDArray[np.int64]) -> set[int]:
    """What something else than `gone` has ever told: facts, notes and entities."""
    made = np.unique(past.into(gone, ArcKind.SOURCE)["src"])
    touched = np.unique(past.out_of(gone, *HOLDS)["dst"])
    about = past.into(gone, ArcKind.SUBJECT, ArcKind.OBJECT)["src"]
    told = np.setdiff1d(made, [*_derived(past, gone), *about.tolist()])
    return {*told.tolist(), *np.setdiff1d(touched, [*_orphans(past, gone)]).tolist()}


def _answers(store: Store, past: PastGraph, gone: set[int]) -> set[int]:
    """Answers from memory that cite what goes: they quote it."""
    answers = past.nodes["id"][(past.nodes["flags"] & int(NodeFlag.RECALLED)) > 0].tolist()
    left = [i for i in answers if i not in gone]
    return {one.node for one in store.contents.scan(left) if _cites(one, gone)}


def _derived(past: PastGraph, gone: NDArray[np.int64]) -> set[int]:
    """Facts and notes that never had another source, facts about what goes, themes of it."""
    made = np.setdiff1d(past.into(gone, ArcKind.SOURCE)["src"], past.given)
    sources = past.out_of(made, ArcKind.SOURCE)
    kept = sources["src"][~np.isin(sources["dst"], gone)]
    about = past.into(gone, ArcKind.SUBJECT, ArcKind.OBJECT, ArcKind.MEMBER)["src"]
    return {*np.setdiff1d(made, kept).tolist(), *about.tolist()}


def _orphans(past: PastGraph, gone: NDArray[np.int64], *also: ArcKind) -> set[int]:
    """Entities that only what goes has ever mentioned, or spoken for."""
    touched = np.unique(past.out_of(gone, *HOLDS)["dst"])
    holders = past.into(touched, *HOLDS, *also)
    held = holders["dst"][~np.isin(holders["src"], gone)]
    said = past.nodes[past.nodes["kind"] == int(NodeKind.EPISODE)]
    spoken = said["subject"][~np.isin(said["id"], gone)]
    return {*np.setdiff1d(touched, np.concatenate([held, spoken])).tolist()}


def _cites(content: Content, gone: set[int]) -> bool:
    groups = CITED.findall(content.text)
    return any(int(number) in gone for group in groups for number in NUMBER.findall(group))
