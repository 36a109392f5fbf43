"""The closed word lists of the rules, read once from `words.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib import resources
from typing import Any

from mags.ports.english import called, word_set

TABLES: Mapping[str, Any] = tomllib.loads(
    resources.files("mags.models.policy.rules").joinpath("words.toml").read_text(encoding="utf-8")
)


def _words(name: str) -> frozenset[str]:
    return word_set(TABLES["words"][name])


def _relatives(name: str) -> frozenset[str]:
    """Return a set of words with what those of relatives are called at home."""
    return frozenset(said for word in _words(name) for said in called(word))


Phrases = Mapping[str, tuple[tuple[str, ...], ...]]
"""Phrases as word tuples, clitics apart ("i", "'m"), the longest first, by one of their words."""


def parts(text: str) -> tuple[str, ...]:
    """Return what stands between the bars of a row."""
    return tuple(part for part in (" ".join(one.split()) for one in text.split("|")) if part)


def _phrases(name: str, *, by: int = 0) -> Phrases:
    found = {
        tuple(part.replace("'", " '").replace("n 't", " n't").split())
        for part in parts(TABLES["phrases"][name])
    }
    indexed: dict[str, tuple[tuple[str, ...], ...]] = {}
    for phrase in sorted(found, key=lambda p: (-len(p), p)):
        indexed[phrase[by]] = (*indexed.get(phrase[by], ()), phrase)
    return indexed


PRONOUNS = _words("subject_pronouns")
FIRST = _words("first")
DEMONSTRATIVES = _words("demonstratives")
POSSESSIVES = _words("possessives")
ARTICLES = _words("articles")
MODALS = _words("modals")
ADVERBS = _words("adverbs")
HEDGES = _words("hedges")
PREPOSITIONS = _words("prepositions")
CONJUNCTIONS = _words("conjunctions")
QUESTION_WORDS = _words("question_words")
BE = _words("be")
GREETINGS = _words("greetings")
EVALUATIVE = _words("evaluative")
FEELINGS = _words("feelings")
TRAITS = _words("traits")
JOBS = _words("jobs")
KIN = _relatives("kin")
FEMALE = _relatives("female")
MALE = _relatives("male")
PETS = _words("pets")
PLURALS = _words("plurals")
SILENT = _words("silent_verbs")
CHAT = _words("chat")
"""Words that end a thing told in chat ("at Tesco atm"): small letters, RN is a nurse."""
ALSO_NAMES = _words("also_names")
NAME_LINKS = _words("name_links")
OPENERS = _phrases("openers")
HEDGED_FRAMES = _phrases("frames_hedged")
GONE = _phrases("gone", by=-1)
TAILS = _phrases("tails", by=-1)
THINGS = {kind: word_set(words) for kind, words in TABLES["things"].items()}
"""Nouns in the singular for what is an instrument, a sport, a food or a drink."""
FUNCTION_WORDS = (
    PRONOUNS | FIRST | _words("third") | DEMONSTRATIVES | POSSESSIVES | ARTICLES
    | MODALS | ADVERBS | PREPOSITIONS | CONJUNCTIONS | QUESTION_WORDS | BE | GREETINGS
    | word_set("not n't never no nor neither there here have has had do does did let you your")
)  # fmt: skip
