"""Words as the lexical index takes them: folded, without stop words, stemmed (Porter 2).

A word is a run of letters, digits and their marks (Unicode's annex 29). Scripts that leave no space
between words are cut into overlapping runs of characters instead (Ogawa and Matsuda 1997).

Most talk shows its language by its script or its stop words alone; only where Latin words have few
of those is the identifier asked (py3langid: 0.2 ms a text, 1 s to load), for the languages that
there is a Snowball stemmer of.

"Ana's mum" and "Ana's mother" are one person: words for relatives are folded to a plain one.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterator
from enum import IntFlag
from functools import cache
from typing import TYPE_CHECKING

import snowballstemmer

from mags.caches import cached

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

RULES = 3
"""Goes up when a text gives other words or marks than before: older ones are made anew."""

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_SIGNS = "".join(chr(c) for c in range(0x300, 0x1D00) if unicodedata.category(chr(c))[0] == "M")
_MARKED = re.compile(rf"(?:[^\W_][{_SIGNS}]*)+(?:'(?:[^\W_][{_SIGNS}]*)+)?")
"""A word of any script; the signs of vowels and tones are part of it."""
_ACCENTS = re.compile(
    "(?<=[a-zA-Z\u0370-\u03ff])[\u0300-\u036f]+|[\u0591-\u05c7\u064b-\u065f\u0670\u00ad\u200c\u200d]"
)
"""What is left out of a word: accents of Latin and Greek letters, points of Hebrew and Arabic ones,
and marks that are not seen."""
_SYLLABLES = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
"""Thai, Lao, Burmese and Khmer: a letter says less there than a sign of Chinese."""
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Chinese script, where one sign may be a word."""
_SIGNED = rf"\u3005-\u3007\u3041-\u30ff\uac00-\ud7a3{_HAN}"
"""Chinese, Japanese, and Korean, whose endings are written on to its words."""
UNSPACED = re.compile(f"[{_SYLLABLES}{_SIGNED}]")
_RUNS = re.compile(f"[{_SYLLABLES}]+|[{_SIGNED}]+|[^{_SYLLABLES}{_SIGNED}]+")
_AT_ONCE = {True: 2, False: 3}
"""Characters of a piece, by whether they are of the scripts of `_SIGNED`."""
_SIGN = re.compile(f"[{_HAN}]")
QUESTION_MARKS = frozenset("?\uff1f\u061f\u037e\u055e\u1367\u2047\u2048\u2049\u203d\u2e2e\ua60f")
"""Of Latin and Chinese, Arabic, Greek, Armenian, Ethiopic and Vai script, and joined ones."""

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

_stemming = threading.Lock()
"""A stemmer holds its word in itself: two threads would mix theirs."""


def fold(text: str) -> str:
    """Lower case, without accents, curly quotes made straight."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", text.replace("\u2019", "'"))
    whole = unicodedata.normalize("NFC", _ACCENTS.sub("", plain)).casefold()
    return whole.replace("\u0451", "\u0435")  # Russian is written with and without its dots


def words(text: str) -> list[str]:
    """Folded words of a text, in order, stop words kept; pieces of them in unspaced scripts."""
    plain = fold(text)
    if plain.isascii():
        return _WORD.findall(plain)
    found = _MARKED.findall(plain)
    if UNSPACED.search(plain) is None:
        return found
    return [piece for word in found for run in _RUNS.findall(word) for piece in _pieces(run)]


def _pieces(run: str) -> Iterator[str]:
    """A run of one script as it is; of one without spaces its pieces, and Chinese signs alone."""
    if UNSPACED.match(run) is None:
        yield run
        return
    n = _AT_ONCE[run[0] >= "\u3000"]
    last = max(1, len(run) - n + 1)
    for i, sign in enumerate(run):
        if _SIGN.match(sign) is not None and len(run) > 1:
            yield sign
        if i < last:
            yield run[i : i + n]


def asks(text: str) -> bool:
    """Whether a text ends in a question mark of any script."""
    return text.rstrip()[-1:] in QUESTION_MARKS


@cached(200_000)
def stem(word: str) -> str:
    """Porter 2 stem of a folded word; a possessive 's is removed."""
    with _stemming:
        return str(_stemmer_of("english").stemWord(word.removesuffix("'s").replace("'", "")))


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
    STANDING = 128
    """always, from now on, call me, I can't eat: what to keep to whenever it comes up"""


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
    (
        AnswerMark.STANDING,
        re.compile(
            r"(?:^|[.!?,;:] |\b(?:please|pls|and|but|so|must|should|to) )"
            r"(?:always|never|don'?t|do not|leave out|keep (?:it|your|my|the)) "
            r"|\bno (?:\w+ ){1,2}(?:please|pls|for me)\b|\b(?:please|pls) (?:use|keep|no)\b"
            r"|\b(?:from now on|in future|whenever i|every time i|(?:keep|bear) in mind|i prefer|"
            r"(?:call|address|correct) me|(?:i'd|would) rather you|"
            r"allergic|allerg(?:y|ies)|vegan|vegetarian|diabetic|"
            r"i (?:(?:really|simply|just) )?(?:(?:can'?t|cannot|do not|don'?t|won'?t|never) "
            r"(?:eat|drink|stand|abide|take)|can'?t have)|(?:is|are) out)\b",
            re.IGNORECASE,
        ),
    ),
)


def marks(text: str) -> int:
    """The `AnswerMark`s of a text, as their sum."""
    plain = text.replace("\u2019", "'")
    return sum(int(mark) for mark, pattern in _MARKS if pattern.search(plain))


# -- which language a text is in -----------------------------------------------

ENGLISH = "en"
UNKNOWN = "und"
"""Of a text in another script than Latin (ISO 639-2)."""
BY_SCRIPT = (
    (re.compile("[\u0370-\u03ff]"), "greek"),
    (re.compile("[\u0400-\u052f]"), "russian"),
    (re.compile("[\u0530-\u058f]"), "armenian"),
    (re.compile("[\u0600-\u06ff]"), "arabic"),
    (re.compile("[\u0900-\u097f]"), "hindi"),
    (re.compile("[\u0b80-\u0bff]"), "tamil"),
)
"""Scripts with a stemmer, of the language that most texts in them are in."""
STEMMERS = {
    "da": "danish",
    "de": "german",
    "es": "spanish",
    "fr": "french",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "sv": "swedish",
}
SURE, LIKELY = 0.9, 0.5
"""Probability from which a text is in another language, and from which it is stemmed so as well:
a question is short, and a stem that no text holds costs nothing."""
FEW = 0.3
"""Share of English stop words from which a text is English."""
FEWEST = 3
"""Words from which a text shows its language."""


def language(text: str, otherwise: str = ENGLISH) -> str:
    """The language of a text, ISO 639-1; `otherwise` where it is not surely another.

    `UNKNOWN` where most of its words are in another script.
    """
    name, sure = _told(text)
    return name if sure >= SURE else otherwise


def foreign(text: str) -> list[str]:
    """Stems of the words of a text in the language that it may be in besides English; else none.

    Words in other scripts than Latin have a stemmer each by their script.
    """
    name, sure = _told(text)
    latin = name not in (ENGLISH, UNKNOWN) and sure >= LIKELY
    if not latin and text.isascii():
        return []
    return [found for word in words(text) if (found := _stem(word, name if latin else ENGLISH))]


def _stem(word: str, name: str) -> str:
    """The stem of a word in a language, or in that of its script; "" of other words."""
    if word.isascii():
        chosen = STEMMERS.get(name)
    else:
        of_script = (made for script, made in BY_SCRIPT if script.match(word))
        chosen = next(of_script, STEMMERS.get(name))
    if chosen is None or UNSPACED.match(word):
        return ""
    with _stemming:
        return str(_stemmer_of(chosen).stemWord(word))


@cached(4096)
def _told(text: str) -> tuple[str, float]:
    every = words(text)
    said = [word for word in every if word[0] < "\u0250"]
    if len(said) < len(every) / 2:
        return UNKNOWN, 1.0
    english = sum(word in STOP_WORDS for word in said)
    if len(said) < FEWEST or english >= FEW * len(said):
        return ENGLISH, 1.0
    name, sure = _identifier().classify(text)
    return str(name), float(sure)


@cache
def _identifier() -> LanguageIdentifier:
    # Imported here: most memories hold English alone, and it takes a second.
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    found = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    found.set_languages([ENGLISH, *STEMMERS])
    return found


@cached(16)
def _stemmer_of(name: str) -> snowballstemmer.stemmer:
    return snowballstemmer.stemmer(name)


# -- names, and words for relatives ------------------------------------------------

_ARTICLES = ("the ", "a ", "an ")
_AT_HOME = {
    "mother": "mum mom mummy mommy mam mama",
    "father": "dad daddy papa",
    "grandmother": "grandma granny gran nan nana",
    "grandfather": "grandpa granddad grandad gramps",
    "husband": "hubby",
    "sister": "sis",
    "brother": "bro",
    "aunt": "auntie",
    "wife": "missus wifey",
    "girlfriend": "gf",
    "boyfriend": "bf",
    "cousin": "cuz cuzin",
}
_PLAIN = {word: plain for plain, words in _AT_HOME.items() for word in words.split()}


def at_home() -> tuple[tuple[str, str], ...]:
    """Return every familiar word for a relative with the plain one: ("mum", "mother")."""
    return tuple(_PLAIN.items())


def called(plain: str) -> tuple[str, ...]:
    """Return a plain word for a relative, "mother", followed by its familiar ones."""
    return plain, *_AT_HOME.get(plain, "").split()


def plain_kin(noun: str) -> str:
    """Return "mother" for "mum", and any other noun unchanged. `noun`: in lower case."""
    return _PLAIN.get(noun, noun)


def whose(owner: str, noun: str) -> str:
    """Return the form under which a relative is known: "ana's mother" of Ana and "Mum"."""
    return f"{owner.lower()}'s {plain_kin(noun.lower())}"


def fold_name(name: str) -> str:
    """The form under which a name is known: case, accents, articles and punctuation folded.

    "Ana's mum" is known as "ana's mother".
    """
    plain = " ".join(fold(name).split()).strip(" .,;:!?\"'()[]")
    plain = plain.removesuffix("'s")
    plain = plain.partition(" ")[2] if plain.startswith(_ARTICLES) else plain
    whose, owned, whom = plain.rpartition("'s ")
    return whose + owned + plain_kin(whom) if owned else plain


def form_of(name: str) -> str:
    """What kind of name this is: "street" for "Baker street", "custom of", a name, or a thing."""
    parts = name.split()
    if " of " in name:
        return f"{parts[0].lower()} of"
    if len(parts) > 1 and parts[0][:1].isupper():
        return parts[-1].lower() if parts[-1].islower() else "name"
    return "name" if name[:1].isupper() else "thing"
