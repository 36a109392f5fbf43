"""What the heads are trained by: the sum of the cross-entropies of what they choose."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from mags.models.policy.heads.choices import Vocabulary
from mags_lab.training.chains.schema import Role
from mags_lab.training.heads.batches import (
    ROLES,
    Batch,
    looks_of,
    questions_of,
    spans_of,
    tags_of,
)
from mags_lab.training.heads.model import Heads


def loss_of(model: Heads, batch: Batch, known: Vocabulary) -> Tensor:
    """The loss of a batch, a mean over its samples."""
    x = model.trunk(batch.states, batch.marks, batch.mask, ROLES[batch.role])
    return loss_on(model, batch, known, x)


def loss_on(model: Heads, batch: Batch, known: Vocabulary, x: Tensor) -> Tensor:
    """The same upon what the trunk made of the batch, (b, n, h)."""
    if batch.role is Role.WRITE:
        return _writing(model, batch, known, x)
    if batch.role is Role.ASK:
        return _asking(model, batch, known, x)
    write, look = looks_of(batch)
    scores = model.of_turn(x, batch.mask).float()
    return cross_entropy(scores[:, :2], write) + cross_entropy(scores[:, 2:], look)


def _writing(model: Heads, batch: Batch, known: Vocabulary, x: Tensor) -> Tensor:
    size = len(batch.gold)
    tags = model.tag(x).float()[batch.turn]
    whole = cross_entropy(tags, tags_of(batch)[batch.turn], reduction="sum") / size
    gold = spans_of(batch, known)
    if not len(gold.which):
        return whole
    acts, relations, scores = model.of_spans(x, gold.which, batch.states, batch.marks)
    chosen = cross_entropy(acts.float(), gold.acts, reduction="sum")
    chosen = chosen + cross_entropy(relations.float(), gold.relations, reduction="sum")
    row = gold.which[:, 0]
    chosen = chosen + pointed(scores, gold.points, batch.mask[row], batch.turn[row]).sum()
    return whole + chosen / size


def _asking(model: Heads, batch: Batch, known: Vocabulary, x: Tensor) -> Tensor:
    gold = questions_of(batch, known)
    relations, plain, scores = model.of_question(x, batch.mask, batch.states, batch.marks)
    none = relations.shape[-1]
    loss = cross_entropy(
        relations.float().reshape(-1, none), gold.relations.flatten(), reduction="sum"
    )
    loss = loss + cross_entropy(plain.float().reshape(-1, 2), gold.plain.flatten(), reduction="sum")
    points = pointed(scores, gold.points, batch.mask, batch.turn).sum()
    return (loss + points) / len(batch.gold)


def pointed(scores: Tensor, points: Tensor, mask: Tensor, turn: Tensor) -> Tensor:
    """Minus the log-probability that pointers fall on any right row; (s, 3, n) to (s,).

    Names may be anywhere; dates only in the turn, or nowhere (row 0).
    """
    dates = turn.clone()
    dates[:, 0] = True
    allowed = torch.stack((mask, mask, dates), dim=1)
    logs = scores.float().masked_fill(~allowed, -1e4).log_softmax(dim=-1)
    return -logs.masked_fill(~(points & allowed), -1e4).logsumexp(dim=-1).sum(dim=1)
