"""Guardrails after the grammar: the memory's language, and nothing invented. No model is asked."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

import snowballstemmer

from mags.caches import cached
from mags.models.grammar import refuse
from mags.ports.policy import Act, Operation

WORD = re.compile(r"[^\W_]+(?:['\N{RIGHT SINGLE QUOTATION MARK}][^\W_]+)?")
# The commonest function words tell European languages apart; those of two lists count for both.
FUNCTION_WORDS = {
    "en": "the of and to in is was that for with as his her on at by from are this it an be not "
    "has have had they she he who which or but their were been when will would does did",
    "de": "der die das und ist nicht ein eine mit von zu den dem im auf für sich auch als an es "
    "wird hat sie er wir ich dass bei oder wurde sind war nach aus",
    "fr": "le la les des et est une dans que qui pour pas sur avec au du il elle nous vous ce "
    "cette sont ont aux par mais était son sa ses",
    "es": "el la los las de que y en un una es por con no para se del al lo su como más pero sus "
    "este esta fue son ha era vive tiene",
    "it": "il lo la gli le di che è un una per con non si da del della nel alla sono ha come ma "
    "anche dei delle questo questa era più",
    "pt": "o os as de que e em um uma é por com não para se do da no na ao dos das mais mas foi "
    "são seu sua como ele ela era tem",
    "nl": "de het een en van is dat op te zijn met voor niet aan er om ook als bij uit wordt heeft "
    "ze hij wij ik maar naar werd door",
}


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


LANGUAGES = {language: _set(words) for language, words in FUNCTION_WORDS.items()}
SCRIPTS = {language: frozenset({"LATIN"}) for language in FUNCTION_WORDS}
SCRIPTS |= {
    "ru": frozenset({"CYRILLIC"}),
    "uk": frozenset({"CYRILLIC"}),
    "el": frozenset({"GREEK"}),
    "ar": frozenset({"ARABIC"}),
    "he": frozenset({"HEBREW"}),
    "hi": frozenset({"DEVANAGARI"}),
    "zh": frozenset({"CJK"}),
    "ja": frozenset({"CJK", "HIRAGANA", "KATAKANA"}),
    "ko": frozenset({"HANGUL", "CJK"}),
}
LANGUAGE_NAMES = {
    "en": "English",
    "de": "German",
    "fr": "French",
    "es": "Spanish",
    "it": "Italian",
    "pt": "Portuguese",
    "nl": "Dutch",
}
FEWEST_WORDS = 5
NOTE_SHARE = 0.6
FREE_WORDS = _set(
    """user assistant me i you someone something nothing yes no true false new old first
    january february march april may june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday today yesterday tomorrow
    year years month months week weeks day days"""
)
STOP_WORDS = LANGUAGES["en"] | _set("a s t my your our its there here than then so")


def language_name(code: str) -> str:
    """The English name of a language by its ISO 639-1 code; the code where it is not known."""
    return LANGUAGE_NAMES.get(code, code)


def scripts_of(text: str) -> frozenset[str]:
    """Scripts of the letters of a text, by the first word of each letter's Unicode name."""
    return frozenset(_script(c) for c in text if c.isalpha())


@cached(4096)
def _script(letter: str) -> str:
    return unicodedata.name(letter, "UNKNOWN").split()[0].partition("-")[0]


def foreign(text: str, language: str, source: str = "") -> str:
    """Why a text is not in the memory's language, or "" where nothing speaks against it.

    Scripts must be the language's own or occur in `source` (a name may be written in another).
    In a text of five words or more, the function words of another language may not lead.
    """
    own = SCRIPTS.get(language)
    strange = scripts_of(text) - own - scripts_of(source) if own else frozenset()
    if strange:
        return f"{min(strange).title()} letters in a memory kept in {language!r}"
    words = [word.casefold() for word in WORD.findall(text)]
    if len(words) < FEWEST_WORDS or language not in LANGUAGES:
        return ""
    hits = Counter({name: sum(w in known for w in words) for name, known in LANGUAGES.items()})
    other, most = hits.most_common(1)[0]
    if most >= 2 and most > 2 * hits[language]:
        return f"it reads as {other!r} in a memory kept in {language!r}"
    return ""


def invented(words: str, source: frozenset[str]) -> list[str]:
    """Content words of a text whose stems are not among `source`; dates and the like are free."""
    return [
        word
        for word in WORD.findall(words)
        if not word.isdigit()
        and word.casefold() not in STOP_WORDS | FREE_WORDS
        and not stems(word) & source
    ]


def stems(text: str) -> frozenset[str]:
    """Stems of the words of a text, each word also as it stands, without "'s"."""
    words = {
        re.sub(r"['\N{RIGHT SINGLE QUOTATION MARK}]s$", "", w.casefold())
        for w in WORD.findall(text)
    }
    return frozenset(words) | frozenset(map(_stem, words))


@cached(16384)
def _stem(word: str) -> str:
    """The stem of one word; kept, since a long turn is stemmed at every question."""
    stemmer = snowballstemmer.stemmer("english")  # it keeps state: one a call, for threads
    return str(stemmer.stemWord(word))


def check_language(operations: Iterable[Operation], language: str, source: str) -> None:
    """Raise ModelReplyError at the first operation in another language."""
    for operation in operations:
        for words in (
            f"{operation.subject} {operation.relation} {operation.object}",
            operation.text,
        ):
            why = foreign(words, language, source)
            if why:
                raise refuse(why, words)


def check_invented(operations: Sequence[Operation], source: str) -> None:
    """Raise ModelReplyError when a name, object or qualifier has words the source has not.

    `source`: the turn, what was said before, what was recalled, and the speakers. Relations are
    free (they are canonical), so are dates; a note may word things anew, but 60% of its content
    words must be the source's.
    """
    known = stems(source)
    for operation in operations:
        if operation.act is Act.NOTE:
            content = [w for w in WORD.findall(operation.text) if w.casefold() not in STOP_WORDS]
            strange = invented(operation.text, known)
            if len(strange) > (1 - NOTE_SHARE) * len(content):
                raise refuse(f"invented: {', '.join(strange[:5])}", operation.text)
            continue
        for words in (operation.subject, operation.object, *operation.qualifiers.values()):
            strange = invented(words, known)
            if strange:
                raise refuse(f"invented: {', '.join(strange[:5])}", words)
