"""Where lines speak only against what may be chosen: any that none speaks against is right.

Beside the lines that decide there is what a memory brings along: small talk, claims, and lines
about the same ones in another matter. Now and then one line speaks for the right one, too, so that
it is the sense of a line and not its shape that tells.
"""

from __future__ import annotations

from collections.abc import Sequence

from mags_lab.training.reader.questions import TaleQuestion, worded
from mags_lab.training.reader.sides import (
    Matter,
    around,
    asked_about,
    matter_of,
    tell_alike,
    tell_one,
)
from mags_lab.training.reader.telling import (
    LATEST,
    Tale,
    TaleLine,
    TaleLink,
    chain,
    fill,
    parallel,
    plain,
)
from mags_lab.training.reader.world import Thing, agreed, form, table

_PEOPLE = 0.6
_FOR = 0.2
"""How often a line speaks for the right one, too."""
_CONTRAST = 0.35
"""How often a line speaks for one thing and against another."""
_ALL_BUT_ONE = 0.4


def against(tale: Tale) -> TaleQuestion:
    """Who or what is left."""
    return _people(tale) if tale.rng.random() < _PEOPLE else _things(tale)


def _people(tale: Tale) -> TaleQuestion:
    """Some are on the wrong side of a matter; of the others nothing is told."""
    rng, matter = tale.rng, matter_of(tale)
    right, others = matter.names[0], list(matter.names[1:])
    told = _some(tale, others)
    spoken_for = rng.random() < _FOR
    if spoken_for:
        tell_one(tale, matter, right, matter.on, needed=True)
    if len(told) > 1 and rng.random() < 0.25:
        tell_alike(tale, matter, list(told), not matter.on, needed=not spoken_for)
    else:
        for z in told:
            tell_one(tale, matter, z, not matter.on, needed=not spoken_for)
    around(tale, matter)
    if rng.random() < 0.5:
        _in_another_matter(tale, matter)
    left = [right] if spoken_for else [z for z in matter.names if z not in told]
    return asked_about(tale, matter, left)


def _some(tale: Tale, others: Sequence[str]) -> Sequence[str]:
    """All but the right one, or fewer; at least one."""
    rng = tale.rng
    few = len(others) == 1 or rng.random() < _ALL_BUT_ONE
    return others if few else rng.sample(others, rng.randint(1, len(others) - 1))


def _in_another_matter(tale: Tale, matter: Matter) -> None:
    """The same ones in what is not asked for, where they are on either side."""
    scales = table("sides")["scales"]
    other = tale.one([name for name in scales if scales[name] is not matter.words])
    for z in tale.rng.sample(list(matter.names), tale.rng.randint(1, min(3, len(matter.names)))):
        says = tale.one(scales[other][tale.rng.choice(("yes", "no"))])
        tale.tell(f"{z} {agreed(says, plural=False)}")


def _things(tale: Tale) -> TaleQuestion:
    """Some values are denied, refused, forbidden or advised against."""
    rng = tale.rng
    link = chain(tale, 1)[0]
    values = tale.things((link.o.kind,), rng.choice((2, 2, 3, 3, 4, 5, 6)), link.o)
    words = worded(tale, link, values, link.s)
    names = list(range(1, len(values)))
    few = len(names) == 1 or rng.random() < _ALL_BUT_ONE
    refused = names if few else rng.sample(names, rng.randint(1, len(names) - 1))
    spoken_for = rng.random() < _FOR
    contrast = rng.random() < _CONTRAST
    if contrast:
        spoken_for = True
        _contrast(tale, link, values[0], values[refused[0]])
        refused = refused[1:]
    elif spoken_for:
        tale.tell(_judged(tale, link, link.o, good=True), needed=True)
    _refuse(tale, link, [values[place] for place in refused], needed=not spoken_for)
    _elsewhere(tale, link, values)
    left = [0] if spoken_for else [n for n in range(len(values)) if n not in refused]
    right = frozenset(words[place] for place in left)
    question = link.relation.asked(rng, link.s)
    return TaleQuestion(question=question, values=words, right=right, hops=1)


def _contrast(tale: Tale, link: TaleLink, good: Thing, bad: Thing) -> None:
    """One for and one against in a line; the other way about in an older one now and then."""
    rng, choice = tale.rng, table("against")["choice"]
    own = link.s.kind == "person" and rng.random() < 0.5
    parts = {"good": _named(good, tale), "bad": _named(bad, tale), "s": link.s.subject(rng)[0]}
    text = fill(tale.one(choice["mine" if own else "both"]), parts)
    if rng.random() < 0.4:
        old = TaleLine(text=_judged(tale, link, bad, good=True), when=0.5 * rng.random())
        tale.others.append((old,))
    tale.needed.append(TaleLine(text=text, when=0.5, speaker=link.s.name if own else None))


def _refuse(tale: Tale, link: TaleLink, refused: Sequence[Thing], *, needed: bool) -> None:
    """Each in a line of its own, or two of them in one."""
    rng = tale.rng
    rest = list(refused)
    if len(rest) > 1 and rng.random() < 0.3:
        a, b = rest.pop(), rest.pop()
        frame = tale.one(table("against")["choice"]["bad_all"])
        parts = {"a": _named(a, tale), "b": _named(b, tale), "s": link.s.subject(rng)[0]}
        tale.tell(fill(frame, parts), needed=needed)
    for value in rest:
        tale.tell(_judged(tale, link, value, good=False), needed=needed)


def _judged(tale: Tale, link: TaleLink, value: Thing, *, good: bool) -> str:
    """That a value is right, or that it is not: as the relation has it, or in general."""
    rng = tale.rng
    if rng.random() < 0.3:
        tell = link.relation.told if good else link.relation.denied
        return tell(rng, link.s, value)
    frame = tale.one(table("against")["choice"]["good" if good else "bad"])
    return fill(frame, {"v": _named(value, tale), "s": link.s.subject(rng)[0]})


def _named(value: Thing, tale: Tale) -> str:
    return form(value, "ing", tale.rng) if value.ing else form(value, "", tale.rng)


def _elsewhere(tale: Tale, link: TaleLink, values: Sequence[Thing]) -> None:
    """The same values for and against others, and something else of the same subject."""
    rng = tale.rng
    for _ in range(rng.randint(1, 4)):
        other = parallel(tale, [link])[0]
        tale.tell(_judged(tale, other, rng.choice(values), good=rng.random() < 0.5))
    if rng.random() < 0.4:
        chatter = fill(tale.phrase("chatter"), {"who": tale.thing("person").name, "z": link.s.name})
        tale.others.append((TaleLine(text=chatter, when=rng.random() * LATEST, free=True),))
    if rng.random() < 0.4:
        tale.others.append((plain(tale, parallel(tale, [link])[0]),))
    rng.shuffle(tale.others)
