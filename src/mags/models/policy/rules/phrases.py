"""Noun phrases, and whom the words of a turn can mean: its speaker, people named before."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from mags.caches import cached
from mags.models.policy.rules import lexicon as lex
from mags.models.policy.rules.clauses import (
    NAME,
    OF,
    OWNED,
    PLURAL,
    PRONOUN,
    Subject,
    clauses,
    opened,
)
from mags.models.policy.rules.tokens import (
    Token,
    join,
    mentions,
    name_end,
    sentences,
    starts_with,
    tokenise,
)
from mags.models.policy.rules.when import DAYS, EACH_DAY, Time, times
from mags.ports.english import BASE, PAST, TO_TWELVE, forms, whose, word_set
from mags.ports.policy import Recalled, Turn
from mags.ports.relations import canonical

GENDERS = {"he": "m", "him": "m", "his": "m", "himself": "m"} | dict.fromkeys(
    ("she", "her", "hers", "herself"), "f"
)
_NEAREST_TURNS, _LONGEST_TURN = 2, 600
_MANY = word_set("parents grandparents kids children family in-laws")


@dataclass(slots=True)
class Scene:
    """Who speaks and when, who was named, and by what name "Alice's sister" goes.

    `people`: names of this turn, in the order they came up, with "m", "f" or ""; `earlier`: those
    of the turns before. `group`: who "they" are. `named`: "Alice's sister" -> "Ana". `known`: texts
    recalled that hold now.
    """

    speaker: str
    at: float
    people: dict[str, str] = field(default_factory=dict)
    earlier: dict[str, str] = field(default_factory=dict)
    group: tuple[str, ...] = ()
    named: dict[str, str] = field(default_factory=dict)
    known: tuple[str, ...] = ()

    def note(self, name: str, gender: str = "") -> None:
        """Remember that a person was just spoken of."""
        if name and name != self.speaker:
            known = self.people.pop(name, "") or self.earlier.get(name, "")
            self.people[name] = gender or known

    def person(self, pronoun: str) -> str | None:
        """Return whom "he", "her", ... means where only one person fits, else None."""
        wanted = GENDERS.get(pronoun, "")
        for people in (self.people, self.earlier):
            fitting = [name for name, gender in people.items() if gender in {wanted, ""}]
            certain = [name for name in fitting if wanted and people[name] == wanted]
            if len(certain) == 1 or len(fitting) == 1:
                return (certain or fitting)[0]
            if fitting:
                return None
        return None

    def owner(self, word: str) -> str | None:
        """Return who "my", "his", "Bob" or "my|sister" (of "my sister's") is."""
        head, _, inner = word.partition("|")
        low = head.lower()
        found: str | None = head
        if low in {"my", "our", "mine"}:
            found = self.speaker
        elif low in GENDERS:
            found = self.person(low)
        elif low == "their":
            found = self.group[0] if len(self.group) == 1 else None
        elif low in {"your", "its"}:
            found = None
        return found if found is None or not inner else self.of(found, inner)

    def of(self, owner: str, noun: str) -> str:
        """Return the name of "Alice's sister", or that description where it has none."""
        return self.named.get(whose(owner, noun), f"{owner}'s {noun}")

    def subjects(self, subject: Subject) -> tuple[str, ...] | None:
        """Return the names a subject stands for, or None where that is not certain."""
        if subject.kind == PRONOUN:
            if subject.word in {"i", "we"}:
                return (self.speaker,)
            if subject.word in {"he", "she"}:
                found = self.person(subject.word)
                return (found,) if found else None
            return self.group or None if subject.word == "they" else None
        if subject.kind == NAME:
            return tuple(self.speaker if n == "I" else n for n in subject.names)
        if subject.kind == OWNED:
            owner = self.owner(subject.owner)
            if subject.names:
                return subject.names
            return (self.of(owner, subject.noun),) if owner else None
        return (f"{subject.names[0]}'s {subject.noun}" if subject.kind == OF else subject.noun,)

    def gender(self, noun: str) -> str:
        """Return "f", "m" or "" for a noun such as "sister"."""
        word = noun.split()[-1] if noun else ""
        return "f" if word in lex.FEMALE else "m" if word in lex.MALE else ""

    def see(self, subject: Subject) -> None:
        """Remember the people a subject names."""
        names = self.subjects(subject)
        if not names or subject.kind not in {NAME, OWNED}:
            return
        if subject.kind == OWNED and not living(subject.head):
            if subject.owner[:1].isupper() and "|" not in subject.owner:
                self.note(subject.owner)  # "Tom's birthday is on 22 March. He ..."
            return
        for name in names:
            self.note(name, self.gender(subject.noun))
        owner = self.owner(subject.owner) if subject.kind == OWNED and subject.names else None
        if owner:
            self.named[whose(owner, subject.noun)] = subject.names[0]
        if len(names) > 1 or subject.person == PLURAL:
            self.group = names


def living(word: str) -> bool:
    """Say whether a noun is one of people or pets, or of several ("parents", "dogs")."""
    return word in lex.KIN | lex.PETS | _MANY or (
        word.endswith("s") and word[:-1] in lex.KIN | lex.PETS
    )


@cached(256)
def _subjects(text: str) -> tuple[Subject, ...]:
    """Return the subjects of a text; kept, since a turn is recent to several others."""
    return tuple(c.subject for s in sentences(text) for c in clauses(opened(tokenise(s))[0]))


_KNOWN = re.compile(r"^(.+?)['\u2019]s? ([a-z][a-z -]+?) is ([A-Z][\w'-]*(?: [A-Z][\w'-]*)*)\.?$")


def scene_of(turn: Turn, recent: Iterable[Turn], recalled: Iterable[Recalled]) -> Scene:
    """Return the scene a turn is said in: the people of the turns before, the names recalled."""
    scene = Scene(speaker=turn.speaker, at=turn.at)
    held = [item for item in recalled if item.current]
    scene.known = tuple(item.text for item in held)
    for item in held:
        known = _KNOWN.match(item.text)
        if known:
            scene.named[whose(known[1], known[2])] = known[3]
        elif item.relation and item.relation.split()[-1] in lex.KIN | lex.PETS:
            scene.named.setdefault(whose(item.subject, item.relation), item.object)
    for earlier in list(recent)[-_NEAREST_TURNS:]:
        scene.speaker = earlier.speaker
        for subject in _subjects(earlier.text[:_LONGEST_TURN]):
            scene.see(subject)
    scene.speaker = turn.speaker
    scene.people.pop(turn.speaker, None)
    scene.earlier, scene.people = scene.people, {}
    return scene


def names_in(recalled: Iterable[Recalled]) -> tuple[str, ...]:
    """The names of people and pets that somebody is held to have."""
    held = (item.object for item in recalled if is_of_somebody(item.relation))
    return tuple(dict.fromkeys(name for text in held for name in mentions(text)))


def is_of_somebody(relation: str) -> bool:
    """Say whether what a relation joins somebody to is a person or a pet."""
    known = canonical(relation)
    person = known is not None and known.answers == "person"
    return bool(relation) and (person or living(relation.split()[-1]))


# -- noun phrases ------------------------------------------------------------------------

_MOST_WORDS = 12
_SIDES = {
    "for": re.compile(
        r"\bfor (?:about |around |over |almost |nearly |more than |the past |the last )?"
        rf"((?:\d+|an?|{TO_TWELVE}|a few|several|many|a couple of)(?: and a half)?"
        r" (?:second|minute|hour|day|week|month|year|decade)s?"
        r"(?: now)?|ages|years|months|weeks)\b",
        re.IGNORECASE,
    ),
    "often": re.compile(
        rf"\b((?:every|each) (?:other )?(?:{'|'.join(DAYS)}|day|morning|evening|night|week|weekend"
        r"|month|year|summer|winter|spring)"
        r"|(?:once|twice|\w+ times) (?:a|per) (?:day|week|month|year)"
        rf"|on (?:weekends|weekdays|(?:{EACH_DAY}(?:, and |, | and |)(?=\b))+(?<=s)))\b",
        re.IGNORECASE,
    ),
}
_ROLES = {"with": "with", "at": "where", "in": "where", "near": "where", "as": "as", "for": "for",
          "from": "from", "alongside": "with", "during": "during"}  # fmt: skip
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
class Rest:
    """What follows a verb: words, the times it names and side remarks by role."""

    tokens: tuple[Token, ...]
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
    for role, pattern in _SIDES.items():
        match = pattern.search(text)
        if match:
            sides[role] = match[1]
            text = f"{text[: match.start()]} | {text[match.end() :]}"
    found = times(text, at, future=future)
    for time in reversed(found):
        text = f"{text[: time.start]} | {text[time.end :]}"
    text = re.sub(r" \|(?: \|)* +with ", " with ", re.sub(r"  +", " ", text))
    words = tuple(tokenise(text))
    while words and words[-1].text == "|":
        words = words[:-1]
    every = (*times(before, at, future=future), *found)
    return Rest(tokens=trim(words), times=every, sides=sides)


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


def parted(tokens: Sequence[Token]) -> tuple[tuple[Token, ...], dict[str, str]]:
    """Part the object from side remarks: "Acme as a nurse" gives Acme and {"as": "a nurse"}.

    Only a name is parted from what follows it, and any object from "with somebody".
    """
    bar = next((i for i, t in enumerate(tokens) if t.text in {"|", "("}), len(tokens))
    words, sides = tuple(tokens[:bar]), dict[str, str]()
    first = 1 if words and words[0].low in lex.ARTICLES else 0
    first = next((i + 1 for i, t in enumerate(words) if i and t.low in CALLED), first)
    named = name_end(words, first)
    for i in range(len(words) - 2, 0, -1):
        low, inner = words[i].low, words[i + 1 :]
        if low not in _ROLES or not inner or i < named:
            continue
        kin = inner[-1].low in lex.KIN | {"family", "friends", "kids"}
        own = inner[0].low in lex.POSSESSIVES
        who = (low == "with" and (inner[0].is_capital or kin or own)) or (low == "from" and own)
        trade = low == "as" and (inner[0].low in {"a", "an"} or inner[-1].low in lex.JOBS)
        if who or trade or named > first:
            sides[_ROLES[low]] = join(inner)
            words = words[:i]
    return words, sides


CALLED = frozenset({"called", "named"})


def cut_aside(words: Sequence[Token]) -> tuple[Token, ...]:
    """Cut what a comma sets apart: ", where they met", ", helping others", "Oslo, Norway".

    And what is done next: "at a bike maker and starts in March". And "btw" with all after it.
    """
    ended = next((i for i, t in enumerate(words) if i and t.text in lex.CHAT), len(words))
    words = words[:ended]
    for i, token in enumerate(words[:-1]):
        after = words[i + 1]
        if token.low == "and" and i > 1 and _is_finite(after):
            return tuple(words[:i])
        if token.text != "," or i == 0:
            continue
        named = words[i - 1].is_capital and after.is_capital
        lone = named and not any(t.low == "and" for t in words[i + 1 :])
        doing = after.low.endswith("ing") and not words[i - 1].low.endswith("ing")
        if after.low in _ASIDE or lone or doing:
            return tuple(words[:i])
    return tuple(words)


def _is_finite(word: Token) -> bool:
    tags = {form for _, form in forms(word.low)}
    past = PAST in tags and BASE not in tags
    return not word.is_capital and (past or word.low in lex.BE | _THIRD)


_THIRD = frozenset({"has", "does", "goes", "starts", "says"})


def objects(words: tuple[Token, ...], scene: Scene, name: str) -> list[Object]:
    """Return the noun phrases of "tea and coffee"; one where "and" is inside a name or phrase."""
    words = cut_aside(words)
    whole = object_of(words, scene, name)
    marks = [i for i, t in enumerate(words) if t.low in {"and", ",", "&"}]
    if marks and all(words[i].text == "," for i in marks):
        return []
    parts = [words[i + 1 : j] for i, j in pairwise([-1, *marks, len(words)]) if j > i + 1]
    if parts and len(parts[0]) > 1 and parts[0][0].low.endswith("ing"):
        parts = parts if parts[-1][0].low.endswith("ing") else []  # "visiting Rome and Ghent"
    few = [object_of(part, scene, name) for part in parts if len(part) <= _LISTED]
    sure = [thing for thing in few if thing]
    return sure if sure and marks and len(sure) == len(parts) else [whole] if whole else []


_LISTED = 3
"""Words of one thing of a list."""


def object_of(tokens: Sequence[Token], scene: Scene, subject: str) -> Object | None:
    """Return a noun phrase with its pronouns resolved, or None where it names nothing certain."""
    if len(tokens) > 2 and tokens[0].text in '"\u201c' and tokens[-1].text in '"\u201d':
        inner = tokens[1:-1]  # a title: "The Leopard"
        return Object(text=join(inner), is_name=True, noun=inner[-1].low)
    tokens = tokens[2:] if starts_with(tokens, ("a", "little")) else tokens
    words = tuple(tokens)
    few = {"few", "lot", "couple", "bit", "little"}
    while len(words) > 1 and words[0].low in lex.ARTICLES | {"both"} and words[1].low not in few:
        words = words[1:]
    if not words or len(words) > _MOST_WORDS or not words[0].is_word:
        return None
    low = words[0].low
    if low in {"him", "her", "me", "us"} and len(words) == 1:
        found = scene.speaker if low in {"me", "us"} else scene.person(low)
        return Object(text=found, is_name=True) if found else None
    if low in _VAGUE or words[-1].low in {"so", "that", "much"}:
        return None
    called = next((i for i, t in enumerate(words) if i and t.low in CALLED), 0)
    if called and name_end(words, called + 1) == len(words) > called + 1:
        lead = join(tokens[: len(tokens) - len(words) + called + 1])
        name = join(words[called + 1 :])  # "a startup called Nuvem"
        return Object(text=name, is_name=True, noun=words[called - 1].low, article=lead)
    return _owned(words, tokens, scene, subject)


def _owned(
    words: tuple[Token, ...], tokens: Sequence[Token], scene: Scene, subject: str
) -> Object | None:
    """Read "my aunt": by name or as "Alice's aunt"; "my car" of Alice herself is a car."""
    low, owner = words[0].low, ""
    if low in lex.POSSESSIVES and len(words) > 1:
        reflexive = low in {"his", "her", "their"} and subject != scene.speaker
        owner = (subject if reflexive else scene.owner(low)) or ""
        if not owner:
            return None
        words = words[2:] if words[1].low == "own" and len(words) > 2 else words[1:]
    named = _with_names(words, scene, subject)
    apart = owner and (owner != subject or any(t.low in lex.KIN for t in words[:2]))
    if apart and named and not (words[0].is_capital and len(words) == 1):
        return Object(text=scene.of(owner, join(named)), noun=words[-1].low)
    thing = _plain(named) if named else None
    article = tokens[0].low if tokens[0].low in {"a", "an", "the", "his", "her", "their"} else ""
    return replace(thing, article=article) if thing and words != tuple(tokens) else thing


def _with_names(words: Sequence[Token], scene: Scene, subject: str) -> list[Token]:
    """Tell "my" and "her" inside a phrase by name ("trends for Ana's store"); [] if unclear."""
    owners = {"my": scene.speaker, "our": scene.speaker}
    if subject != scene.speaker:
        owners |= {"his": subject, "her": subject, "their": subject}
    elif any(t.low in {"his", "her", "their"} for t in words[1:]):
        return []
    return [replace(t, text=f"{owners[t.low]}'s") if i and t.low in owners else t
            for i, t in enumerate(words)]  # fmt: skip


def side_of(text: str, scene: Scene, subject: str) -> str:
    """Return a side remark with its pronouns told by name; "" where that cannot be."""
    words = tokenise(text)
    first = words[0].low if words else ""
    owner = scene.speaker if first in {"my", "our"} else subject
    if first in {"his", "her", "their"} and subject == scene.speaker:
        return ""
    if first in {"my", "our", "his", "her", "their"}:
        thing = scene.of(owner, join(words[1:]))
        words = words[1:]
        text = thing
    unclear = _UNCLEAR | {"that", "her", "his", "my", "our"}
    return "" if any(t.low in unclear for t in words) else text


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
    return Object(text=text, is_name=is_name(words), noun=last.low) if text else None


def is_name(words: Sequence[Token]) -> bool:
    """Say whether words are a proper name: every one capitalised, links aside."""
    telling = [t for t in words if t.low not in lex.NAME_LINKS]
    return bool(telling) and all(t.is_capital for t in telling)
