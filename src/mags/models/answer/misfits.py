"""Whether a memory is of something else than what is asked, by all that can show it."""

from __future__ import annotations

import re

from mags.models.answer.contrary import (
    kindred,
    of_another,
    of_another_kind,
    only_former,
    opposed,
    quotes,
    strangers,
)
from mags.models.answer.question import Question, content
from mags.models.answer.whose import of_another_doer
from mags.models.guardrails import stems
from mags.ports.answer import ContextItem

FIRST_PERSON = re.compile(r"\b(?:i|we|my|our|me|us)\b", re.I)


def told_of(item: ContextItem) -> str:
    """Everything a memory names: its words, the ends of its fact, and who speaks of themselves.

    Who only reports something of somebody else is not named by it.
    """
    own = item.fact is None and FIRST_PERSON.search(item.text)
    return " ".join((item.text, item.speaker if own else "", *(item.fact or ())))


def _by_another(question: Question, item: ContextItem) -> bool:
    return of_another_doer(item.text, question.does, question.oneself)


def contrary(question: Question, item: ContextItem, *, fits: bool) -> bool:
    """Whether a memory is of something else: see `mags.models.answer.contrary`."""
    told = told_of(item)
    if strangers(question.kin, kindred(told)):
        return True
    if only_former(question.present, told) or (question.alive and not fits):
        return True
    if question.cue is not None and question.cue.search(item.text) is None:
        return True
    held = stems(told)
    if question.teller and not (
        question.teller <= stems(item.speaker) or quotes(question.teller, item.text)
    ):
        return True
    if not fits and not question.words:
        return True  # "Who am I?": nothing is said by which any memory could be told from others
    if item.fact is None and of_another(question.own, item.text):
        return True
    if not fits and question.oneself and _by_another(question, item):
        return True
    if of_another_kind(question.kinds, told):
        return True
    if item.fact is None and any(not name <= held for name in question.bound):
        return True
    return opposed(question.words, content(told))
