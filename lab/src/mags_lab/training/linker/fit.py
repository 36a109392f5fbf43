"""Training of the linker by link prediction: of k candidates, which one is linked?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import torch

from mags.engram.attention import AttentionWeights
from mags.engram.settings import AttentionSettings
from mags_lab.training.linker.links import Choices, Links, choices, held_out
from mags_lab.training.linker.model import LinkerNet

OnEpoch = Callable[[int, float], None]
"""Called with the epoch, from 1, and its loss on the pairs kept for stopping."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitting:
    """Numbers of the training.

    `near`: share of the candidates drawn from the nearest; `most`: pairs seen an epoch;
    `watched`: share of the pairs that only say which epoch was best.
    """

    hidden: int = 32
    epochs: int = 20
    batch: int = 128
    rate: float = 1e-3
    decay: float = 1e-3
    near: float = 0.5
    most: int = 5_000
    watched: float = 0.1
    seed: int = 0
    attention: AttentionSettings = field(default_factory=AttentionSettings)


def fit(
    links: Links, config: Fitting, on_epoch: OnEpoch = lambda epoch, loss: None
) -> AttentionWeights:
    """Weights of the best epoch, the untrained start among them; one seed, one result."""
    torch.manual_seed(config.seed)
    rng = np.random.default_rng(config.seed)
    learned, watched = held_out(links, config.watched, config.seed + 1)
    k = config.attention.candidates
    judged = choices(links, watched.pairs[: config.most], k, config.near, rng)
    net = LinkerNet(links.vectors.shape[1], config.hidden, config.attention)
    steps = torch.optim.AdamW(net.parameters(), lr=config.rate, weight_decay=config.decay)
    best, found = _loss(net, links, judged), net.weights()
    for epoch in range(1, config.epochs + 1):
        order = rng.permutation(len(learned.pairs))[: config.most]
        shown = choices(links, learned.pairs[order], k, config.near, rng)
        for start in range(0, len(order), config.batch):
            part = slice(start, start + config.batch)
            alpha = _alpha(net, links, Choices(new=shown.new[part], others=shown.others[part]))
            steps.zero_grad()
            (-alpha[:, 0].clamp_min(1e-9).log().mean()).backward()
            steps.step()
        loss = _loss(net, links, judged)
        on_epoch(epoch, loss)
        if loss < best:
            best, found = loss, net.weights()
    return found


def _alpha(net: LinkerNet, links: Links, shown: Choices) -> torch.Tensor:
    new = torch.from_numpy(links.vectors[shown.new])
    alpha: torch.Tensor = net(new, torch.from_numpy(links.vectors[shown.others]))
    return alpha


@torch.no_grad()
def _loss(net: LinkerNet, links: Links, shown: Choices) -> float:
    return float(-_alpha(net, links, shown)[:, 0].clamp_min(1e-9).log().mean())
