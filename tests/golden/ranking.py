"""Rankings of 300 questions with their traces, over sets that may be used for anything.

The sets are read in place (`MAGS_DATA`, else `../shared/data` beside the checkout) and none of
their texts is kept: a memory is named by the number of the item that made it (see `Labels`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from mags.graph.records import ArcKind
from mags.memory.memory import Memory
from mags.models.policy.rules import RulePolicy
from mags.ports.policy import Turn
from mags.recall.found import HitTrace, Step
from mags_lab.evaluation.datasets.editing import load_letta, load_mquake
from mags_lab.evaluation.datasets.longmemeval import load_longmemeval
from mags_lab.evaluation.datasets.multihop import Corpus, load_hotpotqa, load_musique
from mags_lab.evaluation.protocol import Probe
from mags_lab.evaluation.protocol import SourceTurn as Told
from tests.golden.labels import Labels, empty
from tests.golden.written import number

LATER = 1_900_000_000.0
"""The clock of these memories, later than all that is told."""
DAY = 86_400.0
RULES = RulePolicy()
"""What is read of 500 turns is kept beside (`reading.py`): here the reader would only cost time."""
K = 10
"""Hits of a question."""
TRACED = 3
"""Of how many of them the path and the features are kept."""
SMALLEST = 0.0005
"""Features nearer to nought are left out."""


def folder() -> Path:
    """Where the sets are."""
    beside = Path(__file__).resolve().parents[3] / "shared" / "data"
    return Path(os.environ.get("MAGS_DATA") or beside)


def _asked(memory: Memory, name: str, question: str, labels: Labels) -> Iterator[str]:
    """One question, its anchors, the facts of its hops, and its hits, best first."""
    trace = memory.recall(question, k=K).trace
    yield name
    yield f"    anchors {' '.join(labels[i] for i in trace.anchors)}"
    if trace.chain:
        yield f"    chain {' '.join(labels[i] for i in trace.chain)}"
    for place, hit in enumerate(trace.hits):
        traced = _traced(hit, labels) if place < TRACED else ""
        yield f"    {number(hit.score)} {labels[hit.id]}{traced}"


def _traced(hit: HitTrace, labels: Labels) -> str:
    path = " ".join(_step(step, labels) for step in hit.path)
    features = (
        f"{name} {number(value)}" for name, value in hit.features.items() if abs(value) > SMALLEST
    )
    return f" by {labels[hit.anchor]} {path} : {' '.join(features)}"


def _step(step: Step, labels: Labels) -> str:
    kind = ArcKind(step.kind).name.lower()
    arrow = f"-{kind}>" if step.forward else f"<{kind}-"
    return f"{arrow} {labels[step.dst]} {number(step.weight)}"


def _told(memory: Memory, turns: Sequence[Turn]) -> Labels:
    """Observe turns together; they are named by their places, from 0."""
    labels = Labels()
    for place, seen in enumerate(memory.observe_many(turns)):
        labels.learn(place, seen)
    labels.learn_rest(memory)
    return labels


def _turn(told: Told) -> Turn:
    at = told.at.timestamp()
    return Turn(text=told.text, speaker=told.speaker, at=at, session=told.session)


def _over(turns: Sequence[Told], probes: Sequence[Probe]) -> Iterator[str]:
    """Questions over one memory of turns."""
    with empty(LATER, RULES) as memory:
        labels = _told(memory, [_turn(told) for told in turns])
        for probe in probes:
            yield from _asked(memory, probe.id, probe.text, labels)


def _of_passages(corpus: Corpus, questions: int, passages: int) -> Iterator[str]:
    """The first questions over the passages they need, filled up with the first others."""
    probes = corpus.probes[:questions]
    needed = {one for probe in probes for one in probe.gold}
    others = [turn.id for turn in corpus.turns if turn.id not in needed]
    chosen = needed | set(others[: passages - len(needed)])
    return _over([turn for turn in corpus.turns if turn.id in chosen], probes)


def musique(data: Path) -> Iterator[str]:
    """50 questions of MuSiQue (CC BY 4.0) over 160 passages."""
    sets = data / "multihop" / "hipporag"
    names = ("musique_train.json.gz", "musique_train_corpus.json.gz")
    return _of_passages(load_musique(*(sets / name for name in names)), 50, 160)


def hotpotqa(data: Path) -> Iterator[str]:
    """50 questions of HotpotQA (CC BY-SA 4.0) over 160 passages."""
    sets = data / "multihop" / "hipporag"
    names = ("hotpotqa_train.json.gz", "hotpotqa_train_corpus.json.gz")
    return _of_passages(load_hotpotqa(*(sets / name for name in names)), 50, 160)


def longmemeval(data: Path) -> Iterator[str]:
    """70 questions of LongMemEval (MIT) over their evidence alone."""
    sets = data / "longmemeval"
    loaded = load_longmemeval(sets / "lme_evidence.jsonl.gz", sets / "none")
    probes = loaded.probes[:: len(loaded.probes) // 70][:70]
    needed = {one for probe in probes for one in probe.gold}
    return _over([turn for turn in loaded.turns if turn.id in needed], probes)


def letta(data: Path) -> Iterator[str]:
    """30 questions of Letta's core memory (Apache-2.0), a memory each."""
    for case in load_letta(data / "letta_core_memory" / "core_memory_update.jsonl.gz")[:30]:
        with empty(LATER, RULES) as memory:
            said = enumerate([*case.facts, case.update])
            turns = [Turn(text=text, at=1.7e9 + n * DAY, session="facts") for n, text in said]
            yield from _asked(memory, case.id, case.question, _told(memory, turns))


def mquake(data: Path) -> Iterator[str]:
    """100 questions of MQuAKE-hard (MIT) over all of its facts and edits, asserted."""
    loaded = load_mquake(data / "mquake" / "MQuAKE-hard.json.gz")
    with empty(LATER, RULES) as memory:
        labels = Labels()
        for place, said in enumerate([*loaded.before, *loaded.edits]):
            labels.learn(place, memory.assert_fact(said.subject, said.relation, said.object))
        for case in loaded.cases[:100]:
            yield from _asked(memory, case.id, case.questions[0], labels)


SETS = {one.__name__: one for one in (musique, hotpotqa, longmemeval, letta, mquake)}


def file_of(name: str) -> str:
    """The golden file of a set."""
    return f"questions_{name}.txt"


def made(name: str) -> str:
    """The golden text of a set's rankings; raises NotFound where the set is not there."""
    return "".join(f"{line}\n" for line in SETS[name](folder()))
