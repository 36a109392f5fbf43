"""What may be done and what not: in towns, houses, guilds and places, by all or by one alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from mags_lab.training.reader.book import leading
from mags_lab.training.reader.questions import TaleQuestion
from mags_lab.training.reader.telling import LATEST, Tale, TaleLine, TaleLink, fill, plain
from mags_lab.training.reader.world import Thing, form, table

_WHERE = {
    "town": ("in {s}", "in {s}", "within {s}"),
    "place": ("in {s}", "at {s}", "inside {s}"),
    "house": ("in {s}", "among {s}", "with {s}"),
    "guild": ("in {s}", "at {s}", "with {s}"),
    "temple": ("in {s}", "at {s}", "inside {s}"),
    "fair": ("at {s}", "during {s}"),
}
_LED_TO = ("town", "house", "guild")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Law:
    """Whether an act is allowed somewhere. `where`: the place as the question names it."""

    s: Thing
    act: Thing
    where: str
    allowed: bool


def law(tale: Tale) -> TaleQuestion:
    """May one do it: yes or no, do it or not, which of them, where."""
    rng = tale.rng
    kind = rng.choice((*_WHERE, "town", "place"))
    s, act = tale.thing(kind), tale.thing("act")
    hops = 1
    where = s.name
    if kind in _LED_TO and rng.random() < 0.3:
        where, hops = _led(tale, s), 2
    one = _Law(s=s, act=act, where=where, allowed=rng.random() < 0.5)
    asked = rng.choice((_yes_or_no, _yes_or_no, _deed, _which, _where, _of_one))(tale, one)
    _elsewhere(tale, one)
    return replace(asked, hops=hops)


def _led(tale: Tale, s: Thing) -> str:
    """The place by way of somebody who lives there or belongs to it."""
    rng = tale.rng
    ways = [r for r in leading(replace(tale.side, relations=False), "person") if r.object == s.kind]
    way = rng.choice(ways)
    who = tale.thing("person")
    tale.needed.append(plain(tale, TaleLink(relation=way, s=who, o=s)))
    return way.through(rng, who)


def _yes_or_no(tale: Tale, one: _Law) -> TaleQuestion:
    rng = tale.rng
    _tell(tale, one)
    negative = rng.random() < 0.35
    question = _put(tale, "ask_not" if negative else "ask_may", one, asked=True)
    if rng.random() < 0.4:
        pair = _phrase(tale, "verdicts").split("/")
        right = pair[0 if one.allowed else 1]
    else:
        pair = _phrase(tale, "pairs").split("/")
        right = pair[0 if one.allowed is not negative else 1]
    return TaleQuestion(question=question, values=pair, right=frozenset({right}), hops=1)


def _deed(tale: Tale, one: _Law) -> TaleQuestion:
    _tell(tale, one)
    question = _put(tale, "ask_act", one, asked=True)
    pair = fill(_phrase(tale, "deeds"), _acts(one.act)).split("/")
    right = frozenset({pair[0 if one.allowed else 1]})
    return TaleQuestion(question=question, values=pair, right=right, hops=1)


def _which(tale: Tale, one: _Law) -> TaleQuestion:
    """One act is allowed and the others are not, or the other way about."""
    rng = tale.rng
    _tell(tale, one)
    others = [tale.thing("act") for _ in range(rng.choice((1, 1, 2, 3)))]
    for act in others:
        other = replace(one, act=act, allowed=not one.allowed)
        tale.needed.append(_said(tale, "permit" if other.allowed else "forbid", other))
    question = _put(tale, "ask_which" if one.allowed else "ask_which_not", one, asked=True)
    ing = rng.random() < 0.4
    made = [act.ing if ing else act.name for act in (one.act, *others)]
    values = [name[0].upper() + name[1:] for name in made]
    return TaleQuestion(question=question, values=values, right=frozenset(values[:1]), hops=1)


def _where(tale: Tale, one: _Law) -> TaleQuestion:
    """Allowed in one place and not in the others, or the other way about."""
    rng = tale.rng
    _tell(tale, one)
    places = [one.s, *(tale.thing(one.s.kind) for _ in range(rng.choice((1, 1, 2, 3))))]
    for place in places[1:]:
        other = replace(one, s=place, where=place.name, allowed=not one.allowed)
        tale.needed.append(_said(tale, "permit" if other.allowed else "forbid", other))
    question = _put(tale, "ask_where" if one.allowed else "ask_where_not", one, asked=True)
    pattern, inside = _phrase(tale, "places"), rng.choice(_WHERE[one.s.kind])
    named = [(place.name, inside.replace("{s}", place.name)) for place in places]
    values = [fill(pattern, {"s": name, "in": within}) for name, within in named]
    values = [value[0].upper() + value[1:] for value in values]
    return TaleQuestion(question=question, values=values, right=frozenset(values[:1]), hops=1)


def _of_one(tale: Tale, one: _Law) -> TaleQuestion:
    """A rule with one exception: asked of the one, or of another."""
    rng = tale.rng
    who, other = tale.thing("person").name, tale.thing("person").name
    is_one = rng.random() < 0.5
    only = one.allowed is is_one
    said = _put(tale, "only" if only else "not_one", one, who=who)
    tale.needed.append(TaleLine(text=said, when=rng.random() * LATEST, free=True))
    question = _put(tale, "ask_who", one, who=who if is_one else other, asked=True)
    pair = _phrase(tale, "pairs").split("/")
    right = frozenset({pair[0 if one.allowed else 1]})
    return TaleQuestion(question=question, values=pair, right=right, hops=1)


def _tell(tale: Tale, one: _Law) -> None:
    """As it is, as it has become, or as a liar has it who says the opposite."""
    _WAYS[tale.rng.choices(range(3), (6, 3, 1))[0]](tale, one)


def _straight(tale: Tale, one: _Law) -> None:
    tale.needed.append(_said(tale, "permit" if one.allowed else "forbid", one))


def _changed(tale: Tale, one: _Law) -> None:
    rng = tale.rng
    turn = 0.25 + 0.5 * rng.random()
    old = _said(tale, "forbid" if one.allowed else "permit", one)
    tale.others.insert(0, (replace(old, when=turn * rng.random(), free=False),))
    new = _said(tale, "lifted" if one.allowed else "banned", one)
    when = turn + (LATEST - turn) * rng.random()
    tale.needed.append(replace(new, when=when, free=False))


def _lied(tale: Tale, one: _Law) -> None:
    rng = tale.rng
    z = tale.thing("person").name
    lies = tale.line(tale.phrase("liar", "lies"), "", z=z)
    tale.needed.append(TaleLine(text=lies, when=rng.random() * LATEST, free=True))
    said = _said(tale, "forbid" if one.allowed else "permit", one)
    tale.needed.append(replace(said, speaker=z))


_WAYS: Sequence[Callable[[Tale, _Law], None]] = (_straight, _changed, _lied)


def _elsewhere(tale: Tale, one: _Law) -> None:
    """The same act in another place and other acts in the same one, mostly told the other way."""
    rng = tale.rng
    for _ in range(rng.randint(1, 3)):
        place = tale.thing(one.s.kind)
        away = rng.random() < 0.6
        s, act = (place, one.act) if away else (one.s, tale.thing("act"))
        allowed = one.allowed if rng.random() < 0.25 else not one.allowed
        other = _Law(s=s, act=act, where=s.name, allowed=allowed)
        tale.others.append((_said(tale, "permit" if allowed else "forbid", other),))


def _said(tale: Tale, which: str, one: _Law) -> TaleLine:
    words = _put(tale, which, one)
    if tale.rng.random() < 0.3:
        words = tale.line(tale.phrase("base"), _small(words, one))
    return TaleLine(text=words, when=tale.rng.random() * LATEST, free=True)


def _small(words: str, one: _Law) -> str:
    """As it stands inside of a sentence; a place that is a name keeps its capital."""
    return words if words.startswith(one.s.name) else words[0].lower() + words[1:]


def _put(tale: Tale, which: str, one: _Law, *, who: str = "", asked: bool = False) -> str:
    """A phrase filled in; `asked`: with the place as the question names it."""
    s = one.where if asked else form(one.s, "", tale.rng)
    inside = tale.rng.choice(_WHERE[one.s.kind]).replace("{s}", s)
    values = {"in": inside, "s": s, "who": who, **_acts(one.act)}
    words = fill(_phrase(tale, which), values)
    return words[0].upper() + words[1:]


def _acts(act: Thing) -> dict[str, str]:
    return {"base": act.name, "ing": act.ing}


def _phrase(tale: Tale, which: str) -> str:
    return tale.one(table("laws")[which])
