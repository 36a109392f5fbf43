"""The reader as it is trained; `mags.models.policy.reader.network` computes the same in numpy.

Rows of words (see `layout`) go through one small block. Upon it stand three heads: what a turn
tells (a tagger of objects, whose spans choose the rest), what of the known a turn ends, and which
words of a memory answer a question. Shapes: b texts, n rows, h width, s spans.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, layer_norm, softmax

from mags.models.policy.reader.network import MARKS, SPECIAL, TURN
from mags_lab.talk.labels import ACTS, KINDS, MODALITY, POLARITY

TAGS = 3
"""Outside, the first and further words of an object."""
POINTS = 4
"""First and last row of the subject, first and last of the verb."""
NEAR = 12
"""Words up to which distances are told apart."""
FAR = -1e4


@dataclass(frozen=True, slots=True, kw_only=True)
class TalkShape:
    """Sizes. `dimension`, `layers`: of the encoder's states; `relations`: classes of relations."""

    relations: int
    dimension: int = 384
    layers: int = 2
    width: int = 192
    attention: int = 4


class Reader(nn.Module):  # type: ignore[misc]
    """The heads of the reader."""

    def __init__(self, shape: TalkShape, *, drop: float = 0.2) -> None:
        super().__init__()
        h = shape.width
        self.shape = shape
        self.into = nn.Linear(shape.dimension * shape.layers + MARKS, h)
        self.norm1 = nn.LayerNorm(h)
        self.mix = nn.Linear(h, 3 * h)
        self.out = nn.Linear(h, h)
        self.norm2 = nn.LayerNorm(h)
        self.up = nn.Linear(h, 2 * h)
        self.down = nn.Linear(2 * h, h)
        self.near = nn.Parameter(_nearness(shape.attention))
        self.norm = nn.LayerNorm(h)
        self.tag = nn.Linear(h, TAGS)
        self.pools = nn.Parameter(torch.randn(2, h) / math.sqrt(h))
        self.worth = nn.Linear(h, 3)
        self.ends = nn.Linear(h, 1)
        self.span = nn.Linear(4 * h, 2 * h)
        self.must = nn.Linear(2 * h, 1)
        self.kind = nn.Linear(2 * h, len(KINDS))
        self.polarity = nn.Linear(2 * h, len(POLARITY))
        self.modality = nn.Linear(2 * h, len(MODALITY))
        self.act = nn.Linear(2 * h, len(ACTS))
        self.relation = nn.Linear(2 * h, shape.relations)
        self.points = nn.Linear(2 * h, POINTS * h)
        self.keys = nn.Linear(h, POINTS * h)
        self.away = nn.Parameter(torch.zeros(POINTS, 2 * NEAR + 1))
        self.answer = nn.Linear(h, 2)
        self.shown = nn.Linear(h, 1)
        self.says = nn.Linear(h, 1)
        self.drop = nn.Dropout(drop)

    def trunk(self, states: Tensor, marks: Tensor, mask: Tensor) -> Tensor:
        """States (b, n, layers x dimension), marks (b, n, m), bool (b, n) to (b, n, h)."""
        b, n, _ = states.shape
        parts = states.view(b, n, self.shape.layers, self.shape.dimension)
        normed = layer_norm(parts, (self.shape.dimension,)).reshape(b, n, -1)
        if self.training:
            normed = normed * self.drop(torch.ones(b, 1, normed.shape[2]))
        x = self.into(torch.cat((normed, marks), dim=-1))
        heads, h = self.shape.attention, self.shape.width
        q, k, v = self.mix(self.norm1(x)).view(b, n, 3, heads, h // heads).unbind(2)
        bias = self.near[:, distances(n)][None].masked_fill(~mask[:, None, None], FAR)
        mixed = nn.functional.scaled_dot_product_attention(
            q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), attn_mask=bias.to(q.dtype)
        )
        x = x + self.drop(self.out(mixed.transpose(1, 2).reshape(b, n, h)))
        x = x + self.drop(self.down(gelu(self.up(self.norm2(x)), approximate="tanh")))
        return self.norm(x)

    def pool(self, x: Tensor, mask: Tensor) -> Tensor:
        """What a text is as a whole, for `worth` and for `ends`: (b, 2, h)."""
        scores = torch.einsum("bnh,ph->bpn", x, self.pools).masked_fill(~mask[:, None], FAR)
        return torch.einsum("bpn,bnh->bph", softmax(scores, dim=-1), x)

    def spans(self, x: Tensor, pooled: Tensor, which: Tensor) -> Tensor:
        """Spans as vectors; `which` (s, 3) is text, first and last row; to (s, 2h)."""
        sums = torch.cat((torch.zeros_like(x[:, :1]), x.cumsum(dim=1)), dim=1)
        row, first, last = which.unbind(1)
        mean = (sums[row, last + 1] - sums[row, first]) / (last - first + 1).unsqueeze(1)
        joined = torch.cat((x[row, first], x[row, last], mean, pooled[row, 0]), dim=1)
        return self.drop(gelu(self.span(joined), approximate="tanh"))

    def pointers(self, x: Tensor, found: Tensor, which: Tensor, marks: Tensor) -> Tensor:
        """Scores of rows as `POINTS` of spans: (s, POINTS, n). A verb is of the turn, or row 0."""
        h = self.shape.width
        keys = self.keys(x).view(*x.shape[:2], POINTS, h)[which[:, 0]]
        asked = self.points(found).view(-1, POINTS, h)
        scores = torch.einsum("snth,sth->stn", keys, asked) / math.sqrt(h)
        words = (torch.arange(x.shape[1]) >= SPECIAL).float()
        scores = scores + self.away[:, distances(x.shape[1])[which[:, 1]]].transpose(0, 1) * words
        turn = marks[which[:, 0], :, TURN].bool().clone()
        turn[:, 0] = True
        verb = scores[:, 2:].masked_fill(~turn[:, None], FAR)
        return torch.cat((scores[:, :2], verb), dim=1)


def distances(rows: int) -> Tensor:
    """How far a row is after another, cut off, from 0 to 2 NEAR: (rows, rows)."""
    places = torch.arange(rows)
    return (places[None, :] - places[:, None]).clamp(-NEAR, NEAR) + NEAR


def _nearness(attention: int) -> Tensor:
    """What distances weigh to begin with: from far-sighted to local."""
    slopes = torch.linspace(0.0, 1.0, attention)[:, None]
    return -slopes * torch.arange(-NEAR, NEAR + 1).abs()
