"""The second look, trained on one pool and measured on others. Needs torch."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import normalize, softplus

from benchmarks.look.pools import Pooled, Span, kept
from mags_lab.evaluation.metrics import bootstrap

COMPONENTS, WIDTH = 256, 64
"""Principal components of the joined states that are learned from, and what they become."""
BESIDE = 0.6
"""How much a token of the turn before or after counts; only where it is measured: training with
neighbours takes three times as long."""
RATE, BATCH, WRONG, RESIDUAL = 2e-3, 16, 24, 1.5
"""Of the fit: its rate, questions of a step, wrong candidates of one (half of them MAGS's best),
and the weight of MAGS's score, which the look is added to."""
MIXES = (1.0, 1.5, 2.5)
"""Weights of MAGS's own score."""


class Look(nn.Module):
    """A projection, a weight for each token of the question, and MaxSim over turns."""

    def __init__(self) -> None:
        super().__init__()
        self.project = nn.Parameter(torch.eye(COMPONENTS, WIDTH))
        self.weigh = nn.Linear(COMPONENTS, 1)
        nn.init.zeros_(self.weigh.weight)
        self.scale = nn.Parameter(torch.tensor(2.3))

    def forward(self, tokens: Tensor, one: Pooled, which: Sequence[int]) -> Tensor:
        """Scores of some candidates of a question, (n,). tokens: reduced states of the pool."""
        asked = tokens[slice(*one.question)]
        question = normalize(asked @ self.project, dim=-1)
        near = [] if self.training else [one.beside[place] for place in which]
        spans = [*(one.turns[place] for place in which), *chain.from_iterable(near)]
        every = self._most(tokens, question, spans)
        most, beside = every[:, : len(which)], every[:, len(which) :]
        owner = torch.tensor([at for at, some in enumerate(near) for _ in some], dtype=torch.int64)
        owner = owner.expand(len(question), -1)
        most = most.scatter_reduce(1, owner, BESIDE * beside, "amax")
        weights = softplus(self.weigh(asked)[:, 0] / 16)
        found: Tensor = self.scale.exp() * (weights / weights.sum()) @ most
        return found

    def _most(self, tokens: Tensor, question: Tensor, spans: Sequence[Span]) -> Tensor:
        """How alike the nearest token of each span is to those of a question, (q, spans)."""
        rows = torch.cat([torch.arange(start, end) for start, end in spans])
        lengths = torch.tensor([end - start for start, end in spans])
        turn = torch.repeat_interleave(torch.arange(len(spans)), lengths)
        alike = question @ normalize(tokens[rows] @ self.project, dim=-1).T
        found = torch.full((len(question), len(spans)), -1.0)
        return found.scatter_reduce(1, turn.expand(len(question), -1), alike, "amax")


class Reduction:
    """States to their principal components, as those of one pool have them."""

    def __init__(self, states: NDArray[np.float16], rng: np.random.Generator) -> None:
        some = states[np.sort(rng.choice(len(states), min(len(states), 20_000), replace=False))]
        self._mean = some.astype(np.float32).mean(axis=0)
        apart = some - self._mean
        self._basis = np.linalg.eigh(apart.T @ apart)[1][:, : -COMPONENTS - 1 : -1]

    def __call__(self, states: NDArray[np.float16]) -> Tensor:
        """States (t, layers x dimension) to (t, components)."""
        parts = (states[at : at + 4096] - self._mean for at in range(0, len(states), 4096))
        return torch.from_numpy(np.concatenate([part @ self._basis for part in parts]))


def fit(measured: Sequence[str], *, share: float, epochs: int, seed: int = 0) -> None:
    """Train on a share of the pool `train`; print what it changes of recall in other pools."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    questions, states = kept("train")
    reduced = Reduction(states, rng)
    learned = [one for one in questions if one.gold.any() and not one.gold.all()]
    learned = [learned[place] for place in rng.permutation(len(learned))]
    look = trained(learned[: int(share * len(learned))], reduced(states), rng, epochs)
    for name in measured:
        asked, states = kept(name)
        tokens = reduced(states)
        with torch.no_grad():
            looks = [look(tokens, one, range(len(one.turns))).numpy() for one in asked]
        report(name, asked, looks)


def trained(
    learned: Sequence[Pooled], tokens: Tensor, rng: np.random.Generator, epochs: int
) -> Look:
    """The look after so many rounds: every answer against wrong candidates, beside MAGS's score."""
    look = Look()
    optimiser = torch.optim.AdamW(look.parameters(), lr=RATE, weight_decay=0.01)
    orders = np.concatenate([rng.permutation(len(learned)) for _ in range(epochs)])
    steps = range(0, len(orders), BATCH)
    for done, at in enumerate(steps):
        losses = [_loss(look, tokens, learned[i], rng) for i in orders[at : at + BATCH]]
        for group in optimiser.param_groups:
            group["lr"] = RATE * min(1.0, (done + 1) / 20) * (1 - done / len(steps))
        optimiser.zero_grad()
        torch.stack(losses).mean().backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    print(f"trained on {len(learned)} questions")
    return look.eval()


def _loss(look: Look, tokens: Tensor, one: Pooled, rng: np.random.Generator) -> Tensor:
    right = np.flatnonzero(one.gold)
    wrong = np.flatnonzero(~one.gold & ~one.unsure)
    drawn = rng.permutation(wrong[WRONG // 2 :])[: WRONG // 2]
    picked = np.concatenate([right, wrong[: WRONG // 2], drawn])
    scores = look(tokens, one, picked) + RESIDUAL * torch.from_numpy(one.scores[picked])
    rest = torch.logsumexp(scores[len(right) :], 0)
    found = scores[: len(right)]
    return (torch.logaddexp(found, rest) - found).mean()


def report(name: str, asked: Sequence[Pooled], looks: Sequence[NDArray[np.float32]]) -> None:
    """Print recall at 5, 10 and 20 without the look, and by how much the look changes it."""
    plain = np.array([_recalls(one, one.scores) for one in asked])
    print(f"{name}: {len(asked)} questions, MAGS {_row(plain.mean(axis=0))}")
    for mix in MIXES:
        pairs = zip(asked, looks, strict=True)
        gained = np.array([_recalls(one, mix * one.scores + look) for one, look in pairs]) - plain
        each = [bootstrap(column.tolist()) for column in gained.T]
        shown = ", ".join(
            f"{100 * e.mean:+.1f} [{100 * e.low:+.1f}, {100 * e.high:+.1f}]" for e in each
        )
        print(f"    MAGS's score x {mix}: {shown}")


def _recalls(one: Pooled, scores: NDArray[np.float32]) -> list[float]:
    order = np.argsort(-scores, kind="stable")
    return [float(one.gold[order[:k]].sum()) / one.total for k in (5, 10, 20)]


def _row(shares: NDArray[np.float64]) -> str:
    return " / ".join(f"{100 * share:.1f}" for share in shares)
