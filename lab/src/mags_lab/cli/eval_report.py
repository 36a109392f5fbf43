"""`mags eval report`: play everything, and tell it on one page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from mags.cli.alone import alone
from mags.cli.shared import out
from mags.settings import ChatSettings
from mags_lab.cli.deciders import EMBEDDED, frozen
from mags_lab.cli.eval_arena import (
    Task,
    make_game,
    make_memories,
    make_player,
    make_reader,
    reader_name,
)
from mags_lab.cli.eval_audit import courses, told_of
from mags_lab.cli.eval_origin import run_now
from mags_lab.cli.eval_play import First, Frozen, Workers, played
from mags_lab.cli.eval_programme import FULL, QUICK, Bout, Narrowed, Programme, narrowed, playable
from mags_lab.evaluation.proving.ablations import switch
from mags_lab.evaluation.proving.records import Played
from mags_lab.evaluation.report.exhibit import exhibit, write_exhibit
from mags_lab.evaluation.report.folder import (
    ABLATIONS,
    AUDIT,
    EXHIBIT,
    RECORDS,
    gather,
    note_run,
    page_of,
    write_page,
)
from mags_lab.evaluation.report.inside import write_audit
from mags_lab.games.players.remembering import Remembering

QUOTED = "tuning"
"""The bank of whatever the page quotes: the scored one is never shown."""

Wanted = Annotated[
    list[str] | None, typer.Option("--game", help="Only these, as nonsense/tiny; else all.")
]
Whom = Annotated[list[str] | None, typer.Option("--player", help="Only these; else all.")]


def report(
    folder: Annotated[Path, typer.Option("--out", help="Where records and the page go.")],
    full: Annotated[
        bool, typer.Option("--full", help="Longer games, more seeds: an hour on two cores.")
    ] = False,
    from_: Annotated[
        list[Path] | None,
        typer.Option(
            "--from",
            help="Play nothing, tell what lies in these folders: each match of the last that has "
            "it, the game looked into, the audit and the reader's curve of the first.",
        ),
    ] = None,
    game: Wanted = None,
    player: Whom = None,
    seeds: Annotated[int | None, typer.Option(min=1, help="So many, of every game.")] = None,
    first: First = 0,
    turns: Annotated[int | None, typer.Option(min=12, help="At most so many a match.")] = None,
    without: Annotated[
        list[str] | None, typer.Option("--without", help="Ablations, `none` for none; else all.")
    ] = None,
    bank: Annotated[
        str, typer.Option(help="Sentences: `scored`, `tuning` to try, `unseen` once at the end.")
    ] = "scored",
    workers: Workers = 2,
    reader: Frozen = EMBEDDED,
) -> None:
    """Play every game with every player, take the memory apart, and tell it all on one page.

    Writes index.html, which needs nothing else, and report.md. What was played before into the
    same folder is not played again; a stopped run goes on where it was. Matches of the bank
    `unseen` that lie in the folders beside others have a table of their own.
    """
    this = run_now(f"from {first} on")
    chat = frozen(reader)
    if not from_:
        wanted = Narrowed(
            games=tuple(game or ()),
            players=tuple(player or ()),
            seeds=seeds,
            turns=turns,
            without=None if without is None else tuple(n for n in without if n != "none"),
        )
        programme, missing = playable(narrowed(FULL if full else QUICK, wanted))
        for name in missing:
            out.print(f"left out: {name} needs the extra 'textworld'", markup=False)
        note_run(folder, replace(this, seeds=f"from {first} on, {_seeds(programme)}"))
        perform(programme, folder, bank=bank, first=first, workers=workers, chat=chat)
    page = page_of(gather(from_ or [folder]), this)
    for path in write_page(folder, page):
        out.print(f"Written to {path}.", markup=False, soft_wrap=True)


def perform(
    programme: Programme,
    folder: Path,
    *,
    bank: str,
    first: int,
    workers: int,
    chat: ChatSettings | None = None,
) -> None:
    """Play what of a programme has not been played into a folder.

    `chat`: the endpoint that is the frozen model, else the one that ships.

    What the page quotes - a move, nodes of a graph, facts with their sources - is of the tuning
    bank whatever is scored: who reads a report and mends a rule after it has not seen the exam.
    """
    for name in programme.without:
        switch(name)
    bouts = [
        task
        for bout in programme.bouts
        for task in _tasks(bout, folder / RECORDS, bank, first, chat=chat)
    ]
    apart = [
        task
        for name in (("", *programme.without) if programme.without else ())
        for task in _tasks(programme.ablated, folder / ABLATIONS, bank, first, name, chat=chat)
    ]
    played(list(dict.fromkeys([*bouts, *apart])), workers)
    shown = programme.shown
    if not (folder / EXHIBIT).exists():
        names = Played(
            game=shown.game,
            player="MAGS",
            seed=first,
            turns=shown.turns,
            bank=QUOTED,
            reader=reader_name(chat),
        )
        _look_into(names, folder / EXHIBIT, chat)
    if not (folder / AUDIT).exists():
        dose = replace(programme.dose, seed=first)
        found = courses(programme.audited, QUOTED, dose, programme.audits, chat)
        write_audit(folder / AUDIT, told_of(programme.audited, QUOTED, dose, found, chat))


def _tasks(
    bout: Bout,
    into: Path,
    bank: str,
    first: int,
    without: str = "",
    *,
    chat: ChatSettings | None,
) -> list[Task]:
    reader = reader_name(chat)
    return [
        Task(
            played=Played(
                game=bout.game,
                player=name,
                seed=seed,
                turns=bout.turns,
                bank=bank,
                switch=without,
                reader=reader,
            ),
            out=into,
            lines=False,
            again=False,
            chat=chat,
        )
        for seed in range(first, first + bout.seeds)
        for name in bout.players
    ]


def _look_into(names: Played, path: Path, chat: ChatSettings | None) -> None:
    player = make_player(names.player, make_reader(names.game, chat), memories=make_memories())
    assert isinstance(player, Remembering)
    with alone():
        found = exhibit(names, make_game(names.game, names.bank), player)
    write_exhibit(path, found)
    player.close()


def _seeds(programme: Programme) -> str:
    counts = sorted({bout.seeds for bout in programme.bouts})
    return f"{' to '.join(map(str, dict.fromkeys((counts[0], counts[-1]))))} a game"
