"""Update fidelity: the facts of a memory against those of the game.

A fact of the memory tells a fact of the game where a line it comes from taught that fact, and
subject and object are the same, in either order; how the relation is worded does not matter. A
fact of one thing alone (somebody lies) is told where that thing is one of the two.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

from mags.index.names import fold
from mags.memory.memory import Memory
from mags_lab.games.players.notes import Note
from mags_lab.games.turns import Said, TruthFact


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownFact:
    """A fact as a memory holds it: `open` or closed, and the lines of the game it comes from."""

    id: int
    subject: str
    relation: str
    object: str
    open: bool
    said: tuple[Said, ...]


def known_facts(memory: Memory, notes: Mapping[int, Note]) -> tuple[KnownFact, ...]:
    """The facts of a memory whose episodes are these lines, in the order of their ids."""
    now = {fact.id for fact in memory.facts(current=True)}
    found = [
        KnownFact(
            id=fact.id,
            subject=fact.subject,
            relation=fact.relation,
            object=fact.object,
            open=fact.id in now,
            said=tuple(sorted(notes[i].said for i in memory.get(fact.id).sources if i in notes)),
        )
        for fact in memory.facts()
    ]
    return tuple(sorted(found, key=lambda fact: fact.id))


class FactVerdict(Enum):
    """What a fact of the memory is, held against the game."""

    RIGHT = "right"
    """open, and so"""
    STALE = "stale"
    """open, and no longer so"""
    WRONG = "wrong"
    """open, and never so: misread, or from a line that was false"""
    CLOSED = "closed"
    """closed, and no longer so, or never told by the game"""
    LOST = "lost"
    """closed, and still so"""
    BESIDE = "beside"
    """from lines that taught nothing"""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameFacts:
    """What the game says: `facts` hold, `over` did; `taught` by line."""

    facts: Collection[TruthFact]
    over: Collection[TruthFact]
    taught: Mapping[Said, tuple[TruthFact, ...]]

    def told_by(self, known: KnownFact) -> frozenset[TruthFact]:
        """The facts of the game that a fact of the memory tells."""
        taught = {fact for said in known.said for fact in self.taught.get(said, ())}
        return frozenset(fact for fact in taught if is_same(known, fact))

    def verdict(self, known: KnownFact) -> FactVerdict:
        """What a fact of the memory is."""
        if not any(said in self.taught for said in known.said):
            return FactVerdict.BESIDE
        told = self.told_by(known)
        holds = any(fact in self.facts for fact in told)
        if not known.open:
            return FactVerdict.LOST if holds else FactVerdict.CLOSED
        if holds:
            return FactVerdict.RIGHT
        return FactVerdict.STALE if any(fact in self.over for fact in told) else FactVerdict.WRONG


def is_same(known: KnownFact, fact: TruthFact) -> bool:
    """Whether both name the same two things: one name the other, or a whole word of it.

    The same one thing, where the game's fact is of one alone.
    """
    if not fact.object:
        return any(_names(name, fact.subject) for name in (known.subject, known.object))
    pairs = ((fact.subject, fact.object), (fact.object, fact.subject))
    return any(_names(known.subject, a) and _names(known.object, b) for a, b in pairs)


def _names(written: str, name: str) -> bool:
    a, b = f" {fold(written)} ", f" {fold(name)} "
    return bool(a.strip() and b.strip()) and (a in b or b in a)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fidelity:
    """Counts, and the shares made of them; see docs/reference/metrics.md.

    `holding`: facts that were told and hold, `held` of them open in the memory, `lost` closed
    and not open. `ended`: facts that were told and hold no longer, `stale` of them still open.
    `open`: open facts of the memory from lines that taught something, `right` of them so.
    """

    holding: int
    held: int
    lost: int
    ended: int
    stale: int
    open: int
    right: int

    @property
    def precision(self) -> float:
        """right / open; 1 where nothing is open."""
        return self.right / self.open if self.open else 1.0

    @property
    def recall(self) -> float:
        """held / holding; 1 where nothing holds."""
        return self.held / self.holding if self.holding else 1.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0

    @property
    def left_open(self) -> float:
        """stale / ended; 0 where nothing ended."""
        return self.stale / self.ended if self.ended else 0.0

    @property
    def wrongly_closed(self) -> float:
        """lost / (held + lost): of what was written and holds, what was closed; 0 without any."""
        written = self.held + self.lost
        return self.lost / written if written else 0.0

    def __add__(self, other: Fidelity) -> Fidelity:
        """Both memories together, counts added."""
        return Fidelity(
            holding=self.holding + other.holding,
            held=self.held + other.held,
            lost=self.lost + other.lost,
            ended=self.ended + other.ended,
            stale=self.stale + other.stale,
            open=self.open + other.open,
            right=self.right + other.right,
        )


def fidelity(known: Iterable[KnownFact], world: GameFacts) -> Fidelity:
    """Hold every fact of a memory against the game."""
    open_, right = 0, 0
    told_open: set[TruthFact] = set()
    told_closed: set[TruthFact] = set()
    for fact in known:
        verdict = world.verdict(fact)
        counted = fact.open and verdict is not FactVerdict.BESIDE
        open_ += counted
        right += verdict is FactVerdict.RIGHT
        (told_open if fact.open else told_closed).update(world.told_by(fact))
    holding, ended = set(world.facts), set(world.over) - set(world.facts)
    return Fidelity(
        holding=len(holding),
        held=len(holding & told_open),
        lost=len((holding & told_closed) - told_open),
        ended=len(ended),
        stale=len(ended & told_open),
        open=open_,
        right=right,
    )
