"""The folder of a report: what was played, by whom and when, and the page made of it.

records/*.jsonl      one match each   exhibit.json   a game in detail
ablations/*.jsonl    one match each   audit.json     an audit
runs.jsonl           how they came    index.html, report.md
reader-*--*.json     the reader's own curve, by `python -m benchmarks.reader`
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from mags.errors import InvalidInput
from mags_lab.evaluation.proving.figures import Figures, over_seeds
from mags_lab.evaluation.proving.records import RUNS, MatchIdentity, read_record, record_files
from mags_lab.evaluation.proving.tables import COLUMNS, NONE, Grid, shown
from mags_lab.evaluation.report.curved import Curved, read_curves, reader_section
from mags_lab.evaluation.report.digest import Digest, digest
from mags_lab.evaluation.report.exhibit import Exhibit, read_exhibit
from mags_lab.evaluation.report.goals import LEARN, OURS, gained, grouped, rank
from mags_lab.evaluation.report.inside import (
    Audit,
    audit_section,
    graph_section,
    move_section,
    read_audit,
)
from mags_lab.evaluation.report.page import Block, Page, Prose, ReportTable, Section, html, markdown
from mags_lab.evaluation.report.sections import ReportMatches, measured, whole

SCORED, UNSEEN = "scored", "unseen"


def apart(matches: Sequence[Digest]) -> tuple[list[Digest], list[Digest]]:
    """Matches for the main tables, and those of the unseen bank, which have a section of their own.

    If only the unseen bank was played, its matches are the main ones.
    """
    ours = [one for one in matches if one.figures.played.bank != UNSEEN]
    if not ours:
        return list(matches), []
    return ours, [one for one in matches if one.figures.played.bank == UNSEEN]


def settle(matches: Sequence[Digest]) -> tuple[tuple[Digest, ...], tuple[str, ...]]:
    """For each game the matches of one bank, reader and length; and in words what is left out.

    The scored bank is preferred, then the shipped reader, then the longest matches. Scores on other
    sentences, with other frozen models, or of shorter games cannot be compared with these.
    """
    best: dict[str, tuple[bool, bool, int, str]] = {}
    for one in matches:
        played = one.figures.played
        best[played.game] = max(best.get(played.game, _sort(played)), _sort(played))
    kept = tuple(one for one in matches if _sort(one.figures.played) == best[_game(one)])
    left = Counter(
        (_game(one), one.figures.played.bank, one.figures.played.reader, one.figures.played.turns)
        for one in matches
        if _sort(one.figures.played) != best[_game(one)]
    )
    return kept, tuple(
        f"{count} of {game} (bank {bank}, {f'reader {reader}, ' if reader else ''}"
        f"{turns:,} turns at most)"
        for (game, bank, reader, turns), count in left.items()
    )


def _game(one: Digest) -> str:
    return one.figures.played.game


def _sort(played: MatchIdentity) -> tuple[bool, bool, int, str]:
    # Greater is better. An empty reader is the shipped one; its name comes last to break ties.
    return played.bank == SCORED, not played.reader, played.turns, played.reader


THIRD_PLAYERS = ("nothing", "growing", OURS, "oracle")
THIRD = (
    "Rules and settings are not made on the scored bank either, but its scores were looked at "
    "again and again, and what they told led to mends. Nobody looks at the bank “unseen” while "
    "anything is built: its sentences and words are of another hand, it is played once at the end "
    "of a round of work, and what it says stands here, whatever it is. Below each of its games "
    "stands the same game on the bank of the other tables; where seeds or turns differ, they are "
    "told. While it was written the oracle and nothing played it and no other, to see that the "
    "reader understands its sentences. A player that holds on one bank alone has learned it. "
    f"{LEARN}"
)


def third_section(third: Sequence[Figures], others: Sequence[Figures]) -> Section:
    """Games of the third bank, each with the same game from the main tables below it."""
    games = grouped(others)
    rows = []
    for game, players in grouped(third).items():
        for found in (players, games.get(game, {})):
            if found:
                rows.append(_third_row(game, found))
    head = ("game", "bank", "seeds", "turns", *THIRD_PLAYERS, f"{OURS} over growing")
    grid = Grid(head=head, rows=tuple(rows))
    return Section(
        id="third",
        title="On sentences that nobody looked at",
        blocks=(Prose(text=THIRD), ReportTable(caption="Score, bank by bank", grid=grid, lead=2)),
    )


def _third_row(game: str, players: dict[str, list[Figures]]) -> tuple[str, ...]:
    every = [one for name in THIRD_PLAYERS for one in players.get(name, ())]
    banks = dict.fromkeys(one.played.bank for one in every)
    seeds = sorted({len(players[name]) for name in THIRD_PLAYERS if name in players})
    gain = gained(players, "growing", lambda one: one.score)
    return (
        game,
        ", ".join(banks),
        "-".join(map(str, dict.fromkeys((*seeds[:1], *seeds[-1:])))),
        f"{max((one.turns for one in every), default=0):,}",
        *(_score(players.get(name, ())) for name in THIRD_PLAYERS),
        NONE if gain is None else shown(gain, "+.0f"),
    )


def _score(group: Sequence[Figures]) -> str:
    found = over_seeds(group, COLUMNS["score"])
    if found is None:
        return NONE
    return shown(found)


PLAYED = (
    "Seconds of processor time are those of a match, game and player together, one thread each, "
    "as a mean over seeds. The commit is that of the sources that played, which may be older than "
    "the page."
)


def played_section(banks: Sequence[Sequence[Digest]], left_out: Sequence[str]) -> Section:
    """A row for each game and player, bank by bank."""
    rows = [
        (game, player, *_played_row(group))
        for matches in banks
        for game, players in grouped([one.figures for one in matches]).items()
        for player, group in players.items()
    ]
    head = ("game", "player", "bank", "seeds", "turns", "seconds", "commit")
    blocks: list[Block] = [Prose(text=PLAYED)]
    if left_out:
        blocks.append(Prose(text=f"In the folders too, and left out: {'; '.join(left_out)}."))
    grid = Grid(head=head, rows=tuple(rows))
    blocks.append(ReportTable(caption="Matches", grid=grid, lead=2, folded=True))
    return Section(id="played", title="What was played", blocks=tuple(blocks))


def _played_row(group: Sequence[Figures]) -> tuple[str, ...]:
    commits = dict.fromkeys(one.commit for one in group if one.commit)
    return (
        ", ".join(dict.fromkeys(one.played.bank for one in group)),
        _ranges([one.played.seed for one in group]),
        f"{sum(one.turns for one in group) / len(group):,.0f}",
        f"{sum(one.cpu_s for one in group) / len(group):,.1f}",
        ", ".join(commits) or NONE,
    )


def _ranges(seeds: Sequence[int]) -> str:
    """Seeds in words; consecutive ones as "0-9"."""
    runs: list[list[int]] = []
    for seed in sorted(seeds):
        if runs and seed == runs[-1][-1] + 1:
            runs[-1].append(seed)
        else:
            runs.append([seed])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


RECORDS, ABLATIONS = "records", "ablations"
EXHIBIT, AUDIT = "exhibit.json", "audit.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRun:
    """How something was played. `commit`: of the sources, "" if it is not known."""

    command: str
    commit: str
    seeds: str
    machine: str
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportContents:
    """The contents of the folders of a report.

    `left_out`: matches of another bank or length, in words; `third`: matches of the unseen bank,
    beside the main ones; `curves`: of the reader alone.
    """

    matches: tuple[Digest, ...]
    ablations: tuple[Digest, ...]
    exhibit: Exhibit | None
    audit: Audit | None
    runs: tuple[ReportRun, ...]
    left_out: tuple[str, ...] = ()
    third: tuple[Digest, ...] = ()
    curves: tuple[Curved, ...] = ()


def gather(folders: Sequence[Path]) -> ReportContents:
    """Read what was played into these folders, each match once, from the last folder with it.

    Exhibit, audit and reader's curve come from the first folder that has one. A folder may be that
    of a report, of `mags eval play --out` or `ablate --out`, or one of
    `python -m benchmarks.reader --save`. Raises InvalidInput if no folder has a record.
    """
    exhibit = next((f / EXHIBIT for f in folders if (f / EXHIBIT).exists()), None)
    audit = next((f / AUDIT for f in folders if (f / AUDIT).exists()), None)
    played = _digests(_files(folders, RECORDS))
    matches = [one for one in played if not one.figures.played.switch]
    taken_out = [one for one in played if one.figures.played.switch]
    ours, unseen = apart(matches)
    kept, left_out = settle(ours)
    third, more = settle(unseen)
    readers = {_reader_of(one) for one in kept}
    every = [*_digests(_files(folders, ABLATIONS)), *taken_out]
    # An ablation with another reader cannot be compared with the matches that are kept.
    ablations = [one for one in every if _reader_of(one) in readers]
    if not matches:
        raise InvalidInput(
            f"there is no record of a match in {', '.join(map(str, folders))}: play first, with "
            "mags eval report --out FOLDER",
            folders=[str(folder) for folder in folders],
        )
    return ReportContents(
        matches=kept,
        ablations=(*_wholes(matches, ablations), *ablations),
        exhibit=None if exhibit is None else read_exhibit(exhibit),
        audit=None if audit is None else read_audit(audit),
        runs=tuple(
            run
            for folder in folders
            for place in (folder, folder / RECORDS, folder / ABLATIONS)
            for run in read_runs(place)
        ),
        left_out=(*left_out, *more),
        third=third,
        curves=read_curves(folders),
    )


def _reader_of(one: Digest) -> str:
    return one.figures.played.reader


def _files(folders: Iterable[Path], inner: str) -> list[Path]:
    """Record files by name; those directly in a folder count as records of matches."""
    found: dict[str, Path] = {}
    for folder in folders:
        places = (folder, folder / RECORDS) if inner == RECORDS else (folder / ABLATIONS,)
        for place in places:
            found.update({file.name: file for file in record_files(place)})
    return list(found.values())


def _digests(files: Iterable[Path]) -> list[Digest]:
    """The digest of each match, in the order of games, players and seeds."""
    # One at a time: all records at once would not fit into a small memory.
    found = [digest(read_record(file)) for file in files]

    def key(one: Digest) -> tuple[object, ...]:
        played = one.figures.played
        kind = GAMES.get(played.game.partition("/")[0], len(GAMES))
        return kind, played.game, rank(played.player), played.player, played.seed

    return sorted(found, key=key)


GAMES = {"nonsense": 0, "eleusis": 1, "mastermind": 2, "knights": 3, "companion": 4}
"""The order of games on the page; adventures come last."""


def _wholes(matches: Sequence[Digest], ablations: Sequence[Digest]) -> tuple[Digest, ...]:
    """Matches of the whole memory to compare ablations with, for ablations without their own."""
    parted = {whole(one.figures.played) for one in ablations if one.figures.played.switch}
    there = {whole(one.figures.played) for one in ablations if not one.figures.played.switch}
    return tuple(one for one in matches if whole(one.figures.played) in parted - there)


def page_of(found: ReportContents, rendered: ReportRun) -> Page:
    """The page for these contents; `rendered`: the command that writes it."""
    sections: list[Section] = [
        *measured(ReportMatches(matches=found.matches, ablations=found.ablations))
    ]
    if found.third:
        third = [one.figures for one in found.third]
        sections.append(third_section(third, [one.figures for one in found.matches]))
    if found.curves:
        sections.append(reader_section(found.curves))
    if found.exhibit is not None:
        sections.append(graph_section(found.exhibit))
        if found.exhibit.move is not None:
            sections.append(move_section(found.exhibit.move, found.exhibit.played))
    if found.audit is not None:
        sections.append(audit_section(found.audit))
    sections += [played_section((found.matches, found.third), found.left_out), _about()]
    return Page(title="MAGS: what the memory is worth", head=_head(found, rendered),
                sections=tuple(sections))  # fmt: skip


OLDER = (
    "matches played at {older} stand here, and the sources are at {now}: what has changed since "
    "may make a figure untrue (docs/ablations.md tells of what the reward is worth now)"
)


def _head(found: ReportContents, rendered: ReportRun) -> tuple[tuple[str, str], ...]:
    banks = sorted({one.figures.played.bank for one in found.matches})
    played = found.runs or (rendered,)
    count = len(_seconds((*found.matches, *found.ablations)))
    third = f"; {len(found.third):,} of the third" if found.third else ""
    every = (*found.matches, *found.third)
    spent = sum(_seconds((*every, *found.ablations)).values())
    commits = (*(run.commit for run in played), *(one.figures.commit for one in every))
    first = [
        ("command", "; ".join(dict.fromkeys(run.command for run in played))),
        ("commit", ", ".join(dict.fromkeys(one for one in commits if one)) or "-"),
        ("seeds", "; ".join(dict.fromkeys(run.seeds for run in played))),
        ("machine", "; ".join(dict.fromkeys(run.machine for run in played))),
        ("played", ", ".join(dict.fromkeys(run.date for run in played))),
        ("matches", f"{count:,}, sentences of the bank {' and '.join(banks)}{third}"),
        ("processor time", f"{_span(spent)} of all matches, one thread each"),
    ]
    written = f"{rendered.date} by {rendered.command}"
    readers = sorted({_reader_of(one) for one in found.matches} - {""})
    if readers:
        first.append(("reader", f"{', '.join(readers)}, in the place of those that come with MAGS"))
    older = sorted({one.figures.commit for one in every} - {"", rendered.commit})
    if older:
        first.insert(0, ("older", OLDER.format(older=", ".join(older), now=rendered.commit)))
    return (*first, ("written", written)) if rendered not in played else tuple(first)


def _seconds(found: Iterable[Digest]) -> dict[MatchIdentity, float]:
    """Processor time by match: a match that is also in a table of ablations counts once."""
    return {one.figures.played: one.figures.cpu_s for one in found}


def _span(seconds: float) -> str:
    """Seconds in words, as "1 h 02 min"."""
    hours, rest = divmod(round(seconds), 3600)
    if hours:
        return f"{hours:,} h {rest // 60:02d} min"
    return f"{rest // 60} min {rest % 60:02d} s"


def _about() -> Section:
    text = (
        "Every column is defined in docs/reference/metrics.md, the games in "
        "docs/reference/nonsense.md, logic-games.md and adventures.md. Intervals are 95% "
        "bootstrap intervals over seeds; players of a row played the same seeds. A bank is the set "
        "of sentences and names that a game is told in: on “tuning” rules, reader and settings "
        "were made, “scored” was kept from them and only played, “unseen” is played once, when "
        "all is done. Times are of the machine named above. Adventures have a planner as reader "
        "that knows how one walks "
        "and cooks, and nothing of any house; all other games the small reader that ships."
    )
    return Section(id="about", title="How to read this", blocks=(Prose(text=text),))


def write_page(folder: Path, page: Page) -> tuple[Path, Path]:
    """Write index.html and report.md and return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    web, text = folder / "index.html", folder / "report.md"
    web.write_text(html(page), encoding="utf-8")
    text.write_text(markdown(page), encoding="utf-8")
    return web, text


def note_run(folder: Path, run: ReportRun) -> None:
    """Add a run to the folder's list, unless it is there already."""
    folder.mkdir(parents=True, exist_ok=True)
    if run not in read_runs(folder):
        with (folder / RUNS).open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(run), ensure_ascii=False) + "\n")


def read_runs(folder: Path) -> list[ReportRun]:
    """The runs that filled a folder; raises InvalidInput for a file of another form."""
    path = folder / RUNS
    if not path.exists():
        return []
    try:
        found: list[dict[str, Any]] = [
            json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line
        ]
        return [ReportRun(**one) for one in found]
    except (json.JSONDecodeError, TypeError) as failure:
        raise InvalidInput(f"{path} does not tell of runs: {failure}", path=str(path)) from failure
