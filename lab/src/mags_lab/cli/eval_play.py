"""`mags eval play`: players side by side in a game, over seeds."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress
from rich.table import Table

from mags.cli.console import AsJson, out, print_json
from mags.errors import InvalidInput
from mags_lab.cli.deciders import EMBEDDED, frozen
from mags_lab.cli.eval_arena import PLAYERS, Task, play_all, reader_name, usual
from mags_lab.cli.eval_origin import run_now
from mags_lab.evaluation.proving.figures import Figures, figures
from mags_lab.evaluation.proving.records import Played
from mags_lab.evaluation.proving.tables import Grid, ages, improvements, kinds, players, sorts
from mags_lab.evaluation.report.folder import note_run

GameName = Annotated[str, typer.Argument(help="Kind and level, as nonsense/standard.")]
Turns = Annotated[int, typer.Option(min=1, help="At most so many turns a match.")]
Seeds = Annotated[int, typer.Option(min=1, help="So many seeds, from --first on.")]
First = Annotated[int, typer.Option(min=0, help="The first seed.")]
Bank = Annotated[
    str,
    typer.Option(
        help="Sentences: `tuning` to try things out, `scored` to report, `unseen` once at the end;"
        " of nonsense also a .toml file of your own."
    ),
]
Workers = Annotated[int, typer.Option(min=1, help="Matches at a time.")]
Out = Annotated[Path | None, typer.Option("--out", help="Folder for a record (JSONL) a match.")]
Files = Annotated[
    Path | None, typer.Option("--files", help="Folder for memories as files; else in RAM.")
]
Frozen = Annotated[
    str,
    typer.Option(
        "--reader",
        help="The frozen model of all players: `embedded`, `chat` (the configured language model), "
        "or URL#MODEL of an endpoint; the key is MAGS_CHAT_KEY.",
    ),
]
AsMarkdown = Annotated[bool, typer.Option("--markdown", help="Print Markdown tables.")]

TABLES: Mapping[str, Callable[[Sequence[Figures]], Grid]] = {
    "Players (columns: docs/reference/metrics.md)": players,
    "What MAGS gains (of the others growing + diary alone learns from rewards)": improvements,
    "Score by how many turns ago what is needed was told (questions)": ages,
    "Score of questions that a change touched, by the sort of change": sorts,
    "Score by kind of question": kinds,
}
"""What is shown of matches, in order."""


def play(
    game: GameName = "nonsense/standard",
    player: Annotated[
        list[str] | None,
        typer.Option(
            "--player",
            help=f"One of: {'; '.join(PLAYERS)}.",
            show_default="all that stand in the report",
        ),
    ] = None,
    turns: Turns = 100_000,
    seeds: Seeds = 3,
    first: First = 0,
    bank: Bank = "tuning",
    workers: Workers = 1,
    out_folder: Out = None,
    files: Files = None,
    reader: Frozen = EMBEDDED,
    json: AsJson = False,
    markdown: AsMarkdown = False,
) -> None:
    """Play a game with several players, the reader the same for all, and compare them."""
    chat = frozen(reader)
    model = reader_name(chat)
    tasks = [
        Task(
            played=Played(game=game, player=name, seed=seed, turns=turns, bank=bank, reader=model),
            out=out_folder,
            files=files,
            chat=chat,
        )
        for name in player or usual(game)
        for seed in range(first, first + seeds)
    ]
    if out_folder is not None:
        note_run(out_folder, run_now(f"from {first} on, {seeds} a game"))
    found = played(tasks, workers)
    if json:
        print_json(found)
        return
    for title, make in TABLES.items():
        show(make(found), markdown=markdown, title=title)


def played(tasks: Sequence[Task], workers: int) -> list[Figures]:
    """Play, and tell how far it has come; raises InvalidInput where there is nothing to play."""
    if not tasks:
        raise InvalidInput("there is no match to play: name a player")
    found: list[Figures] = []
    with Progress(transient=True) as progress:
        doing = progress.add_task("playing", total=len(tasks))
        for kept in play_all(tasks, workers):
            found.append(figures(kept))
            name = f"{kept.played.player} {kept.played.switch}".strip()
            progress.update(doing, advance=1, description=f"{name}, seed {kept.played.seed}")
    return found


def show(grid: Grid, *, markdown: bool, title: str = "") -> None:
    """Print a table, on its side where it is too wide; nothing for an empty one."""
    if not grid.rows:
        return
    if title:
        out.print(f"**{title}**\n" if markdown else title, style="bold", markup=False)
    if markdown:
        out.print(grid.markdown(), markup=False, soft_wrap=True)
        return
    table = _table(grid)
    least = out.measure(table, options=out.options.update(max_width=sys.maxsize)).minimum
    out.print(table if least <= out.width else _table(grid.turned()))


def _table(grid: Grid) -> Table:
    table = Table(*grid.head)
    for row in grid.rows:
        table.add_row(*row)
    return table
