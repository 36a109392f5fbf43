"""Searching: what holds the very words, then what recall finds beside it; never filled up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mags.graph.records import NEVER, NodeFlag, NodeKind
from mags.index.state import State
from mags.index.tokens import terms
from mags.memory.changes import NamedView, named
from mags.memory.reading import Look, at_moment
from mags.recall.candidates import outdated
from mags.recall.found import Found

LIKE = 0.3
"""Cosine from which on a memory that shares no word with what is looked for is like it: with the
embedder that comes with MAGS "pets" and a dog have 0.35, what has nothing in common up to 0.24."""
WORTH = 0.5
"""Share of the best score from which on what recall finds is shown."""
WORDED = ("cover", "lexical", "lexical_reworded", "walk", "chain")
"""Features of recall that rest on words and names: each tells more than likeness."""
_ORDER = (NodeKind.ENTITY, NodeKind.FACT, NodeKind.NOTE, NodeKind.THEME, NodeKind.EPISODE)


def search(
    state: State, words: str, found: Found, look: Look, vector: NDArray[Any] | None
) -> list[NamedView]:
    """At most `look.k` memories: literal matches by kind, then recalled ones that are near.

    Literal is an entity of that name, its facts, and whatever holds all the words: things, facts,
    notes, themes, then what was said; questions after statements, the memory's own answers last,
    what is over after what holds. `found`: what recall finds for the words; `vector`: theirs,
    shape (dimension,).
    """
    named = state.names.find(words)
    facts = [i for one in named for i in (*state.slots.of(one), *state.slots.about(one))]
    literal = dict.fromkeys((*named, *facts, *_holding(state, words)))
    views = {i: view for i in literal if (view := _view(state, i, look)) is not None}
    first = sorted(views, key=lambda i: (i not in named, *_place(state, views[i])))
    near = [i for i in _near(state, found, vector) if i not in literal]
    for one in near:
        view = _view(state, one, look)
        if view is not None:
            views[one] = view
    rest = [i for i in near if i in views]
    answers = [i for i in (*first, *rest) if _is_answer(state, i)]
    shown = [i for i in (*first, *rest) if i not in set(answers)]
    return [views[i] for i in (*shown, *answers)[: look.k]]


def _holding(state: State, words: str) -> list[int]:
    """Nodes that hold every word that counts."""
    wanted = list(dict.fromkeys(terms(words)))
    if not wanted:
        return []
    rows = state.lexicon.holding(wanted[0])
    for term in wanted[1:]:
        rows = rows[np.isin(rows, state.lexicon.holding(term))]
    graph = state.graph
    ids: list[int] = graph.nodes["id"][rows[graph.alive[rows]]].tolist()
    return ids


def _near(state: State, found: Found, vector: NDArray[Any] | None) -> Iterator[int]:
    """Hits near the best, best first, that share a word or are like what is looked for."""
    best = max((hit.score for hit in found.hits), default=0.0)
    why = {one.id: dict(one.shares) for one in found.trace.hits}
    for hit in found.hits:
        if hit.id not in state.graph or hit.score <= 0.0 or hit.score < WORTH * best:
            continue
        worded = any(why.get(hit.id, {}).get(name, 0.0) > 0.0 for name in WORDED)
        if worded or _cosine(state, hit.id, vector) >= LIKE:
            yield hit.id


def _cosine(state: State, node_id: int, vector: NDArray[Any] | None) -> float:
    if vector is None:
        return 0.0
    own = state.vectors.get(state.graph.rows([node_id]))[0]
    return float(np.asarray(own, np.float32) @ np.asarray(vector, np.float32))


def _view(state: State, node_id: int, look: Look) -> NamedView | None:
    """A node as it was at the time that is looked at; None where it was not yet, or no more."""
    node = state.graph.view(node_id)[0]
    kind = NodeKind(int(node["kind"]))
    known = look.recorded_as_of
    if known is not None and float(node["recorded_at"]) > known:
        return None
    content = state.content(node_id)
    current = bool(node["valid_to"] == NEVER)
    if kind == NodeKind.FACT and look.of_the_past:
        view = at_moment(state, node_id, look.as_of, look)
        if view is None:
            return None
        current = look.as_of is not None or view.valid_to is None
    said_later = kind == NodeKind.EPISODE and _is_later(float(node["valid_from"]), look.as_of)
    if said_later or (kind == NodeKind.THEME and _is_outdated(state, node_id, look)):
        return None
    return named(node, content, current=current)


def _is_outdated(state: State, theme: int, look: Look) -> bool:
    """Whether a theme tells of what has an end, or had ended by the time that is looked at."""
    moment = float(np.nextafter(NEVER, 0.0)) if look.as_of is None else look.as_of
    return bool(outdated(state.graph, state.graph.rows([theme]), moment)[0])


def _is_later(said_at: float, moment: float | None) -> bool:
    return moment is not None and said_at > moment


def _place(state: State, view: NamedView) -> tuple[int, bool, bool, float]:
    """Where a literal match stands: by kind, what holds, statements, the newest first."""
    node = state.graph.view(view.id)[0]
    kind = _ORDER.index(NodeKind(int(node["kind"])))
    asks = bool(int(node["flags"]) & NodeFlag.QUESTION)
    return kind, not view.current, asks, -float(node["recorded_at"])


def _is_answer(state: State, node_id: int) -> bool:
    return bool(int(state.graph.view(node_id)["flags"][0]) & NodeFlag.RECALLED)
