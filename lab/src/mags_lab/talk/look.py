"""Train the second look at the best candidates of a recall (`mags train look`). Needs torch.

Late interaction over the frozen token states of the shipped encoder: a projection of a turn's
words, a weight for each word of the question, MaxSim, added to MAGS's own score (`pools`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import normalize, softplus

from mags.models.embed.onnx import ABOUT, MILD, MOST_TOKENS, WIDTH, OnnxEmbedder, standard_layers
from mags.recall.settings import LookSettings
from mags_lab.evaluation.metrics import bootstrap
from mags_lab.talk.pools import Pooled, material, pool
from mags_lab.talk.stored import write_arrays

COMPONENTS, SAMPLE = 256, 20_000
"""Principal components of the joined states that are learned from, found in so many tokens."""
RATE, BATCH, WRONG, RESIDUAL = 2e-3, 16, 24, 1.5
"""Of the fit: its rate, questions of a step, wrong candidates of one (half of them MAGS's best),
and the weight of MAGS's score, which the look is added to."""
MIXES = (0.33, 0.5, 0.67, 1.0)
"""Weights of the look that are tried on the split that measures."""
Span = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class States:
    """The reduced states of the tokens of texts (t, COMPONENTS), and where those of each lie."""

    tokens: Tensor
    spans: dict[str, Span]


class LookModel(nn.Module):  # type: ignore[misc]
    """A projection, a weight for each token of the question, and MaxSim over turns."""

    def __init__(self) -> None:
        super().__init__()
        self.project = nn.Parameter(torch.eye(COMPONENTS, WIDTH))
        self.weigh = nn.Linear(COMPONENTS, 1)
        nn.init.zeros_(self.weigh.weight)
        self.scale = nn.Parameter(torch.tensor(2.3))

    def forward(self, states: States, one: Pooled, which: Sequence[int]) -> Tensor:
        """Scores of some candidates of a question, (n,); beside turns only where it measures."""
        tokens = states.tokens
        asked = tokens[slice(*states.spans[one.question])]
        question = normalize(asked @ self.project, dim=-1)
        # Training with neighbours takes three times as long.
        near = [] if self.training else [one.beside[place] for place in which]
        texts = [*(one.texts[place] for place in which), *chain.from_iterable(near)]
        every = self._most(tokens, question, [states.spans[text] for text in texts])
        most, beside = every[:, : len(which)], every[:, len(which) :]
        owner = torch.tensor([at for at, some in enumerate(near) for _ in some], dtype=torch.int64)
        owner = owner.expand(len(question), -1)
        most = most.scatter_reduce(1, owner, LookSettings().beside * beside, "amax")
        weights = softplus(self.weigh(asked)[:, 0] / MILD)
        found: Tensor = self.scale.exp() * (weights / weights.sum()) @ most
        if self.training:
            return found
        spans = [states.spans[one.texts[place]] for place in which]
        lengths = torch.tensor([max(1, end - start) for start, end in spans])
        return found - LookSettings().chance * lengths.log()

    def _most(self, tokens: Tensor, question: Tensor, spans: Sequence[Span]) -> Tensor:
        """How alike the nearest token of each span is to those of a question, (q, spans)."""
        rows = torch.cat([torch.arange(start, end) for start, end in spans])
        lengths = torch.tensor([end - start for start, end in spans])
        turn = torch.repeat_interleave(torch.arange(len(spans)), lengths)
        alike = question @ normalize(tokens[rows] @ self.project, dim=-1).T
        found = torch.full((len(question), len(spans)), -1.0)
        return found.scatter_reduce(1, turn.expand(len(question), -1), alike, "amax")


class Reduction:
    """States to their principal components, as those of some texts have them."""

    def __init__(self, states: NDArray[np.float32]) -> None:
        self.mean = states.mean(axis=0)
        apart = states - self.mean
        self.basis = np.linalg.eigh(apart.T @ apart)[1][:, : -COMPONENTS - 1 : -1]

    def __call__(self, states: NDArray[np.float32]) -> NDArray[np.float32]:
        """States (t, layers x dimension) to (t, components)."""
        return np.asarray((states - self.mean) @ self.basis, np.float32)


def train(file: Path, corpus: Path, *, split: str, epochs: int, seed: int = 0) -> Iterator[str]:
    """Train on the corpus's split `train`, write the weights, and say what they do on `split`."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    embedder, first = OnnxEmbedder(), LookSettings().first
    pools = {name: list(pool(material(corpus, name), embedder, first)) for name in ("train", split)}
    yield ", ".join(f"{name}: {len(asked)} questions" for name, asked in pools.items())
    texts = {
        name: sorted({text for one in asked for text in _texts(one)})
        for name, asked in pools.items()
    }
    sample = list(_states(embedder, [str(one) for one in rng.choice(texts["train"], 1200)]))
    some = np.concatenate([states for _, states in sample])
    reduction = Reduction(some[rng.permutation(len(some))[:SAMPLE]])
    learned = [one for one in pools["train"] if one.gold.any() and not one.gold.all()]
    look = _trained(learned, _reduced(embedder, reduction, texts["train"]), rng, epochs)
    _save(look, reduction, embedder.name, file)
    states = _reduced(embedder, reduction, texts[split])
    with torch.no_grad():
        looks = [look(states, one, range(len(one.texts))).numpy() for one in pools[split]]
    yield from _measured(pools[split], looks)


def _texts(one: Pooled) -> Iterator[str]:
    return chain((one.question,), one.texts, chain.from_iterable(one.beside))


def _states(
    embedder: OnnxEmbedder, texts: Sequence[str]
) -> Iterator[tuple[str, NDArray[np.float32]]]:
    for place, found in embedder.states_of(texts):
        yield texts[place], standard_layers(found.states[1:-1][:MOST_TOKENS])


def _reduced(embedder: OnnxEmbedder, reduction: Reduction, texts: Sequence[str]) -> States:
    made: list[NDArray[np.float32]] = []
    spans: dict[str, Span] = {}
    end = 0
    for text, states in _states(embedder, texts):
        made.append(reduction(states))
        spans[text] = end, end + len(states)
        end += len(states)
    return States(tokens=torch.from_numpy(np.concatenate(made)), spans=spans)


def _trained(
    learned: Sequence[Pooled], states: States, rng: np.random.Generator, epochs: int
) -> LookModel:
    """The look after so many rounds: every answer against wrong candidates, beside MAGS's score."""
    look = LookModel()
    optimiser = torch.optim.AdamW(look.parameters(), lr=RATE, weight_decay=0.01)
    orders = np.concatenate([rng.permutation(len(learned)) for _ in range(epochs)])
    steps = range(0, len(orders), BATCH)
    for done, at in enumerate(steps):
        losses = [_loss(look, states, learned[i], rng) for i in orders[at : at + BATCH]]
        for group in optimiser.param_groups:
            group["lr"] = RATE * min(1.0, (done + 1) / 20) * (1 - done / len(steps))
        optimiser.zero_grad()
        torch.stack(losses).mean().backward()
        optimiser.step()
    look.eval()
    return look


def _loss(look: LookModel, states: States, one: Pooled, rng: np.random.Generator) -> Tensor:
    right = np.flatnonzero(one.gold)
    wrong = np.flatnonzero(~one.gold & ~one.unsure)
    drawn = rng.permutation(wrong[WRONG // 2 :])[: WRONG // 2]
    picked = np.concatenate([right, wrong[: WRONG // 2], drawn])
    scores = look(states, one, picked) + RESIDUAL * torch.from_numpy(one.scores[picked])
    rest = torch.logsumexp(scores[len(right) :], 0)
    found = scores[: len(right)]
    return (torch.logaddexp(found, rest) - found).mean()


def _save(look: LookModel, reduction: Reduction, reads: str, file: Path) -> None:
    """The reduction and what was learned over it, as one projection of standardised states."""
    with torch.no_grad():
        project = reduction.basis @ look.project.numpy()
        weigh = reduction.basis @ look.weigh.weight.numpy()[0]
        lean = float((look.weigh.bias.numpy() - reduction.mean @ weigh)[0])
        about = json.dumps({"reads": reads, "scale": float(look.scale.exp()), "lean": lean})
    arrays: dict[str, NDArray[np.generic]] = {
        ABOUT: np.frombuffer(about.encode(), np.uint8),
        "project": project.astype(np.float16),
        "shift": (reduction.mean @ project).astype(np.float32),
        "weigh": weigh.astype(np.float32),
    }
    write_arrays(file, arrays)


def _measured(asked: Sequence[Pooled], looks: Sequence[NDArray[np.float32]]) -> Iterator[str]:
    """Recall at 5, 10 and 20 without the look, and by how much the look changes it."""
    plain = np.array([_recalls(one, one.scores) for one in asked])
    yield "recall @5 / @10 / @20: " + " / ".join(f"{100 * s:.1f}" for s in plain.mean(axis=0))
    for mix in MIXES:
        pairs = zip(asked, looks, strict=True)
        gained = np.array([_recalls(one, one.scores + mix * look) for one, look in pairs]) - plain
        each = [bootstrap(column.tolist()) for column in gained.T]
        shown = ", ".join(
            f"{100 * e.mean:+.1f} [{100 * e.low:+.1f}, {100 * e.high:+.1f}]" for e in each
        )
        yield f"with the look, weight {mix}: {shown}"


def _recalls(one: Pooled, scores: NDArray[np.float32]) -> list[float]:
    order = np.argsort(-scores, kind="stable")
    return [float(one.gold[order[:k]].sum()) / one.total for k in (5, 10, 20)]
