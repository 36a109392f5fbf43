"""First edges: a new node attends over candidates, as in a graph attention network.

alpha_ij = softmax_j(a . LeakyReLU(W [h_i || h_j || cos_ij])) (GATv2: Brody et al., 2022,
arXiv:2105.14491, for in the first form, LeakyReLU(a . [W h_i || W h_j]), all new nodes rank
their candidates alike); those above 1/(2k) become associations, both ways, of weight alpha
scaled to [0.25, 0.9]. Untrained it is scaled cosine attention.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mags.engram.settings import AttentionSettings
from mags.engram.view import View
from mags.errors import ConfigurationError
from mags.graph.records import ARC, ArcKind


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AttentionWeights:
    """Trained weights of one head of a GATv2, all float32.

    `new`: W of the new node, (hidden, dimension); `other`: W of a candidate, the same;
    `cosine`: W of their cosine, (hidden,); `bias`: (hidden,); `a`: (hidden,).
    """

    new: NDArray[np.float32]
    other: NDArray[np.float32]
    cosine: NDArray[np.float32]
    bias: NDArray[np.float32]
    a: NDArray[np.float32]

    def __post_init__(self) -> None:
        vectors = (self.cosine, self.bias, self.a)
        fits = self.new.ndim == 2 and self.new.shape == self.other.shape
        if not fits or any(v.shape != self.new.shape[:1] for v in vectors):
            shapes = [v.shape for v in (self.new, self.other, *vectors)]
            raise ConfigurationError(
                f"attention weights must be new and other (hidden, dimension) and cosine, bias "
                f"and a (hidden,), not {shapes}: train the linker again",
                shapes=shapes,
            )
        if not all(np.isfinite(v).all() for v in (self.new, self.other, *vectors)):
            raise ConfigurationError("attention weights must be finite: train the linker again")

    @property
    def dimension(self) -> int:
        """Of the vectors they were trained on."""
        return int(self.new.shape[1])


def scores(
    new: NDArray[np.float32],
    others: NDArray[np.float32],
    *,
    settings: AttentionSettings,
    weights: AttentionWeights | None,
) -> NDArray[np.float32]:
    """Unnormalised attention of a new node, shape (d,), to others, (n, d); shape (n,)."""
    if weights is None:
        return np.asarray(settings.sharpness * (others @ new), np.float32)
    own = weights.new @ new + weights.bias
    raw = others @ weights.other.T + np.outer(others @ new, weights.cosine) + own
    return np.asarray(np.where(raw > 0, raw, settings.slope * raw) @ weights.a, np.float32)


def softmax(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Shares that sum to 1, shape (n,)."""
    raised = np.exp(values - values.max())
    return np.asarray(raised / raised.sum(), np.float32)


def first_edges(
    new: NDArray[np.float32],
    others: NDArray[np.float32],
    *,
    settings: AttentionSettings,
    weights: AttentionWeights | None = None,
) -> NDArray[np.float32]:
    """Weights of the first edges to `others`, shape (n,), 0 where there shall be none."""
    if not len(others):
        return np.zeros(0, np.float32)
    low, high = settings.weakest, settings.strongest
    if not settings.on:
        out = np.zeros(len(others), np.float32)
        cosines = others @ new
        best = int(np.argmax(cosines))
        out[best] = low + (high - low) * min(max(float(cosines[best]), 0.0), 1.0)
        return out
    alpha = softmax(scores(new, others, settings=settings, weights=weights))
    floor = 1.0 / (2 * settings.candidates)
    scaled = low + (high - low) * (alpha - floor) / (1.0 - floor)
    return np.where(alpha > floor, scaled, 0.0).astype(np.float32)


def candidates(
    near: Sequence[int],
    entities: Iterable[int],
    recent: Iterable[int],
    *,
    settings: AttentionSettings,
) -> list[int]:
    """At most k distinct ids: entities of the turn, recent episodes, then the nearest."""
    chosen = dict.fromkeys(list(entities)[-settings.entities :])
    chosen.update(dict.fromkeys(list(recent)[: settings.recent]))
    for node_id in near:
        if len(chosen) >= settings.candidates:
            break
        chosen.setdefault(node_id)
    return list(chosen)[: settings.candidates]


def attend(
    view: View,
    around: Mapping[int, Sequence[int]],
    tick: int,
    *,
    settings: AttentionSettings,
    weights: AttentionWeights | None,
) -> None:
    """Draft the first edges of new nodes, each to some of those `around` it, used at `tick`."""
    edges: dict[tuple[int, int], float] = {}
    for new, others in around.items():
        vectors = view.vectors([new, *others])
        known = np.asarray(vectors.any(axis=1))  # what has no vector is joined to nothing
        count = 0
        if known[0]:
            known[0] = False
            near = [other for other, is_known in zip(others, known[1:], strict=True) if is_known]
            given = first_edges(vectors[0], vectors[known], settings=settings, weights=weights)
            for other, weight in zip(near, given.tolist(), strict=True):
                if weight > 0:
                    count += 1
                    # Of two new nodes each attends over the other: the greater weight counts.
                    for pair in ((new, other), (other, new)):
                        edges[pair] = max(weight, edges.get(pair, 0.0))
        view.draft.reason("first-edges", node=new, count=count)
    arcs = np.zeros(len(edges), ARC)
    ends = np.array(list(edges), np.int64).reshape(-1, 2)
    arcs["src"], arcs["dst"] = ends[:, 0], ends[:, 1]
    arcs["kind"], arcs["t0"] = ArcKind.ASSOCIATION, tick
    arcs["w"] = list(edges.values())
    view.draft.add_arcs(arcs)
