"""Tasks of the reader's own world: lines of text, a question, actions, and which are right."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from random import Random

from mags.models.rendering import MONTHS
from mags_lab.training.reader.against import against
from mags_lab.training.reader.book import Side, lowered, phrases, relations
from mags_lab.training.reader.crowded import crowded
from mags_lab.training.reader.laws import law
from mags_lab.training.reader.lists import listed
from mags_lab.training.reader.questions import (
    TaleQuestion,
    conditioned,
    eliminated,
    excepted,
    inverse,
    what,
    whether,
)
from mags_lab.training.reader.sides import sides
from mags_lab.training.reader.slots import rows
from mags_lab.training.reader.tastes import tastes
from mags_lab.training.reader.telling import LATEST, Tale, TaleLine, TaleLink, fill, plain
from mags_lab.training.reader.untold import told, untold
from mags_lab.training.reader.world import sentence, table


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A question over lines. `right`: the actions that are; `needed`: places of the lines that
    decide; `kind`: of the question; `hops`: how many facts it goes through.
    """

    lines: tuple[str, ...]
    question: str
    actions: tuple[str, ...]
    right: frozenset[str]
    needed: tuple[int, ...]
    kind: str
    hops: int


_FEWEST = 2
"""Lines where none decides."""
_FRAMED = 0.25


def _several(tale: Tale) -> TaleQuestion:
    return what(tale, tale.rng.choice((2, 2, 3, 3, 4)))


def _implied(tale: Tale) -> TaleQuestion:
    return what(tale, tale.rng.choice((2, 2, 3, 3, 4)), members=True)


def _told(telling: str) -> Callable[[Tale], TaleQuestion]:
    def ask(tale: Tale) -> TaleQuestion:
        members = tale.rng.random() < 0.3
        return what(tale, tale.rng.choice((1, 1, 1, 2, 3)), telling, members=members)

    return ask


KINDS: dict[str, tuple[float, Callable[[Tale], TaleQuestion]]] = {
    "one": (0.10, lambda tale: what(tale, 1)),
    "several": (0.15, _several),
    "implied": (0.13, _implied),
    "inverse": (0.03, inverse),
    "changed": (0.11, _told("changed")),
    "passing": (0.08, _told("passing")),
    "lied": (0.06, _told("lied")),
    "ruled": (0.07, _told("ruled")),
    "condition": (0.06, conditioned),
    "exception": (0.05, excepted),
    "left over": (0.08, eliminated),
    "whether": (0.10, whether),
}
"""Each kind of question, its share, and how it is made."""


MORE: dict[str, tuple[float, Callable[[Tale], TaleQuestion]]] = {
    "left over": (0.16, eliminated),
    "untold": (0.09, untold),
    "told": (0.07, told),
    "law": (0.10, law),
    "spanned": (0.03, _told("spanned")),
    "four": (0.04, lambda tale: what(tale, 4, members=tale.rng.random() < 0.3)),
    "ruled": (0.10, _told("ruled")),
    "whether": (0.12, whether),
    "passing": (0.09, _told("passing")),
    "sides": (0.26, sides),
    "against": (0.21, against),
    "crowded": (0.20, crowded),
    "listed": (0.07, listed),
    "rows": (0.10, rows),
    "tastes": (0.10, tastes),
}
"""Kinds that training has beside or instead: the benchmark's tasks stay as they were."""
TRAINED = {**KINDS, **MORE}


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskManner:
    """How the lines of a task are written. `shuffled`: dated lines out of order."""

    dated: bool
    spoken: bool
    shuffled: bool
    today: date
    days: int


def task(rng: Random, side: Side, *, extra: int, kind: str | None = None) -> Task:
    """A task with `extra` lines beside those needed, at least some; of a kind at random where none
    is named.
    """
    named = kind or drawn_kind(rng, KINDS)
    tale = Tale(rng=rng, side=side)
    asked = _framed(tale, TRAINED[named][1](tale))
    extra = max(extra, tale.fewest if tale.needed else _FEWEST)
    manner = _manner(tale)
    if tale.dated and rng.random() < 0.4:
        # Nothing but the newest line says what day it is.
        tale.needed.append(TaleLine(text=_chatter(tale), when=LATEST))
        shown = asked.question
    else:
        shown = _dated_question(asked.question, manner, rng, must=tale.dated)
    said = _joined(tale, _gathered(tale, extra)) if extra else [(x, True) for x in tale.needed]
    said.sort(key=lambda pair: pair[0].when)
    lines = [_written(one, tale, manner) for one, _ in said]
    order = list(range(len(lines)))
    if manner.shuffled and manner.dated:
        rng.shuffle(order)
    needed = tuple(place for place, old in enumerate(order) if said[old][1])
    actions = list(asked.values)
    rng.shuffle(actions)
    return Task(
        lines=tuple(lines[old] for old in order),
        question=shown,
        actions=tuple(actions),
        right=asked.right,
        needed=needed,
        kind=named,
        hops=asked.hops,
    )


def drawn_kind(rng: Random, kinds: Mapping[str, tuple[float, object]]) -> str:
    """A kind by its share."""
    return rng.choices(list(kinds), [share for share, _ in kinds.values()])[0]


def _framed(tale: Tale, asked: TaleQuestion) -> TaleQuestion:
    """The question as somebody puts it, in training."""
    if not tale.side.wider or tale.rng.random() > _FRAMED:
        return asked
    frame = tale.rng.choice(table("framings")["asked"]["say"])
    who = tale.thing("person").name
    question = fill(frame, {"who": who}).replace("{ask}", asked.question)
    return replace(asked, question=question)


def tasks(seed: int, side: Side, count: int, *, extra: int) -> Iterator[Task]:
    """Tasks with as many lines too many; the same for a seed."""
    rng = Random(seed)
    for _ in range(count):
        yield task(rng, side, extra=extra)


def bare(one: Task) -> Task:
    """The task without its lines: nobody can know, so every action is as right as another."""
    return replace(one, lines=(), needed=(), right=frozenset(one.actions))


def _manner(tale: Tale) -> TaskManner:
    rng = tale.rng
    start = date(1990, 1, 1) + timedelta(days=rng.randrange(30_000))
    return TaskManner(
        dated=tale.dated or rng.random() < 0.55,
        spoken=rng.random() < 0.5,
        shuffled=rng.random() < 0.15,
        today=start,
        days=rng.randint(30, 300),
    )


def _gathered(tale: Tale, extra: int) -> list[tuple[TaleLine, bool]]:
    """The lines needed and `extra` others, what misleads most first."""
    found = [(one, True) for one in tale.needed]
    others: list[TaleLine] = []
    for bundle in tale.others:
        if len(others) + len(bundle) <= extra:
            others.extend(bundle)
    while len(others) < extra:
        others.append(_unrelated(tale))
    return found + [(one, False) for one in others[:extra]]


def _unrelated(tale: Tale) -> TaleLine:
    rng = tale.rng
    if rng.random() < 0.3:
        return TaleLine(text=_chatter(tale), when=rng.random() * LATEST, free=True)
    relation = rng.choice(relations(tale.side))
    s, o = tale.thing(relation.subject), tale.thing(relation.object)
    return plain(tale, TaleLink(relation=relation, s=s, o=o))


def _chatter(tale: Tale) -> str:
    who, z = tale.thing("person").name, tale.thing("person").name
    return fill(tale.phrase("chatter"), {"who": who, "z": z})


def _joined(tale: Tale, said: list[tuple[TaleLine, bool]]) -> list[tuple[TaleLine, bool]]:
    """Now and then two facts in one line."""
    rng = tale.rng
    if rng.random() > 0.25:
        return said
    free = [pair for pair in said if pair[0].free and pair[0].speaker is None]
    for _ in range(rng.randint(1, 2)):
        if len(free) < 2:
            break
        (one, a), (two, b) = (free.pop(rng.randrange(len(free))) for _ in range(2))
        said = [pair for pair in said if pair[0] is not one and pair[0] is not two]
        frame = rng.choice(phrases("joined", "say", tale.side))
        text = fill(frame, {"one": one.text, "two": lowered(two.text)})
        said.append((replace(one, text=text), a or b))
    return said


def _written(said: TaleLine, tale: Tale, manner: TaskManner) -> str:
    rng = tale.rng
    day = manner.today - timedelta(days=round((1.0 - said.when) * manner.days))
    text = said.text
    if said.end is not None:
        last = manner.today + timedelta(days=said.end)
        text = _counted(text, (last - day).days, rng)
        text = text.replace("{end}", _date(last, rng)) if "{end}" in text else text
    text = sentence(text)
    speaker = said.speaker
    if speaker is None and manner.spoken and rng.random() < 0.8:
        named = rng.random() < 0.5
        speaker = tale.thing("person").name if named else _role(tale)
    if speaker:
        text = f"{speaker}: {text}"
    return f"[{day.isoformat()}] {text}" if manner.dated else text


def _counted(text: str, days: int, rng: Random) -> str:
    """With {n} {unit} as so many days, or as weeks where they are whole; {n} alone as days."""
    if "{unit}" not in text:
        return text.replace("{n}", str(days))
    weeks = days % 7 == 0 and rng.random() < 0.7
    n = days // 7 if weeks else days
    unit = "week" if weeks else "day"
    return text.replace("{n}", str(n)).replace("{unit}", unit if n == 1 else f"{unit}s")


def _role(tale: Tale) -> str:
    return tale.rng.choice(phrases("speakers", "role", tale.side))


def _date(day: date, rng: Random) -> str:
    month = MONTHS[day.month - 1]
    forms = (f"{day.day} {month} {day.year}", f"{month} {day.day}, {day.year}", day.isoformat())
    return rng.choice((*forms, f"{day.day} {month}", f"the {_ordinal(day.day)} of {month}"))


def _ordinal(n: int) -> str:
    ending = "th" if 10 < n % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"


def _dated_question(question: str, manner: TaskManner, rng: Random, *, must: bool) -> str:
    if not must and (not manner.dated or rng.random() < 0.7):
        return question
    day = manner.today.isoformat() if rng.random() < 0.5 else _date(manner.today, rng)
    if day.isascii() and not any(
        len(p) == 4 and p.isdigit() for p in day.replace("-", " ").split()
    ):
        day = f"{day} {manner.today.year}"
    forms = (f"It is {day}. {question}", f"[{day}] {question}", f"Today is {day}. {question}")
    return rng.choice(forms)
