"""The heads in numpy: what the laboratory trains, for one text at a time.

Shapes: n rows, h width, R relations. Weights are float32 by the names of the trained modules.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mags.models.policy.heads.layout import MARKS, OPENS, SPECIAL, TURN

Floats = NDArray[np.float32]
POOLS, HOPS = 5, 3
NEAR = 12
"""Words up to which distances are told apart."""
WRITE, ASK, ROUTER = 0, 1, 2
SHALLOW = 2
"""Blocks after which the router stops."""
PIECE = 500_000
"""Multiplications of one product: see `product`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanScores:
    """Log-probabilities of a span: `act` (3,), `relation` (R,), `points` (3, n)."""

    act: Floats
    relation: Floats
    points: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionScores:
    """Log-probabilities of a question: `relations` (HOPS, R + 1), `plain` (3, 2), `points`."""

    relations: Floats
    plain: Floats
    points: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a text looks like: states (n, w), marks (n, m), rows where a date may be (n,)."""

    states: Floats
    marks: Floats
    dates: NDArray[np.bool_]


class Network:
    """Trunk and heads. `attention`: how many heads a block has; `layers`: of the encoder."""

    def __init__(self, weights: Mapping[str, Floats], *, layers: int, attention: int) -> None:
        self._weights = weights
        self._layers = layers
        self._attention = attention
        self._blocks = sum(name.endswith("mix.weight") for name in weights)
        self._width = weights["norm.weight"].shape[0]

    @property
    def weights(self) -> Mapping[str, Floats]:
        """The weights by the names of the trained modules."""
        return self._weights

    def trunk(self, states: Floats, marks: Floats, role: int) -> Floats:
        """States (n, layers x dimension) and marks (n, m) to (n, h); see the trained module."""
        rows = len(states)
        normed = standard(states.reshape(rows * self._layers, -1)).reshape(rows, -1)
        x = self._linear("into", np.concatenate((normed, marks[:, :MARKS]), axis=1))
        x += self._weights["role"][role]
        if role != ROUTER:
            x += product(marks[:, MARKS:], self._weights["memory.weight"])
        apart = distances(rows)
        for place in range(min(self._blocks, SHALLOW) if role == ROUTER else self._blocks):
            x = self._block(f"blocks.{place}", x, apart)
        return self._norm("norm", x)

    def tags(self, x: Floats) -> Floats:
        """Log-probabilities of the tags of rows, (n, 5)."""
        return log_softmax(self._linear("tag", x))

    def span(self, x: Floats, seen: Seen, first: int, last: int) -> SpanScores:
        """The scores of an object."""
        joined = np.concatenate((x[first], x[last], x[first : last + 1].mean(axis=0)))
        found = gelu(self._linear("span", joined))
        sentence = seen.marks[:, OPENS].cumsum()
        within = (sentence == sentence[first]) & (seen.marks[:, TURN] > 0)
        gist = product(self._meaning(seen.states, within), self._weights["gist.weight"])
        subject, moment = self._linear("subject", found), self._linear("moment", found)
        return SpanScores(
            act=log_softmax(self._linear("act", found)),
            relation=log_softmax((self._linear("relation", found) + gist)[:-1]),
            points=self._points(x, subject, moment, seen.dates, first),
        )

    def question(self, x: Floats, seen: Seen) -> QuestionScores:
        """The scores of a question."""
        pools = self._pool(x, 0, POOLS)
        hops = gelu(self._linear("hop", pools[:HOPS]))
        more = gelu(self._linear("pooled", pools[HOPS:]))
        about, moment = self._linear("subject", more[0]), self._linear("moment", more[1])
        said = self._meaning(seen.states, seen.marks[:, TURN] > 0)
        aim = product(said, self._weights["aim.weight"])
        return QuestionScores(
            relations=log_softmax(self._linear("relation", hops) + aim.reshape(HOPS, -1)),
            plain=log_softmax(self._linear("plain", more[1]).reshape(3, 2)),
            points=self._points(x, about, moment, seen.dates),
        )

    def route(self, x: Floats) -> tuple[Floats, Floats]:
        """Log-probabilities of writing (2,) and of where to look (4,)."""
        pooled = gelu(self._linear("pooled", self._pool(x, POOLS, POOLS + 1)[0]))
        scores = self._linear("route", pooled)
        return log_softmax(scores[:2]), log_softmax(scores[2:])

    def _meaning(self, states: Floats, within: NDArray[np.bool_]) -> Floats:
        last = states[:, -(states.shape[1] // self._layers) :]
        mean = last[within].sum(axis=0) / np.float32(max(1, within.sum()))
        return standard(mean)

    def _points(
        self,
        x: Floats,
        about: Floats,
        moment: Floats,
        dates: NDArray[np.bool_],
        first: int | None = None,
    ) -> Floats:
        keys = self._linear("keys", x).reshape(len(x), 3, self._width)
        asked = np.concatenate((about, moment)).reshape(3, self._width)
        scores: Floats = np.einsum("nth,th->tn", keys, asked) / np.float32(math.sqrt(self._width))
        if first is not None:
            away = self._weights["away"][:, distances(len(x))[first]]
            scores[:, SPECIAL:] += away[:, SPECIAL:]
        scores[2] = np.where(dates, scores[2], np.float32(-1e4))
        return log_softmax(scores)

    def _pool(self, x: Floats, first: int, last: int) -> Floats:
        scores = self._weights["pools"][first:last] @ x.T
        pooled: Floats = softmax(scores) @ x
        return pooled

    def _block(self, name: str, x: Floats, apart: NDArray[np.int64]) -> Floats:
        rows, width = x.shape
        size = width // self._attention
        mixed = self._linear(f"{name}.mix", self._norm(f"{name}.norm1", x))
        q, k, v = mixed.reshape(rows, 3, self._attention, size).transpose(1, 2, 0, 3)
        scores = q @ k.transpose(0, 2, 1) / np.float32(math.sqrt(size))
        scores += self._weights[f"{name}.near"][:, apart]
        heard = (softmax(scores) @ v).transpose(1, 0, 2).reshape(rows, width)
        x = x + self._linear(f"{name}.out", heard)
        up = gelu(self._linear(f"{name}.up", self._norm(f"{name}.norm2", x)))
        return x + self._linear(f"{name}.down", up)

    def _linear(self, name: str, x: Floats) -> Floats:
        made: Floats = product(x, self._weights[f"{name}.weight"]) + self._weights[f"{name}.bias"]
        return made

    def _norm(self, name: str, x: Floats) -> Floats:
        made: Floats = standard(x) * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return made


def product(x: Floats, weight: Floats) -> Floats:
    """Rows (or one vector) times a weight (out, in), without the help of other threads.

    OpenBLAS shares larger products out among all cores, whose threads wait for one another
    spinning: where the cores are busy, a decision took 200 ms instead of 6. It takes pieces of less
    than 2 x 262,144 multiplications alone, and what is no product of matrices is not given to it.
    """
    if x.ndim == 1:
        found: Floats = np.einsum("oi,i->o", weight, x)
        return found
    rows = max(2, PIECE // weight.size)
    made = np.empty((len(x), len(weight)), dtype=np.float32)
    for first in range(0, len(x), rows):
        np.matmul(x[first : first + rows], weight.T, out=made[first : first + rows])
    return made


def distances(rows: int) -> NDArray[np.int64]:
    """How far a row is after another, cut off, from 0 to 2 NEAR: (rows, rows)."""
    places = np.arange(rows)
    apart: NDArray[np.int64] = np.clip(places[None, :] - places[:, None], -NEAR, NEAR) + NEAR
    return apart


def standard(x: Floats) -> Floats:
    """Rows with mean 0 and variance 1, as a layer norm makes them."""
    count = np.float32(x.shape[-1])
    centred = x - np.add.reduce(x, axis=-1, keepdims=True) / count
    variance = np.einsum("...i,...i->...", centred, centred)[..., None] / count
    made: Floats = centred / np.sqrt(variance + np.float32(1e-5))
    return made


def gelu(x: Floats) -> Floats:
    """The Gaussian error linear unit, by its approximation with tanh."""
    inner = np.float32(0.7978845608028654) * (x + np.float32(0.044715) * x * x * x)
    return np.asarray(np.float32(0.5) * x * (np.float32(1.0) + np.tanh(inner)), dtype=np.float32)


def softmax(x: Floats) -> Floats:
    """Probabilities over the last axis."""
    raised = np.exp(x - x.max(axis=-1, keepdims=True))
    made: Floats = raised / np.add.reduce(raised, axis=-1, keepdims=True)
    return made


def log_softmax(x: Floats) -> Floats:
    """Log-probabilities over the last axis."""
    shifted = x - x.max(axis=-1, keepdims=True)
    made: Floats = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return made
