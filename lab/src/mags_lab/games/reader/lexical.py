"""A reader without weights: it walks from the question over lines that share rare words.

What the trained reader is measured against, and what it was built after. It knows nothing of time
beyond "later counts more", and nothing of negation.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from mags_lab.games.reader.layout import in_order
from mags_lab.games.reader.text import pieces
from mags_lab.games.turns import Choice

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
