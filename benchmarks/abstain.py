"""`python -m benchmarks.abstain`: fit when the extractive answerer speaks, on LongMemEval (MIT).

Every question is asked of two memories: one of all sessions, where it can be answered, and one
of the haystack sessions alone, where its evidence is missing. LongMemEval's own abstention
questions count as unanswerable in both. On the development half (`mags_lab.evaluation.protocol`)
the weights are chosen that part right answers best from unanswerable questions, and the
threshold that is worth most; the other half is only reported.

What recall found is kept on disk until any code but the answerer's changes, so that a second run
takes seconds.

An answer is *right* when the cited memory, or an episode it comes from, is evidence.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import pickle
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.results import CACHE, DATA, ROOT
from benchmarks.systems import opening
from benchmarks.vectors import shipped
from mags.memory.asking import context_hits
from mags.memory.memory import Memory
from mags.models.answer.question import read_question
from mags.models.answer.support import SupportFeatures, SupportWeights
from mags.models.answer.support import weighed as weighed_items
from mags.models.policy.rules import RulePolicy
from mags.ports.answer import ContextItem
from mags.ports.policy import Turn
from mags_lab.evaluation import protocol
from mags_lab.evaluation.datasets.longmemeval import load_longmemeval
from mags_lab.evaluation.datasets.source import read_jsonl
from mags_lab.evaluation.protocol import split

HITS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class AbstainCase:
    """One question as one memory met it. `gold`: ids of the items that are evidence."""

    dev: bool
    answerable: bool
    question: Turn
    items: tuple[ContextItem, ...]
    gold: frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """`support` of each case's best item, and whether that item is evidence."""

    support: NDArray[np.float64]
    right: NDArray[np.bool_]
    answerable: NDArray[np.bool_]

    def worth(self, threshold: float) -> float:
        """Mean of the share of answerable questions answered right and of the others left open."""
        spoken = self.support >= threshold
        right = (spoken & self.right)[self.answerable].mean()
        return float((right + (~spoken)[~self.answerable].mean()) / 2)

    def parted(self) -> float:
        """How well support parts right answers from unanswerable questions (area under ROC)."""
        high, low = self.support[self.right & self.answerable], self.support[~self.answerable]
        above = (high[:, None] > low).mean() + (high[:, None] == low).mean() / 2
        return float(above)

    def best(self) -> tuple[float, float]:
        """The threshold that is worth most, and its worth."""
        tried = [(self.worth(t), t) for t in np.round(np.arange(0.3, 0.96, 0.01), 2).tolist()]
        worth, threshold = max(tried)
        return threshold, worth


def cases() -> Iterator[AbstainCase]:
    """All questions, of both memories."""
    folder = DATA / "longmemeval"
    evidence = folder / "lme_evidence.jsonl.gz"
    known = load_longmemeval(evidence, folder / "haystacks")
    raw = list(read_jsonl(evidence))
    gold_of = {probe.id: probe.gold for probe in known.probes}
    at_of = {probe.id: probe.at.timestamp() for probe in known.probes if probe.at}
    sessions = {name for one in raw for name in one["answer_session_ids"]}
    bare = [turn for turn in known.turns if turn.session not in sessions]
    latest = max(turn.at for turn in known.turns).timestamp()
    for turns, whole in ((known.turns, True), (tuple(bare), False)):
        memory, turn_of = _memory(turns)
        for one in raw:
            name = one["question_id"]
            question = Turn(text=one["question"], speaker="user", at=at_of.get(name, latest))
            hits = memory.recall(one["question"], k=HITS)
            gold = gold_of.get(name, frozenset())
            with memory._live.reading() as state:
                offers = context_hits(state, hits, question.at)
            right = {
                offer.hit.id
                for offer in offers
                if any(turn_of.get(i) in gold for i in (offer.hit.id, *offer.hit.episode_ids))
            }
            yield AbstainCase(
                dev=split(name) == "dev",
                answerable=whole and not one["abstention"],
                question=question,
                items=tuple(offer.item for offer in offers),
                gold=frozenset(right),
            )


def collected() -> list[AbstainCase]:
    """All cases, from the file that an earlier run left if nothing has changed since."""
    mark = hashlib.sha256()
    for path in sorted((ROOT / "src" / "mags").rglob("*.[pt][yo]*")):
        if path.suffix in (".py", ".toml") and "answer" not in path.parts:
            mark.update(path.read_bytes())
    kept = CACHE / f"abstain-{mark.hexdigest()[:16]}.pickle"
    if not kept.exists():
        found = list(cases())
        CACHE.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(pickle.dumps(found))
    known: list[AbstainCase] = pickle.loads(kept.read_bytes())
    return known


def _memory(turns: Sequence[protocol.SourceTurn]) -> tuple[Memory, dict[int, str]]:
    memory = opening(shipped(CACHE))(RulePolicy())
    seen = memory.observe_many(
        Turn(text=t.text, speaker=t.speaker, at=t.at.timestamp(), session=t.session) for t in turns
    )
    return memory, {s.episode_id: t.id for s, t in zip(seen, turns, strict=True)}


def weighed(case: AbstainCase) -> list[tuple[ContextItem, SupportFeatures]]:
    """The items of a case that may answer, with what their support is weighed from."""
    return weighed_items(read_question(case.question), case.items)


def score(
    cases: Sequence[AbstainCase],
    evidences: Sequence[Sequence[tuple[ContextItem, SupportFeatures]]],
    weights: SupportWeights,
) -> Scores:
    """What the answerer would have quoted in each case."""
    support, right = [], []
    for case, found in zip(cases, evidences, strict=True):
        judged = [(one.weigh(weights), -place) for place, (_, one) in enumerate(found)]
        strength, place = max(judged, default=(0.0, 0))
        support.append(strength)
        right.append(bool(judged) and found[-place][0].id in case.gold)
    return Scores(
        support=np.array(support),
        right=np.array(right),
        answerable=np.array([case.answerable for case in cases]),
    )


def grid() -> Iterator[SupportWeights]:
    """All weights in tenths that sum to 1."""
    tenths = range(11)
    for words, names, kind in itertools.product(tenths, repeat=3):
        ahead = 10 - words - names - kind
        if ahead >= 0:
            yield SupportWeights(
                words=words / 10, names=names / 10, kind=kind / 10, ahead=ahead / 10
            )


def main(arguments: Sequence[str]) -> int:
    """Print the figures of the shipped numbers and, with `--fit`, of the best ones."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.abstain", description=__doc__)
    parser.add_argument("--fit", action="store_true", help="search the weights too (minutes)")
    options = parser.parse_args(arguments)
    known = collected()
    dev = [case for case in known if case.dev]
    test = [case for case in known if not case.dev]
    weights = SupportWeights()
    of_dev, of_test = [weighed(c) for c in dev], [weighed(c) for c in test]
    if options.fit:
        weights = max(grid(), key=lambda one: score(dev, of_dev, one).parted())
    threshold, _ = score(dev, of_dev, weights).best()
    print(f"weights {weights}, threshold {threshold}")
    for name, half, found in (("dev", dev, of_dev), ("test", test, of_test)):
        scores = score(half, found, weights)
        spoken = scores.support >= threshold
        asked, other = scores.answerable, ~scores.answerable
        print(
            f"{name}: worth {scores.worth(threshold):.3f}; of {asked.sum()} answerable "
            f"{(spoken & scores.right)[asked].mean():.3f} right, "
            f"{(spoken & ~scores.right)[asked].mean():.3f} wrong, "
            f"{(~spoken)[asked].mean():.3f} open; of {other.sum()} unanswerable "
            f"{(~spoken)[other].mean():.3f} open; evidence on top whatever the support "
            f"{scores.right[asked].mean():.3f}; area under ROC {scores.parted():.3f}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
