"""Whose a thing is that a turn tells of without saying so: "the thesis is due on 1 September".

People leave themselves out when they speak of what is theirs. So a turn of the asker is heard as
of the asker where "my thesis" is asked for and the turn speaks of nobody else, and where a clause
has no subject ("found 5 species so far").
"""

from __future__ import annotations

import re

from mags.models.guardrails import WORD, stems
from mags.models.policy.rules.lexicon import FUNCTION_WORDS
from mags.models.policy.rules.spans import DAYS, MONTHS
from mags.models.policy.rules.tokens import own_words
from mags.ports.english import GERUND, PAST, THIRD, forms

_MINE = re.compile(r"\b(?:my|our|mine|ours)\b", re.I)
_I = re.compile(r"\b(?:i|me|we|us)\b", re.I)
_THIRD_PERSON = re.compile(r"\b(?:he|she|his|hers?|him)\b", re.I)
_CLAUSE = re.compile(r"(?<=[.!?;,:])\s+|\n+|\s+(?:and|but|so)\s+")
_OPENING = re.compile(
    r"^(?:(?:so|and|but|just|also|finally|ok|okay|oh|well|then|already|almost|only|lol|yes|no|"
    r"right|btw|good news)[,:]?\s+)+",
    re.I,
)
_PLACING = frozenset(WORD.findall("in at to from near on into with for by of via through around"))
_DATED = frozenset(DAYS) | frozenset(MONTHS) | frozenset(day + "s" for day in DAYS)
_BE = frozenset(WORD.findall("is are was were has have had will can would isn't wasn't doesn't"))


_OF_ME = re.compile(
    r"\b(?:am|was|are|were|do|did|have|had|will|would|can|could|shall|should|must|may|might)"
    r"(?:n't)? (?:I|we)\b(?P<does>.*)",
    re.I,
)
_SELF = frozenset({"i", "we", "me", "us"})
_OTHERS = frozenset(
    WORD.findall("he she it they you him them who everybody everyone somebody someone nobody")
)
_ARTICLES = frozenset(WORD.findall("my our your his her their its the a an this that these those"))


def asks_of_oneself(question: str) -> bool:
    """Whether a question asks what its speaker does or is: "where do I live"."""
    return _OF_ME.search(question) is not None


def done_by_oneself(question: str) -> frozenset[str]:
    """Stems of what a question says that its speaker does: "live" of "where do I still live"."""
    asked = _OF_ME.search(question)
    words = WORD.findall(asked["does"]) if asked else []
    return next((stems(word) for word in words if word.casefold() not in FUNCTION_WORDS), stems(""))


_OVER = frozenset({"longer", "anymore"})
"""Adverbs of what has ended: "Ida is no longer dating Tom" is done by Ida."""


def of_another_doer(text: str, asked: frozenset[str], asker: frozenset[str]) -> bool:
    """Whether all that a text says by the verbs asked for is said of somebody else.

    "My sister lives in Leeds" tells of a sister; "I live where my sister lived" of who speaks.
    What begins a clause is done by who does what the clause before it says.

    `asked`: stems of the verb asked for; `asker`: those of the name of who asks. What an article
    stands before is a thing: who put in "an offer" need not have offered.
    """
    told, before, own_text = [], True, own_words(text)
    if own_text != text and asked & stems(text) - stems(own_text):
        told.append(False)  # somebody else is quoted with it
    for clause in _CLAUSE.split(own_text.strip()):
        words = WORD.findall(clause)
        own = [_is_own(word, asker) for word in words]
        for at, word in enumerate(words):
            thing = at > 0 and words[at - 1].casefold() in _ARTICLES
            if stems(word) & asked and forms(word.casefold()) and not thing:
                doer = _doer_before(words[:at], own[:at])
                told.append(before if doer is None else doer)
        before = any(own) or (before and not words)
    return bool(told) and not any(told)


def _is_own(word: str, asker: frozenset[str]) -> bool:
    """Whether a word is who asks, and not what is theirs: "I", "Dora", but not "Dora's"."""
    low = word.casefold().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    owns = low.endswith("'s")
    return not owns and (low.partition("'")[0] in _SELF or bool(stems(low) & asker))


def _doer_before(words: list[str], own: list[bool]) -> bool | None:
    """Whether who asks is the nearest that can do what follows; None where nobody stands there."""
    for word, is_own in zip(reversed(words), reversed(own), strict=True):
        low = word.casefold().partition("'")[0]
        if is_own:
            return True
        if low in _OTHERS | _ARTICLES:
            return False  # "he", or a thing or person: "my sister"
        plain = low in FUNCTION_WORDS | _OVER or low.endswith("ly") or bool(forms(low))
        if not plain:
            return False
    return None


_WE_HAVE = re.compile(r"\b(?:do|does|did) (?:I|we) (?:have|use)\b|\bhave (?:I|we) got\b", re.I)


def asks_for_own(question: str) -> bool:
    """Whether a question asks for what is the asker's ("my thesis"), not for what they do."""
    if _WE_HAVE.search(question):
        return True
    return _MINE.search(question) is not None and _I.search(question) is None


_IS_THE = re.compile(
    r"(?:\b(?:is|was|are|am)|['\u2019](?:s|m|re)) (?:also |now |still )?the "
    r"(?P<words>[a-z]+(?: [a-z]+)?)(?=[,.;!]|$| (?:and|but|so|now)\b)"
)


def named_as_known(text: str, asked: frozenset[str]) -> bool:
    """Whether a turn tells who or what "the eldest" is, as of something known.

    Who says "Martin's the eldest" to their own memory means theirs; in "the eldest of Tom's" and
    "the office on the first floor" nothing is told of it.

    `asked`: stems of what is asked for.
    """
    return any(stems(found["words"].split()[-1]) & asked for found in _IS_THE.finditer(text))


def of_nobody_else(text: str, asked: frozenset[str]) -> bool:
    """Whether a turn speaks of no other person: no pronoun, no name but behind a preposition.

    `asked`: stems that are asked for; what they name is no person. Acronyms and days are none.
    """
    if _THIRD_PERSON.search(text):
        return False
    before, opens = "", True
    for match in WORD.finditer(text):
        word = match[0]
        if _names(word, before, asked) and (not opens or _acts(text, match.end(), word)):
            return False
        before, opens = word.casefold(), False
        opens = re.match(r"\s*[.!?:\n]", text[match.end() :]) is not None
    return True


def _names(word: str, before: str, asked: frozenset[str]) -> bool:
    """Whether a word may be somebody's name where it stands."""
    low = word.casefold().partition("'")[0]
    plain = low in FUNCTION_WORDS or low in _DATED or low == "i"
    if plain or not word[:1].isupper() or before in _PLACING:
        return False
    return not (len(low) > 1 and word.isupper()) and not stems(low) & asked


def _acts(text: str, end: int, word: str) -> bool:
    """Whether a capitalised word at the beginning of a sentence is the subject of a verb."""
    if "'" in word:
        return True
    behind = WORD.match(text, end + 1) if text[end : end + 1] == " " else None
    if behind is None:
        return False
    tags = {tag for _, tag in forms(behind[0].casefold())}
    return behind[0].casefold() in _BE or bool(tags & {THIRD, PAST})


def without_subject(text: str) -> bool:
    """Whether a clause begins with its verb, so that its speaker is meant: "sold the van"."""
    return any(_begins_with_verb(clause) for clause in _CLAUSE.split(text.strip()))


def _begins_with_verb(clause: str) -> bool:
    words = WORD.findall(_OPENING.sub("", clause.strip()))
    if len(words) < 2 or clause.rstrip().endswith("?"):
        return False
    first, second = words[0].casefold(), words[1].casefold()
    found = forms(first)
    tags = {tag for _, tag in found}
    if not _BE.isdisjoint(word.casefold() for word in words[1:4]):
        return False  # "lost luggage was found", "swimming is fun"
    done = any(tag == PAST and base != first for base, tag in found)
    if first == "quit" or (done and THIRD not in tags):
        return second not in ("by", "in", "of")  # "made in China"
    return GERUND in tags and second != "by"
