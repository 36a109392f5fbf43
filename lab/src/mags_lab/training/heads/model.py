"""The heads as they are trained; `mags.models.policy.heads.network` computes the same in numpy.

One trunk of small transformer blocks reads the frozen states word by word, and what is remembered
of those words; the router stops after its first two blocks. Upon it: for write a
tagger of objects whose spans choose act, relation, subject and date; for ask five attention pools
that choose up to three relations, the name they hang on and the date; for the router one more.
Shapes: b samples, n rows, h width, R relations, s spans.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, layer_norm, softmax

from mags.models.policy.heads.layout import MARKS, OPENS, SPECIAL, TURN

TAGS = 5
"""Outside, the first and further words of an object, the first and further words of a note."""
POOLS = 5
HOPS = 3
NEAR = 12
"""Words up to which distances are told apart."""
ROUTER, SHALLOW = 2, 2
"""The router's place among the roles, and after how many blocks it stops: it must be cheap."""
LOOKS = 4
"""Nothing to recall; a fact; a chain of facts; what was said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """Sizes of the heads. `dimension`, `layers`: of the encoder's states."""

    relations: int
    dimension: int = 384
    layers: int = 3
    width: int = 128
    blocks: int = 3
    attention: int = 4

    @property
    def remembered(self) -> int:
        """Columns of what is remembered."""
        return 2 + 2 * self.relations


class Block(nn.Module):  # type: ignore[misc]
    """Self-attention and a feed-forward layer, each after a norm."""

    def __init__(self, width: int, attention: int) -> None:
        super().__init__()
        self.heads = attention
        self.norm1 = nn.LayerNorm(width)
        self.mix = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.norm2 = nn.LayerNorm(width)
        self.up = nn.Linear(width, 2 * width)
        self.down = nn.Linear(2 * width, width)
        self.near = nn.Parameter(nearness(attention))
        self.drop = nn.Dropout(0.1)

    def forward(self, x: Tensor, mask: Tensor, apart: Tensor) -> Tensor:
        """(b, n, h), bool (b, n) and distances (n, n) as `distances` has them, to (b, n, h)."""
        b, n, h = x.shape
        q, k, v = self.mix(self.norm1(x)).view(b, n, 3, self.heads, h // self.heads).unbind(2)
        bias = self.near[:, apart][None].masked_fill(~mask[:, None, None], -1e4)
        mixed = nn.functional.scaled_dot_product_attention(
            q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), attn_mask=bias
        )
        x = x + self.drop(self.out(mixed.transpose(1, 2).reshape(b, n, h)))
        return x + self.drop(self.down(gelu(self.up(self.norm2(x)), approximate="tanh")))


def nearness(attention: int) -> Tensor:
    """What distances weigh to begin with, (attention, 2 NEAR + 1): from far-sighted to local."""
    slopes = torch.linspace(0.0, 1.0, attention)[:, None]
    return -slopes * torch.arange(-NEAR, NEAR + 1).abs()


def distances(rows: int) -> Tensor:
    """How far a row is after another, cut off, from 0 to 2 NEAR: (rows, rows)."""
    places = torch.arange(rows)
    return (places[None, :] - places[:, None]).clamp(-NEAR, NEAR) + NEAR


class Heads(nn.Module):  # type: ignore[misc]
    """Trunk and heads of all three roles."""

    def __init__(self, shape: Shape, *, drop: float = 0.2, unseen: float = 0.05) -> None:
        super().__init__()
        h = shape.width
        self.shape = shape
        self.into = nn.Linear(shape.dimension * shape.layers + MARKS, h)
        self.memory = nn.Linear(shape.remembered, h, bias=False)
        nn.init.zeros_(self.memory.weight)
        self.role = nn.Parameter(torch.zeros(3, h))
        self.blocks = nn.ModuleList(Block(h, shape.attention) for _ in range(shape.blocks))
        self.norm = nn.LayerNorm(h)
        self.relation = nn.Linear(2 * h, shape.relations + 1)
        self.gist = nn.Linear(shape.dimension, shape.relations + 1, bias=False)
        self.aim = nn.Linear(shape.dimension, HOPS * (shape.relations + 1), bias=False)
        nn.init.zeros_(self.gist.weight)
        nn.init.zeros_(self.aim.weight)
        self.tag = nn.Linear(h, TAGS)
        self.span = nn.Linear(3 * h, 2 * h)
        self.act = nn.Linear(2 * h, 3)
        self.subject = nn.Linear(2 * h, 2 * h)
        self.moment = nn.Linear(2 * h, h)
        self.keys = nn.Linear(h, 3 * h)
        self.away = nn.Parameter(torch.zeros(3, 2 * NEAR + 1))
        self.pools = nn.Parameter(torch.randn(POOLS + 1, h) / math.sqrt(h))
        self.pooled = nn.Linear(h, 2 * h)
        self.hop = nn.Linear(h, 2 * h)
        self.plain = nn.Linear(2 * h, 6)
        self.route = nn.Linear(2 * h, 2 + LOOKS)
        self.drop = nn.Dropout(drop)
        self.hide = nn.Dropout(unseen)
        """In training, whole words are hidden now and then, lest one word decides alone."""

    def trunk(self, states: Tensor, marks: Tensor, mask: Tensor, role: int) -> Tensor:
        """States (b, n, layers x dimension), marks (b, n, m), bool (b, n) to (b, n, h).

        The marks: those of writing and, but for the router (role 2), of what is remembered.
        """
        b, n, _ = states.shape
        parts = states.view(b, n, self.shape.layers, self.shape.dimension)
        normed = layer_norm(parts, (self.shape.dimension,)).reshape(b, n, -1)
        if self.training:  # columns of a whole sample and whole words: chance for each costs more
            normed = normed * self.drop(torch.ones(b, 1, normed.shape[2]))
            normed = normed * self.hide(torch.ones(b, n, 1))
        signs = marks[..., :MARKS]
        x = self.into(torch.cat((normed, signs), dim=-1)) + self.role[role]
        if role < ROUTER:
            x = x + self.memory(marks[..., MARKS:])
        apart = distances(n)
        for block in self.blocks[:SHALLOW] if role == ROUTER else self.blocks:
            x = block(x, mask, apart)
        return self.norm(x)

    def meaning(self, states: Tensor, within: Tensor) -> Tensor:
        """The mean of the last layer over rows, normed: (s, n, .), bool (s, n) to (s, w).

        A sentence whose phrase is new still lies near others of its relation.
        """
        last = states[..., -self.shape.dimension :]
        weights = within.float() / within.sum(dim=1, keepdim=True).clamp(min=1)
        mean = torch.einsum("snw,sn->sw", last, weights)
        return self.drop(layer_norm(mean, (self.shape.dimension,)))

    def spans(self, x: Tensor, which: Tensor) -> Tensor:
        """Spans as vectors; `which` (s, 3) is sample, first and last row; to (s, 2h)."""
        sums = torch.cat((torch.zeros_like(x[:, :1]), x.cumsum(dim=1)), dim=1)
        row, first, last = which.unbind(1)
        mean = (sums[row, last + 1] - sums[row, first]) / (last - first + 1).unsqueeze(1)
        joined = torch.cat((x[row, first], x[row, last], mean), dim=1)
        return self.drop(gelu(self.span(joined), approximate="tanh"))

    def pointers(self, x: Tensor, row: Tensor, about: Tensor, moment: Tensor) -> Tensor:
        """Scores of rows as first and last of a name and of a date: (s, 3, n).

        `row` (s,): the sample of each question; `about` (s, 2h), `moment` (s, h): the questions.
        """
        h = self.shape.width
        keys = self.keys(x).view(*x.shape[:2], 3, h)[row]
        asked = torch.cat((about, moment), dim=1).view(-1, 3, h)
        return torch.einsum("snth,sth->stn", keys, asked) / math.sqrt(h)

    def of_spans(
        self, x: Tensor, which: Tensor, states: Tensor, marks: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Act (s, 3), relation (s, R) and pointers (s, 3, n) of spans."""
        found = self.spans(x, which)
        scores = self.pointers(x, which[:, 0], self.subject(found), self.moment(found))
        apart = distances(x.shape[1])[which[:, 1]]
        words = (torch.arange(x.shape[1]) >= SPECIAL).float()
        scores = scores + self.away[:, apart].transpose(0, 1) * words
        sentence = marks[..., OPENS].cumsum(dim=1)[which[:, 0]]
        own = sentence.gather(1, which[:, 1:2])
        within = (sentence == own) & marks[which[:, 0], :, TURN].bool()
        gist = self.gist(self.meaning(states[which[:, 0]], within))
        return self.act(found), (self.relation(found) + gist)[:, :-1], scores

    def pool(self, x: Tensor, mask: Tensor) -> Tensor:
        """The pools' vectors, (b, POOLS + 1, h)."""
        scores = torch.einsum("bnh,ph->bpn", x, self.pools).masked_fill(~mask[:, None], -1e4)
        return torch.einsum("bpn,bnh->bph", softmax(scores, dim=-1), x)

    def of_question(
        self, x: Tensor, mask: Tensor, states: Tensor, marks: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Relations (b, HOPS, R + 1), inverse, past, whether (b, 6), pointers (b, 3, n)."""
        pools = self.pool(x, mask)
        hops = self.drop(gelu(self.hop(pools[:, :HOPS]), approximate="tanh"))
        more = self.drop(gelu(self.pooled(pools[:, HOPS:POOLS]), approximate="tanh"))
        row = torch.arange(len(x), device=x.device)
        scores = self.pointers(x, row, self.subject(more[:, 0]), self.moment(more[:, 1]))
        aim = self.aim(self.meaning(states, marks[..., TURN].bool())).view(len(x), HOPS, -1)
        return self.relation(hops) + aim, self.plain(more[:, 1]), scores

    def of_turn(self, x: Tensor, mask: Tensor) -> Tensor:
        """The router's scores, (b, 2 + LOOKS)."""
        pooled = self.pool(x, mask)[:, POOLS]
        return self.route(self.drop(gelu(self.pooled(pooled), approximate="tanh")))
