"""Corrections: "Actually, it's Tuesday, not Monday" changes what was said before."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from mags.models.policy.rules.tokens import Token, join, tokenise
from mags.models.policy.rules.values import WHEN, day_of
from mags.models.policy.rules.when import times
from mags.ports.policy import Act, Operation, Recalled
from mags.ports.relations import normalise

_RIGHT_WRONG = re.compile(
    r"^(?:no,? |wait,? |sorry,? |actually,? |correction: ?|oops,? |i mean(?:t)?,? |well,? )*"
    r"(?:it(?:'s| is| was)|that(?:'s| is| was)|i mean(?:t)?|i said|make that|make it)? ?"
    r"(?:(?:i|he|she|we|they)(?:'m|'s|'re| am| is| are) )?(?:an? |the )?"
    r"(?:on |in |at )?(?P<right>[\w' -]+?),? (?:and )?not "
    r"(?:on |in |at |a |an |the )?(?P<wrong>[\w' -]+?)[.!]*$",
    re.IGNORECASE,
)
_CUES = re.compile(
    r"^(?:no\b|wait|sorry|actually|correction|oops|i mean|it's|it is|that's|make)", re.I
)


_ANEW = re.compile(
    r"^(?:(?:no|oh|oops|wait|sorry|actually|hold on|scratch that|my mistake|my bad|correction"
    r"|i mean|i meant)[,.:!]? )+(?:(?:it|that|he|she)(?: is|'s| was) |they(?: are|'re) "
    r"|make (?:that|it) |i meant? |i said |i meant to say )?"
    r"(?:(?:i|he|she|it|we|they)(?:'m|'s|'re| am| is| are) )?(?:an? |the )?"
    r"(?:on |in |at |for )?(?P<right>[\w' :,.-]+?)[.!]*$",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"\d{1,2}(?::\d\d)?(?: ?[ap]m| o'clock)?")
_HOUR = re.compile(rf"(\bat ){_CLOCK.pattern}")
_MOST_ANEW = 6
"""Words of a correction that does not say what was wrong."""


def is_correction(tokens: Sequence[Token]) -> tuple[str, str] | None:
    """Return (right, wrong) of a correction such as "it's Tuesday, not Monday", else None.

    `wrong` is "" where it is not said: "no wait, it's on Tuesday".
    """
    text = join(tokens)
    if len(text) > 100 or not _CUES.match(text):
        return None
    match = _RIGHT_WRONG.match(text)
    if match is not None and match["right"].strip():
        return match["right"].strip(), match["wrong"].strip()
    anew = _ANEW.match(text)
    if anew is None or len(anew["right"].split()) > _MOST_ANEW:
        return None
    return anew["right"].strip(), ""


_CLAIMED = re.compile(
    r"^(?:no,? |wait,? |sorry,? |actually,? |oops,? |hang on,? |oh,? )*i (?:said|told you|wrote)"
    r" (?:that )?(?P<claim>.+?),? (?:but )?"
    r"(?:(?:it's|it is|that's|it was) (?:actually|really|in fact)|it should be|i mean|i meant)"
    r" (?P<right>[\w' -]+?)[.!]*$",
    re.I,
)


def claimed(tokens: Sequence[Token]) -> tuple[str, str] | None:
    """Return (claim, right) of "I said Ana studies biology, it's actually chemistry", else None."""
    match = _CLAIMED.match(join(tokens))
    return (match["claim"], match["right"]) if match is not None else None


def restated(operations: Sequence[Operation], right: str, at: float) -> Operation | None:
    """Return the operation that puts `right` where the last value of its kind stands, or None.

    A day takes the place of a day, a name that of a name, a number that of a number.
    """
    day = day_of(tokenise(right), at)
    for op in reversed(operations):
        if op.act in {Act.RETRACT, Act.NOTE}:
            continue
        if _CLOCK.fullmatch(right) and _HOUR.search(op.object):
            return corrected([op], _HOUR.sub(rf"\g<1>{right}", op.object), op.object)
        if day:
            fits = op.relation == WHEN
        elif right[:1].isupper():
            fits = op.object_is_name
        else:
            fits = _counts(right) and _counts(op.object) and op.relation != WHEN
        if fits:
            return corrected([op], day or right, op.object)
    return None


def kept_whole(op: Operation, claim: str, facts: Iterable[Recalled]) -> Operation:
    """Return a correction with what else was told of the fact it corrects: "at Plymouth".

    `claim`: what was said to be wrong, "Bethan studies marine biology".
    """
    for fact in facts:
        held = (fact.subject, fact.relation) == (op.subject, op.relation)
        wrong = next((w for w in _spans(claim) if fact.object.lower().startswith(w)), "")
        if held and wrong and fact.text.lower().count(wrong) == 1:
            at = fact.text.lower().index(wrong)
            text = f"{fact.text[:at]}{op.object}{fact.text[at + len(wrong) :]}"
            return replace(op, text=text)
    return op


def _spans(claim: str) -> Iterator[str]:
    """The ends of a claim, the longest first: "studies marine biology", "marine biology"."""
    words = claim.lower().split()
    yield from (" ".join(words[i:]) for i in range(1, len(words)))


def _counts(text: str) -> bool:
    return any(c.isdigit() for c in text)


def dated(right: str, wrong: str, at: float) -> Iterator[tuple[str, str]]:
    """Yield the pair as absolute dates, where both are times ("Tuesday", "Monday")."""
    for future in (True, False):
        found = [times(f"on {text}", at, future=future) for text in (right, wrong)]
        if all(found):
            said = [t[0].text.removeprefix("on ").removeprefix("in ") for t in found]
            yield said[0], said[1]


def corrected(operations: Iterable[Operation], right: str, wrong: str) -> Operation | None:
    """Return the operation that puts `right` in the place of `wrong`, or None."""
    for op in operations:
        if op.act in {Act.RETRACT, Act.NOTE} or op.object.lower() != wrong.lower():
            continue
        return replace(
            op,
            act=Act.UPDATE,
            object=right,
            text=_told_anew(op, right),
            change=True,
            one=True,
            valid_from=None,
            qualifiers={k: v for k, v in op.qualifiers.items() if k != "when"},
            aliases={},
            object_is_name=right[:1].isupper(),
        )
    return None


def _told_anew(op: Operation, right: str) -> str:
    """The sentence of an operation with `right` for its object."""
    if op.text.count(op.object) == 1:
        return op.text.replace(op.object, right)
    return normalise(op.relation).sentence(op.subject, right, op.qualifiers.get("kind", ""))
