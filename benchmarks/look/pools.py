"""Pools: questions with MAGS's first candidates and the token states of both."""

from __future__ import annotations

import pickle
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

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
LAYERS = 3
USERS = ("Ana", "Ben", "Cora", "Dirk", "Eva", "Finn", "Gwen", "Hugo", "Ida", "Jan", "Leo", "Mia")
SPLITS = ("train", "dev")
FOLDER = CACHE / "look"
_ME = re.compile(r"\b(?:I|me|my|mine|myself|I'm|I've|I'd)\b", re.IGNORECASE)
Span = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pooled:
    """A question with MAGS's first candidates: standardised `scores` (n,), which are `gold` (n,).

    `total`: how many turns answer. `unsure` (n,): no wrong answers, perhaps. `question`, `turns`:
    where their tokens lie among the pool's; `beside`: those of the turns
    before and after each in its session.
    """

    kind: str
    scores: NDArray[np.float32]
    gold: NDArray[np.bool_]
    total: int
    unsure: NDArray[np.bool_]
    question: Span
    turns: tuple[Span, ...]
    beside: tuple[tuple[Span, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    probe: Probe
    turns: tuple[str, ...]
    scores: NDArray[np.float32]
    texts: tuple[str, ...]
    beside: tuple[tuple[str, ...], ...]
    mixed: bool


def pool(name: str) -> None:
    """Build the memories of a set, ask its questions and keep what `fit` needs.

    name: `train` or `dev` (of the corpus), or a suite of `benchmarks.ranking`.
    """
    asked: list[_Asked] = []
    for turns, probes, mixed in _memories(name):
        world = GrowingState(shipped(CACHE), RecallSettings(traces=False))
        world.add(turns)
        text = {turn.id: turn.text for turn in turns}
        beside = _beside(turns)
        found = (_ask(world, probe, text, beside, mixed=mixed) for probe in probes)
        asked += (one for one in found if len(one.turns) > 2)
        print(f"{name}: {len(asked)} questions", file=sys.stderr, flush=True)
    told = dict.fromkeys(
        text
        for one in asked
        for text in (one.probe.text, *one.texts, *chain.from_iterable(one.beside))
    )
    spans, states = _states(list(told))
    FOLDER.mkdir(parents=True, exist_ok=True)
    np.save(FOLDER / f"{name}.npy", states)
    pooled = [_pooled(one, spans) for one in asked]
    (FOLDER / f"{name}.pickle").write_bytes(pickle.dumps(pooled))


def _memories(name: str) -> Iterator[tuple[Sequence[SourceTurn], Sequence[Probe], bool]]:
    """Turns and questions of memories, and whether several people have one name there.

    Dialogues of the corpus come twice: with the names of one pair, and with their own.
    """
    if name not in SPLITS:
        yield from ((one.turns, one.probes, False) for one in SUITES[name]())
        return
    rng = random.Random(name)
    every = list(dialogues(split=name))
    rng.shuffle(every)
    for start in range(0, len(every), TOGETHER):
        for pair in (PAIRS[start // TOGETHER % len(PAIRS)], None):
            some = [
                _Renamed(one, _names(one, pair, rng)) for one in every[start : start + TOGETHER]
            ]
            turns = [turn for one in some for turn in one.turns()]
            turns.sort(key=lambda turn: (turn.at, turn.session))
            yield turns, [probe for one in some for probe in one.probes()], pair is not None


def _names(dialogue: Dialogue, pair: Sequence[str] | None, rng: random.Random) -> dict[str, str]:
    """Other names for the two who say most, or for a user alone; without a pair, for a user."""
    spoken = [who for who, _ in Counter(turn.speaker for turn in dialogue.turns).most_common(2)]
    if "user" in spoken:
        return {"user": rng.choice(pair or USERS)}
    return dict(zip(spoken, rng.sample(pair, 2), strict=False)) if pair else {}


class _Renamed:
    """A dialogue some of whose speakers have other names."""

    def __init__(self, dialogue: Dialogue, names: Mapping[str, str]) -> None:
        self._dialogue, self._names = dialogue, names

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


def _beside(turns: Sequence[SourceTurn]) -> dict[str, tuple[str, ...]]:
    """The texts right before and after each turn in its session."""
    sessions: dict[str, list[SourceTurn]] = defaultdict(list)
    for turn in turns:
        sessions[turn.session].append(turn)
    return {
        turn.id: tuple(near.text for near in (*said[max(0, at - 1) : at], *said[at + 1 : at + 2]))
        for said in sessions.values()
        for at, turn in enumerate(said)
    }


def _ask(
    world: GrowingState,
    probe: Probe,
    text: Mapping[str, str],
    beside: Mapping[str, tuple[str, ...]],
    *,
    mixed: bool,
) -> _Asked:
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
        beside=tuple(beside[turn] for turn in turns),
        mixed=mixed,
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


def _pooled(one: _Asked, spans: Mapping[str, Span]) -> Pooled:
    gold = np.array([turn in one.probe.gold for turn in one.turns])
    unsure = np.zeros(len(gold), np.bool_)
    if one.mixed:
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
        beside=tuple(tuple(spans[text] for text in near) for near in one.beside),
    )


def kept(name: str) -> tuple[list[Pooled], NDArray[np.float16]]:
    """The questions of a pool, and the states of its tokens."""
    questions: list[Pooled] = pickle.loads((FOLDER / f"{name}.pickle").read_bytes())
    return questions, np.load(FOLDER / f"{name}.npy", mmap_mode="r")
