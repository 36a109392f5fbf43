"""How a player did: reward, and whether it was shown and cited what decides."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from mags.errors import InvalidInput
from mags_lab.games.matches import Turned

DECADES = (10, 100, 1_000, 10_000)
"""Ages in turns up to which retention is told."""
MANY = 3
"""So many facts that decide count as one with more of them."""


def score(turns: Collection[Turned]) -> float:
    """Mean reward a turn, in [0, 1]."""
    return _mean([turn.reward for turn in turns])


def total(turns: Collection[Turned]) -> float:
    """Sum of rewards, in [0, 1] where each is a share of all that a game has to give."""
    return sum(turn.reward for turn in turns)


def chance(turns: Collection[Turned]) -> float:
    """What choosing blindly would bring where only the best is rewarded: mean |best| / choices."""
    return _mean([len(turn.best) / turn.choices for turn in turns])


def told(turns: Collection[Turned]) -> float:
    """What one would score who forgets nothing and reads rightly, but knows only what was told.

    1 for a turn whose best action follows from that, else what choosing blindly would bring.
    """
    return _mean([1.0 if turn.knowable else len(turn.best) / turn.choices for turn in turns])


def recall_accuracy(turns: Iterable[Turned]) -> float:
    """Share of the facts that decide which a shown line taught; mean over `decided` turns.

    1 where no turn is: nothing that was needed was missing.
    """
    shares = [turn.carried / turn.needed for turn in decided(turns)]
    return _mean(shares) if shares else 1.0


def whole_recall(turns: Iterable[Turned]) -> float:
    """Share of the `decided` turns in which every fact that decides was shown; 1 without any."""
    whole = [float(turn.carried == turn.needed) for turn in decided(turns)]
    return _mean(whole) if whole else 1.0


def explained(turns: Iterable[Turned]) -> float:
    """Share of the rightly `decided` turns that cite a line teaching a fact that decided."""
    cites = [
        float(not set(turn.cited).isdisjoint(turn.teaching))
        for turn in decided(turns)
        if turn.right
    ]
    return _mean(cites) if cites else 0.0


def decided(turns: Iterable[Turned]) -> list[Turned]:
    """The turns decided by facts that had all been told: what a memory can be asked for."""
    return [turn for turn in turns if turn.needed and turn.knowable]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """Turns whose facts were last told `above` to `upto` turns ago (above excluded)."""

    above: int
    upto: int
    score: float
    recall: float
    turns: int


def retention(turns: Iterable[Turned], upto: Sequence[int] = DECADES) -> tuple[Kept, ...]:
    """Score and recall accuracy by the age of what was needed; spans without a turn left out."""
    found: dict[int, list[Turned]] = defaultdict(list)
    for turn in decided(turns):
        place = next((i for i, most in enumerate(upto) if (turn.age or 0) <= most), None)
        if place is not None:
            found[place].append(turn)
    return tuple(
        Kept(
            above=upto[place - 1] if place else -1,
            upto=upto[place],
            score=score(found[place]),
            recall=recall_accuracy(found[place]),
            turns=len(found[place]),
        )
        for place in sorted(found)
    )


def weighed(kept: Sequence[Kept]) -> tuple[float, int]:
    """The score of all questions of some spans together, and how many they are."""
    asked = sum(one.turns for one in kept)
    return sum(one.score * one.turns for one in kept) / max(1, asked), asked


def by_facts(turns: Iterable[Turned], many: int = MANY) -> dict[int, tuple[Kept, ...]]:
    """Retention by how many facts decide, `many` and more together, rising."""
    found: dict[int, list[Turned]] = defaultdict(list)
    for turn in decided(turns):
        found[min(turn.needed, many)].append(turn)
    return {count: retention(found[count]) for count in sorted(found)}


def by_kind(
    turns: Iterable[Turned], measure: Callable[[Collection[Turned]], float] = score
) -> dict[str, float]:
    """A measure for each kind of question, in the order of their names."""
    found: dict[str, list[Turned]] = defaultdict(list)
    for turn in turns:
        found[turn.kind].append(turn)
    return {kind: measure(found[kind]) for kind in sorted(found)}


def by_change(turns: Iterable[Turned]) -> dict[str, float]:
    """Mean reward of the questions that a change has touched, by the sort of the last one."""
    found: dict[str, list[Turned]] = defaultdict(list)
    for turn in turns:
        if turn.since is not None:
            found[turn.change].append(turn)
    return {sort: score(found[sort]) for sort in sorted(found)}


def _mean(values: Sequence[float]) -> float:
    if not values:
        raise InvalidInput("there is no turn to measure: play at least one")
    return sum(values) / len(values)
