"""One line that says several things, of which the reader has to take the one asked for."""

from __future__ import annotations

from dataclasses import replace

from mags_lab.training.reader.questions import TaleQuestion, asked_of, chosen, surround
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
from mags_lab.training.reader.world import form, table

_SHAPES = {"two": (0, 1), "three": (0, 1, 2), "same": (0, 0), "but": (0, 0, 2)}
"""Whose object each of the subjects has, by the kind of frame."""


def listed(tale: Tale) -> TaleQuestion:
    """What one of several is, all told in one line; a second hop behind it now and then."""
    rng = tale.rng
    links = chain(tale, 2 if rng.random() < 0.2 else 1)
    shape = rng.choice(("two", "two", "three", "same", "but"))
    others = [parallel(tale, links[:1])[0] for _ in _SHAPES[shape][1:]]
    ends = [links[0], *others]
    rng.shuffle(ends)
    own = [replace(link, o=ends[place].o) for link, place in zip(ends, _SHAPES[shape], strict=True)]
    place = next(place for place, link in enumerate(own) if link.s is links[0].s)
    links[0] = replace(links[0], o=own[place].o)
    if len(links) > 1:
        links[1] = replace(links[1], s=own[place].o)
    tale.needed.append(_line(tale, shape, own))
    tale.needed.extend(plain(tale, link) for link in links[1:])
    surround(tale, links)
    if len(links) == 1:
        tale.rivals[:0] = [link.o for link in own if link.o is not links[0].o]
    return chosen(tale, links, asked_of(tale, links), links[-1].o)


def _line(tale: Tale, shape: str, links: list[TaleLink]) -> TaleLine:
    rng = tale.rng
    frame = tale.one(table("feedback")["lists"][shape])
    values: dict[str, str] = {}
    for number, link in enumerate(links, start=1):
        values[f"of{number}"] = link.relation.through(rng, link.s)
        values[f"o{number}"] = form(link.o, "", rng)
    text = fill(frame, values)
    return TaleLine(text=text, when=rng.random() * LATEST, free=True)
