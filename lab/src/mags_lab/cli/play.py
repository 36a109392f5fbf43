"""`mags play`: a person plays a game in the terminal, with or without a memory beside it."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

from mags.app import open as open_memory
from mags.cli.console import out
from mags.errors import InvalidInput
from mags.memory.memory import Memory
from mags_lab.games.registry import GAMES, make
from mags_lab.games.sentences import BANKS
from mags_lab.games.turns import GameLine, GameScene

BEGINNING_S = 1_704_067_200.0
"""Second 0 of a game, for a memory that thinks in dates: the first of January 2024."""
DAY_S = 86_400.0

EASY = {"nonsense": "nonsense/easy"}
"""What is played of a kind where no level is named, if it is not the first."""

WHICH = (
    "Which game: nonsense, eleusis, mastermind, knights, companion, or with an extra hunt, clean, "
    "cook, science; or with its level, as a/b."
)
Kind = Annotated[str, typer.Argument(help=WHICH)]
Level = Annotated[
    str | None,
    typer.Option("--level", "-l", help="Its level, as tiny or standard; else an easy one."),
]
Seed = Annotated[int, typer.Option("--seed", help="The same seed brings the same game.")]
Bank = Annotated[
    str,
    typer.Option(
        "--bank",
        help="Sentences: `tuning`, to try things out; `scored` and `unseen` are kept for measuring,"
        " and whoever has seen them can no longer build anything that is fairly measured on them.",
    ),
]
Beside = Annotated[
    bool, typer.Option("--memory", help="Show beside each question what a memory recalls.")
]
Shown = Annotated[int, typer.Option("--k", min=1, help="Lines that the memory shows.")]


def play(
    kind: Kind = "nonsense",
    level: Level = None,
    seed: Seed = 0,
    bank: Bank = "tuning",
    memory: Beside = False,
    k: Shown = 5,
) -> None:
    """Play a game in which remembering decides: what is so is told, felt, changed and lied about.

    Answer with the number of an action, or q to leave.
    """
    game = make(told_in(named(kind, level), bank))
    scene: GameScene | None = game.begin(seed)
    beside = PlayMemory(k) if memory else None
    played, score = 0, 0.0
    while scene is not None:
        show(scene, beside.lines(scene) if beside else ())
        action = chosen(scene)
        if action is None:
            break
        outcome, scene = game.act(action)
        played, score = played + 1, score + outcome.reward
        mark = "[green]right[/]" if outcome.reward >= 1 else "[red]wrong[/]"
        out.print(f"{mark} [dim]· {score:g} of {played}[/]")
    if beside is not None:
        beside.close()
    if played:
        out.print(f"{game.name}, seed {seed}: {score:g} of {played} turns, {score / played:.0%}")


def named(kind: str, level: str | None) -> str:
    """The name of a game: as it is given, of that level, or the one to begin with."""
    if "/" in kind:
        return kind
    if level is not None:
        return f"{kind}/{level}"
    first = next((name for name in GAMES if name.startswith(f"{kind}/")), kind)
    return EASY.get(kind, first)


def told_in(name: str, bank: str) -> str:
    """That game in the sentences of a bank; one that names a bank itself stays as it is.

    Raises InvalidInput for a bank that there is not.
    """
    if bank not in BANKS:
        raise InvalidInput(f"no bank '{bank}': choose one of {', '.join(BANKS)}", bank=bank)
    if bank == "scored" or name.count("/") > 1:
        return name
    return f"{name}/{bank}"


class PlayMemory:
    """A memory in RAM that hears what the player hears, and what it recalls of a question."""

    def __init__(self, k: int) -> None:
        self._k = k
        self._now_s = BEGINNING_S
        self._memory: Memory = open_memory(None, clock=lambda: self._now_s)

    def lines(self, scene: GameScene) -> tuple[str, ...]:
        """What it recalls, best first; then the scene's own lines are remembered, too."""
        self._now_s = BEGINNING_S + scene.at
        found = self._memory.recall(scene.question, k=self._k)
        for line in scene.said:
            self._memory.observe(line.text, speaker=line.speaker, at=self._now_s)
        return tuple(hit.text for hit in found.hits)

    def close(self) -> None:
        """Let go of the memory."""
        self._memory.close()


def show(scene: GameScene, recalled: tuple[str, ...] = ()) -> None:
    """Print a scene, what the memory recalls, and the actions by number."""
    out.print(f"\n[dim]turn {scene.turn} · day {int(scene.at // DAY_S) + 1}[/]")
    for line in scene.said:
        out.print(_said(line))
    out.print(f"[bold]{escape(scene.question)}[/]")
    for text in recalled:
        out.print(f"  [cyan]memory[/] {escape(text)}")
    for number, action in enumerate(scene.actions, start=1):
        out.print(f"  [bold cyan]{number}[/] {escape(action)}")


def chosen(scene: GameScene) -> str | None:
    """The action that is typed, by its number or its words; None to leave."""
    while True:
        try:
            typed = input("> ").strip()
        except EOFError:
            return None
        if typed in ("q", "quit", "exit"):
            return None
        if typed.isdigit() and 1 <= int(typed) <= len(scene.actions):
            return scene.actions[int(typed) - 1]
        if typed in scene.actions:
            return typed
        out.print(f"[yellow]1 to {len(scene.actions)}, or q to leave[/]")


def _said(line: GameLine) -> str:
    if line.speaker in ("", "narrator"):
        return f"  [italic]{escape(line.text)}[/]"
    return f"  [magenta]{escape(line.speaker)}:[/] {escape(line.text)}"
