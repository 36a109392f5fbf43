"""Noun phrases: what a verb takes, with its times and side remarks set apart."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from mags.models.policy.rules.lexicon import (
    ADVERBS,
    ARTICLES,
    CONJUNCTIONS,
    EMPTY_OBJECTS,
    JOBS,
    KIN,
    NAME_LINKS,
    POSSESSIVES,
    PREPOSITIONS,
    TAILS,
    word_set,
)
from mags.models.policy.rules.names import name_end
from mags.models.policy.rules.scene import Scene
from mags.models.policy.rules.spans import EACH_DAY, Time
from mags.models.policy.rules.tokens import Token, join, starts_with, tokenise
from mags.models.policy.rules.when import times
from mags.ports.english import is_verb

_MOST_WORDS = 14
_DURATION = re.compile(
    r"\bfor (?:about |around |over |almost |nearly |more than |the past |the last )?"
    r"((?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|a few|several|many|a couple of)"
    r"(?: and a half)? (?:second|minute|hour|day|week|month|year|decade)s?(?: now)?"
    r"|ages|years|months|weeks)\b",
    re.IGNORECASE,
)
_OFTEN = re.compile(
    r"\b((?:every|each) (?:other )?"
    r"(?:day|morning|evening|night|week|weekend|month|year|summer|winter"
    r"|spring|monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
    r"|(?:once|twice|three times|\w+ times) (?:a|per) (?:day|week|month|year)"
    r"|on (?:weekends|weekdays"
    rf"|(?:{EACH_DAY}(?:, and |, | and |)(?=\b))+(?<=s)))\b",
    re.IGNORECASE,
)
_SIDE = {
    "with": "with",
    "at": "where",
    "in": "where",
    "as": "as",
    "for": "for",
    "near": "where",
    "from": "from",
    "alongside": "with",
    "during": "during",
}
_VAGUE = word_set(
    """it this that these those you your yours something anything everything nothing someone
    anyone everyone here there one ones what how why when where who which whatever how all
    same such him-self if whether myself yourself ourselves themselves himself herself
    itself each more enough yet already still ever again now today tomorrow hard fast away so
    much too back less most alone"""
)
_OBJECT_PRONOUNS = frozenset({"him", "her", "them", "me", "us"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Rest:
    """What follows a verb: words, the time it names and side remarks by role."""

    tokens: tuple[Token, ...]
    time: Time | None = None
    times: tuple[Time, ...] = ()
    sides: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Object:
    """A noun phrase as it should be known, without its article; `is_name` for a proper name."""

    text: str
    is_name: bool = False
    noun: str = ""
    article: str = ""

    @property
    def told(self) -> str:
        """The phrase with its article, as a sentence has it."""
        return f"{self.article} {self.text}" if self.article else self.text


def rest_of(tokens: Sequence[Token], at: float, *, future: bool, before: str = "") -> Rest:
    """Set apart times, durations, habits and closing words such as "too" or "these days"."""
    text = join(trim(tokens))
    sides: dict[str, str] = {}
    for role, pattern in (("for", _DURATION), ("often", _OFTEN)):
        match = pattern.search(text)
        if match:
            sides[role] = match[1]
            text = text[: match.start()] + " | " + text[match.end() :]
    found = times(text, at, future=future)
    for time in reversed(found):
        text = text[: time.start] + " | " + text[time.end :]
    text = re.sub(r" \|(?: \|)* +with ", " with ", re.sub(r"  +", " ", text))
    found = (*times(before, at, future=future), *found)
    words = tuple(t for t in tokenise(text))
    while words and words[-1].text == "|":
        words = words[:-1]
    return Rest(tokens=trim(words), time=found[0] if found else None, times=found, sides=sides)


def trim(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """Cut marks and words that add nothing from the end."""
    words = tuple(tokens)
    while words:
        if not words[-1].is_word and words[-1].text not in {")", '"', "%"}:
            words = words[:-1]
            continue
        if len(words) > 2 and words[-2].text == "," and _comment(words[-1].low):
            words = words[:-2]
            continue
        tail = next(
            (
                p
                for p in TAILS.get(words[-1].low, ())
                if len(p) < len(words) and starts_with(words, p, len(words) - len(p))
            ),
            None,
        )
        if tail is None:
            return words
        words = words[: -len(tail)]
    return words


def _comment(word: str) -> bool:
    """Say whether a word set apart at the end only judges: ", badly", ", unfortunately"."""
    return word in ADVERBS or (word.endswith("ly") and len(word) > 4 and word not in _LY_NOUNS)


_LY_NOUNS = word_set("family reply italy lily fly belly jelly july sicily emily molly sally kelly")


def parted(tokens: Sequence[Token]) -> tuple[tuple[Token, ...], dict[str, str]]:
    """Part the object from side remarks: "Acme as a nurse" gives Acme and {"as": "a nurse"}.

    Only a name is parted from what follows it, and any object from "with somebody".
    """
    words = tuple(tokens)
    bar = next((i for i, t in enumerate(words) if t.text in {"|", "("}), len(words))
    words = words[:bar]
    sides: dict[str, str] = {}
    cut = len(words)
    first = 1 if words and words[0].low in ARTICLES | {"the"} else 0
    first = next((i + 1 for i, t in enumerate(words) if i and t.low in _CALLED), first)
    named = name_end(words, first)
    for i in range(len(words) - 1, 0, -1):
        low = words[i].low
        if low not in _SIDE or i + 1 >= cut or i < named:
            continue
        personal = (low == "with" and _person(words[i + 1 : cut])) or (
            low == "from" and _relative(words[i + 1 : cut])
        )
        trade = low == "as" and (words[i + 1].low in {"a", "an"} or words[cut - 1].low in JOBS)
        if personal or trade or (named > first and i >= named):
            sides[_SIDE[low]] = join(words[i + 1 : cut])
            cut = i
    return words[:cut], sides


_CALLED = frozenset({"called", "named"})
_ASIDE = word_set(
    """where which who whose including such with not especially including particularly after
    before despite as so but both along alongside among some though although because since
    while when by notably rather instead also yet even"""
)


def cut_aside(words: Sequence[Token]) -> tuple[Token, ...]:
    """Cut what a comma sets apart: ", where they met", ", helping others", "Oslo, Norway"."""
    for i, token in enumerate(words):
        if token.text != "," or i == 0 or i + 1 >= len(words):
            continue
        after = words[i + 1].low
        named = words[i - 1].is_capital and words[i + 1].is_capital
        lone = named and not any(t.low == "and" for t in words[i + 1 :])
        if after in _ASIDE or lone or (after.endswith("ing") and not _list_after(words, i)):
            return tuple(words[:i])
    return tuple(words)


def _list_after(words: Sequence[Token], i: int) -> bool:
    return words[i - 1].low.endswith("ing")


def _person(words: Sequence[Token]) -> bool:
    return bool(words) and (
        words[0].is_capital
        or words[-1].low in KIN
        or words[-1].low in {"family", "friends", "kids"}
        or _relative(words)
    )


def _relative(words: Sequence[Token]) -> bool:
    return len(words) > 1 and words[0].low in POSSESSIVES and words[1].low in KIN


def object_of(tokens: Sequence[Token], scene: Scene, subject: str) -> Object | None:
    """Return a noun phrase with its pronouns resolved, or None where it names nothing certain."""
    title = _title(tokens)
    if title is not None:
        return title
    words = _bare(tokens)
    if not words or len(words) > _MOST_WORDS or not words[0].is_word:
        return None
    low = words[0].low
    if low in _VAGUE or words[-1].low in _EMPTY_ENDS:
        return None
    if low in _OBJECT_PRONOUNS and len(words) == 1:
        return _pronoun(low, scene)
    if low == "of":
        return object_of(words[1:], scene, subject)
    called = _called(tokens, words)
    if called is not None:
        return called
    told = _told(words, scene, subject)
    if told is None or _two_things(words):
        return None
    if low in POSSESSIVES and len(words) > 1:
        return _owned(told, scene, subject)
    thing = _plain(told)
    first = tokens[0].low
    stripped = len(words) < len(tokens) and first in {"a", "an", "the"}
    return replace(thing, article=first) if thing and stripped else thing


def _title(tokens: Sequence[Token]) -> Object | None:
    """Read a title in quotation marks as a name: "The Leopard"."""
    quoted = len(tokens) > 2 and tokens[0].text in _OPENING and tokens[-1].text in _CLOSING
    inner = tokens[1:-1]
    if not quoted or not inner[0].is_capital or any(t.text in _CLOSING for t in inner):
        return None
    return Object(text=join(inner), is_name=True, noun=inner[-1].low)


_OPENING, _CLOSING = ('"', "\u201c"), ('"', "\u201d")


def _called(tokens: Sequence[Token], words: Sequence[Token]) -> Object | None:
    """Read "a startup called Nuvem" as Nuvem."""
    at = next((i for i, t in enumerate(words) if t.low in {"called", "named"} and i > 0), 0)
    if not at or at + 1 >= len(words) or name_end(words, at + 1) != len(words):
        return None
    lead = join(tokens[: len(tokens) - len(words) + at + 1])
    if words[at - 1].low in _SOMEONE:
        lead = ""
    return Object(text=join(words[at + 1 :]), is_name=True, noun=words[at - 1].low, article=lead)


_SOMEONE = word_set("woman man girl boy guy lady person someone somebody")


def _bare(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """Take articles off the front, but not that of "a few"."""
    words = tuple(tokens)
    while (
        len(words) > 1
        and words[0].low in ARTICLES | {"the", "both"}
        and words[1].low not in {"few", "lot", "couple", "bit", "little"}
    ):
        words = words[1:]
    return words


def _owned(words: tuple[Token, ...], scene: Scene, subject: str) -> Object | None:
    """Read "my aunt": by name or as "Alice's aunt"; "my car" of Alice herself is a car."""
    low = words[0].low
    reflexive = low in {"his", "her", "their"} and subject != scene.speaker
    owner = subject if reflexive else scene.owner(low)
    if not owner:
        return None
    words = words[2:] if words[1].low == "own" and len(words) > 2 else words[1:]
    lone_name = words[0].is_capital and len(words) == 1
    relative = any(t.low in KIN for t in words[:2])
    if lone_name:
        return _plain(words)
    if owner == subject and not relative:
        thing = _plain(words)
        article = low if low in {"his", "her", "their"} else ""
        return replace(thing, article=article) if thing else None
    return Object(text=scene.of(owner, join(words)), noun=words[-1].low)


def _told(words: tuple[Token, ...], scene: Scene, subject: str) -> tuple[Token, ...] | None:
    """Tell "my" and "her" inside a phrase by name ("trends for Ana's store")."""
    found = list(words[:1])
    for token in words[1:]:
        owner: str | None = token.text
        if token.low in {"my", "our"}:
            owner = f"{scene.speaker}'s"
        elif token.low in {"his", "her", "their"}:
            owner = f"{subject}'s" if subject != scene.speaker else None
        if owner is None:
            return None
        found.append(replace(token, text=owner))
    return tuple(found)


def side_of(text: str, scene: Scene, subject: str) -> str:
    """Return a side remark with its pronouns told by name; "" where that cannot be."""
    words = tokenise(text)
    first = words[0].low if words else ""
    if first in {"my", "our", "his", "her", "their"}:
        thing = object_of(words, scene, subject)
        mine = first in {"my", "our"} or subject != scene.speaker
        owner = scene.speaker if first in {"my", "our"} else subject
        if thing is None or not mine:
            return ""
        return thing.text if thing.text.startswith(owner) else f"{owner}'s {thing.text}"
    if any(t.low in _UNCLEAR | {"her", "his", "your", "my", "our"} for t in words):
        return ""
    return text


def _plain(words: Sequence[Token]) -> Object | None:
    if any(t.low in _UNCLEAR - {"that"} for t in words) or (
        words[-1].low in ADJECTIVAL and not words[-1].is_capital
    ):
        return None
    if words[0].low in PREPOSITIONS | CONJUNCTIONS or words[0].low in ADVERBS - {"long", "last"}:
        return None
    if words[0].low == "last" and len(words) == 1:
        return None
    if any(t.text in {",", ";", ":"} for t in words):
        return None
    if words[-1].low in PREPOSITIONS | CONJUNCTIONS | ARTICLES | {"the"}:
        return None
    if len(words) == 1 and words[0].low in EMPTY_OBJECTS:
        return None
    text = join(words).strip(" \"'|").replace(" | ", " ")
    return Object(text=text, is_name=is_name(words), noun=words[-1].low) if text else None


ADJECTIVAL = word_set("safe new old good great nice big small own other few many several such next")


def _two_things(words: Sequence[Token]) -> bool:
    """Say whether a second noun phrase starts inside ("my mom a scarf")."""
    for i, (before, word) in enumerate(pairwise(words), start=1):
        free = before.low in PREPOSITIONS | CONJUNCTIONS or is_verb(before.low)
        per = i + 1 < len(words) and words[i + 1].low in _PER
        if word.text in {"a", "an", "the"} and before.is_word and not free and not per:
            return True
    return False


_PER = word_set(
    "second minute hour day night week month year kilo kilogram pound litre liter gallon piece "
    "person head lesson session ticket class"
)
"""What "a" stands before where it means "per": "900 pounds a month"."""


_UNCLEAR = word_set("""it this that these those you your i we he she they me us him them""")
_EMPTY_ENDS = frozenset({"so", "that", "much"})


def _pronoun(low: str, scene: Scene) -> Object | None:
    if low in {"me", "us"}:
        return Object(text=scene.speaker, is_name=True)
    found = scene.person(low) if low != "them" else None
    return Object(text=found, is_name=True) if found else None


def is_name(words: Sequence[Token]) -> bool:
    """Say whether words are a proper name: every one capitalised, links aside."""
    telling = [t for t in words if t.low not in NAME_LINKS]
    return bool(telling) and all(t.is_capital for t in telling)
