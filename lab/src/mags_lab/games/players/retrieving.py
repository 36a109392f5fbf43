"""Retrieval without a memory: over the rulebook told at the start, or over everything seen.

Lines are searched by dense vectors, BM25 and recency, fused as in `benchmarks/baselines`: a sum of
standardised scores, and words in more than a fifth of the lines are left out of the dense question.
It overwrites nothing and understands nothing: what a line means is left to the reader.

`RewardedRetrieving` is growing retrieval that is told what its acts brought, by the parts that
MAGS's player learns by. The diary says which actions are left and which lines count no more,
`Deciding` which words of actions go with which words of lines, and `Repute` what is said of each
option. Where MAGS asks what the best chain to an action holds, a line that holds the action's words
stands for it. What else MAGS's player learns is of the chains alone, and there are none here.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from mags.index.search import Lexicon
from mags.index.tokens import terms
from mags.ports.embedder import Embedder
from mags_lab.games.players.deciding import Deciding
from mags_lab.games.players.diary import WELL, RewardDiary
from mags_lab.games.players.notes import (
    PRESENT,
    Note,
    further,
    in_order,
    matter,
    moved,
    noted,
    shown,
    telling,
)
from mags_lab.games.players.repute import LINES, Repute
from mags_lab.games.players.thinker import OUTRIGHT
from mags_lab.games.turns import Choice, GameReader, GameScene, Move, Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Fusion:
    """How much each score counts, all standardised over the lines but recency.

    `recency`: what the newest line gains, `half_life_turns`: after how many turns half of that
    is left. `common`: share of the lines beyond which a word is left out of the dense question.
    `again`: how many of the k lines a second search finds, by what the first ones name
    (`names`) and by the actions there are to choose among (`actions`).
    """

    dense: float = 1.0
    lexical: float = 1.0
    recency: float = 0.0
    half_life_turns: float = 200.0
    common: float = 0.2
    again: int = 0
    names: bool = True
    actions: bool = True


class LineIndex:
    """Lines with their vectors and words; everything added is there to be found at once."""

    def __init__(self, embedder: Embedder, fusion: Fusion) -> None:
        self._embedder = embedder
        self._fusion = fusion
        self.clear()

    def clear(self) -> None:
        """Take everything away."""
        self.notes: list[Note] = []
        self._texts: list[str] = []
        self._vectors = np.zeros((256, self._embedder.dimension), np.float32)
        self._turns = np.zeros(256)
        self._lexicon = Lexicon(_hash)

    def add(self, notes: Sequence[Note]) -> None:
        """Put lines into the index, oldest first."""
        if not notes:
            return
        first, last = len(self.notes), len(self.notes) + len(notes)
        while last > len(self._turns):
            self._vectors = np.concatenate([self._vectors, np.zeros_like(self._vectors)])
            self._turns = np.concatenate([self._turns, np.zeros_like(self._turns)])
        texts = [note.shown for note in notes]
        self._vectors[first:last] = self._embedder.embed(texts)
        self._turns[first:last] = [note.said[0] for note in notes]
        self._lexicon.add(range(first, last), texts)
        self.notes.extend(notes)
        self._texts.extend(texts)

    def search(self, question: str, k: int, turn: int, actions: Sequence[str] = ()) -> list[Note]:
        """The k best lines for a question asked in a turn, best first.

        A second search, where there is one, asks for what the first lines name beyond the
        question, and for the actions.

        What was said several times in the same words counts once, as it was said last.
        """
        if not self.notes:
            return []
        again = self._fusion.again if k > self._fusion.again else 0
        best = self._best(question, k - again, turn)
        if again:
            texts = (self.notes[row].line.text for row in best)
            named = further(texts, question) if self._fusion.names else []
            asked = " ".join([*named, *(actions if self._fusion.actions else ())])
            more = self._best(asked, k, turn) if asked else []
            best = list(dict.fromkeys([*best, *more]))[:k]
        return [self.notes[row] for row in best]

    def _best(self, question: str, k: int, turn: int) -> list[int]:
        found: dict[str, int] = {}
        for row in np.argsort(-self.scores(question, turn), kind="stable").tolist():
            text = self._texts[row]
            if text not in found and len(found) == k:
                break
            found[text] = max(row, found.get(text, row))
        return list(found.values())

    def scores(self, question: str, turn: int) -> NDArray[np.float64]:
        """The fused score of each line, shape (lines,)."""
        fusion, n = self._fusion, len(self.notes)
        match = self._lexicon.match(terms(question))
        lexical = match.scores[:n].astype(np.float64)
        asked = self._embedder.embed([self._bare(question)])[0]
        dense = (self._vectors[:n] @ asked).astype(np.float64)
        age = turn - self._turns[:n]
        return np.asarray(
            fusion.dense * standardised(dense)
            + fusion.lexical * standardised(lexical)
            + fusion.recency * np.exp2(-age / fusion.half_life_turns)
        )

    def _bare(self, question: str) -> str:
        """The question without words that stand in too many lines to tell any of them apart."""
        most = max(1.0, self._fusion.common * len(self.notes))
        kept = [word for word in question.split() if not self._is_common(word, most)]
        return " ".join(kept) or question

    def _is_common(self, word: str, most: float) -> bool:
        return any(self._lexicon.frequency(term) > most for term in terms(word))


def standardised(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Zero mean and unit deviation; zeros where all are equal."""
    deviation = float(values.std())
    return (values - values.mean()) / deviation if deviation > 0 else np.zeros_like(values)


def _hash(term: str) -> int:
    return zlib.crc32(term.encode())


PLAIN = Fusion(again=4)
"""For a rulebook, where nothing is newer than anything else."""

TUNED = Fusion(recency=2.0, half_life_turns=200.0, again=4)
"""For everything seen; chosen on the tuning bank (docs/log.md)."""


class Retrieving:
    """A player that shows its reader the k best lines of an index, oldest first, and the turn.

    `growing`: everything said is indexed; else only what was said in the first scene.
    """

    def __init__(
        self,
        reader: GameReader,
        embedder: Embedder,
        *,
        growing: bool,
        fusion: Fusion | None = None,
        k: int = 12,
        clock: Callable[[], float] = time.process_time,
    ) -> None:
        self.name = "growing" if growing else "static"
        self._reader = reader
        self._index = LineIndex(embedder, fusion or (TUNED if growing else PLAIN))
        self._growing = growing
        self._k = k
        self._clock = clock

    def begin(self, scene: GameScene) -> None:
        """Clear the index; a rulebook told in the first scene goes into it when that is played."""
        self._index.clear()

    def choose(self, scene: GameScene) -> Move:
        """By the best lines for the question and those of the turn itself."""
        began = self._clock()
        present = noted(scene)
        if self._growing or not self._index.notes:
            self._index.add(present)
        written = self._clock()
        found = self._index.search(scene.question, self._k, scene.turn, scene.actions)
        notes = in_order([*found, *present[-PRESENT:]])
        recalled = self._clock()
        choice, notes = self._chosen(scene, notes)
        return moved(choice, notes, engram_s=written - began, recall_s=recalled - written)

    def _chosen(self, scene: GameScene, notes: list[Note]) -> tuple[Choice, list[Note]]:
        """What the reader makes of what was found, and what of that it was shown."""
        return self._reader.choose(shown(notes), scene.question, scene.actions), notes


class RewardedRetrieving(Retrieving):
    """`Retrieving` over everything said, with a diary of rewards."""

    def __init__(
        self,
        reader: GameReader,
        embedder: Embedder,
        *,
        k: int = 12,
        clock: Callable[[], float] = time.process_time,
    ) -> None:
        super().__init__(reader, embedder, growing=True, k=k, clock=clock)
        self.name = "growing + diary"

    def begin(self, scene: GameScene) -> None:
        """Clear the index, and forget what was learned."""
        super().begin(scene)
        self._diary = RewardDiary()
        self._deciding = Deciding()
        self._repute = Repute()

    def choose(self, scene: GameScene) -> Move:
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

    def _chosen(self, scene: GameScene, notes: list[Note]) -> tuple[Choice, list[Note]]:
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

    def _left(self, scene: GameScene, notes: Sequence[Note]) -> tuple[tuple[str, ...], list[Note]]:
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
            return (n for n in reversed(self._index.notes) if words <= frozenset(terms(n.shown)))

        return [list(islice(holding(frozenset(terms(name))), LINES)) for name in names]
