"""Operations of the heads and of the rules together."""

from __future__ import annotations

from collections.abc import Sequence

from mags.ports.policy import Act, Operation


def joined(sure: Sequence[Operation], others: Sequence[Operation]) -> tuple[Operation, ...]:
    """What is `sure`, and the others where they speak of something else.

    Another operation is left out when its object or its whole slot is told already, or when it is
    a note around an object that is.
    """
    told = {one.object.casefold() for one in sure if one.object}
    slots = {(one.subject.casefold(), one.relation) for one in sure}
    kept = list(sure)
    for one in others:
        if one.act is Act.NOTE:
            clear = not any(words in one.text.casefold() for words in told)
        else:
            clear = one.object.casefold() not in told
            clear = clear and (one.subject.casefold(), one.relation) not in slots
        if clear and one not in kept:
            kept.append(one)
    return tuple(kept)
