"""Bridges between documents: what a good match mentions, and another text is about.

A question of two hops names one end; the text at the other end shares few words with it, but
opens with a name that a good match mentions. Only texts nobody said (documents) take part:
in talk, who and when say more.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mags.graph.graph import REVERSE
from mags.graph.records import NOBODY, ArcKind, NodeKind
from mags.index.names import fold
from mags.index.state import State
from mags.recall.spread import peers

MOST_SHARED = 64
"""An entity in more texts than this bridges nothing."""

OPENING = 96
"""Characters at the head of a text in which it says what it is about."""


@dataclass(slots=True, kw_only=True)
class Bridges:
    """By row: `shared`, how strongly a match mentions what this text mentions too, in [0, 1];
    `about`, the same where this text opens with the name; `titled`, whether it opens with a
    name of the question.
    """

    shared: dict[int, float] = field(default_factory=dict)
    about: dict[int, float] = field(default_factory=dict)
    titled: dict[int, float] = field(default_factory=dict)

    def rows(self, most: int) -> NDArray[np.int64]:
        """Rows that may be new: opening with a name of the question, then the strongest led to."""
        led = sorted(self.about.items(), key=lambda item: -item[1])
        return np.array([*self.titled, *(row for row, _ in led)][:most], np.int64)

    def join(self, more: Bridges, share: float) -> bool:
        """Take in what others lead to, worth `share` of itself; whether anything rose."""
        before = sum(self.shared.values()) + sum(self.about.values())
        for own, theirs in ((self.shared, more.shared), (self.about, more.about)):
            for row, value in theirs.items():
                _raise(own, row, share * value)
        return sum(self.shared.values()) + sum(self.about.values()) > before


def documents(state: State) -> bool:
    """Whether there is any text that nobody said; looked up once a state."""
    return state.kept(
        "documents",
        lambda: bool(_document(state, state.graph.where(NodeKind.EPISODE)).any()),
    )


def best_documents(
    documents: NDArray[np.float32], scores: NDArray[np.float32], most: int
) -> NDArray[np.int64]:
    """Places of those of the `most` best candidates that are documents, the best first.

    `documents`: 1 where nobody said it, shape (n,).
    """
    if not documents.any():
        return np.zeros(0, np.int64)
    best = np.argsort(-scores, kind="stable")[:most]
    return np.asarray(best[documents[best] > 0], np.int64)


def bridges(
    state: State,
    named: tuple[int, ...],
    anchors: NDArray[np.int64],
    mass: NDArray[np.float64],
) -> Bridges:
    """What the anchors (rows, by their mass) and the question's entities (ids) lead to."""
    found = Bridges()
    asked = {state.graph.row_of[i] for i in named}
    for entity in asked:
        for row in _texts(state, entity):
            if _opens_with(state, row, entity):
                found.titled[row] = 1.0
    strongest = float(mass.max()) if len(mass) else 1.0
    documents = _document(state, anchors)
    for anchor, share in zip(anchors[documents].tolist(), mass[documents].tolist(), strict=True):
        for entity in peers(state.graph, anchor, int(ArcKind.MENTIONS)).tolist():
            if entity not in asked:
                _cross(state, found, anchor, entity, share / strongest)
    return found


def _cross(state: State, found: Bridges, anchor: int, entity: int, share: float) -> None:
    """From an anchor over one entity to the other texts that mention it."""
    texts = _texts(state, entity)
    size = state.graph.size
    value = share * float(np.log1p(size / (1 + len(texts))) / np.log1p(size))
    for row in texts:
        if row != anchor:
            _raise(found.shared, row, value)
            if found.about.get(row, 0.0) < value and _opens_with(state, row, entity):
                found.about[row] = value


def _raise(values: dict[int, float], row: int, value: float) -> None:
    if values.get(row, 0.0) < value:
        values[row] = value


def _document(state: State, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which rows are episodes that nobody said, bool (n,)."""
    nodes = state.graph.nodes
    return np.asarray(
        (nodes["kind"][rows] == NodeKind.EPISODE) & (nodes["subject"][rows] == NOBODY), np.bool_
    )


def _texts(state: State, entity: int) -> list[int]:
    """Living documents that mention an entity; none when they are too many."""
    if state.graph.adjacency.length[entity] > 4 * MOST_SHARED:
        return []
    rows = peers(state.graph, entity, int(ArcKind.MENTIONS) | REVERSE)
    kept: list[int] = rows[_document(state, rows)].tolist()
    return kept if len(kept) <= MOST_SHARED else []


def _opens_with(state: State, row: int, entity: int) -> bool:
    ids = state.graph.nodes["id"]
    text, name = state.words([int(ids[row]), int(ids[entity])])
    head, form = fold(text.text[:OPENING]), fold(name.text)
    return head.startswith(form) and not head[len(form) : len(form) + 1].isalnum()
