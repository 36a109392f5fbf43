"""A chain of hops among recalled facts: each shares an end with the one before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mags.models.answer.question import Question
from mags.models.answer.support import named
from mags.ports.answer import ContextItem


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """Facts in order of their steps, and the end of the last, which answers."""

    steps: tuple[ContextItem, ...]
    end: str


def find_chain(question: Question, items: Sequence[ContextItem]) -> Chain | None:
    """The chain that the items' steps (0, 1, ...) make; None unless two or more facts join up.

    It sets out from the end of the first fact that the question names. A fact may be walked
    either way: what it shares with the next is where it leads to.
    """
    steps = sorted(
        (item for item in items if item.step is not None and item.fact is not None),
        key=lambda item: item.step or 0,
    )
    if len(steps) < 2 or [item.step for item in steps] != list(range(len(steps))):
        return None
    ends = _ends(steps[0])
    reached = tuple(end for end in ends if not named(question, end)) or ends
    for item in steps[1:]:
        subject, obj = _ends(item)
        folded = {end.casefold() for end in reached}
        if subject.casefold() in folded:
            reached = (obj,)
        elif obj.casefold() in folded:
            reached = (subject,)
        else:
            return None
    return Chain(steps=tuple(steps), end=reached[0])


def _ends(item: ContextItem) -> tuple[str, ...]:
    return (item.fact[0], item.fact[2]) if item.fact is not None else ()
