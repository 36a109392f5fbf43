"""Knowledge that is no triple: rules ("never ..."), how-tos and conditions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from mags.models.policy.rules.clause import clause_at
from mags.models.policy.rules.lexicon import (
    EVALUATIVE,
    FEELINGS,
    GREETINGS,
    LIGHT,
    SILENT,
    word_set,
)
from mags.models.policy.rules.names import name_end
from mags.models.policy.rules.scene import Scene
from mags.models.policy.rules.tokens import Token, join, starts_with
from mags.ports.english import BASE, PAST, THIRD, forms
from mags.ports.policy import Act, Operation

_UNCLEAR = word_set("it this that these those he she they him her them his their")
_NO_RULE = word_set("i we my must he she they it")
_BINDING = word_set(
    """when if after before unless until without with near on in to at during while"""
)
_DUTY = word_set("must shall")
_FORBIDDEN = (
    "is forbidden",
    "are forbidden",
    "is not allowed",
    "are not allowed",
    "is prohibited",
    "is required",
    "are required",
    "must not",
    "must never",
)
_CHAT = word_set(
    """quit remember miss lose worry forget mention sweat think say let thank give stop mind
    get be know see try keep hesitate"""
)


def note_of(tokens: Sequence[Token], scene: Scene) -> Operation | None:
    """Return the note a sentence makes, or None where it states no rule."""
    if starts_with(tokens, ("it", "'s", "important", ":")):
        tokens = tokens[4:]
    words = [t for t in tokens if t.is_word]
    if tokens and tokens[-1].text == "!" and tokens[0].low not in {"never", "always"}:
        return None
    if len(words) < 4 or any(t.low in _UNCLEAR for t in words[:-1]):
        return None
    if any(t.low in {"you", "your"} for t in words[1:]) and words[0].low not in {"if", "when"}:
        return None
    kind = _kind(words, " ".join(t.low for t in words))
    if kind is None:
        return None
    text = _alone(tokens, scene)
    return Operation(
        act=Act.NOTE, text=text, qualifiers={"kind": kind}, confidence=0.8, subject_is_name=False
    )


def plain_note(
    tokens: Sequence[Token], scene: Scene, met: frozenset[str], *, hedged: bool
) -> Operation | None:
    """Return a note of a plain statement about somebody by name that gave no triple.

    So that what contradicts it later can close it: "Lori and Kara graduated from the same
    university." Talk to somebody present, moods and exclamations are left alone, and a lone word
    that only starts a sentence unless somebody of that name was `met`.
    """
    words = [t for t in tokens if t.is_word]
    if len(words) < _FEWEST or tokens[-1].text in {"!", "?"} or "?" in {t.text for t in tokens}:
        return None
    if any(t.low in _PRESENT for t in words) or any(t.low in FEELINGS for t in words[:6]):
        return None
    told = tuple(t for t in tokens if t.text not in {'"', "\u201c", "\u201d"})
    told = told[1:] if told[0].low == "both" else told
    end = name_end(told, 0)
    known = end > 1 or (end == 1 and told[0].text in met)
    if not known or told[0].low in _CHATTY:
        return None
    if clause_at(told, 0) is None and not _verb_in(told[end:]):
        return None
    return Operation(
        act=Act.NOTE,
        text=_alone(tokens, scene),
        qualifiers={"kind": "statement"},
        confidence=0.36 if hedged else 0.6,
        subject_is_name=False,
    )


_FEWEST = 6
_PRESENT = word_set("i me my mine we us our you your yours let")
_CHATTY = GREETINGS | EVALUATIVE


def _verb_in(words: Sequence[Token]) -> bool:
    return any(form in {PAST, THIRD} for t in words for _, form in forms(t.low))


def _kind(words: Sequence[Token], text: str) -> str | None:
    first, second = words[0].low, words[1].low
    if first in {"never", "always"} and _verb(second) and second not in _CHAT:
        return "rule"
    if first == "do" and second in {"not", "n't"} and _verb(words[2].low):
        bound = any(t.low in _BINDING for t in words[3:])
        return "rule" if bound and words[2].low not in _CHAT else None
    if (
        first == "you"
        and words[2].low not in SILENT - LIGHT
        and (second in _DUTY or (second == "should" and words[2].low in {"never", "always"}))
    ):
        return "rule"
    if first == "to" and _verb(second) and second != "be" and _imperative_after(words):
        return "how-to"
    if first in {"if", "when", "before", "after"} and any(t.low in _DUTY for t in words):
        return "rule"
    done = re.search(r"\bmust be \w+(?:ed|en)\b", text) is not None
    judged = any(t.low in EVALUATIVE | FEELINGS for t in words)
    if (
        first not in _NO_RULE
        and not judged
        and (done or any(f" {phrase} " in f" {text} " for phrase in _FORBIDDEN))
    ):
        return "rule"
    return None


def _imperative_after(words: Sequence[Token]) -> bool:
    """Say whether an order follows "to reset the router"."""
    return any(
        _verb(word.low) and i > 1 and before.end < word.start - 1
        for i, (before, word) in enumerate(pairwise(words))
    )


def _verb(word: str) -> bool:
    return any(form == BASE for _, form in forms(word))


def _alone(tokens: Sequence[Token], scene: Scene) -> str:
    """Return the sentence with "my" told by name."""
    parts: list[Token] = []
    for token in tokens:
        if token.low in {"my", "our"}:
            parts.append(Token(f"{scene.speaker}'s", token.low, token.start, token.end))
        else:
            parts.append(token)
    text = join(parts)
    return text[0].upper() + text[1:]
