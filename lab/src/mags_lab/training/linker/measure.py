"""How well held-out links are told from what is none: AUC of three ways to link."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mags.engram.attention import AttentionWeights, scores
from mags.engram.settings import AttentionSettings
from mags_lab.training.linker.links import Choices, Links, choices, nearest


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Of one way to link, over held-out links, each among the candidates of its newer node.

    `auc`: share of random negatives ranked below the link (a tie counts half), the mean over
    links; `auc_near`: the same with negatives from among the nearest; `first`: share of links
    ranked above all near negatives.
    """

    auc: float
    auc_near: float
    first: float


def measure(
    links: Links,
    out: Links,
    weights: AttentionWeights,
    settings: AttentionSettings,
    seed: int = 0,
) -> dict[str, Figures]:
    """Figures of "trained", "cosine" and "neighbours" (1 / rank among the k nearest, else 0)."""
    rng = np.random.default_rng(seed)
    k = settings.candidates
    sets = [choices(links, out.pairs, k, near, rng) for near in (0.0, 1.0)]

    def figures(scored: list[NDArray[np.float32]]) -> Figures:
        far, near = scored
        first = np.mean(near[:, :1] > near[:, 1:].max(1, keepdims=True))
        return Figures(auc=auc(far), auc_near=auc(near), first=float(first))

    return {
        "trained": figures([_attention(links, one, settings, weights) for one in sets]),
        "cosine": figures([_attention(links, one, settings, None) for one in sets]),
        "neighbours": figures([_ranked(links, one, k) for one in sets]),
    }


def auc(scored: NDArray[np.float32]) -> float:
    """Area under the ROC curve of each row, (b, k), its first column the link; the mean."""
    link, others = scored[:, :1], scored[:, 1:]
    return float(np.mean((link > others) + 0.5 * (link == others)))


def _attention(
    links: Links, shown: Choices, settings: AttentionSettings, weights: AttentionWeights | None
) -> NDArray[np.float32]:
    vectors = links.vectors
    return np.stack(
        [
            scores(vectors[new], vectors[others], settings=settings, weights=weights)
            for new, others in zip(shown.new, shown.others, strict=True)
        ]
    )


def _ranked(links: Links, shown: Choices, k: int) -> NDArray[np.float32]:
    near = nearest(links.vectors, shown.new, min(k, len(links.vectors) - 1))
    same = shown.others[:, :, None] == near[:, None, :]
    return np.asarray((same / np.arange(1, near.shape[1] + 1)).sum(2), np.float32)
