"""The frozen readers: a trained network over word vectors, and one that goes by rare words."""

from __future__ import annotations

import io
import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from zlib import crc32

import numpy as np

from mags.errors import InvalidInput
from mags.models.embed.onnx import checked_bytes
from mags.models.policy.reader.network import ReaderFile
from mags_lab.games.reader.layout import LINE, ReaderLayout, in_order, laid_out, pieces
from mags_lab.games.reader.network import Array, ReaderNetwork
from mags_lab.games.reader.words import WordVectors, shipped_vectors
from mags_lab.games.turns import Choice, GameReader

HOPS = 3
FADE = 0.5
"""What is left of a walk's strength after a line."""
NEWER = 0.2
"""How much more the newest line counts than the oldest."""


class LexicalReader:
    """Spreads strength from the question's words to lines and on to their other words."""

    def choose(self, lines: tuple[str, ...], question: str, actions: tuple[str, ...]) -> Choice:
        """The action whose own words receive the most; the first of equals."""
        told = in_order(lines)
        words = [frozenset(t.term or t.word for t in piece.tokens) for piece in told]
        rare = _rarity(words)
        own = _distinguishing(actions)
        strength = dict.fromkeys(_words(question), 1.0)
        gained = [0.0] * len(told)
        for hop in range(HOPS):
            fresh: dict[str, float] = {}
            for place, line in enumerate(words):
                shared = sum(rare[w] * strength[w] for w in line if w in strength)
                newer = 1.0 + NEWER * place / len(words)
                gained[place] = max(gained[place], shared * newer * FADE**hop)
                for word in line:
                    fresh[word] = max(fresh.get(word, 0.0), shared * newer * FADE)
            top = max(fresh.values(), default=1.0) or 1.0
            for word, value in fresh.items():
                strength.setdefault(word, value / top * FADE**hop)
        scores = [
            max(
                (
                    g * sum(rare[w] for w in mine & line)
                    for line, g in zip(words, gained, strict=True)
                ),
                default=0.0,
            )
            for mine in own
        ]
        best = max(range(len(actions)), key=scores.__getitem__)
        total = sum(scores)
        sure = scores[best] / total if total else 1.0 / len(actions)
        cited = {told[p].line for p, line in enumerate(words) if gained[p] and own[best] & line}
        return Choice(action=actions[best], sure=sure, cited=tuple(sorted(cited)))


def _words(text: str) -> frozenset[str]:
    return frozenset(t.term for piece in pieces(text) for t in piece.tokens if t.term)


def _rarity(words: Sequence[frozenset[str]]) -> dict[str, float]:
    """How much a word tells: the rarer, the more; those in every line nothing."""
    counts = Counter(word for line in words for word in line)
    return {word: math.log((1 + len(words)) / count) for word, count in counts.items()}


def _distinguishing(actions: Sequence[str]) -> list[frozenset[str]]:
    """The words of each action that not all of them have."""
    sets = [
        frozenset(t.term or t.word for piece in pieces(action) for t in piece.tokens)
        for action in actions
    ]
    common = frozenset.intersection(*sets) if sets else frozenset()
    return [one - common for one in sets]


DATA = Path(__file__).resolve().parent / "data"


SHIPPED = ReaderFile(
    path=DATA / "reader.npz",
    sha256="fefa90073188cfc043ab0eeb13e249a48a9bb562954dc1c274f48230a52ed1c6",
)


class EmbeddedReader:
    """Chooses an action; the same choice for the same words, on every machine."""

    def __init__(self, network: ReaderNetwork, vectors: WordVectors | None = None) -> None:
        self._network = network
        self._vectors = vectors or shipped_vectors()

    def choose(self, lines: tuple[str, ...], question: str, actions: tuple[str, ...]) -> Choice:
        """The action that the lines speak for; given none, any, and no surer than chance.

        Lines: "[2031-04-05] Speaker: text", or less; oldest first where they bear no days.
        """
        if not actions:
            raise InvalidInput("a choice needs actions to choose from", question=question)
        if not any(line.strip() for line in lines):
            return guess(question, actions)
        layout, vectors = laid_out(lines, question, actions, self._vectors)
        scores, needed = self._network(layout, vectors)
        shares = np.exp(scores - scores.max())
        shares /= shares.sum()
        best = int(shares.argmax())
        cited = _cited(lines, layout, needed)
        return Choice(
            action=actions[best],
            sure=float(shares[best]),
            cited=cited,
            shares=tuple(shares.tolist()),
        )


def guess(question: str, actions: tuple[str, ...]) -> Choice:
    """One of the actions, the same each time, by a hash: nothing speaks for any of them."""
    place = crc32("\n".join((question, *sorted(actions))).encode()) % len(actions)
    return Choice(action=sorted(actions)[place], sure=1.0 / len(actions))


def _cited(lines: tuple[str, ...], layout: ReaderLayout, needed: Array) -> tuple[int, ...]:
    """The lines that decided, as they were given: the likeliest at least."""
    places = layout.line[layout.kind == LINE]
    limit = min(0.0, float(needed.max()))
    return tuple(sorted({int(place) for place in places[needed >= limit]}))


def opened(file: ReaderFile = SHIPPED) -> EmbeddedReader:
    """Read and check a file of weights; raises CorruptFile."""
    advice = "reinstall mags, or train it anew: python -m mags_lab.training.reader"
    content = checked_bytes(file.path, file.sha256, "reader", advice)
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        weights = {name: arrays[name].astype(np.float32) for name in arrays.files}
    return EmbeddedReader(ReaderNetwork(weights))


@lru_cache(maxsize=1)
def shipped_reader() -> GameReader:
    """The reader that ships, one object for every player."""
    return opened() if SHIPPED.path.is_file() else LexicalReader()
