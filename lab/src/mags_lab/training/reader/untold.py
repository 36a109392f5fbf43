"""Questions that no line answers, among actions of which one says so; and the same, answered.

An action may decline in a hundred wordings, so the reader has to tell by its sense that it names
no value. Where a line does tell, that action stands among the others and is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from mags_lab.training.reader.book import Side
from mags_lab.training.reader.questions import (
    TaleQuestion,
    asked_of,
    chosen,
    surround,
    tell,
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
from mags_lab.training.reader.world import part, table

_TELLINGS = ("plain", "plain", "plain", "plain", "changed", "passing", "lied", "spanned")
_SAID = 0.65
"""How often a line says that nothing is known."""


def untold(tale: Tale) -> TaleQuestion:
    """Of a chain of facts one was never told."""
    if tale.rng.random() < 0.2:
        return _whether(tale)
    links = chain(tale, tale.rng.choice((1, 1, 1, 1, 1, 2, 2, 3)))
    question = asked_of(tale, links)
    surround(tale, links)
    _withhold(tale, links, question)
    asked = chosen(tale, links, question, links[-1].o)
    return _declined(tale, replace(asked, values=asked.values[1:]))


def told(tale: Tale) -> TaleQuestion:
    """All of it was told, and still an action declines; of others it may be said that nobody knows.

    An older line may say that nobody knew.
    """
    rng = tale.rng
    links = chain(tale, rng.choice((1, 1, 1, 1, 2, 2, 3)))
    tell(tale, links, rng.choice(_TELLINGS))
    surround(tale, links)
    if rng.random() < 0.4:
        tale.others.insert(0, (_nothing_of(tale, parallel(tale, links)[-1:]),))
    elif rng.random() < 0.3:
        tale.others.insert(0, (replace(_nothing_of(tale, links[-1:]), when=0.0),))
    asked = chosen(tale, links, asked_of(tale, links), links[-1].o)
    return replace(asked, values=[*asked.values, declining(rng, tale.side)])


def _whether(tale: Tale) -> TaleQuestion:
    """Whether something is so, when nothing was said of it either way."""
    rng = tale.rng
    links = chain(tale, 1)
    claim = links[0].relation.told(rng, links[0].s, links[0].o)
    question = fill(tale.phrase("whether", "ask"), {"say": claim})
    surround(tale, links)
    for other in parallel(tale, links):
        tale.others.insert(0, (plain(tale, replace(other, o=links[0].o)),))
    _withhold(tale, links, question)
    pair = tale.phrase("whether", "pairs").split("/")
    return _declined(tale, TaleQuestion(question=question, values=pair, right=frozenset(), hops=1))


def _withhold(tale: Tale, links: Sequence[TaleLink], question: str) -> None:
    """Tell all of the chain but one fact, and perhaps that nobody told it."""
    rng = tale.rng
    hidden = rng.randrange(len(links))
    for place, link in enumerate(links):
        if place != hidden:
            tale.others.insert(0, (plain(tale, link),))
    if rng.random() > _SAID:
        return
    which = rng.random()
    if which < 0.55:
        text = _phrase(tale, "nothing")
        tale.needed.append(TaleLine(text=text, when=rng.random() * LATEST, free=True, speaker=""))
    elif which < 0.85:
        tale.needed.append(_nothing_of(tale, links[hidden : hidden + 1]))
    else:
        text = _phrase(tale, "question").replace("{ask}", question)
        tale.needed.append(TaleLine(text=text, when=rng.random() * LATEST, free=True))


def _nothing_of(tale: Tale, links: Sequence[TaleLink]) -> TaleLine:
    """A line that says of an object that nobody told it."""
    link = links[0]
    about = link.relation.through(tale.rng, link.s)
    text = fill(_phrase(tale, "unknown"), {"of": about})
    return TaleLine(text=text, when=tale.rng.random() * LATEST, free=True)


def _declined(tale: Tale, asked: TaleQuestion) -> TaleQuestion:
    words = declining(tale.rng, tale.side)
    return replace(asked, values=[*asked.values, words], right=frozenset({words}))


def declining(rng: Random, side: Side) -> str:
    """An action that says that one was not told."""
    return rng.choice(part(table("untold")["decline"], held=side.phrases))


def _phrase(tale: Tale, which: str) -> str:
    return tale.one(table("untold")[which])
