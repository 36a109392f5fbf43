"""The line that decides among such as a memory brings along with it: of the same subject in another
matter, of the same matter with another subject, of the same values elsewhere, questions only
quoted, what others claim and what they tried.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from mags_lab.training.reader.book import MADE_OBJECTS, invented
from mags_lab.training.reader.questions import (
    TaleQuestion,
    asked_of,
    chosen,
    surround,
    tell,
    tried,
    worded,
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
from mags_lab.training.reader.telling import spoken as claimed
from mags_lab.training.reader.world import Thing, table

_UNTOLD = 0.15
"""How often a line on the way is missing: the one that ends it is then the best there is."""
_TELLINGS = ("plain", "plain", "plain", "plain", "plain", "changed")


def crowded(tale: Tale) -> TaleQuestion:
    """What the end of a chain is, told beside at least three other lines."""
    rng = tale.rng
    links = chain(tale, rng.choice((1, 1, 1, 2, 2, 3)))
    tell(tale, links, rng.choice(_TELLINGS))
    if len(links) > 1 and rng.random() < _UNTOLD:
        del tale.needed[rng.randrange(len(tale.needed) - 1)]
    surround(tale, links)
    for _ in range(rng.randint(3, 8)):
        rng.choice(_BESIDE)(tale, links)
    rng.shuffle(tale.others)
    tale.fewest = rng.randint(3, 11)
    return chosen(tale, links, asked_of(tale, links), links[-1].o)


def _same_subject(tale: Tale, links: Sequence[TaleLink]) -> None:
    """Another matter of the same one, with a value that could be meant."""
    link = tale.rng.choice(links)
    if link.s.kind == "folk" or links[-1].o.kind not in MADE_OBJECTS:
        return
    other = invented(tale.rng, tale.side, link.s.kind, links[-1].o.kind)
    if other.name == links[-1].relation.name:
        return
    value = tale.thing(links[-1].o.kind)
    tale.rivals.append(value)
    tale.others.append((plain(tale, TaleLink(relation=other, s=link.s, o=value)),))


def _same_value(tale: Tale, links: Sequence[TaleLink]) -> None:
    """The right value, or one that is not, in a matter of somebody else."""
    last = links[-1]
    value = _one_of(tale, last)
    if last.o.kind not in MADE_OBJECTS or tale.rng.random() < 0.5:
        other = replace(parallel(tale, [last])[0], o=value)
    else:
        relation = invented(tale.rng, tale.side, None, last.o.kind)
        other = TaleLink(relation=relation, s=tale.thing(relation.subject), o=value)
    tale.others.append((plain(tale, other),))


def _quoted(tale: Tale, links: Sequence[TaleLink]) -> None:
    """A question, with no answer: this one, or that of another subject."""
    rng = tale.rng
    asked = asked_of(tale, links if rng.random() < 0.3 else parallel(tale, links))
    who = tale.thing("person").name
    text = fill(tale.one(table("against")["crowd"]["quoted"]), {"who": who}).replace("{ask}", asked)
    tale.others.append((TaleLine(text=text, when=rng.random() * LATEST, free=True),))


def _claimed(tale: Tale, links: Sequence[TaleLink]) -> None:
    """What somebody says of another subject."""
    rng, last = tale.rng, links[-1]
    other = parallel(tale, [last])[0]
    value = _one_of(tale, last) if rng.random() < 0.6 else other.o
    say = last.relation.told(rng, other.s, value)
    tale.others.append((claimed(tale, tale.thing("person").name, say),))


def _elsewhere(tale: Tale, links: Sequence[TaleLink]) -> None:
    """What was done for another subject, and how it went."""
    rng = tale.rng
    other = parallel(tale, links[-1:])[0]
    do = worded(tale, other, [_one_of(tale, links[-1])], other.s)[0]
    question = other.relation.asked(rng, other.s)
    tale.others.append((tried(tale, other, question, do, good=rng.random() < 0.5),))


def _one_of(tale: Tale, last: TaleLink) -> Thing:
    """A value of those that may be chosen."""
    fit = [one for one in tale.rivals if one.kind == last.o.kind]
    return tale.rng.choice([last.o, *fit])


_BESIDE: Sequence[Callable[[Tale, Sequence[TaleLink]], None]] = (
    _same_subject,
    _same_subject,
    _same_value,
    _quoted,
    _claimed,
    _elsewhere,
)
