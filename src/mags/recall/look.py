"""The second look: the best candidates are compared with the question word by word.

Each word of the question finds the word of a turn that is most like it (MaxSim, as in ColBERT,
arXiv:2004.12832); a word of the turn before or after counts less. What the words are was projected
and kept when the turn was written.
"""

from __future__ import annotations

from itertools import chain

import numpy as np
from numpy.typing import NDArray

from mags.graph.records import ArcKind, NodeKind
from mags.index.state import State
from mags.ports.embedder import STEP, Tokens
from mags.recall.candidates import RecallRequest
from mags.recall.kernels import surroundings
from mags.recall.settings import LookSettings
from mags.recall.spread import links_of, peers_each

NOT_NAMED = np.zeros(0, np.int64)
ABSENT = -1e9
"""How like a word is to those of a turn of which none were kept."""


def second_look(
    state: State,
    request: RecallRequest,
    rows: NDArray[np.int64],
    scores: NDArray[np.float32],
    settings: LookSettings,
) -> NDArray[np.float32]:
    """What is added to each score for how well the words of its turn fit the question, (n,).

    A fact is looked at as the turn that told it. What no words were kept of, an older turn or a
    theme, is neither better nor worse than the rest.
    """
    added = np.zeros(len(scores), np.float32)
    if request.look is None or not settings.first or len(rows) < 2:
        return added
    best = np.argsort(-scores, kind="stable")[: settings.first]
    kinds = state.graph.kinds[rows[best]]
    codes = np.where(kinds == NodeKind.EPISODE, -1, int(ArcKind.SOURCE))
    told = peers_each(state.graph, rows[best], codes)
    said = [
        [row] if code < 0 else led
        for row, code, led in zip(rows[best].tolist(), codes.tolist(), told, strict=True)
    ]
    turns = np.array(sorted(set(chain.from_iterable(said))), np.int64)
    fits = _fits(state, request, request.look, turns, settings)
    own = [[fits[turn] for turn in some if turn in fits] for some in said]
    looks = np.array([max(some, default=np.nan) for some in own])
    known = np.isfinite(looks)
    if known.sum() < 2:
        return added
    looks[~known] = looks[known].mean()
    spread = float(scores[best].std())
    added[best] = settings.weight * spread * (looks - looks[known].mean())
    return added


def _fits(
    state: State,
    request: RecallRequest,
    look: Tokens,
    turns: NDArray[np.int64],
    settings: LookSettings,
) -> dict[int, float]:
    """How well the words of turns fit those of the question, by row; none where none were kept."""
    graph = state.graph
    nodes = graph.nodes[: graph.size]
    before, after, _, _ = surroundings(
        turns, links_of(graph), (nodes["kind"], nodes["valid_to"]), request.moment, NOT_NAMED
    )
    every = np.unique(np.concatenate([turns, before, after]))
    every = every[every >= 0]
    width = look.rows.shape[1]
    held = [one if len(one) % width == 0 else b"" for one in state.tokens(every)]
    lengths = np.array([len(one) for one in held]) // width
    known = np.flatnonzero(lengths)
    # A column for each turn, and the last for where there is none.
    most = np.full((len(look.rows), len(every) + 1), ABSENT)
    if len(known):
        words = np.frombuffer(b"".join(held), np.int8).reshape(-1, width).astype(np.float32)
        asked = look.rows * (STEP * STEP * look.weights)[:, None]
        starts = np.concatenate([[0], np.cumsum(lengths[known])[:-1]])
        most[:, known] = np.maximum.reduceat(asked @ words.T, starts, axis=1)
    own = most[:, np.searchsorted(every, turns)]
    near = np.maximum(*(
        most[:, np.where(rows < 0, len(every), np.searchsorted(every, rows))]
        for rows in (before, after)
    ))  # fmt: skip
    lengths = lengths[np.searchsorted(every, turns)]
    fits = np.maximum(own, settings.beside * near).sum(axis=0)
    fits -= settings.chance * np.log(np.maximum(lengths, 1))
    found = zip(turns.tolist(), fits.tolist(), lengths.tolist(), strict=True)
    return {turn: fit for turn, fit, length in found if length}
