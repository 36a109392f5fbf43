"""Corrections: "Actually, it's Tuesday, not Monday" changes what was said before."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from mags.models.policy.rules.tokens import Token, join
from mags.models.policy.rules.when import times
from mags.ports.policy import Act, Operation
from mags.ports.relations import normalise

_RIGHT_WRONG = re.compile(
    r"^(?:no,? |wait,? |sorry,? |actually,? |correction: ?|oops,? |i mean(?:t)?,? |well,? )*"
    r"(?:it(?:'s| is| was)|that(?:'s| is| was)|i mean(?:t)?|i said|make that|make it)? ?"
    r"(?:on |in |at )?(?P<right>[\w' -]+?),? (?:and )?not "
    r"(?:on |in |at |a |an |the )?(?P<wrong>[\w' -]+?)[.!]*$",
    re.IGNORECASE,
)
_CUES = re.compile(
    r"^(?:no\b|wait|sorry|actually|correction|oops|i mean|it's|it is|that's|make)", re.I
)


def is_correction(tokens: Sequence[Token]) -> tuple[str, str] | None:
    """Return (right, wrong) of a correction such as "it's Tuesday, not Monday", else None."""
    text = join(tokens)
    if len(text) > 100 or not _CUES.match(text):
        return None
    match = _RIGHT_WRONG.match(text)
    if match is None or not match["right"].strip():
        return None
    return match["right"].strip(), match["wrong"].strip()


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
        if op.act is Act.RETRACT or op.object.lower() != wrong.lower():
            continue
        relation = normalise(op.relation)
        return replace(
            op,
            act=Act.UPDATE,
            object=right,
            text=relation.sentence(op.subject, right, op.qualifiers.get("kind", "")),
            change=True,
            one=True,
            valid_from=None,
            qualifiers={k: v for k, v in op.qualifiers.items() if k != "when"},
            aliases={},
            object_is_name=right[:1].isupper(),
        )
    return None
