"""What the reader learns from: parts of turns, pairs of a turn and what is held, and questions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

import mags
from mags.models.answer.question import read_question
from mags.models.answer.spans import given, to_read
from mags.models.embed.onnx import SHIPPED, ModelFile, TokenStates, Windower, checked_bytes
from mags.models.policy.reader.network import (
    Layout,
    TurnRows,
    ended_layout,
    marks,
    passage,
    rows,
)
from mags.models.policy.reader.policy import TrainedReader
from mags.models.policy.reader.reading import Fact
from mags.models.policy.rules import RulePolicy
from mags.models.policy.rules.tokens import stems
from mags.ports.answer import ContextItem
from mags.ports.policy import Turn
from mags_lab.talk.corpus import AnnotatedDialogue, AnnotatedFact, AnnotatedQuestion, AnnotatedTurn
from mags_lab.talk.labels import Gold, days, examples, nearly, spans_of
from mags_lab.talk.matching import Made, ends

READ, ENDS, ASKS = "read", "ends", "asks"
HELD, FEWER = 10, 5
"""Facts that a turn does not end: of one that ends something, and of one that only tells."""
_ME = re.compile(r"\b(?:i|me|my|mine|i'm|i've)\b", re.IGNORECASE)
SHOWN = 12
"""Memories that are recalled for a question."""
THINNED, KEPT, WITHHELD = 0.3, 0.7, 0.25
"""Of questions, how many are shown fewer turns, how many of these, and how many no evidence."""
SMALL, BESIDE = 0.5, 2
"""How many are also asked of next to nothing: the evidence and at most so many turns beside."""
NAMES = ("Ines", "Marlow", "Petra", "Tomas", "Yuki")
"""People nobody has heard of, to be asked about in vain."""


SHARES: Mapping[str, Callable[[TrainingText], float]] = {
    READ: lambda one: 1.0,
    ENDS: lambda one: 1.0 if one.ends else 0.35,
    ASKS: lambda one: 1.0,
}
"""How many of a task are learned from in a round: what is rare, always."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingText:
    """One text to learn from: its rows, tokens (t,), and what rows are made of (rows, t).

    `gold`, `worth`: of `READ`. `ends`: of `ENDS`. Of `ASKS`: `lines`, the turns of a passage,
    `shows`, which of them are evidence, and `answers`, the rows that answer: (0, 0) where none
    does, nothing where the answer is not said in words of its own; `says`, whether it is yes, None
    where it is neither yes nor no.
    """

    task: str
    layout: Layout
    gold: tuple[Gold, ...] = ()
    worth: tuple[bool, bool] = (False, False)
    ends: bool = False
    lines: tuple[TurnRows, ...] = ()
    shows: tuple[bool, ...] = ()
    answers: tuple[tuple[int, int], ...] = ()
    says: bool | None = None
    ids: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    pool: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 0), dtype=np.float32))
    marks: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 0), dtype=np.float32))


class Pieces:
    """Makes pieces as the encoder of a file will read them."""

    def __init__(self, file: ModelFile = SHIPPED) -> None:
        self._windower = Windower(
            Tokenizer.from_buffer(checked_bytes(file.tokenizer, file.tokenizer_sha256)),
            tokens=file.window_tokens,
            overlap=file.overlap_tokens,
        )

    def of(
        self,
        dialogues: Iterable[AnnotatedDialogue],
        seed: int = 0,
        reader: TrainedReader | None = None,
        tasks: Sequence[str] = (READ, ENDS, ASKS),
    ) -> list[TrainingText]:
        """All pieces of dialogues; those that the encoder's window does not hold are left out.

        `reader`: whose facts are held too, where what a turn ends is learned.
        """
        found = []
        for one in dialogues:
            rng = Random(f"{seed} {one.id}")
            for layout, gold, worth in examples(one) if READ in tasks else ():
                found.append(TrainingText(task=READ, layout=layout, gold=gold, worth=worth))
            read = read_by(reader, one) if reader and ENDS in tasks else ()
            for layout, over in pairs(one, rng, read) if ENDS in tasks else ():
                found.append(TrainingText(task=ENDS, layout=layout, ends=over))
            for asked, turns in questions(one, rng) if ASKS in tasks else ():
                found += self._asked(asked, turns)
        return [made for one in found if (made := self._tokens(one)) is not None]

    def _asked(
        self, asked: AnnotatedQuestion, turns: Sequence[AnnotatedTurn]
    ) -> list[TrainingText]:
        """The passage of a question, without the turns behind that the window does not hold."""
        question = Turn(text=asked.text, speaker=asked.who)
        parsed = read_question(question)
        while turns:
            parts = given(parsed, [one.text for one in turns])
            said = [
                replace(turn_of(one), text=one.text[first:last])
                for one, (first, last) in zip(turns, parts, strict=True)
            ]
            layout, lines = passage(question, said)
            if self._windower.tokens(layout.text)[2]:
                shows = tuple(one.id in asked.evidence for one in turns)
                spans = [
                    span
                    for one, line, shown in zip(said, lines, shows, strict=True)
                    if shown
                    for span in answering(asked, one, layout, line)
                ]
                answers = tuple(spans) if any(shows) else ((0, 0),)
                return [
                    TrainingText(
                        task=ASKS,
                        layout=layout,
                        lines=lines,
                        shows=shows,
                        answers=answers,
                        says=says_yes(asked),
                    )
                ]
            turns = turns[:-1]
        return []

    def _tokens(self, piece: TrainingText) -> TrainingText | None:
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


def wordings(told: AnnotatedFact) -> list[Made]:
    """A gold fact in all its wordings, the main one first."""
    return [
        Made(subject=subject, relation=told.relation, object=thing)
        for subject in told.subjects
        for thing in told.objects
    ]


def read_by(reader: TrainedReader, dialogue: AnnotatedDialogue) -> list[list[Made]]:
    """What a reader holds to be told, by turn: with its own words and its own mistakes."""
    found: list[list[Made]] = []
    least = reader.least["guess"]
    for said, before in with_before(dialogue):
        facts = reader.facts(turn_of(said), before)
        found.append([made_of(one) for one in facts if one.probability >= least])
    return found


def with_before(dialogue: AnnotatedDialogue) -> Iterator[tuple[AnnotatedTurn, list[Turn]]]:
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
    dialogue: AnnotatedDialogue, rng: Random, read: Sequence[Sequence[Made]] = ()
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


def _likeness(held: Made, said: AnnotatedTurn) -> float:
    """How much a held fact has in common with what a turn tells."""
    words = stems(f"{held.relation} {held.object}")
    heard = stems(said.text) | {
        stem for one in said.facts for stem in stems(f"{one.relation} {one.topic}")
    }
    return len(words & heard) + (held.subject == said.speaker)


def questions(
    dialogue: AnnotatedDialogue, rng: Random
) -> Iterator[tuple[AnnotatedQuestion, Sequence[AnnotatedTurn]]]:
    """Questions, each with the turns that a memory recalls for it, likeliest first.

    Also with some of them, without those that answer, and about somebody they say nothing of.
    """
    if not dialogue.questions:
        return
    for asked, turns in recalled(dialogue):
        if not turns:
            continue
        evidence = {*asked.evidence}
        if rng.random() < THINNED:
            kept = [one for one in turns if one.id in evidence or rng.random() < KEPT]
            turns = kept or turns
        yield asked, turns
        others = [one for one in turns if one.id not in evidence]
        if rng.random() < SMALL:
            most = rng.randint(0, BESIDE)
            # What is nearly asked stands first, and is what a memory of little would answer with.
            beside = rng.sample(others, min(len(others), most)) if evidence else others[: most + 1]
            small = [one for one in turns if one.id in evidence or one in beside]
            if small:
                yield asked, small
        if not asked.answers:
            continue
        if others and rng.random() < WITHHELD:
            yield replace(asked, answers=(), evidence=()), others
        other = of_another(asked, turns, dialogue, rng)
        if other is not None and rng.random() < WITHHELD:
            yield other, turns


def recalled(
    dialogue: AnnotatedDialogue,
) -> Iterator[tuple[AnnotatedQuestion, Sequence[AnnotatedTurn]]]:
    """The questions of a dialogue with the turns that are read for each, likeliest first."""
    with mags.open(None, policy=RulePolicy()) as memory:
        told = {
            memory.observe(
                said.text, speaker=said.speaker, at=said.at, session=said.session
            ).episode_id: said
            for said in dialogue.turns
        }
        for asked in dialogue.questions:
            hits = memory.recall(asked.text, k=SHOWN, speaker=asked.who)
            items = [
                ContextItem(id=hit.id, text=told[hit.id].text, speaker=told[hit.id].speaker)
                for hit in hits
                if hit.id in told
            ]
            question = Turn(text=asked.text, speaker=asked.who)
            chosen = to_read(question, read_question(question), items)
            yield asked, [told[item.id] for item in chosen]


def says_yes(asked: AnnotatedQuestion) -> bool | None:
    """Whether a question is answered with yes (true) or no (false); None where with neither."""
    if asked.kind != "yes/no":
        return None
    said = {word for one in asked.answers[:1] for word in stems(one.partition(",")[0])}
    return None if said.isdisjoint({"yes", "no"}) else "yes" in said


def answering(
    asked: AnnotatedQuestion, said: Turn, layout: Layout, line: TurnRows
) -> list[tuple[int, int]]:
    """Rows of a line that say an accepted answer: letter by letter, as a day, or nearly."""
    if asked.kind in ("yes/no", "overview"):
        return []
    exact = [
        span
        for one in asked.answers
        for span in spans_of(one, layout)
        if line.first <= span[0] and span[1] < line.end
    ]
    return (
        exact
        or [*days(asked.answers, said, layout, line)]
        or [*nearly(asked.answers, layout, line)]
    )


def of_another(
    asked: AnnotatedQuestion,
    turns: Sequence[AnnotatedTurn],
    dialogue: AnnotatedDialogue,
    rng: Random,
) -> AnnotatedQuestion | None:
    """The question about, or by, somebody the turns say nothing of; None where it names nobody."""
    people = {*dialogue.people, *(one.speaker for one in dialogue.turns)}
    heard = stems(" ".join(f"{one.speaker} {one.text}" for one in turns))
    absent = sorted(one for one in (*people, *NAMES) if one and not stems(one) & heard)
    if not absent:
        return None
    other = rng.choice(absent)
    unanswered = replace(asked, answers=(), evidence=())
    named = sorted((one for one in people if one and one in asked.text), key=len)
    if named and other not in named:
        return replace(unanswered, text=asked.text.replace(named[-1], other))
    if not named and _ME.search(asked.text):
        return replace(unanswered, who=other)
    return None


def turn_of(said: AnnotatedTurn) -> Turn:
    """A turn of the corpus as a policy is given it."""
    return Turn(text=said.text, speaker=said.speaker, at=said.at.timestamp())


def batches(pieces: Sequence[TrainingText], rng: Random, most: int) -> list[list[TrainingText]]:
    """Every part of a turn once and a share of the rest, a task a batch, in random order."""
    made: list[list[TrainingText]] = []
    for task, share in SHARES.items():
        own = [one for one in pieces if one.task == task and rng.random() < share(one)]
        own.sort(key=lambda one: len(one.ids) + 4 * rng.random())
        made += grouped(own, most)
    rng.shuffle(made)
    return made


def grouped(pieces: Sequence[TrainingText], most: int) -> list[list[TrainingText]]:
    """Pieces in order, in groups of at most `most` tokens."""
    made: list[list[TrainingText]] = []
    queue: list[TrainingText] = []
    for one in pieces:
        longest = max((len(other.ids) for other in queue), default=0)
        if queue and (len(queue) + 1) * max(len(one.ids), longest) > most:
            made.append(queue)
            queue = []
        queue.append(one)
    return [*made, queue] if queue else made
