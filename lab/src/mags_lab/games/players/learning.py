"""Growing retrieval that is told what its acts brought, by the parts that MAGS's player learns by.

The lines are those that growing retrieval finds. The diary says which actions are left and which
lines count no more, `Deciding` which words of actions go with which words of lines, and `Repute`
what is said of each option. Where MAGS asks what the best chain to an action holds, a line that
holds the action's words stands for it. What else MAGS's player learns is of the chains alone (how
they are ranked, what in them is doubted, when they are followed): there are none here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from mags.index.tokens import terms
from mags.ports.embedder import Embedder
from mags_lab.games.players.deciding import Deciding
from mags_lab.games.players.diary import WELL, Diary
from mags_lab.games.players.notes import Note, in_order, noted, shown
from mags_lab.games.players.repute import LINES, Repute
from mags_lab.games.players.retrieving import Retrieving
from mags_lab.games.players.thinker import OUTRIGHT
from mags_lab.games.players.wording import matter, telling
from mags_lab.games.turns import Choice, Move, Outcome, Reader, Scene


class Learning(Retrieving):
    """`Retrieving` over everything said, with a diary of rewards."""

    def __init__(
        self,
        reader: Reader,
        embedder: Embedder,
        *,
        k: int = 12,
        clock: Callable[[], float] = time.process_time,
    ) -> None:
        super().__init__(reader, embedder, growing=True, k=k, clock=clock)
        self.name = "growing + diary"

    def begin(self, scene: Scene) -> None:
        """Clear the shelf, and forget what was learned."""
        super().begin(scene)
        self._diary = Diary()
        self._deciding = Deciding()
        self._repute = Repute()

    def choose(self, scene: Scene) -> Move:
        """By the best lines, among the actions that the diary leaves."""
        self._diary.report(noted(scene))
        self._deciding.meet()
        self._scene, self._move = scene, super().choose(scene)
        return self._move

    def rewarded(self, outcome: Outcome) -> None:
        """Keep what was done, and what it brought."""
        action, won = self._move.action, outcome.reward >= WELL
        self._diary.did(self._scene, action, outcome.reward)
        self._deciding.learn(action, won=won)
        self._repute.learn(action, won=won)

    def _chosen(self, scene: Scene, notes: list[Note]) -> tuple[Choice, list[Note]]:
        question, actions = scene.question, scene.actions
        each = in_order(self._repute.meet(scene, self._latest))
        left, notes = self._left(scene, notes)
        notes = each or notes
        choice = self._reader.choose(shown(notes), question, left)
        if each:
            return self._repute.among(choice, left, [note.said for note in notes]), notes
        asked = matter(question, actions)
        outright = [n.line.text for n in notes if asked and asked <= frozenset(terms(n.shown))]
        if outright:
            choice = self._deciding.outright(choice, actions, left, outright[-OUTRIGHT:], asked)
        return choice, notes

    def _left(self, scene: Scene, notes: Sequence[Note]) -> tuple[tuple[str, ...], list[Note]]:
        """The actions that are worth a try, and the lines that count still."""
        question, actions = scene.question, scene.actions
        after, about = self._diary.after(question, actions), self._diary.about(question)
        led: set[int] = set()
        kept = []
        for note in notes:
            said = frozenset(terms(note.shown))
            held = {i for i, words in enumerate(telling(actions)) if words and words <= said}
            new = {i for i in held if i not in after or note.line.at >= after[i]}
            led |= new if about <= said else set()
            if note.said not in self._diary.failed and (new or not held):
                kept.append(note)
        return self._diary.left(question, actions, led), kept

    def _latest(self, names: Sequence[str]) -> list[list[Note]]:
        """By name the last lines that hold it, newest first."""

        def holding(words: frozenset[str]) -> Iterator[Note]:
            return (n for n in reversed(self._shelf.notes) if words <= frozenset(terms(n.shown)))

        return [list(islice(holding(frozenset(terms(name))), LINES)) for name in names]
