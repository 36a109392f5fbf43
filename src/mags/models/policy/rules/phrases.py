"""Noun phrases, and whom the words of a turn mean: its speaker, or who is named."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from mags.models.policy.rules import lexicon as lex
from mags.models.policy.rules.clauses import NAME, OF, OWNED, PRONOUN, Subject
from mags.models.policy.rules.lexicon import word_set
from mags.models.policy.rules.names import name_end
from mags.models.policy.rules.tokens import Token, join, starts_with, tokenise
from mags.models.policy.rules.when import EACH_DAY, Time, times

_MANY = word_set("parents grandparents kids children family in-laws")


def owner_of(word: str, speaker: str) -> str | None:
    """Return who "my", "Bob" or "my|sister" (of "my sister's") is, None where it is unclear."""
    head, _, inner = word.partition("|")
    low = head.lower()
    if low in {"my", "our", "mine"}:
        head = speaker
    elif low in lex.POSSESSIVES:
        return None
    return f"{head}'s {inner}" if inner else head


def subjects_of(subject: Subject, speaker: str) -> tuple[str, ...] | None:
    """Return the names a subject stands for, or None where that is not certain."""
    if subject.kind == PRONOUN:
        return (speaker,) if subject.word in {"i", "we"} else None
    if subject.kind == NAME:
        return tuple(speaker if n == "I" else n for n in subject.names)
    if subject.kind == OWNED and not subject.names:
        owner = owner_of(subject.owner, speaker)
        return (f"{owner}'s {subject.noun}",) if owner else None
    if subject.kind == OWNED:
        return subject.names
    return (f"{subject.names[0]}'s {subject.noun}" if subject.kind == OF else subject.noun,)


def living(word: str) -> bool:
    """Say whether a noun is one of people or pets, or of several ("parents", "dogs")."""
    return word in lex.KIN | lex.PETS | _MANY or (
        word.endswith("s") and word[:-1] in lex.KIN | lex.PETS
    )


# -- noun phrases ------------------------------------------------------------------------

_MOST_WORDS = 12
_HABITS = re.compile(
    r"\bfor (?:about |around |over |almost |nearly |more than |the past |the last )?"
    r"(?:(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|a few|several|many"
    r"|a couple of)(?: and a half)? (?:second|minute|hour|day|week|month|year|decade)s?"
    r"(?: now)?|ages|years|months|weeks)\b"
    r"|\b(?:(?:every|each) (?:other )?(?:day|morning|evening|night|week|weekend|month|year|summer"
    r"|winter|spring|monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
    r"|(?:once|twice|three times|\w+ times) (?:a|per) (?:day|week|month|year)"
    rf"|on (?:weekends|weekdays|(?:{EACH_DAY}(?:, and |, | and |)(?=\b))+(?<=s)))\b",
    re.IGNORECASE,
)
"""How long and how often: no part of what is done."""
_BESIDE = word_set("with at in near as for from alongside during")
_UNCLEAR = word_set("it this these those you your i we he she they me us him them")
_VAGUE = _UNCLEAR | word_set(
    """that something anything everything nothing someone anyone everyone somebody nobody here there
    one ones what how why when where who which whatever all same such whether if myself yourself
    ourselves themselves himself herself itself each more enough yet already still ever again now
    today tomorrow so much too back less most alone both lots plenty"""
)
_ASIDE = word_set(
    """where which who whose including such with not especially after before despite as so but both
    along some though although because since while when by rather instead also yet even then"""
)
_ADJECTIVAL = word_set("safe new old good great nice big small own other few many several next")


@dataclass(frozen=True, slots=True, kw_only=True)
class Object:
    """A noun phrase as it should be known, without its article; `is_name` for a proper name."""

    text: str
    is_name: bool = False
    article: str = ""

    @property
    def told(self) -> str:
        """The phrase with its article, as a sentence has it."""
        return f"{self.article} {self.text}" if self.article else self.text


def rest_of(
    tokens: Sequence[Token], at: float, *, future: bool, before: str
) -> tuple[tuple[Token, ...], tuple[Time, ...], str]:
    """Set apart times, habits and closing words such as "too" or "these days"."""
    said = join(trim(tokens))
    text = _HABITS.sub(" | ", said)
    found = times(text, at, future=future)
    for time in reversed(found):
        text = f"{text[: time.start]} | {text[time.end :]}"
    text = re.sub(r" \|(?: \|)* +with ", " with ", re.sub(r"  +", " ", text))
    words = tuple(tokenise(text))
    while words and words[-1].text == "|":
        words = words[:-1]
    habit = " ".join(match[0] for match in _HABITS.finditer(said))
    return trim(words), (*times(before, at, future=future), *found), habit


def trim(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """Cut marks and words that add nothing from the end."""
    words = tuple(tokens)
    while words:
        last = words[-1]
        tails = (p for p in lex.TAILS.get(last.low, ()) if len(p) < len(words))
        tail = next((len(p) for p in tails if starts_with(words, p, len(words) - len(p))), 0)
        if not last.is_word and last.text not in {")", '"', "%"}:
            tail = 1
        elif len(words) > 2 and words[-2].text == "," and last.low.endswith("ly"):
            tail = 2
        if not tail:
            break
        words = words[:-tail]
    return words


def parted(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """Part the object from what is said beside it: "Acme as a nurse" gives Acme.

    Only a name is parted from what follows it, and any object from "with somebody".
    """
    bar = next((i for i, t in enumerate(tokens) if t.text in {"|", "("}), len(tokens))
    words = tuple(tokens[:bar])
    first = 1 if words and words[0].low in lex.ARTICLES else 0
    first = next((i + 1 for i, t in enumerate(words) if i and t.low in CALLED), first)
    named = name_end(words, first)
    for i in range(len(words) - 2, 0, -1):
        low, inner = words[i].low, words[i + 1 :]
        if low not in _BESIDE or not inner or i < named:
            continue
        kin = inner[-1].low in lex.KIN | {"family", "friends", "kids"}
        own = inner[0].low in lex.POSSESSIVES
        who = (low == "with" and (inner[0].is_capital or kin or own)) or (low == "from" and own)
        trade = low == "as" and (inner[0].low in {"a", "an"} or inner[-1].low in lex.JOBS)
        if who or trade or named > first:
            words = words[:i]
    return words


CALLED = frozenset({"called", "named"})


def cut_aside(words: Sequence[Token]) -> tuple[Token, ...]:
    """Cut what a comma sets apart: ", where they met", ", helping others", "Oslo, Norway"."""
    for i, token in enumerate(words[:-1]):
        after = words[i + 1]
        if token.text != "," or i == 0:
            continue
        named = words[i - 1].is_capital and after.is_capital
        lone = named and not any(t.low == "and" for t in words[i + 1 :])
        doing = after.low.endswith("ing") and not words[i - 1].low.endswith("ing")
        if after.low in _ASIDE or lone or doing:
            return tuple(words[:i])
    return tuple(words)


def objects(words: tuple[Token, ...], speaker: str, name: str) -> list[Object]:
    """Return the noun phrases of "tea and coffee"; one where "and" is inside a name or phrase."""
    words = cut_aside(words)
    whole = object_of(words, speaker, name)
    marks = [i for i, t in enumerate(words) if t.low in {"and", ",", "&"}]
    if marks and all(words[i].text == "," for i in marks):
        return []
    parts = [words[i + 1 : j] for i, j in pairwise([-1, *marks, len(words)]) if j > i + 1]
    few = [object_of(part, speaker, name) for part in parts if len(part) <= _LISTED]
    sure = [thing for thing in few if thing]
    return sure if marks and len(sure) == len(parts) else [whole] if whole else []


_LISTED = 3
"""Words of one thing of a list."""


def object_of(tokens: Sequence[Token], speaker: str, subject: str) -> Object | None:
    """Return a noun phrase with its pronouns resolved, or None where it names nothing certain."""
    tokens = tokens[2:] if starts_with(tokens, ("a", "little")) else tokens
    words = tuple(tokens)
    few = {"few", "lot", "couple", "bit", "little"}
    while len(words) > 1 and words[0].low in lex.ARTICLES | {"both"} and words[1].low not in few:
        words = words[1:]
    if not words or len(words) > _MOST_WORDS or not words[0].is_word:
        return None
    low = words[0].low
    if low in {"me", "us"} and len(words) == 1:
        return Object(text=speaker, is_name=True)
    if low in _VAGUE or words[-1].low in {"so", "that", "much"}:
        return None
    called = next((i for i, t in enumerate(words) if i and t.low in CALLED), 0)
    if called and name_end(words, called + 1) == len(words) > called + 1:
        lead = join(tokens[: len(tokens) - len(words) + called + 1])
        name = join(words[called + 1 :])  # "a startup called Nuvem"
        return Object(text=name, is_name=True, article=lead)
    return _owned(words, tokens, speaker, subject)


def _owned(
    words: tuple[Token, ...], tokens: Sequence[Token], speaker: str, subject: str
) -> Object | None:
    """Read "my aunt": by name or as "Alice's aunt"; "my car" of Alice herself is a car."""
    low, owner = words[0].low, ""
    if low in lex.POSSESSIVES and len(words) > 1:
        reflexive = low in {"his", "her", "their"} and subject != speaker
        owner = (subject if reflexive else owner_of(low, speaker)) or ""
        if not owner:
            return None
        words = words[2:] if words[1].low == "own" and len(words) > 2 else words[1:]
    if any(t.low in lex.POSSESSIVES for t in words[1:]):
        return None
    apart = owner and (owner != subject or any(t.low in lex.KIN for t in words[:2]))
    if apart and not (words[0].is_capital and len(words) == 1):
        return Object(text=f"{owner}'s {join(words)}")
    thing = _plain(words)
    article = tokens[0].low if tokens[0].low in {"a", "an", "the", "his", "her", "their"} else ""
    return replace(thing, article=article) if thing and words != tuple(tokens) else thing


def _plain(words: Sequence[Token]) -> Object | None:
    first, last = words[0], words[-1]
    vague = last.low in _ADJECTIVAL and not last.is_capital
    small = lex.PREPOSITIONS | lex.CONJUNCTIONS
    led = first.low in small | (lex.ADVERBS - {"long", "last"})
    if vague or led or last.low in small | lex.ARTICLES:
        return None
    if any(t.low in _UNCLEAR or t.text in {",", ";", ":", "..."} for t in words):
        return None
    text = join(words).strip(" \"'|").replace(" | ", " ")
    return Object(text=text, is_name=is_name(words)) if text else None


def is_name(words: Sequence[Token]) -> bool:
    """Say whether words are a proper name: every one capitalised, links aside."""
    telling = [t for t in words if t.low not in lex.NAME_LINKS]
    return bool(telling) and all(t.is_capital for t in telling)
