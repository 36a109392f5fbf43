"""MAGS as a player: it observes what is said, asks its memory, and learns from what it got.

Everything goes through the memory's own face: `observe` for each line of a turn, with how the act
went that it reports; `ask` for each question, with the reader in the place of the language
model; `chains` for what leads from it to the actions; and `feedback` for the reward. So what a game
measures is what any other program gets.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby

from mags.memory.memory import Memory
from mags.memory.views import Reply, Seen
from mags.ports.answer import Answerer
from mags.ports.chat import estimate
from mags.ports.policy import LED_BY, Turn
from mags_lab.games.players.notes import EPOCH_S, Note, ShownLine, noted
from mags_lab.games.players.thinker import Habits, Thinker
from mags_lab.games.turns import GameLine, GameReader, GameScene, Move, Outcome, Said

__all__ = ["BULK", "EPOCH_S", "WIDER", "Habits", "MakeMemory", "Remembering"]

BULK = 16
"""Lines of a scene from which they are told in one go: a rulebook, not a conversation."""

WIDER = 2
"""Memories asked for, for each line to be shown: several may stand for one line."""


MakeMemory = Callable[[Callable[[], float], Answerer], Memory]
"""A clock (seconds since the epoch) and who answers, to an empty memory."""


class Remembering:
    """A player with a memory of MAGS, a new one for each game; closes it when the next begins."""

    def __init__(
        self,
        reader: GameReader,
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
        self._scene: GameScene | None = None
        self._learning_s = 0.0
        self._reports: dict[Said, tuple[dict[str, str], tuple[Said, ...]]] = {}

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

    def begin(self, scene: GameScene) -> None:
        """Open an empty memory; the one before is closed."""
        self.close()
        self._now_s = EPOCH_S + scene.at
        self._memory = self._memories(lambda: self._now_s, self._thinker)
        self._thinker.begin(self._memory)
        self._reply = None
        self._learning_s = 0.0
        self._reports = {}

    def close(self) -> None:
        """Close the memory of the game before."""
        if self._memory is not None:
            self._memory.close()
            self._memory = None

    def choose(self, scene: GameScene) -> Move:
        """Remember what was said, ask the memory, act on what the reader makes of it."""
        self._scene = scene
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
        """Keep how it went; strengthen or weaken the paths to the lines that decided."""
        began = self._clock()
        if self.habits.outcomes and self._scene is not None and self._reply is not None:
            self._thinker.did(self._scene, self._reply.text, outcome.reward)
        if self.habits.learn and self._reply is not None and self._reply.trace.cited:
            self.memory.feedback(self._reply.trace, 2.0 * outcome.reward - 1.0)
        self._learning_s = self._clock() - began

    def observe(self, notes: Sequence[Note]) -> None:
        """Remember lines, each said by its speaker at its time."""
        self._remember(notes, self._thinker.reported(notes))

    def again(self, notes: Sequence[Note]) -> None:
        """Remember lines once more as at first: scene by scene, with what they reported then.

        What led to a reported act is kept as far as its lines are there still.
        """
        for _, scene in groupby(notes, key=lambda note: note.said[0]):
            together = list(scene)
            reported = {}
            for said in (note.said for note in together if note.said in self._reports):
                attrs, led = self._reports[said]
                there = sorted(self._thinker.ids[one] for one in led if one in self._thinker.ids)
                reported[said] = {**attrs, LED_BY: " ".join(map(str, there))} if there else attrs
            self._remember(together, reported)

    def let_go(self, episodes: Iterable[int]) -> None:
        """Think no more of lines whose episodes are gone, forgotten or rolled back."""
        for episode in episodes:
            note = self._thinker.notes.pop(episode)
            self._thinker.ids.pop(note.said, None)
            self._thinker.passing.facts.pop(episode, None)

    def _remember(self, notes: Sequence[Note], reported: Mapping[Said, Mapping[str, str]]) -> None:
        for said, attrs in reported.items():
            ids = map(int, attrs.get(LED_BY, "").split())
            led = [self.notes[one].said for one in ids if one in self.notes]
            plain = {name: value for name, value in attrs.items() if name != LED_BY}
            self._reports[said] = plain, tuple(led)
        turns = [_turn(note.line, reported.get(note.said, {})) for note in notes]
        seen = self._told(turns)
        for note, one in zip(notes, seen, strict=True):
            told = (*one.facts, *one.confirmed)
            self._thinker.remembered(one.episode_id, note, told, self._passing(one))

    def _told(self, turns: Sequence[Turn]) -> list[Seen]:
        """A rulebook in one go; of a conversation each line costs a tick."""
        if len(turns) >= BULK:
            return self.memory.observe_many(turns)
        observe = self.memory.observe
        return [observe(t.text, speaker=t.speaker, at=t.at, attrs=t.attrs) for t in turns]

    def _passing(self, seen: Seen) -> list[int]:
        """The facts of a turn that will end of themselves."""
        ends = {fact: self.memory.get(fact).valid_to for fact in seen.facts}
        return [fact for fact, end in ends.items() if end and end.timestamp() > self._now_s]


def _turn(line: GameLine, attrs: Mapping[str, str]) -> Turn:
    return Turn(text=line.text, speaker=line.speaker, at=EPOCH_S + line.at, attrs=attrs)


def _sources(one: ShownLine) -> tuple[Said, ...]:
    return () if one.note is None else (one.note.said,)
