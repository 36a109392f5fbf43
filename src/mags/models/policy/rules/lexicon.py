"""The closed word lists of the rules, read once from `words.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib import resources

from mags.ports.english import called

_RAW = tomllib.loads(
    resources.files("mags.models.policy.rules").joinpath("words.toml").read_text(encoding="utf-8")
)


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


def _words(name: str) -> frozenset[str]:
    return word_set(str(_RAW["words"][name]))


def _relatives(name: str) -> frozenset[str]:
    """Return a set of words with what those of relatives are called at home."""
    return frozenset(said for word in _words(name) for said in called(word))


Phrases = Mapping[str, tuple[tuple[str, ...], ...]]
"""Phrases as word tuples, clitics apart ("i", "'m"), the longest first, by one of their words."""


def _phrases(name: str, *, by: int = 0) -> Phrases:
    found = {
        tuple(part.replace("'", " '").replace("n 't", " n't").split())
        for part in str(_RAW["phrases"][name]).split("|")
    }
    indexed: dict[str, tuple[tuple[str, ...], ...]] = {}
    for phrase in sorted((p for p in found if p), key=lambda p: (-len(p), p)):
        indexed[phrase[by]] = (*indexed.get(phrase[by], ()), phrase)
    return indexed


PRONOUNS = _words("subject_pronouns")
FIRST = _words("first")
THIRD_PERSON = _words("third")
DEMONSTRATIVES = _words("demonstratives")
POSSESSIVES = _words("possessives")
ARTICLES = _words("articles")
NEGATIONS = _words("negations")
MODALS = _words("modals")
ADVERBS = _words("adverbs")
HEDGES = _words("hedges")
INTENSIFIERS = _words("intensifiers")
PREPOSITIONS = _words("prepositions")
PARTICLES = _words("particles")
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
LIGHT = _words("light_verbs")
EMPTY_OBJECTS = _words("fun_objects")
TITLES = _words("titles")
NAME_LINKS = _words("name_links")

OPENERS = _phrases("openers")
HEDGED_FRAMES = _phrases("frames_hedged")
PLAIN_FRAMES = _phrases("frames_plain")
GONE = _phrases("gone", by=-1)
TAILS = _phrases("tails", by=-1)

FUNCTION_WORDS = (
    PRONOUNS
    | FIRST
    | THIRD_PERSON
    | DEMONSTRATIVES
    | POSSESSIVES
    | ARTICLES
    | NEGATIONS
    | MODALS
    | ADVERBS
    | PREPOSITIONS
    | CONJUNCTIONS
    | QUESTION_WORDS
    | BE
    | GREETINGS
    | {"there", "here", "have", "has", "had", "do", "does", "did", "let", "you", "your"}
)
