"""Stretches of a text between marks, each with what it is about; talk told from statement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mags.models.policy.rules.asides import with_topic, without_asides
from mags.models.policy.rules.lexicon import (
    ARTICLES,
    DEMONSTRATIVES,
    FIRST,
    PRONOUNS,
    QUESTION_WORDS,
    word_set,
)
from mags.models.policy.rules.referents import Referent, referents
from mags.models.policy.rules.tokens import Token, starts_with, tokenise
from mags.ports.english import THIRD, forms

_SHORT = word_set("n't 're 'm 'll 've 'd gonna gotta")
_ENDS = frozenset({".", "!", "?", ":", ";", "\u2026"})
_BOUNDS = word_set("until till unless")
_DENIED = word_set("not n't no nobody none never nothing neither cannot hardly")
_COUNTED = word_set("day days week weeks hour hours")
_WAITING = (("while", "we", "wait", "for"), ("as", "we", "wait", "for"), ("pending",))
_ITSELF = frozenset({"it", "this", "that"})
_LASTING = frozenset({"for", "during"})
_POINTERS = PRONOUNS | DEMONSTRATIVES | QUESTION_WORDS
_APPOSED = word_set("unlike like who whose which the a an as you formerly once being having that")
ENDING = word_set("ends end ending lapses lapse expires expire stops stop ceases over lifted off")
"""Words by which something is said to be over at some time to come."""
ENDS_WHEN = frozenset({"when", "once", "as", "at", "with", "after", "upon", "on"})
_COMMA = Token(",", ",", 0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """A stretch between marks, with what it is about.

    `tokens`: without how long it holds, which stands in `whole`.
    """

    tokens: tuple[Token, ...]
    whole: tuple[Token, ...]
    about: tuple[Referent, ...]


def stretches(text: str) -> Iterator[Stretch]:
    """Yield the stretches of a text between marks; not what is asked.

    What stands after a colon and names nothing goes with what names one thing before it.
    """
    rest: list[Token] = []
    before: tuple[Token, ...] = ()
    for token in (*tokenise(text), Token(".", ".", len(text), len(text))):
        if token.text == "?" and _is_topic(rest):
            token = _COMMA  # "Zoaro? that is one of ours"
        if token.text not in _ENDS:
            rest.append(token)
            continue
        if rest and token.text != "?":
            clause = _clause(tuple(rest))
            if before and not clause.about:
                clause = _clause((*before, _COMMA, *rest))
            elif before:
                yield _clause(before)
            before = ()
            if token.text == ":" and len(clause.about) == 1:
                before = clause.whole
            else:
                yield clause
        rest = []
    if before:
        yield _clause(before)


def _is_topic(tokens: Sequence[Token]) -> bool:
    """Say whether words only name one thing, to go on about it."""
    found = referents(tokens)
    words = [t for t in tokens if t.low not in ARTICLES]
    return len(found) == 1 and len(words) <= len(found[0].text.split())


def _clause(tokens: tuple[Token, ...]) -> Stretch:
    whole = _unframed(with_topic(without_asides(tokens)))
    bound = _bound(whole)
    kept = _trimmed((*whole[: bound[0]], *whole[bound[1] :]))
    found = [r for r in referents(kept) if not _is_called(kept, r)]
    if is_end(whole):
        found = []
    unique = {r.core.lower(): r for r in reversed(found)}
    about = sorted(unique.values(), key=lambda r: r.start)
    return Stretch(tokens=kept, whole=whole, about=tuple(about))


def _trimmed(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    while tokens and tokens[0].text == ",":
        tokens = tokens[1:]
    return tokens


def _unframed(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """Take "I heard that", "you did not know, but" off the front: what is named comes after it."""
    first = min((r.start for r in referents(tokens)), default=0)
    cut = max((i + 1 for i in range(first) if _frames(tokens, i)), default=0)
    return tokens[cut:]


def _frames(tokens: Sequence[Token], i: int) -> bool:
    return tokens[i].low == "that" or (tokens[i].low == "but" and low_at(tokens, i - 1) == ",")


def _bound(tokens: Sequence[Token]) -> tuple[int, int]:
    """The places of a bound of time ("until the moon of Tra rises"), (0, 0) without one."""
    for i, token in enumerate(tokens):
        after = low_at(tokens, i + 1)
        led = token.low in _BOUNDS or (token.low, after) in {("as", "long"), ("up", "to")}
        led = led or (token.low, after) == ("so", "long") or _is_ahead(tokens, i)
        led = led or any(starts_with(tokens, phrase, i) for phrase in _WAITING)
        if token.low == "unless" and any(t.low in _DENIED for t in tokens[:i]):
            led = False  # "nobody gets by unless he pays": what is named there belongs to it
        if led or (token.low in _LASTING and _spans(tokens[i + 1 : i + 5])):
            ends = (k for k in range(i, len(tokens)) if tokens[k].text == ",")
            return i, next(ends, len(tokens))
    return 0, 0


def _is_ahead(tokens: Sequence[Token], i: int) -> bool:
    """Say whether "before the moon of Tra rises" begins at a place."""
    if tokens[i].low != "before":
        return False
    end = next((k for k in range(i, len(tokens)) if tokens[k].text == ","), len(tokens))
    return any(form == THIRD for _, form in forms(low_at(tokens, end - 1)))


def _spans(tokens: Sequence[Token]) -> bool:
    """Say whether "ten days" is among words; "the day of Tra" is no span of time."""
    return any(
        t.low in _COUNTED
        and low_at(tokens, i + 1) != "of"
        and low_at(tokens, i - 1) not in DEMONSTRATIVES
        and not t.is_capital
        for i, t in enumerate(tokens)
    )


def low_at(tokens: Sequence[Token], i: int) -> str:
    """Return the word at a place in lower case, "" where there is none."""
    return tokens[i].low if 0 <= i < len(tokens) else ""


def is_end(tokens: Sequence[Token]) -> bool:
    """Say whether a stretch only tells when another ends: "it ends when the moon rises"."""
    if low_at(tokens, 0) not in _ITSELF:
        return False
    k = next((i for i, t in enumerate(tokens[1:5], start=1) if t.low in ENDS_WHEN), 0)
    return bool(k) and any(t.low in ENDING for t in tokens[1:k])


def _is_called(tokens: Sequence[Token], referent: Referent) -> bool:
    """Say whether a word is only called out ("Woah, ...", "..., Zoaro"); "the ink" is not."""
    if low_at(tokens, referent.start) in ARTICLES:
        return False
    first, last = referent.start == 0, referent.end == len(tokens)
    before, after = low_at(tokens, referent.start - 1), low_at(tokens, referent.end)
    said = after == "," and low_at(tokens, referent.end + 1) not in _APPOSED
    return (first and (last or said)) or (last and before == ",")


def is_talk(clause: Stretch) -> bool:
    """Say whether a clause is talk: of oneself, or in the short forms of speech."""
    words = clause.tokens
    if sum(r.is_new for r in clause.about) > 1:  # talk around a statement is no part of it
        words = words[clause.about[0].start : clause.about[-1].end]
        return any(t.low in FIRST for t in words)
    short = (
        t.low in _SHORT or (t.low == "'s" and low_at(words, i - 1) in _POINTERS)
        for i, t in enumerate(words)
    )
    return any(t.low in FIRST for t in words) or any(short)
