"""What is asked of a tale, and what may be done: one function for each kind of question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random

from mags_lab.training.reader.book import invented, leading, phrases
from mags_lab.training.reader.telling import (
    LATEST,
    TELLINGS,
    Tale,
    TaleLine,
    TaleLink,
    chain,
    fill,
    mislead,
    parallel,
    plain,
    spoken,
)
from mags_lab.training.reader.world import Thing, filled, part, table

WHO = {"person": "who", "town": "which town", "house": "which house", "guild": "which guild"}
_MINE = 0.1
"""How often somebody asks of himself, where a relation has words for it."""
WORD = {"item": "thing", "person": "person", "food": "food", "folk": "kind of being"}


@dataclass(frozen=True, slots=True, kw_only=True)
class TaleQuestion:
    """A question, the values that may be chosen, how an action words them, and which are right."""

    question: str
    values: Sequence[str]
    right: frozenset[str]
    hops: int


def what(tale: Tale, hops: int, telling: str = "plain", *, members: bool = False) -> TaleQuestion:
    """What the last object of a chain is."""
    links = chain(tale, hops, members=members)
    tell(tale, links, telling)
    surround(tale, links)
    return chosen(tale, links, asked_of(tale, links, members=members), links[-1].o)


def tell(tale: Tale, links: Sequence[TaleLink], telling: str) -> None:
    """A chain as it is, one of its facts in the way of `telling`."""
    odd = tale.rng.randrange(len(links))
    for place, link in enumerate(links):
        TELLINGS[telling if place == odd else "plain"](tale, link, links[place + 1 :])


def asked_of(tale: Tale, links: Sequence[TaleLink], *, members: bool = False) -> str:
    """The question for the end of a chain. `members`: asked of its start."""
    rng, last = tale.rng, links[-1].relation
    if len(links) == 1 and last.mine and rng.random() < _MINE:
        return f"{links[0].s.name}: {rng.choice(last.mine)}"
    if members:
        if rng.random() < 0.6:
            return last.asked(rng, links[0].s)
        word = WORD.get(last.object, last.object)
        whom, _ = links[0].s.subject(rng)
        forms = (f"Which {word} goes with {whom}?", f"For {whom}, which {word} is right?")
        return rng.choice((*forms, f"What {word} should you choose for {whom}?"))
    about: Thing | str = links[0].s
    for link in links[:-1]:
        about = link.relation.through(rng, about)
    return last.asked(rng, about)


def surround(tale: Tale, links: Sequence[TaleLink]) -> None:
    """The same told of others, and other things told of the same."""
    rng = tale.rng
    for _ in range(rng.randint(1, 4)):
        on = parallel(tale, links)
        tale.rivals.append(on[-1].o)
        tale.others.extend((plain(tale, one),) for one in on)
    for link in links:
        if rng.random() < 0.6:
            _other_relation(tale, link.s, links[-1])


def _other_relation(tale: Tale, s: Thing, last: TaleLink) -> None:
    rng = tale.rng
    fit = [r for r in leading(tale.side, s.kind) if r.name != last.relation.name and not r.member]
    same = [r for r in fit if r.object == last.o.kind]
    if s.kind != "folk" and rng.random() < 0.5:
        same = [invented(rng, tale.side, s.kind, last.o.kind)]
    if last.o.kind in {"fair", "house", "folk", "word", "guild"} and not fit:
        return
    relation = rng.choice(same or fit) if same or fit else None
    if relation is None or relation.name == last.relation.name == "noun":
        return
    o = tale.thing(relation.object)
    if relation.object == last.o.kind:
        tale.rivals.append(o)
    tale.others.append((plain(tale, TaleLink(relation=relation, s=s, o=o)),))


def chosen(tale: Tale, links: Sequence[TaleLink], question: str, right: Thing) -> TaleQuestion:
    """The right value, which comes first, among rivals."""
    link = links[-1]
    count = tale.rng.choice((2, 3, 3, 4, 4, 5, 6, 8))
    values = _distinct([right, *tale.rivals], count)
    more = [tale.thing(right.kind) for _ in range(3 * (count - len(values)))]
    values = _distinct([*values, *more], count)
    words = worded(tale, link, values, links[0].s)
    return TaleQuestion(
        question=question, values=words, right=frozenset({words[0]}), hops=len(links)
    )


def _distinct(things: Sequence[Thing], most: int) -> list[Thing]:
    known: list[Thing] = []
    for one in things:
        if not any(one.called & other.called for other in known):
            known.append(one)
    return known[:most]


def worded(tale: Tale, link: TaleLink, values: Sequence[Thing], s: Thing) -> list[str]:
    """The actions of values."""
    pattern = tale.rng.choice(link.relation.do)
    seed = tale.rng.random()
    # The same draw for each, so that nothing but the value tells the actions apart.
    made = [filled(pattern, Random(seed), s, one) for one in values]
    return [words[0].upper() + words[1:] for words in made]


def inverse(tale: Tale) -> TaleQuestion:
    """Of whom something is told."""
    for _ in range(60):
        links = chain(tale, 1)
        link = links[0]
        starts = [p for p in link.relation.say if p.startswith("{s} ")]
        if link.s.kind in WHO and starts:
            break
    TELLINGS["plain"](tale, link, ())
    rivals = []
    for _ in range(tale.rng.randint(1, 4)):
        on = parallel(tale, links)[0]
        rivals.append(on.s)
        tale.others.append((plain(tale, on),))
    question = filled(tale.rng.choice(starts), tale.rng, WHO[link.s.kind], link.o)
    values = _distinct([link.s, *rivals], 6)
    if len(values) < 2:
        values.append(tale.thing(link.s.kind))
    words = [one.name[0].upper() + one.name[1:] for one in values]
    asked = question[0].upper() + question[1:] + "?"
    return TaleQuestion(question=asked, values=words, right=frozenset({words[0]}), hops=1)


def conditioned(tale: Tale) -> TaleQuestion:
    """One thing as a rule, another under a condition that holds, or does not."""
    rng = tale.rng
    links = chain(tale, rng.choice((1, 1, 1, 2)))
    for link in links[:-1]:
        tale.needed.append(plain(tale, link))
    last = links[-1]
    other = replace(last, o=tale.thing(last.o.kind))
    holds = rng.random() < 0.5
    usual, special = (other, last) if holds else (last, other)
    cases = part(table("manners")["condition"]["when"], held=tale.side.phrases)
    (when, state), (_, elsewhere) = (c.split("/") for c in rng.sample(cases, 2))
    first = fill(
        tale.phrase("condition", "plain"),
        {"say": last.relation.told(rng, usual.s, usual.o), "when": when},
    )
    second = fill(
        tale.phrase("condition"),
        {"say": last.relation.told(rng, special.s, special.o), "when": when},
    )
    base = TaleLine(text=first, when=rng.random() * 0.5)
    odd = TaleLine(text=second, when=0.5 + 0.49 * rng.random())
    tale.needed.append(odd if holds else base)
    mislead(tale, other, (), base if holds else odd)
    surround(tale, links)
    question = asked_of(tale, links)
    if holds or rng.random() < 0.5:
        now = state if holds else elsewhere
        low = now[0].lower() + now[1:]
        frame = tale.phrase("condition", "ask")
        question = frame.replace("{ask}", question).replace("{State}", now)
        question = question.replace("{state}", low)
    return chosen(tale, links, question, last.o)


def excepted(tale: Tale) -> TaleQuestion:
    """A rule of a kind, and one of the kind for whom it is otherwise."""
    rng = tale.rng
    known = [r for r in leading(replace(tale.side, relations=False), "person")]
    kind_of = next(r for r in known if r.name == "kind")
    folk = tale.thing("folk")
    rule = rng.choice([r for r in leading(tale.side, "folk") if not r.member])
    odd, other = tale.thing("person"), tale.thing("person")
    usual = TaleLink(relation=rule, s=folk, o=tale.thing(rule.object))
    special = TaleLink(relation=rule, s=odd, o=tale.thing(rule.object))
    of_rule = fill(
        tale.phrase("exception", "rule"),
        {"say": rule.told(rng, folk, usual.o), "who": odd.name},
    )
    of_odd = fill(
        tale.phrase("exception"), {"say": rule.told(rng, odd, special.o), "who": odd.name}
    )
    base = TaleLine(text=of_rule, when=rng.random() * LATEST, free=True)
    but = TaleLine(text=of_odd, when=rng.random() * LATEST, free=True)
    asks_odd = rng.random() < 0.5
    who, right = (odd, special) if asks_odd else (other, usual)
    member = plain(tale, TaleLink(relation=kind_of, s=who, o=folk))
    if asks_odd:
        tale.needed.append(but)
        mislead(tale, usual, (), base, member)
    else:
        tale.needed.extend((base, member))
        mislead(tale, special, (), but)
    asked = TaleLink(relation=rule, s=who, o=right.o)
    surround(tale, [asked])
    return chosen(tale, [asked], rule.asked(rng, who), right.o)


def eliminated(tale: Tale) -> TaleQuestion:
    """What is left when the others are denied, or were tried in vain; or what was tried well."""
    rng = tale.rng
    links = chain(tale, 1)
    link, count = links[0], rng.choice((2, 3, 3, 4, 5))
    values = _distinct([tale.thing(link.o.kind) for _ in range(3 * count)], count)
    words = worded(tale, link, values, link.s)
    question = link.relation.asked(rng, link.s)
    trials, succeeded = rng.random() < 0.6, rng.random() < 0.4
    out = len(values) - (1 if rng.random() < 0.6 else rng.randint(1, len(values)))
    refused = rng.sample(range(len(values)), max(1, min(out, len(values) - 1)))
    left = [place for place in range(len(values)) if place not in refused]
    for place in refused:
        if trials:
            tale.needed.append(tried(tale, link, question, words[place], good=False))
        else:
            text = fill("{Say}", {"say": link.relation.denied(rng, link.s, values[place])})
            tale.needed.append(TaleLine(text=text, when=rng.random() * LATEST, free=True))
    if succeeded and trials:
        left = left[:1]
        tale.others.extend((said,) for said in tale.needed)
        tale.needed[:] = [tried(tale, link, question, words[left[0]], good=True)]
    for _ in range(rng.randint(0, 3)):
        on = parallel(tale, links)[0]
        on = replace(on, o=rng.choice(values))
        tale.others.append((_elsewhere(tale, on, words[values.index(on.o)], trials=trials),))
    right = frozenset(words[place] for place in left)
    return TaleQuestion(question=question, values=words, right=right, hops=1)


def tried(tale: Tale, link: TaleLink, question: str, do: str, *, good: bool) -> TaleLine:
    """A line of how an action went."""
    rng = tale.rng
    result = rng.choice(phrases("trial", "good" if good else "bad", tale.side))
    about, _ = link.s.subject(rng)
    values = {"s": about, "do": do, "ask": question, "result": result}
    return TaleLine(text=fill(tale.phrase("trial"), values), when=rng.random() * LATEST, free=True)


def _elsewhere(tale: Tale, link: TaleLink, do: str, *, trials: bool) -> TaleLine:
    """The same values, tried with or told of another."""
    if trials:
        question = link.relation.asked(tale.rng, link.s)
        return tried(tale, link, question, do, good=tale.rng.random() < 0.5)
    if tale.rng.random() < 0.5:
        return plain(tale, link)
    return TaleLine(
        text=fill("{Say}", {"say": link.relation.denied(tale.rng, link.s, link.o)}), when=0.5
    )


def whether(tale: Tale) -> TaleQuestion:
    """Whether something is so: told, denied, told otherwise, over, or said by a liar."""
    rng = tale.rng
    links = chain(tale, rng.choice((1, 1, 1, 1, 2)))
    while tale.side.wider and links[-1].o.kind == "act":
        # That one act is allowed says nothing of another.
        links = chain(tale, len(links))
    for link in links[:-1]:
        tale.needed.append(plain(tale, link))
    last, yes = links[-1], rng.random() < 0.5
    claim = last
    if len(links) > 1:
        about = links[0].relation.through(rng, links[0].s)
        asked = filled(rng.choice(last.relation.say), rng, about, last.o)
    else:
        asked = last.relation.told(rng, last.s, last.o)
    rng.choice(_YES if yes else _NO)(tale, claim)
    surround(tale, links)
    for link in parallel(tale, [last]):
        tale.others.append((plain(tale, replace(link, o=last.o)),))
    question = fill(tale.phrase("whether", "ask"), {"say": asked})
    pair = tale.phrase("whether", "pairs").split("/")
    return TaleQuestion(
        question=question, values=pair, right=frozenset({pair[0 if yes else 1]}), hops=len(links)
    )


def _told(tale: Tale, link: TaleLink) -> None:
    tale.needed.append(plain(tale, link))


def _renewed(tale: Tale, link: TaleLink) -> None:
    TELLINGS["changed"](tale, link, ())


def _denied_by_liar(tale: Tale, link: TaleLink) -> None:
    _by_liar(tale, link.relation.denied(tale.rng, link.s, link.o))


def _told_by_liar(tale: Tale, link: TaleLink) -> None:
    _by_liar(tale, link.relation.told(tale.rng, link.s, link.o))


def _by_liar(tale: Tale, say: str) -> None:
    z = tale.thing("person").name
    lies = tale.line(tale.phrase("liar", "lies"), "", z=z)
    tale.needed.append(TaleLine(text=lies, when=tale.rng.random() * LATEST, free=True))
    tale.needed.append(spoken(tale, z, say))


def _denied(tale: Tale, link: TaleLink) -> None:
    say = link.relation.denied(tale.rng, link.s, link.o)
    text = fill("{Say}", {"say": say})
    tale.needed.append(TaleLine(text=text, when=tale.rng.random() * LATEST, free=True))


def _otherwise(tale: Tale, link: TaleLink) -> None:
    other = replace(link, o=tale.thing(link.o.kind))
    if tale.rng.random() < 0.5:
        tale.needed.append(plain(tale, other))
    else:
        old = plain(tale, link)
        tale.others.insert(0, (replace(old, when=0.4 * old.when, free=False),))
        say = link.relation.told(tale.rng, other.s, other.o)
        words = fill(tale.phrase("change"), {"say": say, "old": link.o.name})
        tale.needed.append(TaleLine(text=words, when=0.5 + 0.49 * tale.rng.random()))


def _over(tale: Tale, link: TaleLink) -> None:
    rng = tale.rng
    old = plain(tale, link)
    tale.others.insert(0, (replace(old, when=0.4 * old.when, free=False),))
    say = link.relation.told(rng, link.s, link.o)
    no = link.relation.denied(rng, link.s, link.o)
    words = fill(tale.phrase("ended"), {"say": say, "no": no})
    tale.needed.append(TaleLine(text=words, when=0.5 + 0.49 * rng.random()))


_YES: Sequence[Callable[[Tale, TaleLink], None]] = (_told, _told, _told, _renewed, _denied_by_liar)
_NO: Sequence[Callable[[Tale, TaleLink], None]] = (_denied, _otherwise, _over, _told_by_liar)
