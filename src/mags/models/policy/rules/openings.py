"""What stands before a statement and adds nothing: greetings, "I think", a name called out."""

from __future__ import annotations

from collections.abc import Sequence

from mags.models.policy.rules.asides import with_role_first, with_topic
from mags.models.policy.rules.clause import clause_at
from mags.models.policy.rules.lexicon import GREETINGS, HEDGED_FRAMES, OPENERS, PLAIN_FRAMES
from mags.models.policy.rules.names import name_end
from mags.models.policy.rules.tokens import Token, starts_with


def opened(tokens: Sequence[Token]) -> tuple[tuple[Token, ...], bool]:
    """Take off "Well," "Hey Mel!" "I think" and the like; say whether one was a hedge."""
    words, hedged = tuple(tokens), False
    while True:
        words = with_role_first(with_topic(_unmarked(words)))
        phrase = next(
            (p for p in HEDGED_FRAMES.get(_first(words), ()) if starts_with(words, p)), None
        )
        if phrase and len(phrase) < len(words) and _goes_on(words, len(phrase)):
            words, hedged = words[len(phrase) :], True
            continue
        phrase = next(
            (p for p in PLAIN_FRAMES.get(_first(words), ()) if starts_with(words, p)), None
        )
        if phrase and _goes_on(words, len(phrase)):
            words = words[len(phrase) :]
            continue
        cut = _opener(words)
        if cut == 0:
            return words, hedged
        words = words[cut:]


def _first(words: Sequence[Token]) -> str:
    return words[0].low if words else ""


def _unmarked(words: tuple[Token, ...]) -> tuple[Token, ...]:
    while words and not words[0].is_word and words[0].text not in {'"', "$"}:
        words = words[1:]
    return words


def _goes_on(words: Sequence[Token], at: int) -> bool:
    while at < len(words) and words[at].text == ",":
        at += 1
    return clause_at(words, at) is not None


def _opener(words: Sequence[Token]) -> int:
    """Return how many words to take off the front: an opener, or a name called out ("Mel, ...")."""
    for phrase in OPENERS.get(_first(words), ()):
        if starts_with(words, phrase):
            after = len(phrase)
            if after < len(words) and (
                words[after].text in {",", "!", ":", "-", "\u2014", "."} or _goes_on(words, after)
            ):
                return after
            if after < len(words) and phrase[0] in GREETINGS:
                end = name_end(words, after)
                if end > after and end < len(words) and words[end].text in {",", "!", "."}:
                    return end
    end = name_end(words, 0)
    if end and end < len(words) and words[end].text in {",", "!"} and clause_at(words, end + 1):
        follows = words[end + 1].low
        return end + 1 if follows in {"i", "we", "my", "you", "it", "that", "this"} else 0
    return 0
