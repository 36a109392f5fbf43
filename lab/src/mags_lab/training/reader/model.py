"""The reader as it is trained; `mags_lab.games.reader.network` computes the same in numpy.

Unusual: attention runs within a piece (a line, the question, an action), and between pieces only
along ties: pairs of the same word. So names have no meaning, a line reaches another in one block
only through a word that both hold, and the cost grows with the ties rather than the square of the
words. Each block also hears the question. Shapes: n tokens, p pieces, t ties, h width.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding, gelu

from mags_lab.games.reader.layout import FEATURES, SHARED, TIES

NEAR = 8
"""Words up to which distances in a piece are told apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """Sizes of the reader."""

    width: int = 64
    blocks: int = 6
    attention: int = 4
    inner: int = 128
    dimension: int = 384


@dataclass(frozen=True, slots=True, kw_only=True)
class Fed:
    """A batch as tensors; names as in `Batch`, `to` for its `right_`; `tables`: its pieces by
    length, each (p, longest); `flat` (n,): where each token is in all of them laid end to end.
    """

    vectors: Tensor
    ids: Tensor
    features: Tensor
    flat: Tensor
    tables: tuple[Tensor, ...]
    asked: Tensor
    left: Tensor
    to: Tensor
    tie: Tensor
    shared: Tensor
    like: Tensor
    acts: Tensor
    told: Tensor


class Block(nn.Module):  # type: ignore[misc]
    """Attention in pieces, attention along ties, and a feed-forward layer, each after a norm."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        h, a = shape.width, shape.attention
        self.heads = a
        self.norm1 = nn.LayerNorm(h)
        self.hear = nn.Linear(h, h)
        self.mix1 = nn.Linear(h, 3 * h)
        self.out1 = nn.Linear(h, h)
        slopes = torch.linspace(0.0, 1.0, a)[:, None]
        self.near_embed = nn.Parameter(-slopes * torch.arange(-NEAR, NEAR + 1).abs())
        self.norm2 = nn.LayerNorm(h)
        self.mix2 = nn.Linear(h, 3 * h)
        self.out2 = nn.Linear(h, h)
        self.tie_embed = nn.Parameter(torch.zeros(TIES, a))
        self.shared_embed = nn.Parameter(torch.zeros(SHARED, a))
        self.like = nn.Parameter(torch.ones(a))
        self.norm3 = nn.LayerNorm(h)
        self.up = nn.Linear(h, shape.inner)
        self.down = nn.Linear(shape.inner, h)

    def forward(self, x: Tensor, fed: Fed) -> Tensor:
        """(n, h) to (n, h)."""
        y = self.norm1(x)
        x = x + self.within(y + self.hear(embedding(fed.asked, y)), fed)
        x = x + self.between(self.norm2(x), fed)
        return x + self.down(gelu(self.up(self.norm3(x)), approximate="tanh"))

    def within(self, y: Tensor, fed: Fed) -> Tensor:
        """Attention among the words of a piece."""
        h = y.shape[1]
        mixed = torch.cat((self.mix1(y), y.new_zeros(1, 3 * h)))
        found = torch.cat([self._attended(mixed, table) for table in fed.tables])
        return self.out1(embedding(fed.flat, found))

    def _attended(self, mixed: Tensor, table: Tensor) -> Tensor:
        """Pieces of like length: mixed (n + 1, 3h) and places (p, longest) to (p * longest, h)."""
        p, longest = table.shape
        size = mixed.shape[1] // (3 * self.heads)
        parts = embedding(table, mixed).view(p, longest, 3, self.heads, size)
        q, k, v = parts.permute(2, 0, 3, 1, 4).unbind(0)
        places = torch.arange(longest)
        apart = (places[None, :] - places[:, None]).clamp(-NEAR, NEAR) + NEAR
        hidden = (table == len(mixed) - 1)[:, None, None] * -1e4
        scores = (q @ k.transpose(-1, -2)) / math.sqrt(size) + self.near_embed[:, apart] + hidden
        found = scores.softmax(-1) @ v
        return found.transpose(1, 2).reshape(p * longest, -1)

    def between(self, y: Tensor, fed: Fed) -> Tensor:
        """Attention along ties; each token is tied to itself, so that it may hear nothing new."""
        n, h = y.shape
        size = h // self.heads
        q, keys = self.mix2(y).split((h, 2 * h), dim=1)
        asking = embedding(fed.left, q).view(-1, self.heads, size)
        k, v = embedding(fed.to, keys).view(-1, 2, self.heads, size).unbind(1)
        bias = embedding(fed.tie, self.tie_embed) + embedding(fed.shared, self.shared_embed)
        scores = (asking * k).sum(-1) / math.sqrt(size) + bias + fed.like[:, None] * self.like
        weights = scores.clamp(-15.0, 15.0).exp()
        total = torch.zeros(n, self.heads).index_add(0, fed.left, weights)
        share = weights / embedding(fed.left, total)
        heard = (share[..., None] * v).reshape(-1, h)
        return self.out2(torch.zeros(n, h).index_add(0, fed.left, heard))


class ReaderNet(nn.Module):  # type: ignore[misc]
    """Words in, a score for each action and each line out."""

    def __init__(self, shape: Shape, *, drop: float = 0.1) -> None:
        super().__init__()
        h = shape.width
        self.shape = shape
        self.word = nn.Linear(shape.dimension, h, bias=False)
        nn.init.normal_(self.word.weight, std=1.0)
        self.known = nn.Linear(FEATURES, h)
        self.blocks = nn.ModuleList(Block(shape) for _ in range(shape.blocks))
        self.norm = nn.LayerNorm(h)
        self.act = nn.Linear(2 * h, h)
        self.score = nn.Linear(h, 1)
        self.line = nn.Linear(2 * h, h)
        self.needed = nn.Linear(h, 1)
        self.drop = drop

    def forward(self, fed: Fed) -> tuple[Tensor, Tensor]:
        """Scores of actions (a,) and of lines (l,)."""
        words = self.word(fed.vectors)
        if self.training:
            # A word forgotten now and then: what stands beside it has to do.
            words = words * (torch.rand(len(words), 1) > self.drop)
        x = embedding(fed.ids, words) + self.known(fed.features)
        for block in self.blocks:
            x = block(x, fed)
        x = self.norm(x)
        act = torch.cat((x[fed.acts], x[fed.asked[fed.acts]]), dim=1)
        line = torch.cat((x[fed.told], x[fed.asked[fed.told]]), dim=1)
        scores = self.score(gelu(self.act(act), approximate="tanh"))[:, 0]
        needed = self.needed(gelu(self.line(line), approximate="tanh"))[:, 0]
        return scores, needed


def between(start: ReaderNet, end: ReaderNet, share: float) -> ReaderNet:
    """A reader whose weights are `share` of the way from those of one to those of another.

    What both learned stays, and what was learned last counts less (Wortsman et al. 2022,
    arXiv:2109.01903). Raises RuntimeError where their shapes differ.
    """
    found = ReaderNet(end.shape)
    old, new = start.state_dict(), end.state_dict()
    found.load_state_dict({name: torch.lerp(old[name], new[name], share) for name in new})
    return found
