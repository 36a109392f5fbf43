"""The figures of a match, and of a player over seeds: reward, recall, retention, changes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from mags.errors import InvalidInput
from mags_lab.evaluation.metrics import Interval, bootstrap
from mags_lab.evaluation.objective import Quality, objective, terms_of
from mags_lab.evaluation.proving.fidelity import Fidelity
from mags_lab.evaluation.proving.records import MatchIdentity, MatchRecord
from mags_lab.games.adventures.catalogue import POINTS
from mags_lab.games.matches import PlayedTurn

DECADES = (10, 100, 1_000, 10_000)
"""Upper limits, in turns, of the ages by which retention is reported."""
MANY = 3
"""Questions that are decided by this many facts or more are reported together."""


def score(turns: Collection[PlayedTurn]) -> float:
    """Mean reward per turn, in [0, 1]."""
    return _mean([turn.reward for turn in turns])


def total(turns: Collection[PlayedTurn]) -> float:
    """Sum of rewards, in [0, 1] if each reward is a share of all points of a game."""
    return sum(turn.reward for turn in turns)


def chance(turns: Collection[PlayedTurn]) -> float:
    """The score of random choices if only the best are rewarded: mean |best| / choices."""
    return _mean([len(turn.best) / turn.choices for turn in turns])


def told(turns: Collection[PlayedTurn]) -> float:
    """The score of a player that forgets nothing and reads correctly, but knows only what was told.

    1 for a turn whose best action follows from that, else the score of a random choice.
    """
    return _mean([1.0 if turn.knowable else len(turn.best) / turn.choices for turn in turns])


def recall_accuracy(turns: Iterable[PlayedTurn]) -> float:
    """Share of the deciding facts that a shown line taught; mean over `decided` turns.

    1 if there is no such turn: nothing that was needed was missing.
    """
    shares = [turn.carried / turn.needed for turn in decided(turns)]
    return _mean(shares) if shares else 1.0


def whole_recall(turns: Iterable[PlayedTurn]) -> float:
    """Share of the `decided` turns in which every deciding fact was shown; 1 without any."""
    whole = [float(turn.carried == turn.needed) for turn in decided(turns)]
    return _mean(whole) if whole else 1.0


def explained(turns: Iterable[PlayedTurn]) -> float:
    """Share of the correct `decided` turns that cite a line which teaches a deciding fact."""
    cites = [
        float(not set(turn.cited).isdisjoint(turn.teaching))
        for turn in decided(turns)
        if turn.right
    ]
    return _mean(cites) if cites else 0.0


def decided(turns: Iterable[PlayedTurn]) -> list[PlayedTurn]:
    """The turns that are decided by facts which have all been told.

    Only these say something about a memory: for all others there was nothing to remember.
    """
    return [turn for turn in turns if turn.needed and turn.knowable]


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionBand:
    """Turns whose facts were last told `above` (excluded) to `upto` (included) turns ago."""

    above: int
    upto: int
    score: float
    recall: float
    turns: int


def retention(
    turns: Iterable[PlayedTurn], upto: Sequence[int] = DECADES
) -> tuple[RetentionBand, ...]:
    """Score and recall accuracy by the age of the facts needed; bands without a turn left out."""
    found: dict[int, list[PlayedTurn]] = defaultdict(list)
    for turn in decided(turns):
        place = next((i for i, most in enumerate(upto) if (turn.age or 0) <= most), None)
        # None: told longer ago than the last band reaches.
        if place is not None:
            found[place].append(turn)
    return tuple(
        RetentionBand(
            above=upto[place - 1] if place else -1,
            upto=upto[place],
            score=score(found[place]),
            recall=recall_accuracy(found[place]),
            turns=len(found[place]),
        )
        for place in sorted(found)
    )


def weighed(kept: Sequence[RetentionBand]) -> tuple[float, int]:
    """The score of all questions of some bands together, and how many questions there are."""
    asked = sum(one.turns for one in kept)
    return sum(one.score * one.turns for one in kept) / max(1, asked), asked


def by_facts(turns: Iterable[PlayedTurn], many: int = MANY) -> dict[int, tuple[RetentionBand, ...]]:
    """Retention by the number of deciding facts, ascending, with `many` and more together."""
    found: dict[int, list[PlayedTurn]] = defaultdict(list)
    for turn in decided(turns):
        found[min(turn.needed, many)].append(turn)
    return {count: retention(found[count]) for count in sorted(found)}


def by_kind(
    turns: Iterable[PlayedTurn], measure: Callable[[Collection[PlayedTurn]], float] = score
) -> dict[str, float]:
    """A measure for each kind of question, sorted by name."""
    found: dict[str, list[PlayedTurn]] = defaultdict(list)
    for turn in turns:
        found[turn.kind].append(turn)
    return {kind: measure(found[kind]) for kind in sorted(found)}


def by_change(turns: Iterable[PlayedTurn]) -> dict[str, float]:
    """Mean reward of the questions that a change has touched, by the sort of the last change."""
    found: dict[str, list[PlayedTurn]] = defaultdict(list)
    for turn in turns:
        if turn.since is not None:
            found[turn.change].append(turn)
    return {sort: score(found[sort]) for sort in sorted(found)}


def _mean(values: Sequence[float]) -> float:
    if not values:
        raise InvalidInput("there is no turn to measure: play at least one")
    return sum(values) / len(values)


BEFORE = 50
"""Turns before a change whose score is compared with those after it."""

STEADY = 3
"""Correct answers in a row to touched questions that count as recovered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeOutcome:
    """One change at turn `at`, and the questions that it touched before another change did.

    `before`: mean reward of the turns before; `after`: of the touched questions. `turns`: from the
    change to the first answer of the row of correct ones; `asks`: touched questions until then. If
    `recovered` is False there was no such row, and both count what was seen. `lost`: by how much
    the rewards of the touched questions were below `before` until recovery, summed, at least 0.
    """

    at: int
    before: float
    after: float
    touched: int
    turns: int
    asks: int
    recovered: bool
    lost: float


def adapted(
    turns: Sequence[PlayedTurn], *, before: int = BEFORE, steady: int = STEADY
) -> tuple[ChangeOutcome, ...]:
    """Every change that touched a question asked later, in order.

    Changes in the first turn are left out, as there is nothing before them. A player has recovered
    once it answers `steady` touched questions in a row correctly, or all if there are fewer.
    """
    touched: dict[int, list[PlayedTurn]] = defaultdict(list)
    for turn in turns:
        if turn.since is not None:
            # `since` counts turns from the change, so this is the turn of the change.
            touched[turn.turn - turn.since].append(turn)
    found = []
    for at in sorted(touched):
        earlier = [turn.reward for turn in turns if at - before <= turn.turn < at]
        if earlier:
            found.append(_adapted(at, sum(earlier) / len(earlier), touched[at], steady))
    return tuple(found)


def _adapted(at: int, before: float, touched: Sequence[PlayedTurn], steady: int) -> ChangeOutcome:
    run = min(steady, len(touched))
    starts = range(len(touched) - run + 1)
    # The first touched question from which `run` answers in a row are right.
    place = next((i for i in starts if all(t.right for t in touched[i : i + run])), None)
    asks = len(touched) if place is None else place
    last = touched[-1] if place is None else touched[place]
    return ChangeOutcome(
        at=at,
        before=before,
        after=sum(turn.reward for turn in touched) / len(touched),
        touched=len(touched),
        turns=last.turn - at,
        asks=asks,
        recovered=place is not None,
        lost=max(0.0, sum(before - turn.reward for turn in touched[:asks])),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Adaptability:
    """Means over changes; `recovered`: a share; `changes`: how many there were."""

    changes: int
    before: float
    after: float
    turns: float
    asks: float
    recovered: float
    lost: float


def adaptability(changes: Iterable[ChangeOutcome]) -> Adaptability | None:
    """The mean cost of changes; None if there was none."""
    found = list(changes)
    if not found:
        return None
    n = len(found)
    return Adaptability(
        changes=n,
        before=sum(one.before for one in found) / n,
        after=sum(one.after for one in found) / n,
        turns=sum(one.turns for one in found) / n,
        asks=sum(one.asks for one in found) / n,
        recovered=sum(one.recovered for one in found) / n,
        lost=sum(one.lost for one in found) / n,
    )


def after_change(turns: Iterable[PlayedTurn]) -> float | None:
    """Mean reward of the questions that a change has touched; None if there are none."""
    rewards = [turn.reward for turn in turns if turn.since is not None]
    return sum(rewards) / len(rewards) if rewards else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """One match in numbers; figures that do not apply are None. See docs/reference/metrics.md.

    `score`: mean reward per turn, or the sum of rewards in an adventure, where each point can be
    had once. `told`: see the function. `facts`: `retention` by the number of deciding facts, three
    and more as 3. `kinds`: score by kind of question; `sorts`: by the sort of the change that
    touched it.
    `nodes`, `arcs`: for each rule that holds; `recall_ms`, `engram_ms`: mean processor time per
    turn; `turn_ms`: median of the whole turn; `objective`: L. `cpu_s`: processor time of the match,
    or of its choices alone if the rest was not measured; `commit`: of the sources that played it.
    """

    played: MatchIdentity
    turns: int
    score: float
    chance: float
    told: float
    recall: float
    whole: float
    explained: float
    after: float | None
    adapting: Adaptability | None
    retention: tuple[RetentionBand, ...]
    facts: dict[int, tuple[RetentionBand, ...]]
    kinds: dict[str, float]
    sorts: dict[str, float]
    shown: float
    tokens: float
    recall_ms: float
    engram_ms: float
    turn_ms: float
    fidelity: Fidelity | None = None
    nodes: float | None = None
    arcs: float | None = None
    objective: float | None = None
    cpu_s: float = 0.0
    commit: str = ""


def figures(kept: MatchRecord) -> Figures:
    """Every measure of one match."""
    turns, left = kept.turns, kept.left
    whole = whole_recall(turns)
    # In an adventure a reward is a share of all points, so rewards are summed, not averaged.
    scored = total if kept.played.game.partition("/")[0] in POINTS else score
    return Figures(
        played=kept.played,
        turns=len(turns),
        score=scored(turns),
        chance=chance(turns),
        told=told(turns),
        recall=recall_accuracy(turns),
        whole=whole,
        explained=explained(turns),
        after=after_change(turns),
        adapting=adaptability(adapted(turns)),
        retention=retention(turns),
        facts=by_facts(turns),
        kinds=by_kind(turns, scored),
        sorts=by_change(turns),
        shown=_mean_or_0([float(turn.shown) for turn in turns]),
        tokens=_mean_or_0([float(turn.tokens) for turn in turns]),
        recall_ms=1_000 * _mean_or_0([turn.recall_s for turn in turns]),
        engram_ms=1_000 * _mean_or_0([turn.engram_s for turn in turns]),
        turn_ms=1_000 * median(turn.choose_s for turn in turns),
        fidelity=None if left is None else left.fidelity,
        nodes=None if left is None else left.cost.counts.nodes / max(1, kept.rules),
        arcs=None if left is None else left.cost.counts.arcs / max(1, kept.rules),
        objective=None if left is None else _objective(kept, whole),
        # Records of earlier versions have no time for the whole match.
        cpu_s=kept.cpu_s or sum(turn.choose_s for turn in turns),
        commit=kept.commit,
    )


def _objective(kept: MatchRecord, whole: float) -> float:
    assert kept.left is not None
    wrong = sum(not turn.right for turn in kept.turns) / len(kept.turns)
    quality = Quality(wrong=wrong, carried=whole, f1=kept.left.fidelity.f1)
    return objective(terms_of(quality, [kept.left.cost]))


def over_seeds(
    found: Sequence[Figures], measure: Callable[[Figures], float | None]
) -> Interval | None:
    """Mean of a measure with its 95% bootstrap interval over matches; None if no match has it."""
    values = [value for one in found if (value := measure(one)) is not None]
    return bootstrap(values) if values else None


def _mean_or_0(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
