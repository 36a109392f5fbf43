"""Which language a text is in, and the stems of its words where that is not English.

Most talk is told from its stop words alone; only where it has few of them is the identifier asked
(py3langid: 0.2 ms a text, 1 s to load). It is asked for the languages below, that there is a
Snowball stemmer of.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import snowballstemmer

from mags.caches import cached
from mags.index.tokens import STOP_WORDS, words

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

ENGLISH = "en"
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
    """The language of a text, ISO 639-1; English where it is not surely another."""
    name, sure = _told(text)
    return name if sure >= SURE else ENGLISH


def foreign(text: str) -> list[str]:
    """Stems of the words of a text in the language that it may be in besides English; else none."""
    name, sure = _told(text)
    if name == ENGLISH or sure < LIKELY:
        return []
    with _stemming:  # a stemmer keeps the word at hand in itself
        return [str(one) for one in _stemmer(name).stemWords(words(text))]


@cached(4096)
def _told(text: str) -> tuple[str, float]:
    said = words(text)
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
    return snowballstemmer.stemmer(STEMMERS[name])
