"""A shelf of lines that grows and is searched: dense, BM25 and recency, fused.

The fusion of `benchmarks/baselines` (a sum of standardised scores; words in more than a fifth of
the lines are left out of the dense question) with a term for recency. It overwrites nothing and
understands nothing: what a game's lines mean is left to the reader.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mags.index.lexicon import Lexicon
from mags.index.tokens import STOP_WORDS, stem, terms, words
from mags.models.policy.rules.names import mentions
from mags.ports.embedder import Embedder
from mags_lab.games.players.notes import Note

NAMED = 4
"""Names that a second search looks for."""


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


class Shelf:
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
        """Put lines on the shelf, oldest first."""
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


def further(texts: Iterable[str], question: str) -> list[str]:
    """What texts name beyond a question, in order, each once: what to look up next.

    At most `NAMED` names; where there is none, the words that the question lacks.
    """
    texts = list(texts)
    asked = set(terms(question))
    named = dict.fromkeys(name for text in texts for name in mentions(text))
    fresh = [name for name in named if not asked.issuperset(terms(name))]
    return fresh[:NAMED] if fresh else beyond(texts[:NAMED], question)


def beyond(texts: Iterable[str], question: str) -> list[str]:
    """The words that count of texts and that a question lacks, in order, each once."""
    asked = set(terms(question))
    found = (word for text in texts for word in words(text))
    return list(dict.fromkeys(w for w in found if w not in STOP_WORDS and stem(w) not in asked))


def standardised(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Zero mean and unit deviation; zeros where all are equal."""
    deviation = float(values.std())
    return (values - values.mean()) / deviation if deviation > 0 else np.zeros_like(values)


def _hash(term: str) -> int:
    return zlib.crc32(term.encode())
