"""What a report plays: which games, how often, and what it takes out of the memory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib.util import find_spec

from mags_lab.cli.eval_arena import STANDARD, UNREWARDED, kind_of, length, usual
from mags_lab.evaluation.proving.ablations import SWITCHES
from mags_lab.evaluation.proving.audit import Dose
from mags_lab.games.adventures.catalogue import KINDS as ADVENTURES

LONG = 100_000
"""Turns that no game reaches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bout:
    """A game, who plays it, and over how many seeds; at most `turns` turns."""

    game: str
    seeds: int
    turns: int = LONG
    players: tuple[str, ...] = STANDARD


@dataclass(frozen=True, slots=True, kw_only=True)
class Programme:
    """Everything that a report plays. `without`: switches of the ablations; none, none are.

    `shown`: the game that is looked into; `audited`: the game of the audit, with its `dose`,
    over `audits` seeds.
    """

    bouts: tuple[Bout, ...]
    ablated: Bout
    without: tuple[str, ...]
    shown: Bout
    audited: str
    dose: Dose
    audits: int


ROUNDS = ("eleusis/standard", "mastermind/standard", "knights/plain", "companion/standard")
"""Games of rounds, which can be stopped anywhere."""
QUICK = Programme(
    bouts=(
        Bout(game="nonsense/standard", seeds=10),
        *(Bout(game=game, seeds=2, turns=200) for game in ROUNDS),
        *(Bout(game=f"{kind}/large", seeds=5, players=UNREWARDED) for kind in ADVENTURES),
    ),
    ablated=Bout(game="nonsense/easy", seeds=1, players=("MAGS",)),
    without=tuple(SWITCHES),
    shown=Bout(game="nonsense/standard", seeds=1),
    audited="nonsense/easy",
    dose=Dose(seed=0, turns=160, poisoned=50, audited=100),
    audits=1,
)
"""Done in about a quarter of an hour on two cores, with some 27 minutes of processor time."""
FULL = Programme(
    bouts=(
        # First: a match of it takes longer than any other. Window and static show in smaller games
        # what they keep, and would take half an hour here.
        Bout(game="nonsense/vast", seeds=1, players=("MAGS", "growing", "oracle", "nothing")),
        Bout(game="nonsense/hard", seeds=3),
        Bout(game="nonsense/standard", seeds=10),
        Bout(game="nonsense/standard", seeds=3, players=("MAGS thinking", "MAGS chat")),
        *(Bout(game=game, seeds=3, turns=300) for game in ROUNDS),
        *(Bout(game=f"{kind}/large", seeds=10, players=UNREWARDED) for kind in ADVENTURES),
    ),
    ablated=Bout(game="nonsense/easy", seeds=3, players=("MAGS",)),
    without=tuple(SWITCHES),
    shown=Bout(game="nonsense/standard", seeds=1),
    audited="nonsense/standard",
    dose=Dose(seed=0, turns=300, poisoned=100, audited=200),
    audits=3,
)
"""What docs/report tells: about an hour on two cores, some 90 minutes of processor time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowed:
    """What a person wants otherwise; None: as the programme has it."""

    games: tuple[str, ...] = ()
    players: tuple[str, ...] = ()
    seeds: int | None = None
    turns: int | None = None
    without: tuple[str, ...] | None = None


def narrowed(programme: Programme, wanted: Narrowed) -> Programme:
    """A programme as somebody wants it; games that it lacks are played with its usual players.

    The games of the ablation, of the audit and the one looked into become the first named, too.
    """
    bouts = programme.bouts
    if wanted.games:
        bouts = tuple(
            bout
            for game in wanted.games
            for bout in [b for b in programme.bouts if b.game == game]
            or [Bout(game=game, seeds=3, players=usual(game))]
        )
    first = wanted.games[0] if wanted.games else None
    ablated = programme.ablated if first is None else replace(programme.ablated, game=first)
    shown = programme.shown if first is None else replace(programme.shown, game=first)
    return replace(
        programme,
        bouts=tuple(_narrowed(bout, wanted) for bout in bouts),
        ablated=_shorter(ablated, wanted),
        without=programme.without if wanted.without is None else wanted.without,
        shown=replace(_shorter(shown, wanted), seeds=1),
        audited=first or programme.audited,
        audits=min(programme.audits, wanted.seeds or programme.audits),
        dose=_dose(programme.dose, _least(wanted.turns, length(first or programme.audited))),
    )


def _narrowed(bout: Bout, wanted: Narrowed) -> Bout:
    return replace(_shorter(bout, wanted), players=wanted.players or bout.players)


def _shorter(bout: Bout, wanted: Narrowed) -> Bout:
    turns = bout.turns if wanted.turns is None else min(wanted.turns, bout.turns)
    return replace(bout, seeds=wanted.seeds or bout.seeds, turns=turns)


def _least(*given: int | None) -> int | None:
    return min((one for one in given if one is not None), default=None)


def _dose(dose: Dose, turns: int | None) -> Dose:
    """The dose of a game of so many turns at most, lies and audit at the same shares of it."""
    if turns is None or turns >= dose.turns:
        return dose
    return replace(
        dose,
        turns=turns,
        poisoned=max(1, turns * dose.poisoned // dose.turns),
        audited=max(2, turns * dose.audited // dose.turns),
    )


def playable(programme: Programme) -> tuple[Programme, tuple[str, ...]]:
    """The programme without games whose extra is missing, and these games."""
    if find_spec("textworld") is not None:
        return programme, ()
    missing = tuple(b.game for b in programme.bouts if kind_of(b.game) in ADVENTURES)
    left = tuple(bout for bout in programme.bouts if bout.game not in missing)
    return replace(programme, bouts=left), missing
