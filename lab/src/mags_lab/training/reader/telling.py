"""How a chain of facts is told: plainly, as a change, for a time, by a liar, by two customs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random

from mags_lab.training.reader.book import Side, TaleRelation, invented, leading, phrases, relations
from mags_lab.training.reader.world import Thing, filled, part, thing

LATEST = 0.999
"""When the last line is said; the first is said at 0."""
_INVENTED = 0.4
_OF_ONESELF = 0.2
_TRIES = 400
_THROUGH = ("person", "person", "town", "house", "guild")
"""Kinds of things that relations made up at random lead through."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaleLink:
    """A fact: how `s` leads to `o`."""

    relation: TaleRelation
    s: Thing
    o: Thing


@dataclass(frozen=True, slots=True, kw_only=True)
class TaleLine:
    """A line to be. `when`: in [0, 1); `free`: its time matters to nothing; `end`: a day that
    its text names as {end}, counted from now, negative where it is past; or in {n} {unit}, counted
    from the line's own day.
    """

    text: str
    when: float
    speaker: str | None = None
    free: bool = False
    end: int | None = None


@dataclass(slots=True, kw_only=True)
class Tale:
    """What has been told so far. `needed`: lines that decide; `others`: bundles that mislead.

    `rivals`: values that a careless reader would take; `dated`: whether the question must say
    what day it is, because an end of time decides; `fewest`: how many lines stand beside at least.
    """

    rng: Random
    side: Side
    needed: list[TaleLine] = field(default_factory=list)
    others: list[tuple[TaleLine, ...]] = field(default_factory=list)
    rivals: list[Thing] = field(default_factory=list)
    dated: bool = False
    fewest: int = 0
    names: set[str] = field(default_factory=set)

    def phrase(self, manner: str, which: str = "say") -> str:
        """A framing of the side."""
        return self.rng.choice(phrases(manner, which, self.side))

    def one(self, given: Sequence[str]) -> str:
        """A phrase of a list, of those of the side."""
        return self.rng.choice(part(given, held=self.side.phrases))

    def add(self, said: TaleLine, *, needed: bool = False) -> None:
        """One line more: that decides, or that misleads by itself."""
        if needed:
            self.needed.append(said)
        else:
            self.others.append((said,))

    def tell(self, text: str, *, needed: bool = False) -> None:
        """A line more, said at whatever time."""
        self.add(TaleLine(text=text, when=self.rng.random() * LATEST, free=True), needed=needed)

    def thing(self, kind: str) -> Thing:
        """One that was not named before."""
        made = thing(kind, self.rng, held=self.side.words)
        for _ in range(_TRIES):
            if not self.names & made.called:
                break
            made = thing(kind, self.rng, held=self.side.words)
        self.names |= made.called
        return made

    def things(self, kinds: Sequence[str], count: int, *given: Thing) -> list[Thing]:
        """So many of these kinds that nobody takes for one another, or fewer where there are no
        more; those given first.
        """
        found = list(given)
        for _ in range(2 * count):
            if len(found) == count:
                break
            made = self.thing(self.rng.choice(kinds))
            if not any(made.called & known.called for known in found):
                found.append(made)
        return found

    def line(self, frame: str, say: str, **more: str) -> str:
        """A framing filled in."""
        return fill(frame, {"say": say, **more})


def fill(frame: str, values: dict[str, str]) -> str:
    """{name} as given, {Name} with a capital."""
    for name, words in values.items():
        frame = frame.replace(f"{{{name}}}", words)
        frame = frame.replace(f"{{{name.capitalize()}}}", words[:1].upper() + words[1:])
    return frame


def chain(tale: Tale, hops: int, *, members: bool = False) -> list[TaleLink]:
    """Facts, each about the object of the one before. `members`: all but the last say where the
    subject belongs, so that the last is true of the first subject too.
    """
    rng = tale.rng
    for _ in range(_TRIES):
        links: list[TaleLink] = []
        relation = _first(tale, members=members and hops > 1, last=hops == 1)
        s = tale.thing(relation.subject)
        while True:
            o = tale.thing(relation.object)
            links.append(TaleLink(relation=relation, s=s, o=o))
            if len(links) == hops:
                return links
            onward = _onward(tale, o.kind, last=len(links) == hops - 1, members=members)
            if not onward:
                break
            relation, s = rng.choice(onward), o
    raise AssertionError(f"no chain of {hops} hops among so many")


def _first(tale: Tale, *, members: bool, last: bool) -> TaleRelation:
    if members:
        known = [r for r in relations(replace(tale.side, relations=False)) if r.member]
        return tale.rng.choice(known)
    if tale.rng.random() < _INVENTED:
        return invented(tale.rng, tale.side, None, None if last else tale.rng.choice(_THROUGH))
    return tale.rng.choice(relations(tale.side))


def _onward(tale: Tale, kind: str, *, last: bool, members: bool) -> Sequence[TaleRelation]:
    known = list(leading(tale.side, kind))
    if members and not last:
        seen = leading(replace(tale.side, relations=False), kind)
        return [r for r in seen if r.member]
    known = [r for r in known if not (members and r.member)]
    if kind in {*_THROUGH, "river", "fair"}:
        target = None if last else tale.rng.choice(_THROUGH)
        made = [invented(tale.rng, tale.side, kind, target) for _ in range(len(known) // 2 + 1)]
        return [*known, *made]
    return known


def parallel(
    tale: Tale, links: Sequence[TaleLink], *, start: Thing | None = None
) -> list[TaleLink]:
    """The same relations for others: a chain that ends elsewhere."""
    made: list[TaleLink] = []
    s = start or tale.thing(links[0].s.kind)
    for link in links:
        o = tale.thing(link.o.kind)
        made.append(TaleLink(relation=link.relation, s=s, o=o))
        s = o
    return made


def plain(tale: Tale, link: TaleLink) -> TaleLine:
    """The fact in a line, at any time; now and then told by the one it is about."""
    if link.relation.me and tale.rng.random() < _OF_ONESELF:
        words = fill(
            "{Say}", {"say": filled(tale.rng.choice(link.relation.me), tale.rng, "", link.o)}
        )
        when = tale.rng.random() * LATEST
        return TaleLine(text=words, when=when, speaker=link.s.name, free=True)
    say = link.relation.told(tale.rng, link.s, link.o)
    words = say if tale.rng.random() < 0.3 else tale.line(tale.phrase("base"), say)
    return TaleLine(text=words, when=tale.rng.random() * LATEST, free=True)


def mislead(tale: Tale, link: TaleLink, rest: Sequence[TaleLink], *lines: TaleLine) -> None:
    """Lines that put `link` in place of the truth; `rest`: the true chain from there on, which
    then leads on to other ends.
    """
    if rest:
        on = parallel(tale, rest, start=link.o)
        tale.rivals.append(on[-1].o)
        tale.others.insert(0, tuple(lines))
        tale.others.insert(1, tuple(plain(tale, one) for one in on))
    else:
        tale.rivals.append(link.o)
        tale.others.insert(0, tuple(lines))


def changed(tale: Tale, link: TaleLink, rest: Sequence[TaleLink]) -> None:
    """An older line says otherwise."""
    rng, relation = tale.rng, link.relation
    turn = 0.25 + 0.5 * rng.random()
    old = replace(link, o=tale.thing(link.o.kind))
    for place in range(2 if rng.random() < 0.25 else 1):
        before = old if not place else replace(link, o=tale.thing(link.o.kind))
        say = relation.told(rng, before.s, before.o)
        words = tale.line(tale.phrase("change", "old"), say)
        first = TaleLine(text=words, when=turn * rng.random() * (0.5 if place else 1.0))
        if place:
            first = replace(first, when=first.when * 0.5)
        mislead(tale, before, rest, first)
    say = relation.told(rng, link.s, link.o)
    frame = "{Say}" if rng.random() < 0.3 else tale.phrase("change")
    words = fill(frame, {"say": say, "old": old.o.name})
    tale.needed.append(TaleLine(text=words, when=turn + (LATEST - turn) * rng.random()))


def passing(tale: Tale, link: TaleLink, rest: Sequence[TaleLink]) -> None:
    """Something else is so for a time, past or present, or will be so one day."""
    rng, relation = tale.rng, link.relation
    other = replace(link, o=tale.thing(link.o.kind))
    turn = 0.25 + 0.4 * rng.random()
    coming, holds = rng.random() < 0.3, rng.random() < 0.5
    lasting, brief = (other, link) if holds else (link, other)
    base = tale.line(tale.phrase("base"), relation.told(rng, lasting.s, lasting.o))
    ends = rng.randint(1, 60) if holds is not coming else -rng.randint(1, 12)
    frame = tale.phrase("passing", "coming" if coming else "say")
    words = tale.line(frame, relation.told(rng, brief.s, brief.o))
    first = TaleLine(text=base, when=turn * rng.random())
    then = TaleLine(text=words, when=turn + 0.2 * rng.random(), end=ends)
    tale.dated = True
    tale.needed.append(then if holds else first)
    mislead(tale, other, rest, first if holds else then)


def spanned(tale: Tale, link: TaleLink, rest: Sequence[TaleLink]) -> None:
    """Something else is so for some days or weeks, counted from when it was said."""
    rng, relation = tale.rng, link.relation
    other = replace(link, o=tale.thing(link.o.kind))
    holds = rng.random() < 0.5
    lasting, brief = (other, link) if holds else (link, other)
    base = tale.line(tale.phrase("base"), relation.told(rng, lasting.s, lasting.o))
    first = TaleLine(text=base, when=0.3 * rng.random())
    words = tale.line(tale.phrase("passing", "span"), relation.told(rng, brief.s, brief.o))
    ends = rng.randint(1, 40) if holds else -rng.randint(1, 5)
    then = TaleLine(text=words, when=0.3 + 0.5 * rng.random(), end=ends)
    tale.dated = True
    tale.needed.append(then if holds else first)
    mislead(tale, other, rest, first if holds else then)


def lied(tale: Tale, link: TaleLink, rest: Sequence[TaleLink]) -> None:
    """A liar says otherwise."""
    rng, relation = tale.rng, link.relation
    z = tale.thing("person").name
    other = replace(link, o=tale.thing(link.o.kind))
    lying = tale.line(tale.phrase("liar", "lies"), "", z=z)
    lie = spoken(tale, z, relation.told(rng, other.s, other.o))
    known = TaleLine(text=lying, when=rng.random() * LATEST, free=True)
    mislead(tale, other, rest, known, lie)
    if rng.random() < 0.5:
        tale.needed.append(plain(tale, link))
        return
    y = tale.thing("person").name
    tale.needed.append(spoken(tale, y, relation.told(rng, link.s, link.o)))
    honest = tale.line(tale.phrase("liar", "honest"), "", z=y)
    if rng.random() < 0.7:
        tale.others.insert(0, (TaleLine(text=honest, when=rng.random() * LATEST, free=True),))


def spoken(tale: Tale, z: str, say: str) -> TaleLine:
    """What somebody says: in words, or with the name in front of the line."""
    when = tale.rng.random() * LATEST
    if tale.rng.random() < 0.5:
        return TaleLine(text=fill("{Say}", {"say": say}), when=when, speaker=z, free=False)
    return TaleLine(text=tale.line(tale.phrase("liar", "says"), say, z=z), when=when, speaker="")


def ruled(tale: Tale, link: TaleLink, rest: Sequence[TaleLink]) -> None:
    """Two customs speak of it, and one goes before the other."""
    rng, relation = tale.rng, link.relation
    word = tale.phrase("custom", "name")
    names = [f"{tale.thing('river').name} {word}" for _ in range(2)]
    other = replace(link, o=tale.thing(link.o.kind))
    for custom, one in zip(names, (link, other), strict=True):
        say = relation.told(rng, one.s, one.o)
        words = fill(tale.phrase("custom"), {"say": say, "a": custom})
        tale.needed.append(TaleLine(text=words, when=rng.random() * LATEST, free=True))
    words = fill(tale.phrase("custom", "above"), {"a": names[0], "b": names[1]})
    tale.needed.append(TaleLine(text=words, when=rng.random() * LATEST, free=True))
    mislead(tale, other, rest)


def straight(tale: Tale, link: TaleLink, rest: Sequence[TaleLink]) -> None:
    """Told as it is."""
    tale.needed.append(plain(tale, link))


TELLINGS = {
    "plain": straight,
    "changed": changed,
    "passing": passing,
    "spanned": spanned,
    "lied": lied,
    "ruled": ruled,
}
