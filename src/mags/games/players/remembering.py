"""MAGS as a player: it observes what is said, asks its memory, and learns from what it got.

Everything goes through the memory's own face: `observe` for each line, `ask` for each question,
with the reader in the place of the language model, and `feedback` for the reward. So what a game
measures is what any other program gets.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from mags.games.players.notes import PRESENT, Note, in_order, noted
from mags.games.players.shelf import NAMED, further
from mags.games.turns import Choice, Line, Move, Outcome, Reader, Said, Scene
from mags.memory.memory import Memory
from mags.memory.views import Reply, Seen
from mags.models.chat.tokens import estimate
from mags.ports.answer import Answer, Answerer, ContextItem, OnText, RecallAgain
from mags.ports.policy import Turn

EPOCH_S = 1_704_067_200.0
"""Second 0 of a game, for a memory that thinks in dates: the first of January 2024."""

BULK = 16
"""Lines of a scene from which they are told in one go: a rulebook, not a conversation."""

WIDER = 2
"""Memories asked for, for each line to be shown: several may stand for one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """How MAGS plays.

    `k`: lines shown at most beside those of the turn; `history`: lines of the conversation shown
    besides (0: manager mode, all from memory). `meeting`: how many of the k lines a recall from
    both ends finds: by what the first lines name (`naming`), and by the actions to choose among.
    `sure`: sureness of the reader under which it recalls again while it thinks (0: never),
    `again`: lines that may add. `stale`: show too what no longer holds. `learn`: hand rewards
    back as feedback.
    """

    k: int = 12
    history: int = 0
    sure: float = 0.0
    again: int = 6
    meeting: int = 4
    naming: bool = True
    stale: bool = False
    learn: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A line for the reader: its words, the line of the game it is, the memories it stands for.

    `note` None: words of the memory's own (a theme), which nobody said.
    """

    text: str
    note: Note | None
    ids: tuple[int, ...] = ()


MakeMemory = Callable[[Callable[[], float], Answerer], Memory]
"""A clock (seconds since the epoch) and who answers, to an empty memory."""


class Remembering:
    """A player with a memory of MAGS, a new one for each game; closes it when the next begins."""

    def __init__(
        self,
        reader: Reader,
        memories: MakeMemory,
        *,
        habits: Habits | None = None,
        name: str = "MAGS",
        clock: Callable[[], float] = time.process_time,
    ) -> None:
        """`clock`: seconds of processor time."""
        self.name = name
        self.habits = habits or Habits()
        self._memories = memories
        self._clock = clock
        self._now_s = EPOCH_S
        self._memory: Memory | None = None
        self._thinker = Thinker(reader, self.habits, clock)
        self._reply: Reply | None = None
        self._learning_s = 0.0

    @property
    def memory(self) -> Memory:
        """The memory of the game being played."""
        assert self._memory is not None, "no game has begun"
        return self._memory

    @property
    def reply(self) -> Reply | None:
        """What the memory answered last, with its trace; None before the first turn."""
        return self._reply

    @property
    def recalls(self) -> int:
        """How often the memory was searched in this game."""
        return self._thinker.recalls

    @property
    def notes(self) -> dict[int, Note]:
        """The line that each episode of the memory is."""
        return self._thinker.notes

    def begin(self, scene: Scene) -> None:
        """Open an empty memory; the one before is closed."""
        self.close()
        self._now_s = EPOCH_S + scene.at
        self._memory = self._memories(lambda: self._now_s, self._thinker)
        self._thinker.begin(self._memory)
        self._reply = None
        self._learning_s = 0.0

    def close(self) -> None:
        """Close the memory of the game before."""
        if self._memory is not None:
            self._memory.close()
            self._memory = None

    def choose(self, scene: Scene) -> Move:
        """Remember what was said, ask the memory, act on what the reader makes of it."""
        self._now_s = EPOCH_S + scene.at
        began = self._clock()
        self.observe(noted(scene))
        engram_s = self._clock() - began + self._learning_s
        began = self._clock()
        thinker = self._thinker
        thinker.meet(scene)
        self._reply = self.memory.ask(scene.question, k=WIDER * self.habits.k)
        recall_s = self._clock() - began - thinker.reading_s
        lines = tuple(one.text for one in thinker.shown)
        return Move(
            action=self._reply.text,
            lines=lines,
            cited=thinker.choice.cited,
            recall_s=recall_s,
            engram_s=engram_s,
            tokens=sum(estimate(line) for line in lines),
            sources=tuple(_sources(one) for one in thinker.shown),
        )

    def rewarded(self, outcome: Outcome) -> None:
        """Strengthen or weaken the paths to the lines that decided."""
        began = self._clock()
        if self.habits.learn and self._reply is not None and self._reply.trace.cited:
            self.memory.feedback(self._reply.trace, 2.0 * outcome.reward - 1.0)
        self._learning_s = self._clock() - began

    def observe(self, notes: Sequence[Note]) -> None:
        """Remember lines, each said by its speaker at its time."""
        if len(notes) >= BULK:
            seen: Iterable[Seen] = self.memory.observe_many(_turn(note.line) for note in notes)
        else:
            seen = [self._one(note.line) for note in notes]
        for note, one in zip(notes, seen, strict=True):
            self._thinker.notes[one.episode_id] = note

    def _one(self, line: Line) -> Seen:
        return self.memory.observe(line.text, speaker=line.speaker, at=EPOCH_S + line.at)


def _turn(line: Line) -> Turn:
    return Turn(text=line.text, speaker=line.speaker, at=EPOCH_S + line.at)


def _sources(one: Shown) -> tuple[Said, ...]:
    return () if one.note is None else (one.note.said,)


class Thinker:
    """An `Answerer` that answers with an action: the reader, shown lines instead of memories."""

    name = "reader"

    def __init__(self, reader: Reader, habits: Habits, clock: Callable[[], float]) -> None:
        self._reader = reader
        self._habits = habits
        self._clock = clock
        self.notes: dict[int, Note] = {}
        self.shown: list[Shown] = []
        self.choice = Choice(action="", sure=0.0)
        self.reading_s = 0.0
        self.recalls = 0

    def begin(self, memory: Memory) -> None:
        """A new game, remembered in a new memory."""
        self._memory = memory
        self.notes = {}
        self.recalls = 0
        self._history: list[Note] = []

    def meet(self, scene: Scene) -> None:
        """What is to be decided next."""
        self._scene = scene
        self._present = noted(scene)[-PRESENT:]
        self.reading_s = 0.0
        if self._habits.history:
            self._history = [*self._history, *noted(scene)][-self._habits.history :]

    def answer(
        self,
        question: Turn,
        items: Sequence[ContextItem],
        *,
        recent: Sequence[Turn],
        recall_again: RecallAgain,
        on_text: OnText | None = None,
    ) -> Answer:
        """The action that the lines of these memories speak for."""
        habits = self._habits
        found = self._lines(items, habits.k - habits.meeting)
        self.recalls += 1
        queries: tuple[str, ...] = ()
        if habits.meeting:
            queries = (self._midway(found),)
            found = self._fuller(found, recall_again(queries[0]), habits.k)
        self._read(found)
        if self.choice.sure < habits.sure:
            again = self._queries(found)
            queries = (*queries, *again)
            more = [item for query in again for item in recall_again(query)]
            found = self._fuller(found, more, len(found) + habits.again)
            self._read(found)
        self.recalls += len(queries)
        cited = [id_ for place in self.choice.cited for id_ in self.shown[place].ids]
        return Answer(
            text=self.choice.action,
            citations=tuple(dict.fromkeys(cited)),
            support=self.choice.sure,
            queries=queries,
        )

    def _read(self, found: Sequence[Shown]) -> None:
        """Show the reader what was found, the history and the turn, oldest first."""
        known = {one.note.said: one for one in found if one.note is not None}
        own = [one for one in found if one.note is None]
        texts = {one.text for one in found}
        beside = [n for n in (*self._history, *self._present) if n.shown not in texts]
        said = [known.get(n.said) or Shown(text=n.shown, note=n) for n in self._all(known, beside)]
        self.shown = [*own, *said]
        began = self._clock()
        lines = tuple(one.text for one in self.shown)
        self.choice = self._reader.choose(lines, self._scene.question, self._scene.actions)
        self.reading_s += self._clock() - began

    @staticmethod
    def _all(known: dict[Said, Shown], beside: Iterable[Note]) -> list[Note]:
        return in_order([*(one.note for one in known.values() if one.note is not None), *beside])

    def _lines(self, items: Sequence[ContextItem], most: int) -> list[Shown]:
        """The lines that memories come from, at most so many; best first.

        What was said several times in the same words counts once, as it was said last.
        """
        found: dict[str, Shown] = {}
        for item in items:
            if not (item.current or self._habits.stale):
                continue
            note = self._line(item)
            text = item.text if note is None else note.shown
            before = found.get(text)
            if before is None and len(found) >= most:
                continue
            found[text] = _merged(Shown(text=text, note=note, ids=(item.id,)), before)
        return list(found.values())

    def _fuller(
        self, found: Sequence[Shown], items: Sequence[ContextItem], most: int
    ) -> list[Shown]:
        """What was found with more lines from these memories, up to so many."""
        lines = _together([*found, *self._lines(items, most)])
        return lines[:most]

    def _midway(self, found: Sequence[Shown]) -> str:
        """A query from both ends: what the first lines name, and what there is to choose among."""
        texts = [one.note.line.text for one in found if one.note is not None]
        named = further(texts, self._scene.question) if self._habits.naming else []
        return " ".join([*named, *self._scene.actions])

    def _line(self, item: ContextItem) -> Note | None:
        """The line of the game that a memory is, or the last one that it comes from."""
        note = self.notes.get(item.id)
        if note is not None:
            return note
        sources = [n for i in self._memory.get(item.id).sources if (n := self.notes.get(i))]
        return max(sources, key=lambda n: n.said, default=None)

    def _queries(self, found: Sequence[Shown]) -> tuple[str, ...]:
        """What the lines found first name beyond the question, for a second look."""
        texts = [one.note.line.text for one in found if one.note is not None]
        named = further(texts, self._scene.question)
        if len(named) > NAMED:  # words, for want of names
            return (" ".join(named),)
        return tuple(named)


def _merged(one: Shown, before: Shown | None) -> Shown:
    """One line for both, which say the same: the later one, standing for all their memories."""
    if before is None:
        return one
    notes = [note for note in (before.note, one.note) if note is not None]
    last = max(notes, key=lambda note: note.said, default=None)
    return Shown(text=one.text, note=last, ids=tuple(dict.fromkeys((*before.ids, *one.ids))))


def _together(found: Iterable[Shown]) -> list[Shown]:
    """Each line once."""
    unique: dict[str, Shown] = {}
    for one in found:
        unique[one.text] = _merged(one, unique.get(one.text))
    return list(unique.values())
