"""`mags eval ablate`: the memory with one part taken out at a time."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from mags.cli.console import AsJson, print_json
from mags_lab.cli.deciders import EMBEDDED, frozen
from mags_lab.cli.eval_arena import Task, models, reader_name
from mags_lab.cli.eval_origin import run_now
from mags_lab.cli.eval_play import (
    AsMarkdown,
    Bank,
    First,
    Frozen,
    GameName,
    Out,
    Seeds,
    Turns,
    Workers,
    played,
    show,
)
from mags_lab.evaluation.proving.ablations import SWITCHES, switch
from mags_lab.evaluation.proving.records import Played
from mags_lab.evaluation.proving.tables import ablated
from mags_lab.evaluation.report.folder import note_run

Without = Annotated[
    list[str] | None,
    typer.Option(
        "--without", help=f"Of {', '.join(SWITCHES)}; or a choice of models, see --models."
    ),
]


def ablate(
    game: GameName = "nonsense/standard",
    without: Without = None,
    with_models: Annotated[
        bool, typer.Option("--models", help="Rules against heads, for asking and for writing.")
    ] = False,
    player: Annotated[str, typer.Option(help="Whose memory it is.")] = "MAGS",
    turns: Turns = 100_000,
    seeds: Seeds = 3,
    first: First = 0,
    bank: Bank = "tuning",
    workers: Workers = 1,
    out_folder: Out = None,
    reader: Frozen = EMBEDDED,
    json: AsJson = False,
    markdown: AsMarkdown = False,
) -> None:
    """Take one part of the memory out at a time and tell what that changes, seed by seed.

    A match that `--out` holds already is not played again.
    """
    more = models() if with_models else {}
    names = [*(without or more or SWITCHES)]
    for name in names:
        switch(name, more)
    chat = frozen(reader)
    whole_match = Played(
        game=game, player=player, seed=first, turns=turns, bank=bank, reader=reader_name(chat)
    )
    tasks = [
        Task(
            played=replace(whole_match, seed=seed, switch=name),
            out=out_folder,
            again=False,
            chat=chat,
        )
        for name in ("", *names)
        for seed in range(first, first + seeds)
    ]
    if out_folder is not None:
        note_run(out_folder, run_now(f"from {first} on, {seeds} a game"))
    found = played(tasks, workers)
    if json:
        print_json(found)
        return
    groups = {name: [one for one in found if one.played.switch == name] for name in ("", *names)}
    whole = groups.pop("")
    show(ablated(whole, groups), markdown=markdown)
