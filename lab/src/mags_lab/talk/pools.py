"""Questions about the corpus of talk with MAGS's first candidates: what the look is trained on.

Dialogues share a memory, once with the names of one pair of people, and asked about by a third
person, once with their own names, and asked as they are. So a question has as many look-alikes as
in a long talk. In the first case another dialogue's turn among the best may answer as well: it is
no wrong answer then.
"""

from __future__ import annotations

import itertools
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import mags
from mags.memory.settings import MemorySettings
from mags.models.policy.rules import RulePolicy
from mags.ports.embedder import Embedder
from mags.recall.settings import RecallSettings
from mags.settings import Settings
from mags_lab.evaluation.protocol import Probe
from mags_lab.talk.corpus import AnnotatedDialogue, AnnotatedQuestion, AnnotatedTurn, dialogues

PAIRS = (("Clara", "Dan"), ("Marta", "Felix"), ("Priya", "Owen"), ("Nora", "Sam"))
USERS = ("Ana", "Ben", "Cora", "Dirk", "Eva", "Finn", "Gwen", "Hugo", "Ida", "Jan", "Leo", "Mia")
TOGETHER = 80
"""Dialogues of one memory."""
PUBLIC = "longmemeval"
"""The hand of dialogues that are taken from a public data set, of which a part is a test."""
NEAR = 25
"""Ranks within which another dialogue's turn may answer as well."""
_PLAIN = Settings(memory=MemorySettings(sleep_every=0, recall=RecallSettings(tier="fast")))
_ME = re.compile(r"\b(?:I|me|my|mine|myself|I'm|I've|I'd)\b", re.IGNORECASE)
_RULES = (
    (r"\b[Dd]id I\b", "did {n}"),
    (r"\b[Hh]ave I\b", "has {n}"),
    (r"\b[Aa]m I\b", "is {n}"),
    (r"\b[Ww]as I\b", "was {n}"),
    (r"\b[Dd]o I\b", "does {n}"),
    (r"\bI'm\b", "{n} is"),
    (r"\bI've\b", "{n} has"),
    (r"\bI'd\b", "{n} would"),
    (r"\bI\b", "{n}"),
    (r"\b[Mm]y\b", "{n}'s"),
    (r"\b[Mm]e\b", "{n}"),
    (r"\b[Mm]yself\b", "{n}"),
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pooled:
    """A question with MAGS's candidates, best first: their `scores` and which are `gold`, (n,).

    `total`: how many turns answer. `unsure` (n,): no wrong answers, perhaps. `beside`: the texts
    right before and after each in its session.
    """

    question: str
    texts: tuple[str, ...]
    beside: tuple[tuple[str, ...], ...]
    scores: NDArray[np.float32]
    gold: NDArray[np.bool_]
    unsure: NDArray[np.bool_]
    total: int


def named(question: str, name: str) -> str:
    """A first-person question asked about somebody of that name."""
    for pattern, said in _RULES:
        question = re.sub(pattern, said.format(n=name), question)
    return question[0].upper() + question[1:]


def material(corpus: Path, split: str) -> list[AnnotatedDialogue]:
    """Dialogues of a split that were written for the corpus: none of a public data set is among.

    A question that another split asks, too, is left out.
    """
    every = list(dialogues(corpus))
    others = {asked.text for one in every if one.split != split for asked in one.questions}
    return [
        replace(one, questions=tuple(q for q in one.questions if q.text not in others))
        for one in every
        if one.split == split and one.hand != PUBLIC
    ]


def pool(every: Sequence[AnnotatedDialogue], embedder: Embedder, first: int) -> Iterator[Pooled]:
    """Every question of some dialogues that can be answered, with its `first` candidates."""
    rng = random.Random(len(every))
    every = rng.sample(every, len(every))
    for number, start in enumerate(range(0, len(every), TOGETHER)):
        for pair in (PAIRS[number % len(PAIRS)], None):
            some = [Retold(one, pair, rng) for one in every[start : start + TOGETHER]]
            yield from _asked(some, embedder, first, mixed=pair is not None)


def _asked(
    some: Sequence[Retold], embedder: Embedder, first: int, *, mixed: bool
) -> Iterator[Pooled]:
    said = sorted((turn for one in some for turn in one.turns()), key=lambda t: (t.at, t.session))
    ticks = itertools.count(1_900_000_000)
    with mags.open(
        None,
        embedder=embedder,
        policy=RulePolicy(),
        settings=_PLAIN,
        clock=lambda: float(next(ticks)),
    ) as memory:
        turns = [
            mags.Turn(
                text=one.text, speaker=one.speaker, at=one.at.timestamp(), session=one.session
            )
            for one in said
        ]
        seen = memory.observe_many(turns)
        of = {one.episode_id: turn for one, turn in zip(seen, said, strict=True)}
        near, text = _beside(said), {turn.id: turn.text for turn in said}
        for one in some:
            for probe in one.probes():
                best: dict[str, float] = {}
                for hit in memory.recall(probe.text, first + first // 4):
                    episode = hit.id if hit.kind == "episode" else next(iter(hit.episode_ids), 0)
                    if episode in of:
                        best.setdefault(of[episode].id, hit.score)
                found = tuple(best)[:first]
                if len(found) > 2:
                    scores = np.array([best[turn] for turn in found], np.float32)
                    gold = np.array([turn in probe.gold for turn in found])
                    other = np.array([turn.rpartition(":")[0] != one.id for turn in found])
                    yield Pooled(
                        question=probe.text,
                        texts=tuple(text[turn] for turn in found),
                        beside=tuple(near[turn] for turn in found),
                        scores=(scores - scores.mean()) / (scores.std() + np.float32(1e-6)),
                        gold=gold,
                        unsure=mixed & other & ~gold & (np.arange(len(gold)) < NEAR),
                        total=len(probe.gold),
                    )


class Retold:
    """A dialogue some of whose speakers have other names.

    Those who say most have the names of a pair; without one, a user has some name.
    """

    def __init__(
        self, dialogue: AnnotatedDialogue, pair: Sequence[str] | None, rng: random.Random
    ) -> None:
        self._dialogue = dialogue
        self._third = pair is not None
        self.id = dialogue.id
        counted = Counter(turn.speaker for turn in dialogue.turns).most_common(2)
        spoken = [who for who, _ in counted]
        self._names: dict[str, str] = {}
        if "user" in spoken:
            self._names = {"user": rng.choice(pair or USERS)}
        elif pair:
            self._names = dict(zip(spoken, rng.sample(list(pair), 2), strict=False))

    def turns(self) -> Iterator[AnnotatedTurn]:
        """The turns, renamed."""
        for turn in self._dialogue.turns:
            speaker = self._names.get(turn.speaker, turn.speaker)
            text = self._text(turn.text)
            yield AnnotatedTurn(
                id=turn.id, speaker=speaker, text=text, at=turn.at, session=turn.session
            )

    def probes(self) -> Iterator[Probe]:
        """The questions that can be answered, asked as they are or by a third person."""
        for number, asked in enumerate(self._dialogue.questions):
            if not asked.unanswerable:
                yield Probe(
                    id=f"{self.id}/{number}",
                    text=self._text(self._form(asked)),
                    gold=frozenset(asked.evidence),
                    kind=asked.kind,
                )

    def _form(self, asked: AnnotatedQuestion) -> str:
        if self._third and _ME.search(asked.text):
            return named(asked.text, asked.who)
        return asked.text

    def _text(self, text: str) -> str:
        for who, name in self._names.items():
            forms = self._dialogue.people.get(who) or (who,)
            for form in sorted(forms, key=len, reverse=True):
                article = "(?:the )?" if who == "user" else ""
                text = re.sub(rf"\b{article}{re.escape(form)}\b", name, text)
        return text


def _beside(turns: Sequence[AnnotatedTurn]) -> Mapping[str, tuple[str, ...]]:
    """The texts right before and after each turn in its session."""
    sessions: dict[str, list[AnnotatedTurn]] = {}
    for turn in turns:
        sessions.setdefault(turn.session, []).append(turn)
    return {
        turn.id: tuple(near.text for near in (*said[max(0, at - 1) : at], *said[at + 1 : at + 2]))
        for said in sessions.values()
        for at, turn in enumerate(said)
    }
