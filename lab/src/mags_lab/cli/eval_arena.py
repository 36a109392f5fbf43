"""Games, players and switches by name, and one match after another (or several at once)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path

from mags import caches
from mags.app import embedded, make_chat, make_heads
from mags.app import open as open_memory
from mags.cli.alone import alone
from mags.errors import NotFound
from mags.memory.memory import Memory
from mags.models.policy.rules import RulePolicy
from mags.ports.answer import Answerer
from mags.ports.policy import Policy
from mags.settings import ChatSettings, Settings
from mags_lab.cli.eval_origin import commit
from mags_lab.evaluation.proving.ablations import SWITCHES, Switch, model_switches
from mags_lab.evaluation.proving.ablations import switch as known_switch
from mags_lab.evaluation.proving.records import (
    Played,
    Record,
    file_name,
    read_record,
    record,
    write_record,
)
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
from mags_lab.games.nonsense.levels import LEVELS, Level
from mags_lab.games.players.baselines import Nothing, Oracle, Window
from mags_lab.games.players.endpoint import EndpointReader
from mags_lab.games.players.remembering import MakeMemory, Remembering
from mags_lab.games.players.retrieving import Learning, Retrieving
from mags_lab.games.players.thinker import Habits
from mags_lab.games.reader import shipped_reader
from mags_lab.games.turns import Game, Player, Reader

MakeGame = Callable[[str], Game]
"""The bank of sentences to a game."""

MakeLevel = Callable[[str, str], Game]
"""Level and bank to a game."""


def _nonsense(level: Level, bank: str) -> Game:
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
LINES = {kind: 60 for kind in ADVENTURES}
"""Lines that players show at most, where a decision takes more than their own few: a way through
a house is made of many. In such games a step without points is no failure, either: MAGS takes
nothing from rewards there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A match to play. `out`: where its record goes; `files`: where memories go, else RAM.

    `lines`: keep the words that players are shown; `again` False: a record that is there already
    is taken as it is. `chat`: the endpoint that is the frozen model, else the one that ships.
    """

    played: Played
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


def make_reader(game: str, chat: ChatSettings | None = None) -> Reader:
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
    name: str, reader: Reader, *, memories: MakeMemory | None = None, lines: int | None = None
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
        "window": lambda: Window(reader, lines=lines),
        "static": lambda: Retrieving(reader, embedded(), growing=False, k=k),
        "growing": lambda: Retrieving(reader, embedded(), growing=True, k=k),
        "growing + diary": lambda: Learning(reader, embedded(), k=k),
        "oracle": lambda: Oracle(reader),
    }
    if name not in others:
        raise NotFound(f"there is no player {name!r}: choose among {'; '.join(PLAYERS)}", name=name)
    return others[name]()


def make_memories(switch: Switch | None = None, files: Path | None = None) -> MakeMemory:
    """Memories with the shipped settings, changed by a switch; in new files, or in RAM.

    The rules alone write them: the heads, which learned from people's talk, are a switch.
    """
    settings = Settings() if switch is None else switch.settings(Settings())
    policy: Policy = RulePolicy()
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
    return model_switches(RulePolicy(), make_heads())


def switch_named(name: str) -> Switch | None:
    """The switch of that name, None for the empty one; raises NotFound."""
    if not name:
        return None
    return SWITCHES[name] if name in SWITCHES else known_switch(name, models())


def play_one(task: Task) -> Record:
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
    given = Played(game=WARMING, player=player, seed=WARMING_SEED, turns=turns, switch=switch)
    _match(Task(played=given, lines=False), None)


def _match(task: Task, files: Path | None) -> Record:
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


def play_all(tasks: Sequence[Task], workers: int = 1) -> Iterator[Record]:
    """Play matches in their order, `workers` at a time; the same whatever their number."""
    if workers <= 1:
        with alone():
            yield from map(play_one, tasks)
        return
    spawn = get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=spawn, initializer=alone) as pool:
        yield from pool.map(play_one, tasks)
