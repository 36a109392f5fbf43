"""Words as the lexical index takes them: folded, without stop words, stemmed (Porter 2)."""

from __future__ import annotations

import re
import threading
import unicodedata
from enum import IntFlag

import snowballstemmer

from mags.caches import cached

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?", re.UNICODE)

STOP_WORDS = frozenset(
    """a about above after again against all am an and any are aren't as at be because been before
    being below between both but by can can't cannot could couldn't did didn't do does doesn't
    doing don't down during each few for from further had hadn't has hasn't have haven't having he
    he'd he'll he's her here here's hers herself him himself his how how's i i'd i'll i'm i've if
    in into is isn't it it's its itself just let's me more most mustn't my myself no nor not now of
    off on once only or other ought our ours ourselves out over own same shan't she she'd she'll
    she's should shouldn't so some such than that that's the their theirs them themselves then
    there there's these they they'd they'll they're they've this those through to too under until
    up very was wasn't we we'd we'll we're we've were weren't what what's when when's where
    where's which while who who's whom why why's will with won't would wouldn't you you'd you'll
    you're you've your yours yourself yourselves s t d ll m re ve also really like get
    got""".split()  # noqa: SIM905
)

_stemmer = snowballstemmer.stemmer("english")
_stemming = threading.Lock()
_INFLECTED = frozenset("cdegilmnrsty")
"""The last letters of all endings that the stemmer removes. Other words need not be stemmed, which
takes 30 us."""


def fold(text: str) -> str:
    """Lower case, without accents, curly quotes made straight."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", text.replace("\u2019", "'"))
    return "".join(c for c in plain if not unicodedata.combining(c)).casefold()


def words(text: str) -> list[str]:
    """Folded words of a text, in order, stop words kept."""
    return _WORD.findall(fold(text))


@cached(200_000)
def stem(word: str) -> str:
    """Porter 2 stem of a folded word; a possessive 's is removed."""
    plain = word.removesuffix("'s").replace("'", "")
    if plain[-1:] not in _INFLECTED:
        return plain
    with _stemming:  # a stemmer holds its word in itself: two threads would mix theirs
        return str(_stemmer.stemWord(plain))


def terms(text: str) -> list[str]:
    """Stems of the words that count, in order."""
    return [stem(word) for word in words(text) if word not in STOP_WORDS]


class AnswerMark(IntFlag):
    """What kinds of answer a text could hold."""

    TIME = 1
    """a date, a weekday, "last week", "two years ago" """
    NUMBER = 2
    """digits or a number word"""
    PLACE = 4
    """a preposition of place before a capital"""
    PERSON = 8
    """a capital inside a sentence, or kin"""
    REASON = 16
    """because, so that, in order to, makes me"""
    FIRST = 32
    """I, my, we: somebody tells of themselves"""
    LIKING = 64
    """love, prefer, favourite, hate"""


_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_DAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_SPANS = "day|week|month|year|night|weekend|summer|winter|spring|autumn|fall|morning|evening"
_COUNTS = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|twenty|thirty|forty|"
    "fifty|hundred|thousand|million|once|twice|both|couple|several|half"
)
_KIN = (
    "mom|mum|dad|mother|father|sister|brother|son|daughter|wife|husband|aunt|uncle|cousin|"
    "grandma|grandpa|grandmother|grandfather|friend|colleague|boss|neighbou?r|teacher|partner"
)
_MARKS: tuple[tuple[AnswerMark, re.Pattern[str]], ...] = (
    (
        AnswerMark.TIME,
        re.compile(
            rf"\b(?:yesterday|today|tonight|tomorrow|recently|ago|{_MONTHS}|{_DAYS}|"
            rf"(?:last|next|this|past|every|since|few|couple of)\s+"
            rf"(?:{_SPANS}|{_MONTHS}|{_DAYS})s?|"
            rf"(?:19|20)\d\d|\d{{1,2}}(?::\d\d)?\s?[ap]m|\d{{1,2}}/\d{{1,2}})\b",
            re.IGNORECASE,
        ),
    ),
    (AnswerMark.NUMBER, re.compile(rf"\d|\b(?:{_COUNTS})\b", re.IGNORECASE)),
    (
        AnswerMark.PLACE,
        re.compile(r"\b(?:in|at|from|to|near|around|visit(?:ed|ing)?) (?:the )?[A-Z]"),
    ),
    (AnswerMark.PERSON, re.compile(rf"[a-z,] [A-Z][a-z]|\b(?i:{_KIN})s?\b")),
    (
        AnswerMark.REASON,
        re.compile(
            r"\b(?:because|since|so that|in order|due to|thanks to|reason|why|inspired?|"
            r"makes? (?:me|us)|made (?:me|us)|helps?(?: me| us)?|motivat\w+|want(?:ed)? to)\b",
            re.IGNORECASE,
        ),
    ),
    (AnswerMark.FIRST, re.compile(r"\b(?:I|I'm|I've|I'd|my|we|our|me)\b")),
    (
        AnswerMark.LIKING,
        re.compile(
            r"\b(?:love[ds]?|loving|like[ds]?|enjoy\w*|prefer\w*|favou?rites?|hate[ds]?|"
            r"dislike\w*|passion\w*|fan of|into|interest\w*)\b",
            re.IGNORECASE,
        ),
    ),
)


def marks(text: str) -> int:
    """The `AnswerMark`s of a text, as their sum."""
    plain = text.replace("\u2019", "'")
    return sum(int(mark) for mark, pattern in _MARKS if pattern.search(plain))
