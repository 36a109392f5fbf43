"""Questions over a class of things: "Which of my friends live in Norway?", "Who is older, A or B?".

Both the class and what is asked of each have to be read to the last word; else it is no such
question, and is answered as any other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from mags.models.policy.rules import lexicon as lex
from mags.models.policy.rules.lexicon import TABLES, parts
from mags.models.policy.rules.tokens import Token, name_end, surface, tokenise
from mags.models.policy.rules.when import times
from mags.ports.english import is_verb, lemma, third_person, word_set
from mags.ports.policy import NO_LONGER, Link, Members, Turn
from mags.ports.relations import canonical, normalise, read, relations

_LEAD = r"^(?:(?:and|but|so|well|ok|okay|please|can you|could you|do you know|tell me|i wonder) )*"
_OF = r" (?:of|among|amongst|out of)(?: all)?(?: of)?(?: the)?"
_HEADS: tuple[tuple[re.Pattern[str], str, bool], ...] = tuple(
    (re.compile(f"{_LEAD}{pattern}$"), asks, led)
    for pattern, asks, led in (
        (rf"(?:who|which|what)(?: ones?| all| else)?{_OF}", "which", False),
        (r"(?:which|what)(?: of)?(?: the)?", "which", False),
        (rf"how many(?: people)?{_OF}", "count", False),
        (r"how many(?: of)?(?: the)?", "count", False),
        (rf"(?:do|does|is|are|has|have) (?:any|anyone|anybody|one|someone){_OF}", "any", False),
        (rf"(?:is|are) there (?:any|anyone|anybody|one|someone)(?:{_OF})?", "any", True),
        (r"(?:do|does)", "any", True),
        (r"(?:of|among|amongst|out of)(?: all)?", "which", True),
        (rf"(?:name|list|show me|give me|who are|who is)(?: all)?(?:{_OF}| the)?", "which", True),
    )
)
"""What stands before the class, what is asked, and whether a clause with "who" has to follow."""
_KNOWN = word_set("people person anyone anybody someone somebody")
_WHO = word_set("who that which")
_BE = word_set("is are 's 're")
_IDLE = word_set("now currently still also too already actually today all both either ever")
_NEGATIVE = word_set("not n't never no without only hardly nothing nobody")
_REFUSED = word_set("and or but who whom that which than not when while because if as do does did")
_NAMELESS = (
    lex.PRONOUNS | lex.DEMONSTRATIVES | word_set("there here abroad nearby me him her them us")
)
_SAME = re.compile(
    r"^(?P<verb>.*?) ?(?:the )?same (?P<noun>[a-z]+) as (?P<like>.+?)(?: do| does| is| am)?$"
)
_PAIR = re.compile(
    r"^(?:who|which|what)(?: (?:one|of (?:them|these|the two)))? (?P<asked>.+?)[,:] "
    r"(?P<one>[^,?]+?),? or (?P<other>[^,?]+?)\W*$",
    re.I,
)
_IRREGULAR = {"children": "child", "people": "person", "wives": "wife", "mice": "mouse",
              "families": "family", "knives": "knife"}  # fmt: skip


def _by_word(table: str) -> Mapping[str, str]:
    return {word: row for words, row in TABLES[table].items() for word in words.split()}


_KINDS, _ORDERS = _by_word("kinds"), _by_word("orders")
_FAMILIES = {name: frozenset(parts(row)) for name, row in TABLES["same"].items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class SetQuestion:
    """`order`: what the members are compared by, "" where they are not; `more`: the most of it."""

    members: Members
    asks: Literal["which", "count", "any"] | str = "which"
    order: str = ""
    more: bool = True


def set_question(question: Turn) -> SetQuestion | None:
    """Read a question over a class; None for any other, and for one that names a time."""
    text = question.text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").strip()
    pair = _PAIR.match(text)
    if pair is not None:
        names = tuple(_spoken(pair[one].strip(), question.speaker) for one in ("one", "other"))
        asked = [t for t in tokenise(pair["asked"]) if t.is_word]
        return _of_each(asked, Members(told=(), names=names), "which", question.speaker)
    tokens = [t for t in tokenise(text) if t.text not in ",?.!" and t.low not in _IDLE]
    if any(not t.is_word for t in tokens) or times(surface(tokens), question.at):
        return None
    for start in range(min(len(tokens), 12)):
        found = _class(tokens, start, question.speaker)
        if found is not None:
            members, end = found
            start += tokens[start].low in {"do", "does"}
            return _asked(tokens[:start], tokens[end:], members, question.speaker)
    same = _SAME.match(surface(tokens))
    if same is not None and tokens[0].low == "who":
        anybody = Members(told=(), anybody=True)
        return _of_each(tokens[1 + (tokens[1].low == "else") :], anybody, "which", question.speaker)
    return None


def _asked(
    lead: Sequence[Token], rest: Sequence[Token], members: Members, speaker: str
) -> SetQuestion | None:
    before = " ".join(t.low for t in lead)
    if not rest and before.endswith((" of", " among")):  # "who is the oldest of my brothers"
        return _ordered(members, lead[1:-1], speaker) if lead[0].low in _WHO else None
    clause = bool(rest) and rest[0].low in _WHO
    for head, asks, led in _HEADS:
        if head.match(before) and (clause or not led):
            rest = rest[clause:]
            if asks == "any" and lead[0].low in _BE and not clause:
                rest = [lead[0], *rest]
            return _of_each(rest, members, asks, speaker)
    return None


# -- the class ------------------------------------------------------------------


def _class(tokens: Sequence[Token], i: int, speaker: str) -> tuple[Members, int] | None:
    """The class that is named at a place, and where it ends."""
    low = [t.low for t in tokens]
    here = low[i]
    if here == "us":
        return Members(told=()), i + 1 + (low[i + 1 : i + 2] in (["two"], ["three"]))
    if here in {"do", "does"} or here in _KNOWN:
        return _had(tokens, i, speaker)
    if here in {"my", "our"}:
        return _plural(tokens, i + 1, speaker)
    end = name_end(tokens, i)
    if end > i and low[end : end + 1] == ["'s"]:
        return _plural(tokens, end + 1, surface(tokens[i:end]))
    if _singular(here) == here or i + 2 >= len(low):
        return None
    if low[i + 1] == "of" and low[i + 2] in {"mine", "ours"}:
        return _owned(speaker, here), i + 3
    if low[i + 1] in {"of", "do", "does"}:  # "brothers of Ana's", "friends do I have"
        owner, end = _person(tokens, i + 2, speaker)
        last = {"of": "'s"}.get(low[i + 1], "have")
        whole = low[end : end + 1] == [last]
        return (_owned(owner, here), end + whole) if owner and (whole or last == "'s") else None
    return None


def _had(tokens: Sequence[Token], i: int, speaker: str) -> tuple[Members, int] | None:
    """Those that somebody has or knows: "do I have any friends who", "people I know"."""
    low = [t.low for t in tokens]
    known = low[i] in _KNOWN
    at = i + 1 + (known and low[i + 1 : i + 2] in (["that"], ["who"], ["whom"]))
    owner, at = _person(tokens, at, speaker)
    verb, *after = low[at:] or [""]
    if owner and known:
        return (_owned(owner, "person"), at + 1) if verb in {"know", "knows"} else None
    if owner and verb == "know" and _KNOWN.intersection(after[:1]):
        return _owned(owner, "person"), at + 2
    skip = len(after) > 1 and after[0] in {"any", "a", "an"}
    if owner and verb == "have" and _WHO.intersection(after[skip + 1 : skip + 2]):
        return _owned(owner, after[skip]), at + skip + 2
    return None


def _plural(tokens: Sequence[Token], i: int, owner: str) -> tuple[Members, int] | None:
    """A noun in the plural, at most the third word, with its modifiers."""
    for end in range(i + 1, min(i + 3, len(tokens)) + 1):
        if _singular(tokens[end - 1].low) != tokens[end - 1].low:
            noun = " ".join(t.low for t in tokens[i:end])
            known = end == i + 1 or canonical(_singular(noun)) is not None
            return (_owned(owner, noun), end) if known or not _is_kin(noun) else None
    return None


def _is_kin(noun: str) -> bool:
    last = _singular(noun.split()[-1])
    return last in lex.KIN or last in _KINDS


def _owned(owner: str, noun: str) -> Members:
    return Members(told=(), owner=owner, links=_held(noun))


def _person(tokens: Sequence[Token], i: int, speaker: str) -> tuple[str, int]:
    """Whom a name or pronoun at a place means, and where it ends; "" where it is none."""
    if i < len(tokens) and tokens[i].low in {"i", "we", "me", "us"}:
        return speaker, i + 1
    end = name_end(tokens, i)
    return surface(tokens[i:end]), end


def _spoken(name: str, speaker: str) -> str:
    """Whom a name means to who speaks: "I", "my sister"."""
    if name.casefold() in {"i", "me"}:
        return speaker
    return f"{speaker}'s {name[3:]}" if name.casefold().startswith("my ") else name


def _singular(noun: str) -> str:
    """A noun in the singular; as it is where it is no plural."""
    head, _, last = noun.rpartition(" ")
    if last in _IRREGULAR:
        last = _IRREGULAR[last]
    elif last.endswith("ies") and len(last) > 4:
        last = f"{last[:-3]}y"
    elif last.endswith(("ches", "shes", "xes", "sses")):
        last = last[:-2]
    elif last.endswith("s") and not last.endswith(("ss", "us", "is", "'s")):
        last = last[:-1]
    return f"{head} {last}".strip()


def _held(noun: str) -> tuple[Link, ...]:
    """How somebody is tied to what is called so: "brothers", "children", "cars"."""
    one = _singular(noun)
    known = canonical(one) or normalise(one)
    rows = parts(_KINDS.get(one, known.name))
    things = dict.fromkeys((one, noun, *rows))  # "has two sons"
    return (_link(rows), Link(relations=_family("has"), objects=tuple(things)))


def _family(name: str) -> frozenset[str]:
    """The relation and those that say the same."""
    return frozenset({name}).union(*(row for row in _FAMILIES.values() if name in row))


def _link(names: Sequence[str] | set[str] | frozenset[str], *objects: str) -> Link:
    """A link by relations of these names, and by the same read from the other end."""
    known = relations()
    every = frozenset().union(*map(_family, names))
    back = {known[name].inverse for name in every if name in known} - {""}
    back |= {name for name, each in known.items() if each.inverse in every}
    return Link(relations=every, inverse=frozenset(back), objects=objects)


# -- what is asked of each -------------------------------------------------------


def _of_each(
    rest: Sequence[Token], members: Members, asks: str, speaker: str
) -> SetQuestion | None:
    if asks == "which" and any(t.low in _ORDERS for t in rest):
        return _ordered(members, rest, speaker)
    same = _SAME.match(surface(rest))
    if same is None:
        told = _condition(rest, speaker)
    else:
        members = replace(members, like=_spoken(same["like"], speaker))
        told = tuple(replace(link, objects=()) for link in _shared(same["verb"], same["noun"]))
    return SetQuestion(members=replace(members, told=told), asks=asks) if told else None


def _shared(verb: str, noun: str) -> tuple[Link, ...]:
    """What two have in common who "live in the same town", "have the same job"."""
    if verb in {"has", "have"}:
        known = canonical(noun)
        return () if known is None else (_link({known.name}),)
    return _told([*verb.split(), noun])


def _condition(rest: Sequence[Token], speaker: str) -> tuple[Link, ...]:
    """By what facts a verb and its object are told; () where they are not surely read."""
    low = [t.low for t in rest]
    inverted = low[:1] in (["do"], ["does"])
    if inverted and low[1:2] in (["not"], ["n't"]):
        return (
            () if low[2:3] == ["have"] else tuple(map(_denied, _told([t.text for t in rest[2:]])))
        )
    if not low or _NEGATIVE.intersection(low):
        return ()
    if inverted:  # "which of my friends does Ana like"
        subject, end = _person(rest, 1, speaker)
        links = _verb([*low[end:], "somebody"]) if subject else ()
        return tuple(_turned(link, subject) for link in links)
    return _told([t.text for t in rest])


def _turned(link: Link, subject: str) -> Link:
    """A link from the other end, where somebody is."""
    return Link(relations=link.inverse, inverse=link.relations, objects=(subject,))


def _denied(link: Link) -> Link:
    """What is told not to be so: "does not eat meat"."""
    names: set[str] = set()
    for name in link.relations:
        verb, _, particle = name.partition(" ")
        base = f"{lemma(verb)} {particle}".strip()
        opposite = read(f"does not {base}")
        names |= {f"{NO_LONGER}{name}", f"does not {base}", f"can not {base}"}
        names |= {opposite.relation.name} if opposite else set()
    return Link(relations=frozenset(names), objects=link.objects)


def _told(said: Sequence[str]) -> tuple[Link, ...]:
    """The links of a verb and what follows: "lives in Oslo", "is a nurse", "has a dog"."""
    verb, *after = said if said else [""]
    low = [word.lower() for word in after]
    if not after:
        return ()
    if verb in _BE:
        return _state(after)
    if verb in {"has", "have"} and not (len(low) > 1 and is_verb(low[0]) and low[0] not in lex.KIN):
        known = _objects(after)
        return _held(known[0]) if known else ()
    return _verb(said)


def _state(said: Sequence[str]) -> tuple[Link, ...]:
    """What somebody is: "from Norway", "a nurse", "married", to whomever that is."""
    known = _verb(["is", *said])
    if known and not known[0].relations & _FAMILIES["trade"]:
        return known
    thing = _objects(said)
    whom = read(f"is {said[0].lower()} to") if len(said) == 1 else None
    tied = (_link({whom.relation.name}),) if whom is not None else ()
    return (_link(_FAMILIES["trade"], *thing), *tied) if thing else ()


def _verb(said: Sequence[str]) -> tuple[Link, ...]:
    low = [word.lower() for word in said]
    for end in range(min(4, len(low) - 1), 0, -1):
        reading, thing = read(" ".join(low[:end])), _objects(said[end:])
        if reading is None or reading.past or reading.change or not thing:
            continue
        if not reading.relation.noun or low[0] in _BE:
            return (_link({reading.relation.name}, *thing),)
    verb = lemma(low[0])
    if not is_verb(verb) or verb in {"be", "have"} or low[0] not in {verb, third_person(verb)}:
        return ()
    end = 1 + (len(low) > 2 and low[1] in lex.PREPOSITIONS)
    thing = _objects(said[end:])
    name = normalise(" ".join([third_person(verb), *low[1:end]])).name
    return (_link({name}, *thing),) if thing else ()


def _objects(said: Sequence[str]) -> tuple[str, ...]:
    """A thing as it is named, and what is one of it: "an instrument"."""
    words = [word for word in said if word.lower() not in lex.ARTICLES]
    low = {word.lower() for word in words}
    if not words or low & (_REFUSED | lex.POSSESSIVES | lex.PREPOSITIONS | _NAMELESS):
        return ()
    thing = " ".join(words)
    return (thing, *sorted(lex.THINGS.get(_singular(thing), ())))


# -- what they are ordered by ------------------------------------------------------


def _ordered(members: Members, rest: Sequence[Token], speaker: str) -> SetQuestion | None:
    """Which of several is the most of something: every member has to be told of."""
    low = [t.low for t in rest if t.low not in {"the", "one"}]
    at = next((i for i, word in enumerate(low) if word in _ORDERS), None)
    if at is None:
        return None
    order, _, sign = _ORDERS[low[at]].rpartition(" ")
    before, after = low[:at], low[at + 1 :]
    link: Link | None = None
    if before in (["was", "born"], ["is", "born"]) and order == "when" and not after:
        link, order = _link({"age"}), "age"
        sign = {"+": "-", "-": "+"}[sign]
    elif order == "when" and before[:1] == ["did"] and not after:
        subject, end = _person(rest, 1, speaker)
        reading = read(" ".join(before[end:])) if subject and end < at else None
        link = _turned(_link({reading.relation.name}), subject) if reading else None
    elif order == "how much":
        left = [word for word in (*before, *after) if lemma(word) != "pay"]
        link = _link({normalise(left[0]).name}) if len(left) == 1 else None
    elif order != "when" and before in (["is"], ["are"], ["'s"]) and not after:
        link = _link({order})
    if link is None:
        return None
    asked = replace(members, told=(link,), every=True)
    return SetQuestion(members=asked, order=order, more=sign == "+")
