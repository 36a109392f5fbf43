"""Whether a memory holds at the time that a question asks about."""

from __future__ import annotations

from mags.models.answer.asof import held_then, spans_days
from mags.models.answer.question import Question
from mags.ports.answer import ContextItem
from mags.ports.relations import relations

MISFIT = 0.5
"""What is left of the support of a memory by each thing that speaks against it."""
NOW_FOR_THEN = 0.8
NO_MORE = 0.95
"""What is over says no where it is asked whether it is; what still holds says yes before that."""


def timely(question: Question, item: ContextItem, *, whole: bool) -> float:
    """1 for what holds at the time asked about, `MISFIT` for what does not.

    `whole`: everything in its fact was asked about.
    """
    named = item.fact is not None and past(item.fact[1])
    over = not item.current or named
    if question.then is not None and item.fact is not None:
        return 1.0 if held_then(item, question.then) else MISFIT
    if question.past:
        return MISFIT if item.fact is not None and not over else 1.0
    if question.kind == "time" and spans_days(item):
        # "When am I on holiday?" asks for the days, whenever they are
        return 1.0 if item.fact is not None or item.current else NOW_FOR_THEN
    if not over or (question.told and (named or item.fact is None)):
        return 1.0  # what was said of the past stays said
    if whole and question.kind == "yesno" and not question.told:
        return NO_MORE
    return NOW_FOR_THEN if question.told else MISFIT


def past(relation: str) -> bool:
    """Whether a relation tells of what is over: "lived in"."""
    return any(one.past == relation for one in relations().values())
