"""Update fidelity: compares the facts of a memory with those of the game.

A fact of the memory tells a fact of the game if a line it comes from taught that fact, and if
subject and object are the same, in either order; the words of the relation do not matter. A fact
about one thing alone (somebody lies) is told if that thing is one of the two.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

from mags.index.tokens import fold_name
from mags.memory.memory import Memory
from mags_lab.games.players.notes import Note
from mags_lab.games.turns import Said, TruthFact


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownFact:
    """A fact of a memory: `open` or closed, and the lines of the game that it comes from."""

    id: int
    subject: str
    relation: str
    object: str
    open: bool
    said: tuple[Said, ...]


def known_facts(memory: Memory, notes: Mapping[int, Note]) -> tuple[KnownFact, ...]:
    """The facts of a memory in the order of ids; `notes`: the lines of its episodes."""
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
    """The verdict on a fact of the memory, compared with the game."""

    RIGHT = "right"
    """open, and holds"""
    STALE = "stale"
    """open, but no longer holds"""
    WRONG = "wrong"
    """open, but never held: misread, or from a false line"""
    CLOSED = "closed"
    """closed, and no longer holds, or was never told by the game"""
    LOST = "lost"
    """closed, but still holds"""
    BESIDE = "beside"
    """from lines that taught nothing"""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameFacts:
    """The facts of the game: `facts` hold, `over` did hold; `taught`: by line."""

    facts: Collection[TruthFact]
    over: Collection[TruthFact]
    taught: Mapping[Said, tuple[TruthFact, ...]]

    def told_by(self, known: KnownFact) -> frozenset[TruthFact]:
        """The facts of the game that a fact of the memory tells."""
        taught = {fact for said in known.said for fact in self.taught.get(said, ())}
        return frozenset(fact for fact in taught if is_same(known, fact))

    def verdict(self, known: KnownFact) -> FactVerdict:
        """The verdict on a fact of the memory."""
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
    """Whether both are about the same two things, or the same one if the game's fact has one.

    Two names are the same if one is the other, or whole words of it.
    """
    if not fact.object:
        return any(_names(name, fact.subject) for name in (known.subject, known.object))
    pairs = ((fact.subject, fact.object), (fact.object, fact.subject))
    return any(_names(known.subject, a) and _names(known.object, b) for a, b in pairs)


def _names(written: str, name: str) -> bool:
    # With spaces around, so that only whole words match.
    a, b = f" {fold_name(written)} ", f" {fold_name(name)} "
    return bool(a.strip() and b.strip()) and (a in b or b in a)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fidelity:
    """Counts, and shares of them; see docs/reference/metrics.md.

    `holding`: facts that were told and hold; `held`: of them, open in the memory; `lost`: closed
    and not open. `ended`: facts that were told and no longer hold; `stale`: of them, still open.
    `open`: open facts of the memory from lines that taught something; `right`: of them, correct.
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
        """right / open; 1 if nothing is open."""
        return self.right / self.open if self.open else 1.0

    @property
    def recall(self) -> float:
        """held / holding; 1 if nothing holds."""
        return self.held / self.holding if self.holding else 1.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0

    @property
    def left_open(self) -> float:
        """stale / ended; 0 if nothing ended."""
        return self.stale / self.ended if self.ended else 0.0

    @property
    def wrongly_closed(self) -> float:
        """lost / (held + lost): the closed share of facts that were written and hold, else 0."""
        written = self.held + self.lost
        return self.lost / written if written else 0.0

    def __add__(self, other: Fidelity) -> Fidelity:
        """Both together: the counts are added."""
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
    """Compare every fact of a memory with the game."""
    open_, right = 0, 0
    told_open: set[TruthFact] = set()
    told_closed: set[TruthFact] = set()
    for fact in known:
        verdict = world.verdict(fact)
        counted = fact.open and verdict is not FactVerdict.BESIDE
        open_ += counted
        right += verdict is FactVerdict.RIGHT
        (told_open if fact.open else told_closed).update(world.told_by(fact))
    # A fact that ended and began again holds.
    holding, ended = set(world.facts), set(world.over) - set(world.facts)
    return Fidelity(
        holding=len(holding),
        held=len(holding & told_open),
        # Closed by one fact and told again by another: nothing is lost.
        lost=len((holding & told_closed) - told_open),
        ended=len(ended),
        stale=len(ended & told_open),
        open=open_,
        right=right,
    )
