"""What shows that a memory does not answer a question, however many words they share.

Another relative ("my son's birthday" and "my daughter's birthday"), the opposite verb ("opens" and
"closes"), another name after the same word ("the flight to Quito" and "to Lima"), or nothing of
the kind that is asked for: no age, no name, no sum of money.
"""

from __future__ import annotations

import re

from mags.models.guardrails import WORD, stems
from mags.models.rendering import DAYS, MONTHS
from mags.ports.english import called


def _at_home(kind: str, *relatives: str) -> dict[str, tuple[str, str]]:
    """From each word for relatives, at home too, to who that is and what they are one of."""
    return {word: (one, kind) for one in relatives for word in called(one)}


def _kinds(text: str) -> dict[str, tuple[str, str]]:
    """From each word to what it names and, behind the colon, what that is one of."""
    found: dict[str, tuple[str, str]] = {}
    for line in text.split("|"):
        words, _, kind = line.partition(":")
        for word in words.split():
            found[word] = (words.split()[0], kind.strip() or words.split()[0])
    return found


KINDRED = {
    **_at_home("parent", "mother", "father"),
    **_at_home("grandparent", "grandmother", "grandfather"),
} | _kinds(
    """parent parents | son sons : child |
    daughter daughters : child | child children kid kids baby | brother brothers : sibling |
    sister sisters : sibling | sibling siblings | wife : spouse | husband : spouse |
    spouse partner | girlfriend : spouse | boyfriend : spouse | aunt | uncle | cousin | niece |
    nephew | grandparent grandparents | dog puppy dogs : pet | cat kitten cats kittens : pet
    | pet pets | parrot : pet | hamster : pet | rabbit : pet | horse | boss manager |
    dentist | doctor | landlord landlady | teacher | neighbour neighbor | colleague coworker"""
)
OPPOSITES = (
    ("open", "close"), ("arriv", "leav"), ("arriv", "depart"), ("start", "end"), ("begin", "end"),
    ("start", "finish"), ("buy", "sell"), ("love", "hate"), ("lend", "borrow"), ("win", "lose"),
)  # fmt: skip
_NUMBER = (
    r"(?:\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty"
    r"|thirty|forty|fifty|sixty|seventy|eighty|ninety)\b"
)
AGE = re.compile(
    rf"\b(?:is|am|are|was|'s|'m|'re|turn(?:s|ed|ing)?|aged?) (?:(?:already|only|just|now|about"
    rf"|nearly|almost) )?{_NUMBER}|['\u2019](?:s|m|re) {_NUMBER}"
    r"|years? old|-year-old|\bage\b|\bborn\b",
    re.I,
)
MONEY = re.compile(
    r"[$€£¥]|\b(?:euros?|dollars?|pounds?|quid|bucks|cents|usd|eur|gbp|francs|kroner|kronor|yen|free)\b"
    r"|\d (?:a|per) (?:month|week|year|day|hour)\b"
    r"|\b(?:cost|costs|paid|pay|pays|price|spent|spends?|charge[sd]?|earn|earns|earned|made|make|makes"
    r"|salary|worth|rent|fees?|bill|sold|bought|get|gets|got)\b.*\d",
    re.I,
)
_NO_NAMES = "|".join(("I", "I'm", *MONTHS, *DAYS))
NAMED = re.compile(
    rf"(?<=[^\W_]\s)(?!(?:{_NO_NAMES})\b)[^\W\d_a-z][\w'-]*"
    r"|[\x22\u201c]\w|\b(?:called|named)\b"
)
CUES: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (re.compile(r"^how old\b|\bwhat age\b", re.I), AGE),
    (
        re.compile(
            r"^how much (?:do|does|did|is|was|are|were|will)\b.*\b(?:cost|pay|paid|earn|make|spend"
            r"|rent|salary|bill|fee|price|membership|subscription|ticket)s?\b",
            re.I,
        ),
        MONEY,
    ),
    (
        re.compile(
            r"\b(?:called|named)\s*\?*$|\bwhat(?:'s| is| was) (?:the name of|\S+ \S+ name\b)", re.I
        ),
        NAMED,
    ),
)  # fmt: skip
BEHIND = re.compile(r"\b(?:to|in|at|with|from|for|by|near) ((?:[A-Z][\w'-]+)(?: [A-Z][\w'-]+)*)")


def cue_of(question: str) -> re.Pattern[str] | None:
    """What an answer to a question must hold: an age, a sum or a name; None where any may do."""
    return next((cue for asks, cue in CUES if asks.search(question.strip())), None)


def bound_names(question: str) -> tuple[frozenset[str], ...]:
    """The stems of each name that a preposition ties to what is asked: "the flight to Quito"."""
    return tuple(stems(name) for name in BEHIND.findall(question))


def kindred(text: str) -> frozenset[tuple[str, str]]:
    """Of which relatives, pets and trades a text speaks, each with what it is one of."""
    words = {word.casefold().removesuffix("'s") for word in WORD.findall(text)}
    return frozenset(KINDRED[word] for word in words if word in KINDRED)


def strangers(asked: frozenset[tuple[str, str]], told: frozenset[tuple[str, str]]) -> bool:
    """Whether a memory speaks of relatives, and of none that is asked about.

    A son is no daughter; either is a child.
    """
    related = (one[0] in other or other[0] in one for one in asked for other in told)
    return bool(asked and told) and not any(related)


def former(question: str) -> frozenset[str]:
    """The relatives that are asked for as they are now: the husband, not the ex-husband."""
    words = {word.casefold() for word in WORD.findall(question)} & KINDRED.keys()
    return frozenset() if _EX.search(question) else frozenset(words)


def only_former(asked: frozenset[str], told: str) -> bool:
    """Whether a memory speaks of a relative that is asked about as one who was it."""
    bare = {word.casefold().removesuffix("'s") for word in WORD.findall(_EX.sub(" ", told))}
    past = {match.casefold() for match in _EX.findall(told)}
    return bool(asked & past) and not asked & bare


_EX = re.compile(r"\b(?:ex|former|late)[- ](\w+)", re.I)


_TELLS = re.compile(r"([A-Z][\w-]*) (?:said|says|told|tells|mentioned|claims|thinks|reckons)\b")


def quotes(teller: frozenset[str], text: str) -> bool:
    """Whether a memory tells what somebody said: "Tom told me that ..."."""
    return any(teller <= stems(one) for one in _TELLS.findall(text))


def is_pet(relation: str) -> bool:
    """Whether a relation ties a pet to its owner: "cat"."""
    return KINDRED.get(relation, ("", ""))[1] == "pet"


def owned(question: str) -> tuple[str, ...]:
    """The nouns that are asked for as one's own: "my birthday"."""
    return tuple(noun.casefold() for noun in OWN.findall(question))


def of_another(nouns: tuple[str, ...], text: str) -> bool:
    """Whether a text tells the same of somebody else alone: "my daughter's birthday"."""
    low = text.casefold().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    return any(
        (
            re.search(rf"'s {re.escape(noun)}\b", low) is not None
            or re.search(rf"\b(?i:{re.escape(noun)}) of [A-Z]", text) is not None
        )
        and re.search(rf"\b(?:my|our|the|an?) (?:\w+ )?{re.escape(noun)}\b(?! of [a-z])", low)
        is None
        for noun in nouns
    )


_KINDS = re.compile(r"\b(?:the|my|our) ([a-z]{3,}) ([a-z]{3,})(?: for\b| to\b|\s*\??$)", re.I)
_NO_KIND = frozenset(
    {
        "new",
        "old",
        "next",
        "last",
        "first",
        "own",
        "best",
        "current",
        "former",
        "other",
        "favourite",
    }
    | {"favorite", "whole", "same", "main", "big", "little", "the", "my", "our", "your", "his"}
    | {"her", "their", "this", "that", "for", "and", "with", "what", "which", "secret", "full"}
)


def kinds_asked(question: str) -> tuple[tuple[str, str], ...]:
    """The things asked for by their kind, as (kind, thing): "the door code"."""
    pairs = (m[0].casefold() for m in _KINDS.finditer(question))
    split = (tuple(pair.strip(" ?").split()[1:3]) for pair in pairs)
    return tuple((p[0], p[1]) for p in split if p[0] not in _NO_KIND)


def of_another_kind(pairs: tuple[tuple[str, str], ...], text: str) -> bool:
    """Whether a text tells of the same thing of another kind alone: the locker code, no door."""
    low = text.casefold()
    for kind, thing in pairs:
        before = re.findall(rf"\b([a-z]{{3,}}) {re.escape(thing)}\b", low)
        if kind not in low and any(word not in _NO_KIND for word in before):
            return True
    return False


OWN = re.compile(r"\bmy ([a-z]+)(?!['\u2019\w])", re.I)


def opposed(asked: frozenset[str], told: frozenset[str]) -> bool:
    """Whether stems of a memory say the opposite of what is asked and not that itself."""
    for pair in OPPOSITES:
        for one, other in (pair, pair[::-1]):
            if any(w.startswith(one) for w in asked) and any(w.startswith(other) for w in told):
                return not any(w.startswith(one) for w in told)
    return False
