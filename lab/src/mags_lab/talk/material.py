"""What the reader learns from: parts of turns, pairs of a turn and what is held, and questions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer

from mags.models.embed.onnx import SHIPPED, ModelFile, TokenStates, checked_bytes
from mags.models.embed.windows import Windower
from mags.models.policy.reader.layout import (
    Layout,
    asked_layout,
    ended_layout,
    marks,
    rows,
)
from mags.models.policy.reader.policy import TrainedReader
from mags.models.policy.reader.reading import Fact
from mags.models.words import stems
from mags.ports.policy import Turn
from mags_lab.talk.corpus import Dialogue, Said, Told
from mags_lab.talk.encoder import Encoder
from mags_lab.talk.labels import Gold, examples, spans_of
from mags_lab.talk.matching import Made, ends

READ, ENDS, ASKS = "read", "ends", "asks"
HELD, FEWER = 6, 3
"""Facts that a turn does not end: of one that ends something, and of one that only tells."""
_ME = re.compile(r"\b(?:i|me|my|mine|i'm|i've)\b", re.IGNORECASE)
OTHERS = 3
"""Turns that do not answer a question, to one that does."""


SHARES: Mapping[str, Callable[[Piece], float]] = {
    READ: lambda one: 1.0,
    ENDS: lambda one: 1.0 if one.ends else 0.35,
    ASKS: lambda one: 0.7 if one.span != (0, 0) else 0.3,
}
"""How many of a task are learned from in a round: what is rare, always."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One text to learn from: its rows, tokens (t,), what rows are made of (rows, t),
    and what the layers that stay make of the tokens, (t, w).

    `gold`, `worth`: of `READ`. `ends`: of `ENDS`. `span`: of `ASKS`, (0, 0) for no answer.
    """

    task: str
    layout: Layout
    gold: tuple[Gold, ...] = ()
    worth: tuple[bool, bool] = (False, False)
    ends: bool = False
    span: tuple[int, int] = (0, 0)
    ids: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    pool: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 0), dtype=np.float32))
    marks: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 0), dtype=np.float32))
    lower: NDArray[np.float16] = field(default_factory=lambda: np.zeros((0, 0), dtype=np.float16))


class Pieces:
    """Makes pieces as the encoder of a file will read them."""

    def __init__(self, file: ModelFile = SHIPPED) -> None:
        self._windower = Windower(
            Tokenizer.from_buffer(checked_bytes(file.tokenizer, file.tokenizer_sha256)),
            tokens=file.window_tokens,
            overlap=file.overlap_tokens,
        )

    def of(
        self, dialogues: Iterable[Dialogue], seed: int = 0, reader: TrainedReader | None = None
    ) -> list[Piece]:
        """All pieces of dialogues; those that the encoder's window does not hold are left out.

        `reader`: whose facts are held too, where what a turn ends is learned.
        """
        found = []
        for one in dialogues:
            rng = Random(f"{seed} {one.id}")
            for layout, gold, worth in examples(one):
                found.append(Piece(task=READ, layout=layout, gold=gold, worth=worth))
            read = read_by(reader, one) if reader else ()
            for layout, over in pairs(one, rng, read):
                found.append(Piece(task=ENDS, layout=layout, ends=over))
            for layout, span in questions(one, rng):
                found.append(Piece(task=ASKS, layout=layout, span=span))
        return [made for one in found if (made := self._tokens(one)) is not None]

    def _tokens(self, piece: Piece) -> Piece | None:
        ids, spans, whole = self._windower.tokens(piece.layout.text)
        if not whole:
            return None
        each = TokenStates(states=np.eye(len(ids), dtype=np.float32), spans=spans, whole=whole)
        return replace(
            piece,
            ids=np.asarray(ids),
            pool=rows(piece.layout, each),
            marks=marks(piece.layout),
        )


def sentence_of(held: Made, speaker: str) -> str:
    """A held fact as the reader is shown it."""
    return f"{'I' if held.subject == speaker else held.subject} {held.relation} {held.object}"


def wordings(told: Told) -> list[Made]:
    """A gold fact in all its wordings, the main one first."""
    return [
        Made(subject=subject, relation=told.relation, object=thing)
        for subject in told.subjects
        for thing in told.objects
    ]


def read_by(reader: TrainedReader, dialogue: Dialogue) -> list[list[Made]]:
    """What a reader holds to be told, by turn: with its own words and its own mistakes."""
    found: list[list[Made]] = []
    least = reader.least["guess"]
    for said, before in with_before(dialogue):
        facts = reader.facts(turn_of(said), before)
        found.append([made_of(one) for one in facts if one.probability >= least])
    return found


def with_before(dialogue: Dialogue) -> Iterator[tuple[Said, list[Turn]]]:
    """Every turn, with those said before it in its session."""
    before: list[Turn] = []
    session = ""
    for said in dialogue.turns:
        if said.session != session:
            before, session = [], said.session
        yield said, before
        before = [*before, turn_of(said)]


def made_of(fact: Fact) -> Made:
    """A fact that was read, as it is compared."""
    return Made(subject=fact.subject, relation=fact.relation, object=fact.object)


def pairs(
    dialogue: Dialogue, rng: Random, read: Sequence[Sequence[Made]] = ()
) -> list[tuple[Layout, bool]]:
    """Turns with facts held before them, and whether the turn ends each.

    Held are the gold facts, and of `read` by turn what a reader made, since that is what it will
    be asked about.
    """
    found: list[tuple[Layout, bool]] = []
    held: list[list[Made]] = []
    for place, (said, before) in enumerate(with_before(dialogue)):
        turn = turn_of(said)
        ended = [one for one in held if any(ends(end, w) for end in said.ends for w in one)]
        sure = {id(one) for one in ended}
        kept = [
            one
            for one in held
            if id(one) not in sure and not any(end.optional for end in said.ends)
        ]
        most = HELD if ended else FEWER if said.facts else 0
        near = sorted(kept, key=lambda one: (-_likeness(one[0], said), rng.random()))[:most]
        for one in (*ended, *near):
            shown = sentence_of(one[0], said.speaker)
            found.append((ended_layout(turn, before, shown), id(one) in sure))
        held = [one for one in held if id(one) not in sure]
        held += [wordings(one) for one in said.facts if one.act != "retract"]
        known = {one[0] for one in held}
        held += [[one] for one in (read[place] if read else ()) if one not in known]
    return found


def _likeness(held: Made, said: Said) -> float:
    """How much a held fact has in common with what a turn tells."""
    words = stems(f"{held.relation} {held.object}")
    heard = stems(said.text) | {
        stem for one in said.facts for stem in stems(f"{one.relation} {one.topic}")
    }
    return len(words & heard) + (held.subject == said.speaker)


def questions(dialogue: Dialogue, rng: Random) -> list[tuple[Layout, tuple[int, int]]]:
    """Questions with turns that answer them and turns that do not."""
    found: list[tuple[Layout, tuple[int, int]]] = []
    for asked in dialogue.questions:
        question = Turn(text=asked.text, speaker=asked.who)
        evidence = set(asked.evidence)
        for said in dialogue.turns:
            if said.id in evidence:
                layout = asked_layout(question, turn_of(said))
                spans = [span for one in asked.answers for span in spans_of(one, layout)]
                if spans:
                    found.append((layout, spans[0]))
                    other = of_another(question, said, dialogue, rng)
                    found += [(asked_layout(other, turn_of(said)), (0, 0))] if other else []
        others = [one for one in dialogue.turns if one.id not in evidence]
        words = stems(asked.text)
        others.sort(
            key=lambda one: (-len(words & stems(f"{one.speaker} {one.text}")), rng.random())
        )
        for said in others[:OTHERS]:
            layout = asked_layout(question, turn_of(said))
            if not any(spans_of(one, layout) for one in asked.answers):
                found.append((layout, (0, 0)))
    return found


def of_another(question: Turn, said: Said, dialogue: Dialogue, rng: Random) -> Turn | None:
    """The question about, or by, somebody the turn says nothing of; None where it names nobody."""
    people = {*dialogue.people, *(one.speaker for one in dialogue.turns)}
    heard = stems(f"{said.speaker} {said.text}")
    absent = sorted(one for one in people if one and not stems(one) & heard)
    if not absent:
        return None
    other = rng.choice(absent)
    named = sorted((one for one in people if one and one in question.text), key=len)
    if named and other not in named:
        return replace(question, text=question.text.replace(named[-1], other))
    if not named and question.speaker == said.speaker and _ME.search(question.text):
        return replace(question, speaker=other)
    return None


def turn_of(said: Said) -> Turn:
    """A turn of the corpus as a policy is given it."""
    return Turn(text=said.text, speaker=said.speaker, at=said.at.timestamp())


def seen(pieces: Sequence[Piece], encoder: Encoder, most: int) -> list[Piece]:
    """The pieces with what the encoder's layers that stay make of them, so that it is made once."""
    order = sorted(range(len(pieces)), key=lambda place: len(pieces[place].ids))
    found = list(pieces)
    for some in grouped([pieces[place] for place in order], most):
        tokens = max(len(one.ids) for one in some)
        ids = np.zeros((len(some), tokens), dtype=np.int64)
        there = np.zeros(ids.shape, dtype=bool)
        for row, one in enumerate(some):
            ids[row, : len(one.ids)], there[row, : len(one.ids)] = one.ids, True
        made = encoder.lower(torch.from_numpy(ids), torch.from_numpy(there)).numpy()
        for row, one in enumerate(some):
            place = order.pop(0)
            found[place] = replace(one, lower=made[row, : len(one.ids)].astype(np.float16))
    return found


def batches(pieces: Sequence[Piece], rng: Random, most: int) -> list[list[Piece]]:
    """Every part of a turn once and a share of the rest, a task a batch, in random order."""
    made: list[list[Piece]] = []
    for task, share in SHARES.items():
        own = [one for one in pieces if one.task == task and rng.random() < share(one)]
        own.sort(key=lambda one: len(one.ids) + 4 * rng.random())
        made += grouped(own, most)
    rng.shuffle(made)
    return made


def grouped(pieces: Sequence[Piece], most: int) -> list[list[Piece]]:
    """Pieces in order, in groups of at most `most` tokens."""
    made: list[list[Piece]] = []
    queue: list[Piece] = []
    for one in pieces:
        longest = max((len(other.ids) for other in queue), default=0)
        if queue and (len(queue) + 1) * max(len(one.ids), longest) > most:
            made.append(queue)
            queue = []
        queue.append(one)
    return [*made, queue] if queue else made
