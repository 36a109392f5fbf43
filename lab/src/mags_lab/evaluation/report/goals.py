"""The aims of the proving ground, and what was reached."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from mags_lab.evaluation.metrics import Interval
from mags_lab.evaluation.proving.figures import Figures, RetentionBand, over_seeds, weighed
from mags_lab.evaluation.proving.tables import (
    COLUMNS,
    NONE,
    Grid,
    by_player,
    improvement,
    left_open,
    shown,
)

OURS = "MAGS"
DIARY, UNTOLD = "growing + diary", "MAGS, no reward"
LEARN = (
    f"Only {OURS} and “{DIARY}” learn from the reward of each act; nothing, window, static, "
    f"growing, the oracle and “{UNTOLD}” do not. In adventures nobody does."
)
STANDARD = "nonsense/standard"
OLD, YOUNG, WITHIN = 10_000, 100, 0.03
"""The two ages that are compared for retention, in turns, and the loss that is allowed."""
ORDER = ("nothing", "window", "static", "growing", DIARY, UNTOLD, OURS, "oracle")
"""The order of players on the page; others come just before the oracle."""
F1, CLOSED = COLUMNS["F1"], COLUMNS["wrongly closed"]
Groups = Mapping[str, Mapping[str, Sequence[Figures]]]
"""Matches by game and player."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """A figure with its aim, "-" if none was set; `met`: None if it was not measured."""

    figure: str
    reference: str
    aim: str
    value: str
    met: bool | None


def rank(player: str) -> float:
    """The place of a player in `ORDER`."""
    return ORDER.index(player) if player in ORDER else len(ORDER) - 1.5


def grouped(found: Sequence[Figures]) -> dict[str, dict[str, list[Figures]]]:
    """Matches without a switch, by game and player, in the order they first occur."""
    games = dict.fromkeys(one.played.game for one in found)
    return {
        game: by_player(one for one in found if one.played.game == game and not one.played.switch)
        for game in games
    }


def goals(found: Sequence[Figures]) -> Grid:
    """Every aim of the proving ground, with what was measured."""
    groups = grouped(found)
    rows = [
        *_nonsense(groups),
        *_other_fidelity(groups),
        *_retention(groups),
        *_adventures(groups),
        _time(groups),
    ]
    return Grid(
        head=("figure", "reference", "to reach", "reached", "met"),
        rows=tuple((r.figure, r.reference, r.aim, r.value, _met(r)) for r in rows),
    )


def _met(one: Reached) -> str:
    if one.aim == NONE:
        return NONE
    return {None: "not measured", True: "yes", False: "no"}[one.met]


def gained(
    players: Mapping[str, Sequence[Figures]],
    other: str,
    measure: Callable[[Figures], float | None],
    *,
    ours: str = OURS,
) -> Interval | None:
    """What MAGS gains over another player, in percent; None without a common seed or score.

    `ours`: another player to take in place of MAGS.
    """
    # Only seeds that both have played are compared.
    theirs = {one.played.seed: measure(one) for one in players.get(other, ())}
    pairs = [
        (mine, its)
        for one in players.get(ours, ())
        if (mine := measure(one)) is not None and (its := theirs.get(one.played.seed)) is not None
    ]
    if not pairs or not any(its for _, its in pairs):
        return None
    return improvement([mine for mine, _ in pairs], [its for _, its in pairs])


def _nonsense(groups: Groups) -> list[Reached]:
    players = groups.get(STANDARD, {})
    whole = gained(players, "nothing", lambda one: one.score)
    oracle = gained(players, "oracle", lambda one: one.score)
    after = gained(players, "growing", lambda one: one.after)
    taught = gained(players, DIARY, lambda one: one.after)
    untold = gained(players, "growing", lambda one: one.after, ours=UNTOLD)
    turns = gained(players, "growing", COLUMNS["turns to recover"])
    # A gain over the oracle is negative: -10 % means 90 % of its score.
    share = None if oracle is None else 100 + oracle.mean
    waits = None if turns is None else (100 + turns.mean) / 100
    f1, closed = (over_seeds(players.get(OURS, ()), one) for one in (F1, CLOSED))
    return [
        Reached(
            figure=f"{STANDARD}: over nothing but the turn, told no reward", reference="+30 %",
            aim="+150 %", value=_percent(whole), met=None if whole is None else whole.mean >= 150,
        ),
        Reached(
            figure=f"{STANDARD}: share of the oracle's score", reference="-", aim="90 %",
            value=_number(share, "{:.0f} %"), met=None if share is None else share >= 90,
        ),
        Reached(
            figure=f"{STANDARD}: over growing retrieval, told no reward, after changes",
            reference="-", aim="+40 %", value=_percent(after),
            met=None if after is None else after.mean >= 40,
        ),
        Reached(
            figure=f"{STANDARD}: over growing retrieval with the same diary of rewards, after "
            "changes", reference="-", aim=NONE, value=_percent(taught), met=None,
        ),
        Reached(
            figure=f"{STANDARD}: “{UNTOLD}” over growing retrieval, after changes",
            reference="-", aim=NONE, value=_percent(untold), met=None,
        ),
        Reached(
            figure=f"{STANDARD}: turns to recover, of growing retrieval's, told no reward",
            reference="-", aim="a third", value=_number(waits, "{:.2f} of them"),
            met=None if waits is None else waits <= 1 / 3,
        ),
        Reached(
            figure=f"{STANDARD}: update fidelity F1",
            reference="62 % of updates right (HaluMem's best)", aim="95",
            value="-" if f1 is None else shown(f1), met=None if f1 is None else f1.mean >= 95,
        ),
        Reached(
            figure=f"{STANDARD}: ended facts left open", reference="-", aim=NONE,
            value=left_open(players.get(OURS, ())), met=None,
        ),
        Reached(
            figure=f"{STANDARD}: wrongly closed facts", reference="-", aim="under 1 %",
            value="-" if closed is None else shown(closed, ".2f"),
            met=None if closed is None else closed.mean < 1,
        ),
    ]  # fmt: skip


def _other_fidelity(groups: Groups) -> list[Reached]:
    """Fidelity in every game but the one for which the aim was set."""
    rows = []
    for game, players in groups.items():
        f1, closed = (over_seeds(players.get(OURS, ()), one) for one in (F1, CLOSED))
        if game != STANDARD and f1 is not None and closed is not None:
            rows.append(
                Reached(
                    figure=f"{game}: update fidelity F1; ended facts left open; wrongly closed",
                    reference=NONE, aim=NONE, met=None,
                    value=f"{shown(f1)}; {left_open(players[OURS])}; {shown(closed, '.2f')} %",
                )
            )  # fmt: skip
    return rows


def _retention(groups: Groups) -> list[Reached]:
    """Retention of all questions, and with questions of as many deciding facts compared.

    Old questions are decided by more facts and so are harder, see `tables.facts`.
    """
    mine = [one for players in groups.values() for one in players.get(OURS, ())]
    mine = [one for one in mine if _span(one.retention, OLD)]
    whole = _against([one.retention for one in mine])
    counts = sorted({count for one in mine for count in one.facts})
    alike = [part for c in counts if (part := _against([one.facts.get(c, ()) for one in mine]))]
    value, apart, met, kept = "-", "-", None, None
    if whole:
        a, n, b, m = whole
        value = f"{100 * (a - b):+.1f} points ({100 * a:.1f} of {n:,}, {100 * b:.1f} of {m:,})"
        met = b - a <= WITHIN
    if alike:
        # Weighed by the young questions, so that old and young have the same mix of facts.
        lost = sum((b - a) * m for a, _, b, m in alike) / sum(m for *_, m in alike)
        apart, kept = f"{-100 * lost:+.1f} points", lost <= WITHIN
    figure = "score of what was told 1,000 to 10,000 turns ago, against 10 to 100"
    reference, aim = "a window forgets at its edge", "within 3 points"
    return [
        Reached(figure=figure, reference=reference, aim=aim, value=value, met=met),
        Reached(
            figure="the same, apart by how many facts decide, weighed as of 10 to 100",
            reference=reference, aim=aim, value=apart, met=kept,
        ),
    ]  # fmt: skip


def _against(matches: Sequence[Sequence[RetentionBand]]) -> tuple[float, int, float, int] | None:
    """Score and number of old questions, then of young ones; None if there are none of either."""
    (a, n), (b, m) = (
        weighed([kept for one in matches for kept in _span(one, upto)]) for upto in (OLD, YOUNG)
    )
    return (a, n, b, m) if n and m else None


def _span(kept: Sequence[RetentionBand], upto: int) -> list[RetentionBand]:
    return [one for one in kept if one.upto == upto]


def _adventures(groups: Groups) -> list[Reached]:
    rows = []
    for kind, reference in (("hunt", "1.0"), ("clean", "0.79"), ("cook", "1.0")):
        players = groups.get(f"{kind}/large", {})
        mine = over_seeds(players.get(OURS, ()), lambda one: one.score)
        over = [gained(players, other, lambda one: one.score) for other in ("window", "growing")]
        told = [_percent(one) for one in over]
        met = None if mine is None else all(one is not None and one.mean >= 50 for one in over)
        value = "-" if mine is None else f"{shown(mine, '.2f')}; {told[0]} and {told[1]}"
        rows.append(
            Reached(
                figure=f"{kind}/large: score; over window and growing retrieval",
                reference=f"{reference} (AriGraph with GPT-4)", aim="+50 % over both",
                value=value, met=met,
            )
        )  # fmt: skip
    return rows


def _time(groups: Groups) -> Reached:
    of = {game: over_seeds(p.get(OURS, ()), lambda o: o.turn_ms) for game, p in groups.items()}
    known = {game: one.mean for game, one in of.items() if one is not None}
    worst = max(known, key=lambda game: known[game], default=None)
    return Reached(
        figure="processor time of a turn (median), in the slowest game",
        reference="about a minute", aim="100 ms",
        value="-" if worst is None else f"{known[worst]:.0f} ms ({worst})",
        met=None if worst is None else known[worst] <= 100,
    )  # fmt: skip


def _percent(interval: Interval | None) -> str:
    return "-" if interval is None else f"{shown(interval, '+.0f')} %"


def _number(value: float | None, form: str) -> str:
    return "-" if value is None else form.format(value)
