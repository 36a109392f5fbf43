"""Which language a text is in, and the stems of its words where that is not English.

Most talk is told from its script or its stop words alone; only where Latin words have few of those
is the identifier asked (py3langid: 0.2 ms a text, 1 s to load). It is asked for the languages
below, that there is a Snowball stemmer of.
"""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING

import snowballstemmer

from mags.caches import cached
from mags.index.tokens import STOP_WORDS, UNSPACED, words

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

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
_stemming = threading.Lock()


def language(text: str) -> str:
    """The language of a text, ISO 639-1; English where it is not surely another.

    `UNKNOWN` where most of its words are in another script.
    """
    name, sure = _told(text)
    return name if sure >= SURE else ENGLISH


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
    with _stemming:  # a stemmer keeps the word at hand in itself
        return str(_stemmer(chosen).stemWord(word))


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


@cached(16)
def _identifier() -> LanguageIdentifier:
    # Imported here: most memories hold English alone, and it takes a second.
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    found = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    found.set_languages([ENGLISH, *STEMMERS])
    return found


@cached(16)
def _stemmer(name: str) -> snowballstemmer.stemmer:
    return snowballstemmer.stemmer(name)
