"""`mags eval`: matches, ablations, audits and the report, and what they tell about the memory."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import Progress
from rich.table import Table

from mags.cli.console import AsJson, out, print_json
from mags.cli.service import one_blas_thread
from mags.errors import InvalidInput
from mags.settings import ChatSettings
from mags_lab.cli.arena import (
    FULL,
    PLAYERS,
    QUICK,
    Bout,
    MatchTask,
    Narrowed,
    Programme,
    length,
    make_game,
    make_memories,
    make_player,
    make_reader,
    models,
    narrowed,
    play_all,
    playable,
    reader_name,
    run_now,
    usual,
)
from mags_lab.cli.asked import memories
from mags_lab.cli.deciders import EMBEDDED, frozen
from mags_lab.evaluation.proving.ablations import SWITCHES, switch
from mags_lab.evaluation.proving.audit import WAYS, Dose, Poisoned, PoisonedGame, Way, course
from mags_lab.evaluation.proving.figures import Figures, figures
from mags_lab.evaluation.proving.records import MatchIdentity
from mags_lab.evaluation.proving.tables import (
    Grid,
    ablated,
    ages,
    improvements,
    kinds,
    players,
    sorts,
)
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
from mags_lab.evaluation.report.inside import MEANT, Audit, marked, scores, verdicts, write_audit
from mags_lab.games.players.remembering import Remembering
from mags_lab.games.turns import TruthFact

evaluation = typer.Typer(
    help="Play games with and without the memory, and measure what it is worth.",
    no_args_is_help=True,
)


@evaluation.callback()
def about() -> None:
    """Play games with and without the memory, and measure what it is worth."""


evaluation.command()(memories)

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


@evaluation.command()
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
    names = [
        {"player": name, "seed": seed}
        for name in player or usual(game)
        for seed in range(first, first + seeds)
    ]
    match = _match(game, turns, bank, frozen(reader))
    tasks = _varied(replace(match, out=out_folder, files=files), names)
    if out_folder is not None:
        note_run(out_folder, run_now(f"from {first} on, {seeds} a game"))
    found = played(tasks, workers)
    if json:
        print_json(found)
        return
    for title, make in TABLES.items():
        show(make(found), markdown=markdown, title=title)


def _match(
    game: str,
    turns: int,
    bank: str,
    chat: ChatSettings | None,
    *,
    player: str = "MAGS",
    seed: int = 0,
) -> MatchTask:
    """A match by the names of what is played in it."""
    reader = reader_name(chat)
    names = MatchIdentity(
        game=game, player=player, seed=seed, turns=turns, bank=bank, reader=reader
    )
    return MatchTask(played=names, chat=chat)


def _varied(match: MatchTask, names: Iterable[Mapping[str, Any]]) -> list[MatchTask]:
    """That match with each of these names put in the place of its own."""
    return [replace(match, played=replace(match.played, **one)) for one in names]


def played(tasks: Sequence[MatchTask], workers: int) -> list[Figures]:
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


Without = Annotated[
    list[str] | None,
    typer.Option(
        "--without", help=f"Of {', '.join(SWITCHES)}; or a choice of models, see --models."
    ),
]


@evaluation.command()
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
    match = _match(game, turns, bank, frozen(reader), player=player)
    tasks = _varied(
        replace(match, out=out_folder, again=False),
        [
            {"switch": name, "seed": seed}
            for name in ("", *names)
            for seed in range(first, first + seeds)
        ],
    )
    if out_folder is not None:
        note_run(out_folder, run_now(f"from {first} on, {seeds} a game"))
    found = played(tasks, workers)
    if json:
        print_json(found)
        return
    groups = {name: [one for one in found if one.played.switch == name] for name in ("", *names)}
    whole = groups.pop("")
    show(ablated(whole, groups), markdown=markdown)


CLEAN, LIED = "never lied to", "lied to, {}"


@evaluation.command()
def audit(
    game: GameName = "nonsense/standard",
    turns: Annotated[int, typer.Option(min=3, help="At most so many turns of the game.")] = 300,
    poisoned: Annotated[
        int | None,
        typer.Option(min=1, help="The turn in which lies are told; else a third of them."),
    ] = None,
    audited: Annotated[
        int | None,
        typer.Option(min=2, help="The turn before which it audits; else two thirds of them."),
    ] = None,
    lies: Annotated[int, typer.Option(min=0, help="Most lies told.")] = 20,
    seeds: Seeds = 1,
    first: First = 0,
    bank: Bank = "tuning",
    listed: Annotated[int, typer.Option("--list", min=0, help="Facts listed that are bad.")] = 10,
    reader: Frozen = EMBEDDED,
    json: AsJson = False,
    markdown: AsMarkdown = False,
) -> None:
    """Lie to a memory, check each fact it holds against the game and its sources, and mend it.

    Four courses of the same game: never lied to; lied to and left so; mended in place; rolled
    back to before the lies and told again what was true. The score after the audit tells whether
    the memory came back.
    """
    turns = min(turns, length(game) or turns)
    poisoned = turns // 3 if poisoned is None else poisoned
    audited = 2 * turns // 3 if audited is None else audited
    dose = Dose(seed=first, turns=turns, poisoned=poisoned, audited=audited, lies=lies)
    chat = frozen(reader)
    found = courses(game, bank, dose, seeds, chat)
    if json:
        print_json(found)
        return
    told = told_of(game, bank, dose, found, chat)
    show(told.scores, markdown=markdown)
    show(told.verdicts, markdown=markdown)
    out.print("; ".join(f"{verdict}: {meant}" for verdict, meant in MEANT.items()), markup=False)
    if told.marked[:listed]:
        count = min(listed, len(told.marked))
        out.print(f"\nMarked when lied to, {count} of {len(told.marked)}:", markup=False)
        grid = tuple((one.verdict, one.fact, one.source) for one in told.marked[:listed])
        show(Grid(head=("verdict", "fact", "from"), rows=grid), markdown=markdown)


def courses(
    game: str, bank: str, dose: Dose, seeds: int, chat: ChatSettings | None = None
) -> dict[str, list[PoisonedGame]]:
    """Play games never lied to, and lied to with each way back, from the dose's seed on.

    `chat`: the endpoint that is the frozen model, else the one that ships. Raises InvalidInput.
    """
    if not dose.poisoned < dose.audited < dose.turns:
        raise InvalidInput(
            "lies are told first, then the audit, then turns are left to play: "
            f"{dose.poisoned} < {dose.audited} < {dose.turns} does not hold"
        )
    found: dict[str, list[PoisonedGame]] = {CLEAN: [], **{LIED.format(way): [] for way in WAYS}}
    with one_blas_thread():
        for seed in range(dose.seed, dose.seed + seeds):
            here = replace(dose, seed=seed)
            for way in WAYS:
                found[LIED.format(way)].append(_course(game, bank, here, way, chat))
            about = found[LIED.format(WAYS[0])][-1].about
            found[CLEAN].append(_course(game, bank, here, "nothing", chat, clean=about))
    return found


def _remembering(game: str, chat: ChatSettings | None) -> Remembering:
    player = make_player("MAGS", make_reader(game, chat), memories=make_memories())
    assert isinstance(player, Remembering)
    return player


def told_of(
    game: str,
    bank: str,
    dose: Dose,
    found: dict[str, list[PoisonedGame]],
    chat: ChatSettings | None = None,
) -> Audit:
    """What is to be told of these courses."""
    sick = found[LIED.format(WAYS[0])]
    return Audit(
        played=_match(game, dose.turns, bank, chat, seed=dose.seed).played,
        seeds=len(sick),
        poisoned=dose.poisoned,
        audited=dose.audited,
        lies=sum(len(one.about) for one in sick),
        scores=scores(found),
        verdicts=verdicts(found),
        marked=marked(one for every in sick for one in every.findings),
    )


def _course(
    game: str,
    bank: str,
    dose: Dose,
    how: Way,
    chat: ChatSettings | None,
    *,
    clean: tuple[TruthFact, ...] | None = None,
) -> PoisonedGame:
    """One course; `clean`: facts to score apart in a game without lies."""
    made = make_game(game, bank)
    inside = made if clean is not None else Poisoned(made, at=dose.poisoned, lies=dose.lies)
    player = _remembering(game, chat)
    found = course(inside, player, dose, how=how, touched=clean)
    player.close()
    return found


QUOTED = "tuning"
"""The bank of whatever the page quotes: the scored one is never shown."""

Wanted = Annotated[
    list[str] | None, typer.Option("--game", help="Only these, as nonsense/tiny; else all.")
]
Whom = Annotated[list[str] | None, typer.Option("--player", help="Only these; else all.")]


@evaluation.command()
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
        match = _match(shown.game, shown.turns, QUOTED, chat, seed=first)
        _look_into(match.played, folder / EXHIBIT, chat)
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
) -> list[MatchTask]:
    match = _match(bout.game, bout.turns, bank, chat)
    return _varied(
        replace(match, out=into, lines=False, again=False),
        [
            {"player": name, "seed": seed, "switch": without}
            for seed in range(first, first + bout.seeds)
            for name in bout.players
        ],
    )


def _look_into(names: MatchIdentity, path: Path, chat: ChatSettings | None) -> None:
    player = _remembering(names.game, chat)
    with one_blas_thread():
        found = exhibit(names, make_game(names.game, names.bank), player)
    write_exhibit(path, found)
    player.close()


def _seeds(programme: Programme) -> str:
    counts = sorted({bout.seeds for bout in programme.bouts})
    return f"{' to '.join(map(str, dict.fromkeys((counts[0], counts[-1]))))} a game"
