"""The sections about one memory: the graph, a move explained, the audit."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from mags.errors import InvalidInput
from mags_lab.evaluation.metrics import bootstrap
from mags_lab.evaluation.proving.audit import Finding, PoisonedGame
from mags_lab.evaluation.proving.fidelity import FactVerdict
from mags_lab.evaluation.proving.records import MatchIdentity
from mags_lab.evaluation.proving.tables import NONE, Grid, shown
from mags_lab.evaluation.report.exhibit import Exhibit, Explained, Sketch, drawing, places
from mags_lab.evaluation.report.page import Block, BulletList, Figure, Prose, ReportTable, Section

Courses = Mapping[str, Sequence[PoisonedGame]]
"""By name of a course, its games, one for each seed."""
BAD = (FactVerdict.WRONG, FactVerdict.STALE, FactVerdict.LOST)
MEANT: Mapping[str, str] = {
    "right": "open, and so",
    "stale": "open, and no longer so",
    "wrong": "open, and never so: misread or lied",
    "closed": "closed, and not so",
    "lost": "closed, and still so",
    "beside": "from lines that teach nothing",
}
"""The meaning of each verdict, in the words of docs/reference/metrics.md."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked:
    """A fact of a memory with a bad verdict."""

    verdict: str
    fact: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """The results of audits of one game over `seeds` seeds.

    `poisoned`, `audited`: turns; `lies`: how many were told in all; `scores`, `verdicts`: tables by
    course.
    """

    played: MatchIdentity
    seeds: int
    poisoned: int
    audited: int
    lies: int
    scores: Grid
    verdicts: Grid
    marked: tuple[Marked, ...]


def scores(found: Courses) -> Grid:
    """The score of each course, before and after, and what was done to repair the memory."""
    rows = []
    for name, every in found.items():
        parts: tuple[list[float | None], ...] = (
            [one.before for one in every],
            [one.sick for one in every],
            [one.after for one in every],
            [one.touched for one in every],
        )
        done: Counter[str] = Counter()
        for one in every:
            done.update(one.done)
        told = ", ".join(f"{count} {what}" for what, count in done.items()) or NONE
        rows.append((name, *map(_mean, parts), told))
    head = ("course", "before the lies", "until the audit", "after", "after, of the lies", "done")
    return Grid(head=head, rows=tuple(rows))


def _mean(given: Sequence[float | None]) -> str:
    known = [100 * share for share in given if share is not None]
    return shown(bootstrap(known)) if known else NONE


def verdicts(found: Courses) -> Grid:
    """How many facts got each verdict when the memories were audited."""
    names = tuple(verdict.value for verdict in FactVerdict)
    rows = []
    for name, every in found.items():
        counts = [sum(one.verdicts[verdict] for one in every) for verdict in names]
        rows.append((name, str(sum(counts)), *map(str, counts)))
    return Grid(head=("course", "facts", *names), rows=tuple(rows))


def marked(findings: Iterable[Finding]) -> tuple[Marked, ...]:
    """The facts with a bad verdict, wrong ones first, with the lines they come from."""
    order = {verdict: place for place, verdict in enumerate(BAD)}
    bad = sorted(
        (one for one in findings if one.verdict in order), key=lambda one: order[one.verdict]
    )
    return tuple(
        Marked(
            verdict=one.verdict.value,
            fact=f"{one.fact.subject} | {one.fact.relation} | {one.fact.object}",
            source="; ".join(one.lines) or NONE,
        )
        for one in bad
    )


def write_audit(path: Path, audit: Audit) -> None:
    """Write an audit as JSON."""
    path.write_text(json.dumps(asdict(audit), ensure_ascii=False) + "\n", encoding="utf-8")


def read_audit(path: Path) -> Audit:
    """The reverse of `write_audit`; raises InvalidInput for a file of another form."""
    try:
        found: Any = json.loads(path.read_text(encoding="utf-8"))
        return Audit(
            played=MatchIdentity(**found["played"]),
            seeds=int(found["seeds"]),
            poisoned=int(found["poisoned"]),
            audited=int(found["audited"]),
            lies=int(found["lies"]),
            scores=_grid(found["scores"]),
            verdicts=_grid(found["verdicts"]),
            marked=tuple(Marked(**one) for one in found["marked"]),
        )
    except (json.JSONDecodeError, KeyError, TypeError) as failure:
        raise InvalidInput(f"{path} is no audit: {failure}", path=str(path)) from failure


def _grid(found: Mapping[str, Any]) -> Grid:
    return Grid(head=tuple(found["head"]), rows=tuple(tuple(row) for row in found["rows"]))


LISTED = 12
"""Bad facts that the page lists."""


def bank_told(played: MatchIdentity) -> str:
    """The bank of the sentences that a section quotes, and the reader if it is not the shipped one.

    Whoever reads sentences of a scored bank must not tune on them, so the text says which they are.
    """
    told = _of_bank(played)
    return f"{told} The reader is {played.reader}." if played.reader else told


def _of_bank(played: MatchIdentity) -> str:
    if played.bank != "tuning":
        return f"The sentences are of the {played.bank} bank: mend nothing after them."
    return f"The sentences quoted are of the bank “{played.bank}”; no scored one is shown."


def graph_section(shown: Exhibit) -> Section:
    """The memory of a finished game before and after it slept."""
    # One layout for both pictures, so that a node is in the same place.
    at = places([shown.before, shown.after])
    game = f"{shown.played.game}, seed {shown.played.seed}, {shown.played.turns:,} turns at most"
    pictures = [
        _picture("Before the sleep", shown.before, at),
        _picture("After the sleep", shown.after, at),
    ]
    rows = tuple(
        (rule, ", ".join(f"{count:,} {what}" for what, count in counts.items()))
        for rule, counts in shown.slept.items()
    )
    did = Grid(head=("rule", "did"), rows=rows)
    return Section(
        id="graph",
        title="The graph before and after sleep",
        blocks=(
            Prose(
                text=f"The memory of MAGS at the end of a game ({game}; score "
                f"{100 * shown.score:.1f}). Strong nodes are large, closed facts hollow; every "
                "node has the same place in both pictures, and names itself under the pointer. "
                f"{bank_told(shown.played)}"
            ),
            *pictures,
            ReportTable(caption="What the sleep did", grid=did, words=True),
        ),
    )


def _picture(title: str, one: Sketch, at: dict[int, tuple[float, float]]) -> Figure:
    counts = f"{one.nodes:,} nodes and {one.arcs:,} arcs"
    drawn = f"the {len(one.dots)} strongest drawn" if len(one.dots) < one.nodes else "all drawn"
    kinds = {dot.kind for dot in one.dots}
    told = ", ".join(f"{sum(d.kind == kind for d in one.dots)} {kind}" for kind in sorted(kinds))
    return Figure(
        caption=f"{title}: {counts}, {drawn}.",
        svg=drawing(f"{title}: {counts}", one, at),
        told=f"{counts}; drawn: {told}.",
    )


def move_section(move: Explained, played: MatchIdentity) -> Section:
    """A move: the question, the lines shown, the deciding facts, and how they were found."""
    blocks = (*_move(move), Prose(text=bank_told(played)))
    return Section(id="move", title="A move explained", blocks=blocks)


def _move(move: Explained) -> Iterator[Block]:
    facts = "; ".join(fact.replace("|", " ") for fact in move.deciding)
    since = f" The answer changed {_turns(move.since)} before." if move.since is not None else ""
    yield Prose(
        text=f"Turn {move.turn}. The question: {move.question} MAGS chose “{move.action}”, "
        f"which is right. The rules that decide it, as the game knows them: {facts}.{since}"
    )
    marks = tuple(_mark(place, move) for place in range(len(move.lines)))
    yield BulletList(
        caption="What the memory showed the reader, oldest first. rule: teaches what decides; "
        "cited: the reader named it as what it went by.",
        lines=move.lines,
        marks=marks,
    )
    yield BulletList(caption="The trace: how the memory came by it.", lines=move.trace)


def _turns(count: int) -> str:
    return "1 turn" if count == 1 else f"{count} turns"


def _mark(place: int, move: Explained) -> str:
    words = [word for word, of in (("rule", move.teaching), ("cited", move.cited)) if place in of]
    return ", ".join(words)


def audit_section(audit: Audit) -> Section:
    """What an audit found, and whether the score recovered."""
    verdicts = ReportTable(
        caption="Facts by verdict when the memory was audited", grid=audit.verdicts
    )
    meaning = "; ".join(f"{verdict}: {what}" for verdict, what in MEANT.items())
    blocks: list[Block] = [
        Prose(
            text=f"In turn {audit.poisoned} of {audit.played.game} ({audit.seeds} seeds, from "
            f"{audit.played.seed} on) false lines are told, {audit.lies} in all. Before turn "
            f"{audit.audited} every fact of the memory is held against the game and the lines "
            "it comes from, and the memory is left as it is, mended in place, or rolled back to a "
            "snapshot from before the lies and told again what was true since. “After, of "
            "the lies” is the score of the questions that rest on what was lied about. "
            f"{bank_told(audit.played)}"
        ),
        ReportTable(caption="Score of each course, in percent", grid=audit.scores),
        verdicts,
        Prose(text=f"{meaning[0].upper()}{meaning[1:]}."),
    ]
    if audit.marked:
        grid = Grid(
            head=("verdict", "fact", "from"),
            rows=tuple((one.verdict, one.fact, one.source) for one in audit.marked[:LISTED]),
        )
        caption = f"Marked when lied to: {min(LISTED, len(audit.marked))} of {len(audit.marked)}"
        blocks.append(ReportTable(caption=caption, grid=grid, words=True))
    return Section(id="audit", title="The audit", blocks=tuple(blocks))
