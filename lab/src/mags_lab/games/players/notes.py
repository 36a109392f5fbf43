"""Notes: the lines a player has met, how a reader is shown them, and the names in their words."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace

from mags.index.tokens import STOP_WORDS, stem, terms, words
from mags.models.policy.rules.tokens import mentions
from mags.ports.chat import estimate
from mags_lab.games.turns import Choice, GameLine, GameScene, Move, Said

EPOCH_S = 1_704_067_200.0
"""Second 0 of a game, for a memory that thinks in dates: the first of January 2024."""

PRESENT = 12
"""Most lines of the turn itself that a player with a memory shows: a rulebook is no turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A line and where it stood."""

    said: Said
    line: GameLine

    @property
    def shown(self) -> str:
        """As every reader is shown it: who said it, where somebody did, and the words."""
        return f"{self.line.speaker}: {self.line.text}" if self.line.speaker else self.line.text


def noted(scene: GameScene) -> list[Note]:
    """The lines of a scene as notes."""
    return [Note(said=(scene.turn, place), line=line) for place, line in enumerate(scene.said)]


def in_order(notes: Iterable[Note]) -> list[Note]:
    """Each note once, oldest first."""
    return sorted({note.said: note for note in notes}.values(), key=lambda note: note.said)


def moved(
    choice: Choice,
    notes: Sequence[Note],
    *,
    recall_s: float = 0.0,
    engram_s: float = 0.0,
) -> Move:
    """The move that a choice is, which rested on those notes, shown in that order."""
    lines = tuple(note.shown for note in notes)
    return Move(
        action=choice.action,
        lines=lines,
        cited=choice.cited,
        recall_s=recall_s,
        engram_s=engram_s,
        tokens=sum(estimate(line) for line in lines),
        sources=tuple((note.said,) for note in notes),
    )


def shown(notes: Sequence[Note]) -> tuple[str, ...]:
    """Notes as a reader is shown them."""
    return tuple(note.shown for note in notes)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownLine:
    """A line for the reader: its words, the line of the game it is, the memories it stands for.

    `note` None: words of the memory's own (a theme), which nobody said. `facts`: of the memory,
    that it told.
    """

    text: str
    note: Note | None
    ids: tuple[int, ...] = ()
    facts: frozenset[int] = frozenset()

    @property
    def says(self) -> Hashable:
        """What it says: who tells which facts; its words, where it tells none."""
        return (self.note.line.speaker, self.facts) if self.note and self.facts else self.text


def merged(one: ShownLine, before: ShownLine | None) -> ShownLine:
    """One line for both, which say the same: the later one, standing for all their memories."""
    if before is None:
        return one
    ids = tuple(dict.fromkeys((*before.ids, *one.ids)))
    if before.note is None or (one.note is not None and one.note.said > before.note.said):
        return replace(one, ids=ids)
    return replace(before, ids=ids)


def together(found: Iterable[ShownLine]) -> list[ShownLine]:
    """Each line once."""
    unique: dict[Hashable, ShownLine] = {}
    for one in found:
        unique[one.says] = merged(one, unique.get(one.says))
    return list(unique.values())


NAMED = 4
"""Names that a second search looks for."""


def named(text: str) -> frozenset[str]:
    """Stems of the names in a text."""
    return frozenset(term for name in mentions(text) for term in terms(name))


def telling(actions: Sequence[str]) -> list[frozenset[str]]:
    """The words of each action that not all of them have."""
    every = [frozenset(terms(action)) for action in actions]
    common = frozenset.intersection(*every) if len(every) > 1 else frozenset[str]()
    return [words - common for words in every]


def matter(question: str, actions: Sequence[str]) -> frozenset[str]:
    """What is asked of what: the names of a question, and its words that all actions share.

    Empty where one of the two is.
    """
    names = named(question)
    if not names or not actions:
        return frozenset()
    common = frozenset.intersection(*(frozenset(terms(one)) for one in actions))
    shared = (common & frozenset(terms(question))) - names
    return names | shared if shared else frozenset()


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
