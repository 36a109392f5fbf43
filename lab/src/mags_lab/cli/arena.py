"""Games, players and switches by name; matches of them, and what a report plays.

Beside each match stands where its figures come from: command, commit, machine, time.
"""

from __future__ import annotations

import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, partial
from importlib.metadata import version
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path

from mags import caches
from mags.app import embedded, make_chat
from mags.app import make_reader as talk_reader
from mags.app import open as open_memory
from mags.cli.service import one_blas_thread
from mags.errors import NotFound
from mags.memory.memory import Memory
from mags.ports.answer import Answerer
from mags.ports.policy import Policy
from mags.settings import ChatSettings, Settings
from mags_lab.evaluation.proving.ablations import SWITCHES, Switch, model_switches
from mags_lab.evaluation.proving.ablations import switch as known_switch
from mags_lab.evaluation.proving.audit import Dose
from mags_lab.evaluation.proving.records import (
    MatchIdentity,
    MatchRecord,
    file_name,
    read_record,
    record,
    write_record,
)
from mags_lab.evaluation.report.folder import ReportRun
from mags_lab.games.adventures.catalogue import KINDS as ADVENTURES
from mags_lab.games.adventures.planner import Planner
from mags_lab.games.adventures.science import KIND as SCIENCE
from mags_lab.games.adventures.science import TASKS, ScienceGame
from mags_lab.games.companion import LEVELS as COMPANION
from mags_lab.games.companion import companion
from mags_lab.games.logic.catalogue import (
    ELEUSIS,
    KNIGHTS,
    MASTERMIND,
    eleusis,
    knights,
    mastermind,
)
from mags_lab.games.nonsense.game import Nonsense
from mags_lab.games.nonsense.levels import LEVELS, NonsenseLevel
from mags_lab.games.players.baselines import Nothing, Oracle, WindowPlayer
from mags_lab.games.players.directions import WayPolicy
from mags_lab.games.players.endpoint import EndpointReader
from mags_lab.games.players.remembering import MakeMemory, Remembering
from mags_lab.games.players.retrieving import Retrieving, RewardedRetrieving
from mags_lab.games.players.thinker import Habits
from mags_lab.games.reader import shipped_reader
from mags_lab.games.turns import Game, GameReader, Player

MakeGame = Callable[[str], Game]
"""The bank of sentences to a game."""

MakeLevel = Callable[[str, str], Game]
"""Level and bank to a game."""


def _nonsense(level: NonsenseLevel, bank: str) -> Game:
    return Nonsense(level, bank_name=bank)


def _levels(kind: str, make: MakeLevel, levels: Iterable[str]) -> dict[str, MakeGame]:
    return {f"{kind}/{level}": partial(make, level) for level in levels}


GAMES: dict[str, MakeGame] = {
    **{f"nonsense/{name}": partial(_nonsense, level) for name, level in LEVELS.items()},
    **_levels("eleusis", eleusis, ELEUSIS),
    **_levels("mastermind", mastermind, MASTERMIND),
    **_levels("knights", knights, KNIGHTS),
    **_levels("companion", companion, COMPANION),
    **{
        f"{kind}/{level}": partial(make, level)
        for kind, (make, levels) in ADVENTURES.items()
        for level in levels
    },
    **_levels(SCIENCE, ScienceGame, TASKS),
}
HABITS: dict[str, Habits] = {
    "MAGS": Habits(),
    "MAGS, no reward": Habits(outcomes=False, learn=False),
    "MAGS thinking": Habits(sure=0.5),
    "MAGS chat": Habits(history=12),
    "MAGS recalling": Habits(chains=0),
}
PLAYERS = ("nothing", "window", "static", "growing", "growing + diary", *HABITS, "oracle")
UNREWARDED = ("nothing", "window", "static", "growing", "MAGS", "oracle")
"""Who plays adventures, where nobody learns from rewards (see `LINES`)."""
STANDARD = (*UNREWARDED[:-2], "growing + diary", "MAGS, no reward", *UNREWARDED[-2:])
"""Who plays elsewhere: of these "growing + diary" and "MAGS" learn from rewards."""
WARMING = "nonsense/tiny"
"""The game that a process plays and throws away before its first match, and the seed of it."""
WARMING_SEED = 1_000_000
SOURCES = Path(__file__).resolve().parent
LINES = {kind: 60 for kind in ADVENTURES}
"""Lines that players show at most, where a decision takes more than their own few: a way through
a house is made of many. In such games a step without points is no failure, either: MAGS takes
nothing from rewards there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchTask:
    """A match to play. `out`: where its record goes; `files`: where memories go, else RAM.

    `lines`: keep the words that players are shown; `again` False: a record that is there already
    is taken as it is. `chat`: the endpoint that is the frozen model, else the one that ships.
    """

    played: MatchIdentity
    out: Path | None = None
    files: Path | None = None
    lines: bool = True
    again: bool = True
    chat: ChatSettings | None = None


def make_game(name: str, bank: str) -> Game:
    """A game by its name; raises NotFound."""
    if name not in GAMES:
        raise NotFound(f"there is no game {name!r}: choose among {', '.join(GAMES)}", name=name)
    return GAMES[name](bank)


def make_reader(game: str, chat: ChatSettings | None = None) -> GameReader:
    """The frozen model that all players of a game share: the shipped one, or the planner.

    `chat`: the endpoint that stands in the place of both.
    """
    model = None if chat is None else make_chat(Settings(chat=chat))
    if model is not None:
        return EndpointReader(model)
    return Planner() if kind_of(game) in ADVENTURES else shipped_reader()


def reader_name(chat: ChatSettings | None) -> str:
    """What records call the frozen model: "" where it is the one that ships."""
    model = None if chat is None else make_chat(Settings(chat=chat))
    return "" if model is None else model.name


def kind_of(game: str) -> str:
    """ "nonsense" of "nonsense/standard"."""
    return game.partition("/")[0]


def usual(game: str) -> tuple[str, ...]:
    """Who plays a game where nobody is named."""
    return UNREWARDED if kind_of(game) in ADVENTURES else STANDARD


def length(game: str) -> int | None:
    """Turns until a game is over; None where that is not settled beforehand."""
    kind, _, level = game.partition("/")
    return LEVELS[level].turns if kind == "nonsense" and level in LEVELS else None


def make_player(
    name: str, reader: GameReader, *, memories: MakeMemory | None = None, lines: int | None = None
) -> Player:
    """A player by its name, with this reader; raises NotFound.

    `memories`: else in RAM. `lines`: that it shows at most, else as many as it is used to.
    """
    if name in HABITS:
        habits = HABITS[name]
        if lines is not None:
            meeting = habits.meeting * lines // habits.k  # the same share of them
            habits = replace(
                habits, k=lines, meeting=meeting, chains=0, outcomes=False, learn=False, ways=True
            )
        return Remembering(reader, memories or make_memories(), habits=habits, name=name)
    k = HABITS["MAGS"].k if lines is None else lines  # the same for all who choose lines
    others: Mapping[str, Callable[[], Player]] = {
        "nothing": lambda: Nothing(reader),
        "window": lambda: WindowPlayer(reader, lines=lines),
        "static": lambda: Retrieving(reader, embedded(), growing=False, k=k),
        "growing": lambda: Retrieving(reader, embedded(), growing=True, k=k),
        "growing + diary": lambda: RewardedRetrieving(reader, embedded(), k=k),
        "oracle": lambda: Oracle(reader),
    }
    if name not in others:
        raise NotFound(f"there is no player {name!r}: choose among {'; '.join(PLAYERS)}", name=name)
    return others[name]()


def make_memories(switch: Switch | None = None, files: Path | None = None) -> MakeMemory:
    """Memories with the shipped settings, changed by a switch; in new files, or in RAM.

    The rules alone write them: the reader, which learned from people's talk, is a switch.
    """
    settings = Settings() if switch is None else switch.settings(Settings())
    policy: Policy = WayPolicy()
    policy = policy if switch is None else switch.policy(policy)
    made = iter(range(1_000_000))

    def make(clock: Callable[[], float], answerer: Answerer) -> Memory:
        path = None if files is None else files / f"{next(made)}.mags"
        return open_memory(
            path,
            settings=settings,
            policy=policy,
            answerer=answerer,
            embedder=embedded(),
            clock=clock,
        )

    return make


@cache
def models() -> dict[str, Switch]:
    """The switches between the shipped policies."""
    return model_switches(WayPolicy(), talk_reader())


def switch_named(name: str) -> Switch | None:
    """The switch of that name, None for the empty one; raises NotFound."""
    if not name:
        return None
    return SWITCHES[name] if name in SWITCHES else known_switch(name, models())


def play_one(task: MatchTask) -> MatchRecord:
    """Play a match from its names, and write its record where one is wanted."""
    played = task.played
    path = None if task.out is None else task.out / file_name(played)
    if path is not None and path.exists() and not task.again:
        return read_record(path)
    files = None
    if task.files is not None:
        files = task.files / file_name(played).removesuffix(".jsonl")
        files.mkdir(parents=True, exist_ok=True)
    warm_up(played.player)
    if played.switch:
        warm_up(played.player, played.switch, turns=12)
    kept = replace(_match(task, files), commit=commit())
    if path is not None:
        write_record(path, kept)
    return kept


@cache
def warm_up(player: str, switch: str = "", *, turns: int = 100) -> None:
    """Play turns that are thrown away, once a process.

    What is compiled and loaded at the first turns, and at the first sleep, is then no part of the
    times of whichever match happens to be the first.
    """
    given = MatchIdentity(
        game=WARMING, player=player, seed=WARMING_SEED, turns=turns, switch=switch
    )
    _match(MatchTask(played=given, lines=False), None)


def _match(task: MatchTask, files: Path | None) -> MatchRecord:
    played = task.played
    switch = switch_named(played.switch)
    memories = make_memories(switch, files)
    player = make_player(
        played.player,
        make_reader(played.game, task.chat),
        memories=memories,
        lines=LINES.get(kind_of(played.game)),
    )
    made = make_game(played.game, played.bank)
    caches.clear()  # no match is read faster because the one before said the same
    kept = record(played, made, player, lines=task.lines)
    if isinstance(player, Remembering):
        player.close()
    return kept


def play_all(tasks: Sequence[MatchTask], workers: int = 1) -> Iterator[MatchRecord]:
    """Play matches in their order, `workers` at a time; the same whatever their number."""
    if workers <= 1:
        with one_blas_thread():
            yield from map(play_one, tasks)
        return
    spawn = get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=spawn, initializer=one_blas_thread) as pool:
        yield from pool.map(play_one, tasks)


def run_now(seeds: str) -> ReportRun:
    """How this very command is run, on which machine, when."""
    return ReportRun(
        command=shlex.join(["mags", *sys.argv[1:]]),
        commit=commit(SOURCES),
        seeds=seeds,
        machine=machine(),
        date=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    )


def machine(cpus: Path = Path("/proc/cpuinfo")) -> str:
    """The processor, how many cores, and the Python."""
    lines: Sequence[str] = cpus.read_text("utf-8").splitlines() if cpus.exists() else ()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    name = next(names, platform.machine())
    return f"{name}, {os.cpu_count()} cores; Python {platform.python_version()}"


@cache
def commit(sources: Path = SOURCES) -> str:
    """The commit of the sources, marked where they were changed since; else the version."""
    words = ["git", "-C", str(sources), "describe", "--always", "--dirty", "--exclude", "*"]
    try:
        found = subprocess.run(words, capture_output=True, text=True, check=True, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return f"version {version('mags')}"
    return found.stdout.strip()


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
