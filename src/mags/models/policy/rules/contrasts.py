"""Who is named only to be left out: "Orin, not Tolwin, received the medal"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from mags.ports.policy import Act, Operation

_NAME = r"[A-Z][\w'.-]*(?: (?:of |the )?[A-Z][\w'.-]*)*"
_LEFT_OUT = re.compile(
    rf"(?:(?P<cleft>\bIt (?:was|is) ))?\b(?P<who>{_NAME}),? (?:and |but )?not (?P<other>{_NAME}),?"
    rf"(?(cleft) (?:who|that|which))(?= [a-z])"
)


def contrasted(text: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return a text without those who are named only to be left out, and (who, not who)."""
    pairs = tuple((m["who"], m["other"]) for m in _LEFT_OUT.finditer(text))
    return (_LEFT_OUT.sub(lambda m: m["who"], text), pairs) if pairs else (text, ())


def left_out(read: Sequence[Operation], pairs: Sequence[tuple[str, str]]) -> Iterator[Operation]:
    """Yield what is not so of those who are left out: it takes back what was held of them."""
    for who, other in pairs:
        for op in read:
            if op.act is Act.ADD and op.subject == who:
                yield replace(op, act=Act.RETRACT, subject=other, text="")
