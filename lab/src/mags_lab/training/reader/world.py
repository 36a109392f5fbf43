"""The things of the reader's own world: what they are called, and how a phrase takes them up.

Names are of random syllables (`mags_lab.training.generate.fillers`); common words come from
`data/words.toml`, the last quarter of each list kept for the tests.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from mags_lab.training.generate.fillers import made_up

DATA = Path(__file__).resolve().parent / "data"
HELD_SHARE = 4
"""One word in so many, the last ones, is kept for the tests."""

NAMED = frozenset({"person", "town", "river", "tongue"})
_NONCE = 0.2
_ADJECTIVE = 0.25
_MARK = re.compile(r"\{(s|o)(?::(\w+))?\}")
_NUMBER = re.compile(r"\[([^\]/]*)(?:/([^\]]*))?\]")


@cache
def table(name: str) -> Mapping[str, Any]:
    """A file of `data`, without its ending."""
    return tomllib.loads((DATA / f"{name}.toml").read_text(encoding="utf-8"))


def part(items: Sequence[str], *, held: bool, share: int = HELD_SHARE) -> Sequence[str]:
    """The items for training, or those held out."""
    cut = len(items) - max(1, len(items) // share)
    return items[cut:] if held else items[:cut]


@cache
def vocabulary(kind: str, held: bool) -> Sequence[str]:
    """The common words of a kind."""
    return part(table("words")["values"][kind].split(", "), held=held)


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """A person, a kind of being, a colour ... `name`: its bare name, by which it is told apart."""

    kind: str
    name: str
    many: str = ""
    ing: str = ""
    surfaces: tuple[str, ...] = ()

    @property
    def called(self) -> frozenset[str]:
        """All it is called."""
        return frozenset(name.lower() for name in (self.name, *self.surfaces))

    def subject(self, rng: Random) -> tuple[str, bool]:
        """How it stands in a sentence that is about it, and whether that is a plural."""
        if self.kind == "folk":
            forms = ((f"a {self.name}", False), (f"the {self.name}", False), (self.many, True))
            return rng.choice((*forms, (self.many, True), (f"every {self.name}", False)))
        return rng.choice(self.surfaces) if self.surfaces else self.name, False


def article(name: str) -> str:
    """The name after "a" or "an"; as it is where it brings its own, or names a mass."""
    if name.split()[0] in {"a", "an", "the"}:
        return name
    return f"an {name}" if name[0].lower() in "aeiou" else f"a {name}"


def thing(kind: str, rng: Random, *, held: bool) -> Thing:
    """One of a kind, at random."""
    nonce = _short(rng, held)
    name = nonce.capitalize()
    if kind == "person" and rng.random() < _NONCE:
        return Thing(kind=kind, name=rng.choice(vocabulary("person", held)))
    if kind in NAMED:
        return Thing(kind=kind, name=name)
    if kind == "folk":
        one = name if rng.random() < 0.15 else nonce
        return Thing(kind=kind, name=one, many=one if one[-1] in "sxz" else f"{one}s")
    if kind in _INSTITUTIONS:
        return _INSTITUTIONS[kind](name, rng, held)
    if kind == "word":
        return Thing(kind=kind, name=f'"{nonce}"')
    if kind == "act":
        base, ing = rng.choice(vocabulary(kind, held)).split("/")
        return Thing(kind=kind, name=base, ing=ing)
    word = rng.choice(vocabulary(kind, held))
    if kind == "dish":
        return Thing(kind=kind, name=rng.choice((f"{name} {word}", f"{nonce} {word}")))
    if kind in {"item", "goods"} and rng.random() < _ADJECTIVE:
        return Thing(kind=kind, name=f"{rng.choice(vocabulary('looks', held))} {word}")
    if kind in {"food", "plant", "drink", "animal", "item", "goods"} and rng.random() < _NONCE:
        return Thing(kind=kind, name=nonce)
    return Thing(kind=kind, name=word)


def _short(rng: Random, held: bool) -> str:
    """A made-up word, of two made-up ones mostly the shorter."""
    one, two = made_up(rng, held=held), made_up(rng, held=held)
    return min((one, two), key=len) if rng.random() < 0.7 else one


def _house(name: str, rng: Random, held: bool) -> Thing:
    forms = (f"House {name}", f"the House of {name}", f"the {name} house")
    return _varied("house", forms, rng)


def _guild(name: str, rng: Random, held: bool) -> Thing:
    if rng.random() < 0.5:
        return _varied("guild", (f"the {name} guild", f"the Guild of {name}"), rng)
    job = rng.choice(vocabulary("job", held))
    return _varied("guild", (f"the {job}s' guild", f"the guild of {job}s"), rng)


def _fair(name: str, rng: Random, held: bool) -> Thing:
    if rng.random() < 0.5:
        return _varied("fair", (f"the {name} fair", f"the Fair of {name}", f"the fair {name}"), rng)
    item = rng.choice(vocabulary("item", held))
    return _varied("fair", (f"the {item} fair", f"the Fair of the {item.title()}"), rng)


def _place(name: str, rng: Random, held: bool) -> Thing:
    word = rng.choice(vocabulary("place", held))
    if rng.random() < 0.4:
        return _varied("place", (f"the {name} {word}", f"the {word} of {name}"), rng)
    look = rng.choice(vocabulary("looks", held))
    return Thing(kind="place", name=rng.choice((f"the {word}", f"the {look} {word}")))


def _ship(name: str, rng: Random, held: bool) -> Thing:
    return _varied("ship", (f"the {name}", f"the ship {name}"), rng)


def _temple(name: str, rng: Random, held: bool) -> Thing:
    word = rng.choice(vocabulary("temple", held))
    return _varied("temple", (f"the {word} of {name}", f"the {name} {word}"), rng)


def _varied(kind: str, forms: tuple[str, ...], rng: Random) -> Thing:
    name = rng.choice(forms)
    return Thing(kind=kind, name=name, surfaces=(name,) * 5 + forms)


_INSTITUTIONS = {
    "house": _house,
    "guild": _guild,
    "fair": _fair,
    "place": _place,
    "ship": _ship,
    "temple": _temple,
}


def filled(phrase: str, rng: Random, s: Thing | str, o: Thing | None = None) -> str:
    """A phrase with its subject and its object: {s}, {o}, {o:a}, {o:one}, {o:many}, {o:ing}."""
    about, plural = (s, False) if isinstance(s, str) else s.subject(rng)

    def put(found: re.Match[str]) -> str:
        if found[1] == "s":
            return about
        if o is None:
            raise AssertionError(f"{phrase!r} names an object and there is none")
        return form(o, found[2] or "", rng)

    return _MARK.sub(put, agreed(phrase, plural=plural))


def agreed(phrase: str, *, plural: bool) -> str:
    """[one/many] by how many there are."""
    return _NUMBER.sub(lambda m: (m[2] or "") if plural else m[1], phrase)


def form(o: Thing, which: str, rng: Random) -> str:
    """An object in one of its forms."""
    if which == "a":
        return article(o.name)
    if which == "A":
        made = article(o.name)
        return made[0].upper() + made[1:]
    if which == "many":
        return o.many or f"{o.name}s"
    if which == "ing":
        return o.ing or o.name
    if which == "one" or not o.surfaces:
        return o.name
    return rng.choice(o.surfaces)


def sentence(words: str) -> str:
    """With a capital and a full stop."""
    words = words.strip()
    ended = words if words[-1] in '.!?"' and not words.endswith('"') else f"{words}."
    return ended[0].upper() + ended[1:]
