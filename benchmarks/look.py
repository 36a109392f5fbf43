"""`python -m benchmarks.look pool NAME ...`, then `... fit`: a trial of a trained second look.

Late interaction over the frozen token states of the shipped encoder: one projection, a weight for
each token of the question, MaxSim over the turn, added to MAGS's score of its first 80 candidates.
It is trained on the corpus of talk: dialogues share a memory, their two main speakers the names of
one pair, so that a question has as many look-alikes as in a long talk. LoCoMo only measures. Pools
are kept, so that a fit takes a minute. `fit` needs torch.
"""

from __future__ import annotations

import argparse
import pickle
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.ranking.retold import named
from benchmarks.ranking.sets import SUITES
from benchmarks.ranking.table import turn_of
from benchmarks.ranking.world import GrowingState
from benchmarks.results import CACHE
from benchmarks.vectors import shipped
from mags.models.embed.onnx import OnnxEmbedder
from mags.models.policy.reader.network import standard
from mags.recall.recall import merge
from mags.recall.settings import RecallSettings
from mags_lab.evaluation.metrics import bootstrap
from mags_lab.evaluation.protocol import Probe, SourceTurn
from mags_lab.talk.corpus import Dialogue, dialogues

PAIRS = (("Clara", "Dan"), ("Marta", "Felix"), ("Priya", "Owen"), ("Nora", "Sam"))
TOGETHER = 80
"""Dialogues of one memory."""
FIRST = 80
"""Candidates that are looked at again."""
NEAR = 25
"""Ranks within which another dialogue's turn may answer as well: it is no wrong answer then."""
TOKENS = 160
COMPONENTS, WIDTH = 256, 64
"""Principal components of the joined states that are learned from, and what they become."""
LAYERS = 3
RATE, BATCH, WRONG, RESIDUAL = 2e-3, 16, 24, 1.5
"""Of the fit: its rate, questions of a step, wrong candidates of one (half of them MAGS's best),
and the weight of MAGS's score, which the look is added to."""
SPLITS = ("train", "dev")
FOLDER = CACHE / "look"
MIXES = (1.0, 1.5, 2.5)
"""Weights of MAGS's own score."""
_ME = re.compile(r"\b(?:I|me|my|mine|myself|I'm|I've|I'd)\b", re.IGNORECASE)
Span = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pooled:
    """A question with MAGS's first candidates: standardised `scores` (n,), which are `gold` (n,).

    `total`: how many turns answer. `unsure` (n,): no wrong answers, perhaps. `question`, `turns`:
    where their tokens lie among the pool's.
    """

    kind: str
    scores: NDArray[np.float32]
    gold: NDArray[np.bool_]
    total: int
    unsure: NDArray[np.bool_]
    question: Span
    turns: tuple[Span, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    probe: Probe
    turns: tuple[str, ...]
    scores: NDArray[np.float32]
    texts: tuple[str, ...]


# -- pools -----------------------------------------------------------------------------------


def pool(name: str) -> None:
    """Build the memories of a set, ask its questions and keep what `fit` needs.

    name: `train` or `dev` (of the corpus), or a suite of `benchmarks.ranking`.
    """
    asked: list[_Asked] = []
    for turns, probes in _memories(name):
        world = GrowingState(shipped(CACHE), RecallSettings(traces=False))
        world.add(turns)
        text = {turn.id: turn.text for turn in turns}
        asked += (one for probe in probes if len((one := _ask(world, probe, text)).turns) > 2)
        print(f"{name}: {len(asked)} questions", file=sys.stderr, flush=True)
    told = dict.fromkeys(text for one in asked for text in (one.probe.text, *one.texts))
    spans, states = _states(list(told))
    FOLDER.mkdir(parents=True, exist_ok=True)
    np.save(FOLDER / f"{name}.npy", states)
    found = [_pooled(one, spans, corpus=name in SPLITS) for one in asked]
    (FOLDER / f"{name}.pickle").write_bytes(pickle.dumps(found))


def _memories(name: str) -> Iterator[tuple[Sequence[SourceTurn], Sequence[Probe]]]:
    if name not in SPLITS:
        yield from ((one.turns, one.probes) for one in SUITES[name]())
        return
    rng = random.Random(name)
    every = list(dialogues(split=name))
    rng.shuffle(every)
    for start in range(0, len(every), TOGETHER):
        pair = PAIRS[start // TOGETHER % len(PAIRS)]
        turns: list[SourceTurn] = []
        probes: list[Probe] = []
        for one in every[start : start + TOGETHER]:
            renamed = _Renamed(one, rng.sample(pair, 2))
            turns += renamed.turns()
            probes += renamed.probes()
        yield sorted(turns, key=lambda turn: (turn.at, turn.session)), probes


class _Renamed:
    """A dialogue whose two main speakers have other names; of an assistant's, the user alone."""

    def __init__(self, dialogue: Dialogue, names: Sequence[str]) -> None:
        self._dialogue = dialogue
        spoken = [who for who, _ in Counter(turn.speaker for turn in dialogue.turns).most_common(2)]
        main = ["user"] if "user" in spoken else spoken
        self._names = dict(zip(main, names, strict=False))

    def turns(self) -> Iterator[SourceTurn]:
        for turn in self._dialogue.turns:
            speaker = self._names.get(turn.speaker, turn.speaker)
            text = self._text(turn.text)
            yield SourceTurn(
                id=turn.id, text=text, speaker=speaker, at=turn.at, session=turn.session
            )

    def probes(self) -> Iterator[Probe]:
        """The questions that can be answered, asked by a third person."""
        for number, asked in enumerate(self._dialogue.questions):
            if not asked.unanswerable:
                plain = named(asked.text, asked.who) if _ME.search(asked.text) else asked.text
                yield Probe(
                    id=f"{self._dialogue.id}/{number}",
                    text=self._text(plain),
                    gold=frozenset(asked.evidence),
                    kind=asked.kind,
                )

    def _text(self, text: str) -> str:
        for who, name in self._names.items():
            forms = self._dialogue.people.get(who) or (who,)
            for form in sorted(forms, key=len, reverse=True):
                article = "(?:the )?" if who == "user" else ""
                text = re.sub(rf"\b{article}{re.escape(form)}\b", name, text)
        return text


def _ask(world: GrowingState, probe: Probe, text: Mapping[str, str]) -> _Asked:
    ranking = world.ranked(probe.text)
    rows, scores = ranking.found.rows, ranking.scores
    place = {row: i for i, row in enumerate(rows.tolist())}
    best: dict[str, float] = {}
    for row, _ in merge(world.state.graph, rows, scores, FIRST + 20):
        turn = turn_of(world, row)
        if turn in text:
            best.setdefault(turn, float(scores[place[row]]))
    turns = tuple(best)[:FIRST]
    return _Asked(
        probe=probe,
        turns=turns,
        scores=np.array([best[turn] for turn in turns], np.float32),
        texts=tuple(text[turn] for turn in turns),
    )


def _states(texts: Sequence[str]) -> tuple[dict[str, Span], NDArray[np.float16]]:
    """States of all tokens but the special ones, each layer's standardised, and whose they are."""
    made: list[NDArray[np.float16]] = []
    spans: dict[str, Span] = {}
    end = 0
    for place, found in OnnxEmbedder().states_of(texts):
        own = found.states[1:-1][:TOKENS]
        layers = own.reshape(len(own), LAYERS, own.shape[1] // LAYERS)
        made.append(standard(layers).reshape(own.shape).astype(np.float16))
        spans[texts[place]] = end, end + len(own)
        end += len(own)
    return spans, np.concatenate(made)


def _pooled(one: _Asked, spans: Mapping[str, Span], *, corpus: bool) -> Pooled:
    gold = np.array([turn in one.probe.gold for turn in one.turns])
    unsure = np.zeros(len(gold), np.bool_)
    if corpus:
        # Another dialogue tells of another person, who has the same name here.
        own = one.probe.id.rpartition("/")[0]
        other = np.array([turn.rpartition(":")[0] != own for turn in one.turns])
        unsure = other & ~gold & (np.arange(len(gold)) < NEAR)
    return Pooled(
        kind=one.probe.kind,
        scores=(one.scores - one.scores.mean()) / (one.scores.std() + np.float32(1e-6)),
        gold=gold,
        total=len(one.probe.gold),
        unsure=unsure,
        question=spans[one.probe.text],
        turns=tuple(spans[text] for text in one.texts),
    )


# -- the fit ---------------------------------------------------------------------------------


def fit(measured: Sequence[str], *, share: float, epochs: int, seed: int = 0) -> None:
    """Train on a share of the pool `train`; print what it changes of recall in other pools."""
    # Imported here: a pool needs no torch.
    import torch
    from torch import Tensor, nn
    from torch.nn.functional import normalize, softplus

    torch.set_num_threads(1)
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    questions, states = _kept("train")
    some = states[np.sort(rng.choice(len(states), min(len(states), 20_000), replace=False))]
    mean = some.astype(np.float32).mean(axis=0)
    apart = some - mean
    basis = np.linalg.eigh(apart.T @ apart)[1][:, : -COMPONENTS - 1 : -1]

    def reduced(states: NDArray[np.float16]) -> Tensor:
        parts = (states[at : at + 4096] - mean for at in range(0, len(states), 4096))
        return torch.from_numpy(np.concatenate([part @ basis for part in parts]))

    class Look(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.project = nn.Parameter(torch.eye(COMPONENTS, WIDTH))
            self.weigh = nn.Linear(COMPONENTS, 1)
            nn.init.zeros_(self.weigh.weight)
            self.scale = nn.Parameter(torch.tensor(2.3))

        def forward(self, tokens: Tensor, one: Pooled, which: Sequence[int]) -> Tensor:
            spans = [one.turns[place] for place in which]
            lengths = torch.tensor([end - start for start, end in spans])
            rows = torch.cat([torch.arange(start, end) for start, end in spans])
            asked = tokens[slice(*one.question)]
            question = normalize(asked @ self.project, dim=-1)
            alike = question @ normalize(tokens[rows] @ self.project, dim=-1).T
            turn = torch.repeat_interleave(torch.arange(len(spans)), lengths)
            most = torch.full((len(question), len(spans)), -1.0)
            most = most.scatter_reduce(1, turn.expand(len(question), -1), alike, "amax")
            weights = softplus(self.weigh(asked)[:, 0] / 16)
            found: Tensor = self.scale.exp() * (weights / weights.sum()) @ most
            return found

    look, tokens = Look(), reduced(states)
    learned = [one for one in questions if one.gold.any() and not one.gold.all()]
    learned = [learned[place] for place in rng.permutation(len(learned))]
    learned = learned[: int(share * len(learned))]
    optimiser = torch.optim.AdamW(look.parameters(), lr=RATE, weight_decay=0.01)
    steps = [(e, at) for e in range(epochs) for at in range(0, len(learned), BATCH)]
    for done, (_, at) in enumerate(steps):
        if at == 0:
            rng.shuffle(learned)  # type: ignore[arg-type]
        losses = []
        for one in learned[at : at + BATCH]:
            right = np.flatnonzero(one.gold)
            wrong = np.flatnonzero(~one.gold & ~one.unsure)
            drawn = rng.permutation(wrong[WRONG // 2 :])[: WRONG // 2]
            picked = np.concatenate([right, wrong[: WRONG // 2], drawn])
            scores = look(tokens, one, picked) + RESIDUAL * torch.from_numpy(one.scores[picked])
            rest = torch.logsumexp(scores[len(right) :], 0)
            losses.append(
                (torch.logaddexp(scores[: len(right)], rest) - scores[: len(right)]).mean()
            )
        for group in optimiser.param_groups:
            group["lr"] = RATE * min(1.0, (done + 1) / 20) * (1 - done / len(steps))
        optimiser.zero_grad()
        torch.stack(losses).mean().backward()
        optimiser.step()
    print(f"trained on {len(learned)} questions")
    for name in measured:
        asked, states = _kept(name)
        tokens = reduced(states)
        with torch.no_grad():
            looks = [look(tokens, one, range(len(one.turns))).numpy() for one in asked]
        report(name, asked, looks)


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


def _kept(name: str) -> tuple[list[Pooled], NDArray[np.float16]]:
    questions: list[Pooled] = pickle.loads((FOLDER / f"{name}.pickle").read_bytes())
    return questions, np.load(FOLDER / f"{name}.npy", mmap_mode="r")


def main(arguments: Sequence[str]) -> int:
    """Build pools, or fit; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.look", description=__doc__)
    parser.add_argument("what", choices=("pool", "fit"))
    parser.add_argument("names", nargs="*", default=["train", "dev", "locomo"])
    parser.add_argument("--share", type=float, default=1.0, help="of the questions, for the fit")
    parser.add_argument("--epochs", type=int, default=4)
    options = parser.parse_args(arguments)
    if options.what == "pool":
        for name in options.names:
            pool(name)
    else:
        measured = [name for name in options.names if name != "train"]
        fit(measured, share=options.share, epochs=options.epochs)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
