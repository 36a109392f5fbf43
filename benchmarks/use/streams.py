"""Streams of questions, some of which come back on evidence that was cited before.

MuSiQue, HotpotQA, LongMemEval and LifeBench: every question is asked twice, as it is and in three
fifths of the words that say something, whichever comes first by chance; of MuSiQue also the
single questions that its authors put each together from. LoCoMo's questions share evidence of
themselves: it is asked as it is, and only measures.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.ranking.lifebench import load_lifebench
from benchmarks.results import DATA
from mags_lab.evaluation.datasets.locomo import load_locomo
from mags_lab.evaluation.datasets.longmemeval import load_longmemeval
from mags_lab.evaluation.datasets.multihop import Corpus, load_hotpotqa, load_musique
from mags_lab.evaluation.datasets.source import Json, read_json
from mags_lab.evaluation.protocol import Probe, SourceTurn, split

KEPT = 0.6
"""Share of the words that say something which are left when a question comes back."""

PLAIN = frozenset(
    re.findall(
        r"\w+",
        "a an the of in on at to for from by with and or is are was were be been did do does has "
        "have had who what when where which why how whose whom that this it its as i my me you "
        "your we our",
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A question with its evidence; `half` by the question it comes from, "all" where none."""

    id: str
    text: str
    gold: frozenset[str]
    half: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """What is told to one memory, and what is asked of it in any order."""

    name: str
    turns: tuple[SourceTurn, ...]
    asks: tuple[Ask, ...]


def shortened(text: str, seed: str) -> str:
    """A question in part of its words, as it is asked by who has asked before."""
    words = text.rstrip("? ").split()
    telling = [i for i, w in enumerate(words) if re.sub(r"\W", "", w.lower()) not in PLAIN]
    count = min(len(telling), max(2, round(KEPT * len(telling))))
    kept = {0, *random.Random(seed).sample(telling, count)}
    return " ".join(w for i, w in enumerate(words) if i in kept) + "?"


def asked_twice(probes: Sequence[Probe]) -> tuple[Ask, ...]:
    """Each question as it is and shortened."""
    return tuple(
        Ask(id=f"{p.id}#{form}", text=text, gold=p.gold, half=split(p.id))
        for p in probes
        for form, text in enumerate((p.text, shortened(p.text, p.id)))
    )


def musique() -> list[Stream]:
    """MuSiQue's passages, its questions twice, and the single questions in them."""
    folder = DATA / "multihop" / "hipporag"
    questions, passages = folder / "musique_train.json.gz", folder / "musique_train_corpus.json.gz"
    corpus = load_musique(questions, passages)
    ids = {(p["title"], p["text"]): f"p{n}" for n, p in enumerate(read_json(passages))}
    parts = tuple(part for raw in read_json(questions) for part in _parts(raw, ids))
    return [_stream(corpus, parts)]


def _parts(raw: Json, ids: Mapping[tuple[str, str], str]) -> list[Ask]:
    steps = raw["question_decomposition"]
    texts = {p["idx"]: (p["title"], p["paragraph_text"]) for p in raw["paragraphs"]}
    return [
        Ask(
            id=f"{raw['id']}#part{number}",
            text=re.sub(r"#(\d)", lambda m: steps[int(m[1]) - 1]["answer"], step["question"]),
            gold=frozenset({ids[texts[step["paragraph_support_idx"]]]}),
            half=split(raw["id"]),
        )
        for number, step in enumerate(steps)
    ]


def hotpotqa() -> list[Stream]:
    """HotpotQA's passages and its questions twice."""
    folder = DATA / "multihop" / "hipporag"
    names = ("hotpotqa_train.json.gz", "hotpotqa_train_corpus.json.gz")
    return [_stream(load_hotpotqa(*(folder / name for name in names)), ())]


def _stream(corpus: Corpus, more: tuple[Ask, ...]) -> Stream:
    return Stream(name=corpus.name, turns=corpus.turns, asks=(*asked_twice(corpus.probes), *more))


def longmemeval() -> list[Stream]:
    """All of LongMemEval in one memory, its questions twice."""
    folder = DATA / "longmemeval"
    data = load_longmemeval(folder / "lme_evidence.jsonl.gz", folder / "haystacks")
    turns = sorted(data.turns, key=lambda t: (t.at, t.session))
    return [Stream(name="longmemeval", turns=tuple(turns), asks=asked_twice(data.probes))]


def lifebench() -> list[Stream]:
    """LifeBench's year of one person, its questions twice."""
    turns, probes = load_lifebench(DATA / "lifebench" / "lumingqiang")
    return [Stream(name="lifebench", turns=tuple(turns), asks=asked_twice(probes))]


def locomo() -> list[Stream]:
    """LoCoMo's conversations, each a memory of its own; questions as they are."""
    path: Path = DATA / "locomo" / "locomo10_conv0-4.json.gz"
    return [
        Stream(
            name="locomo",
            turns=talk.turns,
            asks=tuple(Ask(id=p.id, text=p.text, gold=p.gold, half="all") for p in talk.probes),
        )
        for talk in load_locomo(path)
    ]


STREAMS: Mapping[str, Callable[[], list[Stream]]] = {
    "musique": musique,
    "hotpotqa": hotpotqa,
    "longmemeval": longmemeval,
    "lifebench": lifebench,
    "locomo": locomo,
}
"""Every stream, by name."""
