"""The question sets: what may be fitted on, and what only measures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from benchmarks.ranking.chats import chats
from benchmarks.ranking.lifebench import load_lifebench
from benchmarks.ranking.retold import ChatBuilder
from benchmarks.ranking.world import GrowingState
from benchmarks.results import DATA
from mags.ports.embedder import Embedder
from mags.recall.settings import RecallSettings
from mags_lab.evaluation.datasets.editing import load_distractors, load_mquake
from mags_lab.evaluation.datasets.locomo import load_locomo
from mags_lab.evaluation.datasets.longmemeval import load_longmemeval
from mags_lab.evaluation.datasets.multihop import load_hotpotqa, load_musique
from mags_lab.evaluation.protocol import Probe, SourceTurn, Statement, split


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingMemory:
    """Turns of one memory and the questions asked of it; `fit`: may settings see it."""

    suite: str
    turns: tuple[SourceTurn, ...]
    probes: tuple[Probe, ...]
    triples: Mapping[str, tuple[tuple[str, str, str], ...]] = field(default_factory=dict)
    statements: tuple[Statement, ...] = ()
    fit: bool = True

    def world(self, embedder: Embedder, settings: RecallSettings) -> GrowingState:
        """The memory itself."""
        world = GrowingState(embedder, settings)
        world.add(self.turns, self.triples)
        world.tell(self.statements)
        return world

    def half(self, probe: Probe) -> str:
        """`dev` where settings may be fitted on the question, else `test` or `measure`."""
        if not self.fit:
            return "measure"
        if self.suite in ("retold", "chats"):
            return "dev"
        return split(probe.id.split("/")[0] if self.statements else probe.id)


def memories(suites: tuple[str, ...]) -> Iterator[RankingMemory]:
    """The memories of the named suites."""
    for name in suites:
        yield from SUITES[name]()


def _locomo() -> Iterator[RankingMemory]:
    for talk in load_locomo(DATA / "locomo" / "locomo10_conv0-4.json.gz"):
        yield RankingMemory(suite="locomo", turns=talk.turns, probes=talk.probes, fit=False)


def _together() -> Iterator[RankingMemory]:
    talks = load_locomo(DATA / "locomo" / "locomo10_conv0-4.json.gz")
    yield RankingMemory(
        suite="together",
        turns=tuple(t for talk in talks for t in talk.turns),
        probes=tuple(p for talk in talks for p in talk.probes),
        fit=False,
    )


def _longmemeval() -> Iterator[RankingMemory]:
    folder = DATA / "longmemeval"
    data = load_longmemeval(folder / "lme_evidence.jsonl.gz", folder / "haystacks")
    turns = sorted(data.turns, key=lambda t: (t.at, t.session))
    yield RankingMemory(suite="longmemeval", turns=tuple(turns), probes=data.probes)


def _retold() -> Iterator[RankingMemory]:
    folder = DATA / "longmemeval"
    evidence = folder / "lme_evidence.jsonl.gz"
    data = load_longmemeval(evidence, folder / "haystacks")
    for seed in range(2):
        for chat in ChatBuilder(data, evidence, seed).chats():
            yield RankingMemory(suite="retold", turns=chat.turns, probes=chat.probes)


def _chats() -> Iterator[RankingMemory]:
    for chat in chats():
        yield RankingMemory(suite="chats", turns=tuple(chat.turns), probes=tuple(chat.probes))


def _lifebench() -> Iterator[RankingMemory]:
    turns, probes = load_lifebench(DATA / "lifebench" / "lumingqiang")
    yield RankingMemory(suite="lifebench", turns=tuple(turns), probes=tuple(probes))


def _multihop(triples: bool) -> Iterator[RankingMemory]:
    folder = DATA / "multihop" / "hipporag"
    openie = folder / "openie_musique_train_results_ner_gpt-3.5-turbo-1106_1890.json.gz"
    corpus = load_musique(
        folder / "musique_train.json.gz",
        folder / "musique_train_corpus.json.gz",
        openie if triples else None,
    )
    suite = "musique-triples" if triples else "musique"
    yield RankingMemory(
        suite=suite, turns=corpus.turns, probes=corpus.probes, triples=corpus.triples
    )


def _mquake(distractors: bool) -> Iterator[RankingMemory]:
    data = load_mquake(DATA / "mquake" / "MQuAKE-hard.json.gz")
    before = load_distractors(DATA / "text2kg" / "wikidata_tekgen", taken=data.slots)
    told = [*(before if distractors else ()), *data.before, *data.edits]
    probes = [
        Probe(id=f"{c.id}/{n}", text=text, gold=frozenset(c.chain), kind="chain")
        for c in data.cases
        for n, text in enumerate(c.questions)
    ]
    suite = "mquake-distractors" if distractors else "mquake"
    yield RankingMemory(suite=suite, turns=(), probes=tuple(probes), statements=tuple(told))


def _hotpotqa() -> Iterator[RankingMemory]:
    folder = DATA / "multihop" / "hipporag"
    corpus = load_hotpotqa(
        folder / "hotpotqa_train.json.gz", folder / "hotpotqa_train_corpus.json.gz"
    )
    yield RankingMemory(suite="hotpotqa", turns=corpus.turns, probes=corpus.probes)


SUITES = {
    "locomo": _locomo,
    "together": _together,
    "longmemeval": _longmemeval,
    "retold": _retold,
    "chats": _chats,
    "lifebench": _lifebench,
    "musique": lambda: _multihop(False),
    "musique-triples": lambda: _multihop(True),
    "hotpotqa": _hotpotqa,
    "mquake": lambda: _mquake(False),
    "mquake-distractors": lambda: _mquake(True),
}
