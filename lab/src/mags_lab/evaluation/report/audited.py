"""An audit as a table of its courses, and the facts that were found bad with their sources."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from mags.errors import InvalidInput
from mags_lab.evaluation.metrics import bootstrap
from mags_lab.evaluation.proving.audit import Course, Finding
from mags_lab.evaluation.proving.fidelity import Verdict
from mags_lab.evaluation.proving.records import Played
from mags_lab.evaluation.proving.tables import NONE, Grid, shown

Courses = Mapping[str, Sequence[Course]]
"""Name of a course to itself, one of each seed."""
BAD = (Verdict.WRONG, Verdict.STALE, Verdict.LOST)
MEANT: Mapping[str, str] = {
    "right": "open, and so",
    "stale": "open, and no longer so",
    "wrong": "open, and never so: misread or lied",
    "closed": "closed, and not so",
    "lost": "closed, and still so",
    "beside": "from lines that teach nothing",
}
"""What each verdict means, in the words of docs/reference/metrics.md."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked:
    """A fact of a memory that is not as it should be."""

    verdict: str
    fact: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """What audits of one game over `seeds` seeds tell.

    `poisoned`, `audited`: turns; `lies`: told in all; `scores`, `verdicts`: by course.
    """

    played: Played
    seeds: int
    poisoned: int
    audited: int
    lies: int
    scores: Grid
    verdicts: Grid
    marked: tuple[Marked, ...]


def scores(found: Courses) -> Grid:
    """The score of each course, before and after, and what was done to bring it back."""
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
    """How many facts each verdict was passed on when the memories were audited."""
    names = tuple(verdict.value for verdict in Verdict)
    rows = []
    for name, every in found.items():
        counts = [sum(one.verdicts[verdict] for one in every) for verdict in names]
        rows.append((name, str(sum(counts)), *map(str, counts)))
    return Grid(head=("course", "facts", *names), rows=tuple(rows))


def marked(findings: Iterable[Finding]) -> tuple[Marked, ...]:
    """The facts that are bad, wrong ones first, with the lines they come from."""
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
    """Keep it as JSON."""
    path.write_text(json.dumps(asdict(audit), ensure_ascii=False) + "\n", encoding="utf-8")


def read_audit(path: Path) -> Audit:
    """The reverse; raises InvalidInput for what is none."""
    try:
        found: Any = json.loads(path.read_text(encoding="utf-8"))
        return Audit(
            played=Played(**found["played"]),
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
