"""Who spoke true and who lied: told of one, of two, of all in one line; since when; in whose words.

Two sides of other matters (who passed, who paid, who was invited) are told in the same frames, so
that what is learned is how one line decides of many. That one is spoken for or against is also put
together of parts, in some thousand ways.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from mags_lab.training.reader.questions import TaleQuestion
from mags_lab.training.reader.telling import LATEST, Tale, TaleLine, TaleLink, chain, fill, spoken
from mags_lab.training.reader.world import agreed, table

_OTHER_MATTERS = 0.3
_CHANGED = 0.2
_REPEATED = 0.25
"""How often the same is said of one again."""
_ONE_OF_MANY = 0.4
"""How often a line tells of several at once."""
_PUT_TOGETHER = 0.4


@dataclass(frozen=True, slots=True, kw_only=True)
class Matter:
    """What the sides are of. `names`: those who may be chosen, the right one first; `on`: whether
    the right one is of those of whom it holds; `words`: phrases of the two sides; `claims`: what
    each says, empty where nothing is claimed; `link`: what they speak of.
    """

    names: Sequence[str]
    on: bool
    words: Mapping[str, Any]
    honesty: bool
    about: str = ""
    found: str = ""
    link: TaleLink | None = None
    claims: Mapping[str, str]


def sides(tale: Tale) -> TaleQuestion:
    """Which of some is on a side, or, where they speak of something, what then is so."""
    matter = matter_of(tale)
    right = _tell(tale, matter)
    around(tale, matter)
    return asked_about(tale, matter, right)


def asked_about(tale: Tale, matter: Matter, right: Sequence[str]) -> TaleQuestion:
    """The question of a matter, where those of `right` may be chosen."""
    rng = tale.rng
    if matter.link and matter.on and len(right) == 1 and rng.random() < 0.25:
        return _what_is_so(tale, matter)
    ask = tale.one(matter.words["ask" if matter.on else "ask_not"])
    names = list(matter.names)
    rng.shuffle(names)
    chosen = [z in right for z in matter.names]
    question = _phrase(tale, "frame").replace("{ask}", ask).replace("{names}", _listed(names, rng))
    if matter.about:
        about = _phrase(tale, "about").replace("{matter}", matter.about)
        question = about.replace("{ask}", question)
    if matter.claims and matter.on and rng.random() < 0.12:
        pattern = rng.choice(('{z}: "{say}"', "{z} says that {say}", "That {say}, as {z} says"))
        values = [fill(pattern, {"z": z, "say": matter.claims[z]}) for z in matter.names]
    else:
        pattern = _phrase(tale, "do" if matter.honesty and matter.on else "do_not")
        pattern = pattern if matter.honesty else rng.choice(("{z}", "say {z}", "name {z}"))
        values = [fill(pattern, {"z": z}) for z in matter.names]
    rights = frozenset(value for value, good in zip(values, chosen, strict=True) if good)
    return TaleQuestion(question=question, values=values, right=rights, hops=1)


def matter_of(tale: Tale) -> Matter:
    """Who may be chosen, and what it is about."""
    rng = tale.rng
    names = [_name(tale) for _ in range(rng.choice((2, 3, 3, 4, 4, 4, 5, 6)))]
    on = rng.random() < 0.8
    if rng.random() < _OTHER_MATTERS:
        scales = table("sides")["scales"]
        words = scales[tale.one(list(scales))]
        return Matter(names=names, on=on, words=words, honesty=False, claims={})
    words = table("sides")["truth"]
    which = rng.random()
    if which < 0.15:
        return Matter(names=names, on=on, words=words, honesty=True, claims={})
    if which < 0.65:
        return _searched(tale, names, on)
    link = chain(tale, 1)[0]
    ends = [replace(link, o=o) for o in tale.things((link.o.kind,), len(names), link.o)]
    names = names[: len(ends)]
    claims = {z: link.relation.told(rng, link.s, one.o) for z, one in zip(names, ends, strict=True)}
    about = link.relation.asked(rng, link.s)
    found = link.relation.told(rng, link.s, link.o) if on else ""
    return Matter(
        names=names,
        on=on,
        words=words,
        honesty=True,
        about=about,
        found=found,
        link=link,
        claims=claims,
    )


def _searched(tale: Tale, names: Sequence[str], on: bool) -> Matter:
    """They say where something is."""
    item = tale.thing("item").name
    spots = [o.name for o in tale.things(("spot", "place"), len(names))]
    names = names[: len(spots)]
    claims = {
        z: fill(_phrase(tale, "claim"), {"item": item, "spot": spot})
        for z, spot in zip(names, spots, strict=True)
    }
    about = fill(_phrase(tale, "lost"), {"item": item})
    found = fill(_phrase(tale, "found"), {"item": item, "spot": spots[0]}) if on else ""
    return Matter(
        names=names,
        on=on,
        words=table("sides")["truth"],
        honesty=True,
        about=about,
        found=found,
        claims=claims,
    )


def _name(tale: Tale) -> str:
    return tale.thing("person").name


def _what_is_so(tale: Tale, matter: Matter) -> TaleQuestion:
    """The question that they answer differently: who is to be believed decides."""
    rng, link = tale.rng, matter.link
    if link is None:
        raise AssertionError("nobody has spoken of anything")
    for z in matter.names:
        tale.needed.append(spoken(tale, z, matter.claims[z]))
    pattern = rng.choice(("say: {say}", "{say}", "{Say}"))
    values = [fill(pattern, {"say": matter.claims[z]}) for z in matter.names]
    return TaleQuestion(question=matter.about, values=values, right=frozenset(values[:1]), hops=2)


def _tell(tale: Tale, matter: Matter) -> Sequence[str]:
    """What decides: of the right one, of others, or of all in one line. Who then may be right."""
    rng = tale.rng
    right, others = matter.names[0], list(matter.names[1:])
    which = rng.random()
    if which < _ONE_OF_MANY:
        _tell_all(tale, matter, right, others)
        return [right]
    known, some = which < 0.72, which > 0.84
    if known:
        tell_one(tale, matter, right, matter.on, needed=True)
    told = rng.sample(others, rng.randint(0, len(others))) if known else others
    if some:
        told = rng.sample(others, rng.randint(1, max(1, len(others) - 1)))
    if some and rng.random() < 0.3:
        strangers = [_name(tale) for _ in range(rng.randint(1, 2))]
        tale.tell(_both(tale, matter, strangers, list(told)), needed=True)
    elif len(told) > 1 and rng.random() < 0.4:
        tell_alike(tale, matter, told, not matter.on, needed=not known)
    else:
        for z in told:
            tell_one(tale, matter, z, not matter.on, needed=not known)
    return [right] if known else [z for z in matter.names if z not in told]


def _tell_all(tale: Tale, matter: Matter, right: str, others: list[str]) -> None:
    """In one line with some of the others, or with strangers who were there."""
    rng = tale.rng
    if rng.random() < 0.5:
        others = rng.sample(others, rng.randint(1, len(others)))
    if rng.random() < 0.4:
        others = [_name(tale) for _ in range(rng.randint(1, 3))]
    tale.tell(_both(tale, matter, [right], others, found=rng.random() < 0.5), needed=True)


def _both(
    tale: Tale, matter: Matter, ones: list[str], others: list[str], *, found: bool = False
) -> str:
    """Those on the side of the right one, and those of the other, in one sentence."""
    rng = tale.rng
    yes, no = (ones, others) if matter.on else (others, ones)
    every = [*yes, *no]
    for some in (yes, no, every):
        rng.shuffle(some)
    whole = table("sides")["compound"]
    frames = "truth" if matter.honesty and rng.random() < 0.3 else "say"
    frame = tale.one(whole[frames])
    lists = {"yes": _listed(yes, rng), "no": _listed(no, rng), "all": _listed(every, rng)}
    lists["Y"] = agreed(tale.one(matter.words["yes"]), plural=len(yes) != 1)
    lists["N"] = agreed(tale.one(matter.words["no"]), plural=len(no) != 1)
    words = fill(agreed(frame, plural=len(no) != 1), lists)
    if not found:
        return words
    return _found(tale, matter, words)


def _found(tale: Tale, matter: Matter, words: str) -> str:
    """After what came out: of this matter now and then, of another one mostly."""
    rng = tale.rng
    came_out = matter.found
    if not came_out or rng.random() < 0.7:
        item, spot = tale.thing("item").name, tale.thing("spot").name
        came_out = fill(_phrase(tale, "found"), {"item": item, "spot": spot})
    frame = tale.one(table("sides")["compound"]["outcome"])
    return fill(frame, {"found": came_out, "say": words})


def tell_one(tale: Tale, matter: Matter, z: str, on: bool, *, needed: bool) -> None:
    """In a line of its own, as it has become now and then; or with a stranger of the same side."""
    rng = tale.rng
    if matter.honesty and rng.random() < _CHANGED:
        turn = 0.25 + 0.5 * rng.random()
        before = TaleLine(text=_verdict(tale, matter, z, not on), when=turn * rng.random())
        tale.others.insert(0, (before,))
        now = _phrase(tale, "now_yes" if on else "now_no") if rng.random() < 0.75 else ""
        text = fill(now, {"z": z}) if now else _verdict(tale, matter, z, on)
        after = TaleLine(text=text, when=turn + (LATEST - turn) * rng.random())
        tale.add(after, needed=needed)
        return
    if rng.random() < 0.15:
        tell_alike(tale, matter, [z, _name(tale)], on, needed=needed)
        return
    text = _verdict(tale, matter, z, on)
    if rng.random() < 0.12:
        text = _found(tale, matter, text)
    tale.tell(text, needed=needed)
    if rng.random() < _REPEATED:
        frame = tale.one(table("against")["crowd"]["again"]) if rng.random() < 0.7 else "{say}"
        tale.tell(fill(frame, {"say": _verdict(tale, matter, z, on)}), needed=needed)


def tell_alike(tale: Tale, matter: Matter, names: list[str], on: bool, *, needed: bool) -> None:
    """Of several that they are all on one side."""
    rng = tale.rng
    says = tale.one(matter.words["yes" if on else "no"])
    rng.shuffle(names)
    pairs = len(names) == 2 and rng.random() < 0.5
    frames = table("sides")["compound"]["pair" if pairs else "alike"]
    frame = tale.one(frames)
    values = {
        "list": _listed(names, rng),
        "P": agreed(says, plural=len(names) != 1),
        "P1": agreed(says, plural=False),
    }
    if pairs:
        values |= {"a": names[0], "b": names[1]}
    text = fill(frame, values)
    tale.tell(text, needed=needed)


def _verdict(tale: Tale, matter: Matter, z: str, on: bool) -> str:
    which = "yes" if on else "no"
    if matter.honesty and tale.rng.random() < _PUT_TOGETHER:
        return fill(trusted(tale, on=on), {"z": z})
    if matter.honesty and tale.rng.random() < 0.6:
        return fill(_phrase(tale, f"one_{which}"), {"z": z})
    return f"{z} {agreed(tale.one(matter.words[which]), plural=False)}"


def trusted(tale: Tale, *, on: bool) -> str:
    """For or against the word of {z}: what it is worth, what to do, what {z} is."""
    parts = table("against")["trust"]
    which = tale.rng.random()
    if which < 0.45:
        return f"{tale.one(parts['word'])} {tale.one(parts['good' if on else 'bad'])}"
    if which < 0.75:
        return fill(tale.one(parts["advise" if on else "warn"]), {"verb": tale.one(parts["verb"])})
    denied = tale.rng.random() < 0.35
    noun = tale.one(parts["good_noun" if on is not denied else "bad_noun"])
    return fill(tale.one(parts["is_not" if denied else "is"]), {"noun": noun})


def around(tale: Tale, matter: Matter) -> None:
    """What they claim, what they do all day, and who else is on which side."""
    rng = tale.rng
    if matter.claims and rng.random() < 0.5:
        for z in rng.sample(list(matter.names), rng.randint(1, len(matter.names))):
            tale.others.append((spoken(tale, z, matter.claims[z]),))
    if matter.honesty and rng.random() < 0.3:
        _other_claims(tale, matter)
    for z in matter.names:
        if rng.random() < 0.35:
            aside = tale.one(table("sides")["asides"]["say"])
            text = fill(aside, {"z": z})
            tale.tell(text)
    for _ in range(rng.randint(0, 3)):
        tell_one(tale, matter, _name(tale), rng.random() < 0.5, needed=False)
    for _ in range(rng.randint(0, 2)):
        strangers = [_name(tale) for _ in range(rng.randint(2, 4))]
        text = _both(tale, matter, strangers[:1], strangers[1:], found=rng.random() < 0.5)
        tale.tell(text)
    rng.shuffle(tale.others)


def _other_claims(tale: Tale, matter: Matter) -> None:
    """What the same ones say of other things, which tells nothing of who speaks true."""
    for _ in range(tale.rng.randint(1, 6)):
        item, spot = tale.thing("item").name, tale.thing("spot").name
        say = fill(_phrase(tale, "claim"), {"item": item, "spot": spot})
        tale.others.append((spoken(tale, tale.rng.choice(list(matter.names)), say),))


def _phrase(tale: Tale, which: str) -> str:
    return tale.one(table("sides")["truth"][which])


def _listed(names: Sequence[str], rng: Random) -> str:
    """Names as one says them."""
    if len(names) == 1:
        return names[0]
    last = rng.choice((" and ", " and ", " and ", ", ", " as well as "))
    return f"{', '.join(names[:-1])}{last}{names[-1]}"
