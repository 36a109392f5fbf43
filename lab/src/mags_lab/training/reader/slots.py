"""Rows that somebody keeps, asked for place by place: guesses, and what they were worth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mags_lab.training.reader.questions import TaleQuestion
from mags_lab.training.reader.telling import LATEST, Tale, TaleLine, fill
from mags_lab.training.reader.world import table


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """`h`: whose it is; `places`: its parts, `own`: what stands at each; `values`: all."""

    h: str
    unit: str
    places: Sequence[str]
    own: Sequence[str]
    values: Sequence[str]


def rows(tale: Tale) -> TaleQuestion:
    """What stands at a place of a row: told, told anew, or what guesses leave."""
    rng = tale.rng
    row = _row(tale)
    place = rng.randrange(len(row.places))
    ways: Sequence[Callable[[Tale, _Row, int], Sequence[str]]] = (_known, _left, _renewed, _gone)
    right = rng.choices(ways, (0.42, 0.33, 0.13, 0.12))[0](tale, row, place)
    _around(tale, row, place)
    question = _put(tale, "ask", row, place, row.own[place])
    pattern = _phrase(tale, "do")
    values = [fill(pattern, {"v": value}) for value in row.values]
    chosen = frozenset(fill(pattern, {"v": value}) for value in right)
    asked = question[0].upper() + question[1:]
    return TaleQuestion(question=asked, values=values, right=chosen, hops=1)


def _row(tale: Tale, like: _Row | None = None) -> _Row:
    rng = tale.rng
    h = tale.thing("person").name
    if like:
        own = rng.sample(like.values, len(like.places))
        return _Row(h=h, unit=like.unit, places=like.places, own=own, values=like.values)
    given = table("feedback")["rows"]
    unit, names = rng.choice(given["units"]).split(": ")
    places = names.split(", ")[: rng.choice((2, 3, 3, 4))]
    kind = rng.choice(given["values"])
    values = [one.name for one in tale.things((kind,), len(places) + rng.randint(1, 3))]
    places = places[: len(values) - 1]
    return _Row(h=h, unit=unit, places=places, own=rng.sample(values, len(places)), values=values)


def _known(tale: Tale, row: _Row, place: int) -> Sequence[str]:
    """A guess was right, or what was told allows nothing else."""
    rng = tale.rng
    if len(row.places) > 2 and rng.random() < 0.12:
        tale.tell(_whole(tale, row, row.own, "all_right"), needed=True)
    else:
        which = rng.choice(("right", "sure"))
        tale.tell(_put(tale, which, row, place, row.own[place]), needed=True)
    for value in rng.sample(row.values, rng.randint(0, 2)):
        if value != row.own[place]:
            _missed(tale, row, place, value, needed=False)
    return [row.own[place]]


def _left(tale: Tale, row: _Row, place: int) -> Sequence[str]:
    """Some values were wrong there, are nowhere in the row, or stand at its other places."""
    rng = tale.rng
    out = rng.sample(
        [v for v in row.values if v != row.own[place]], rng.randint(1, len(row.values) - 1)
    )
    for value in out:
        at = row.own.index(value) if value in row.own else -1
        if at >= 0 and rng.random() < 0.6:
            tale.tell(_put(tale, rng.choice(("right", "sure")), row, at, value), needed=True)
        elif at < 0 and rng.random() < 0.6:
            tale.tell(_put(tale, "nowhere", row, place, value), needed=True)
        else:
            _missed(tale, row, place, value, needed=True)
    return [value for value in row.values if value not in out]


def _renewed(tale: Tale, row: _Row, place: int) -> Sequence[str]:
    """Told once, and told otherwise since."""
    rng = tale.rng
    turn = 0.25 + 0.5 * rng.random()
    before = rng.choice([value for value in row.values if value != row.own[place]])
    old = _put(tale, rng.choice(("right", "sure")), row, place, before)
    tale.others.append((TaleLine(text=old, when=turn * rng.random()),))
    which = rng.choice(("now", "now", "now", "right", "sure"))
    new = _put(tale, which, row, place, row.own[place])
    tale.needed.append(TaleLine(text=new, when=turn + (LATEST - turn) * rng.random()))
    return [row.own[place]]


def _gone(tale: Tale, row: _Row, place: int) -> Sequence[str]:
    """Told once, and changed since: to any other."""
    rng = tale.rng
    turn = 0.25 + 0.5 * rng.random()
    before = row.own[place]
    old = _put(tale, rng.choice(("right", "sure")), row, place, before)
    tale.needed.append(TaleLine(text=old, when=turn * rng.random()))
    new = _put(tale, "changed", row, place, before)
    tale.needed.append(TaleLine(text=new, when=turn + (LATEST - turn) * rng.random()))
    return [value for value in row.values if value != before]


def _missed(tale: Tale, row: _Row, place: int, value: str, *, needed: bool) -> None:
    """A wrong guess, and where else the value is, if anywhere."""
    rng = tale.rng
    tale.tell(_put(tale, "wrong", row, place, value), needed=needed)
    if rng.random() < 0.6:
        found = "elsewhere" if value in row.own else "nowhere"
        tale.tell(_put(tale, found, row, place, value), needed=False)


def _around(tale: Tale, row: _Row, place: int) -> None:
    """The other places of the row, and the same place of other rows."""
    rng = tale.rng
    for at, value in enumerate(row.own):
        if at != place and rng.random() < 0.3:
            tale.tell(_put(tale, rng.choice(("wrong", "changed")), row, at, _other(tale, row, at)))
        elif at != place and rng.random() < 0.3:
            tale.tell(_put(tale, rng.choice(("right", "sure", "now")), row, at, value))
    for _ in range(rng.randint(1, 3)):
        other = _row(tale, like=row)
        at = place if rng.random() < 0.7 else rng.randrange(len(row.places))
        which = rng.choice(("right", "sure", "wrong", "elsewhere", "nowhere", "now", "all_right"))
        if which == "all_right":
            tale.tell(_whole(tale, other, other.own, which))
        elif which in {"right", "sure", "now"}:
            tale.tell(_put(tale, which, other, at, other.own[at]))
        else:
            tale.tell(_put(tale, which, other, at, _other(tale, other, at)))
    rng.shuffle(tale.others)


def _other(tale: Tale, row: _Row, at: int) -> str:
    return tale.rng.choice([value for value in row.values if value != row.own[at]])


def _whole(tale: Tale, row: _Row, guess: Sequence[str], which: str) -> str:
    """What a guess at the whole row was worth; it says which value was put where."""
    said = ", ".join(f"{p} {row.unit} {v}" for p, v in zip(row.places, guess, strict=True))
    return fill(_phrase(tale, which), {"list": said, "h": row.h, "n": str(len(guess))})


def _put(tale: Tale, which: str, row: _Row, place: int, value: str) -> str:
    of = fill(
        tale.rng.choice(table("feedback")["rows"]["of"]),
        {
            "place": row.places[place],
            "unit": row.unit,
            "h": row.h,
        },
    )
    return fill(_phrase(tale, which), {"of": of, "v": value, "h": row.h, "unit": row.unit})


def _phrase(tale: Tale, which: str) -> str:
    return tale.one(table("feedback")["rows"][which])
