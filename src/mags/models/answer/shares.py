"""How much of a question a memory has: of its words, of its names, of the kind asked for."""

from __future__ import annotations

import re

from mags.models.answer.cues import CUES, FROM
from mags.models.answer.misfits import FIRST_PERSON, told_of
from mags.models.answer.question import Question, content
from mags.models.answer.whose import named_as_known, of_nobody_else, without_subject
from mags.models.guardrails import stems
from mags.ports.answer import ContextItem

NAMED = re.compile(r"(?<=[^\W_]\s)[^\W\d_a-z][\w'-]+")
ROLES = re.compile(
    r"\b(?:my|his|her|their|our|the) (?:\w+ )?(?:friend|sister|brother|mother|mom|mum|father|dad|"
    r"wife|husband|partner|boss|neighbou?r|colleague|aunt|uncle|cousin|son|daughter|teacher|doctor)",
    re.I,
)
ROLE_NAMES = ("", "user", "assistant", "system")


def word_share(question: Question, text: str, said: frozenset[str] = frozenset()) -> float:
    """Share of the content words asked for, names left out, in a text; 1 where there are none.

    `said`: words that the memory says in another way.
    """
    asked = question.words - frozenset().union(*question.names)
    return len(asked & (content(text) | said)) / len(asked) if asked else 1.0


def name_share(question: Question, item: ContextItem) -> float:
    """Share of the names asked about that the memory has; 1 where the question has none."""
    if not question.names:
        return 1.0
    held = stems(told_of(item))
    if any(name <= stems(item.speaker) for name in question.names):
        own = _of_self(question, item.text) if item.fact is None else _own_thing(question, item)
        held |= stems(item.speaker) if own else frozenset()
    return sum(name <= held for name in question.names) / len(question.names)


def _own_thing(question: Question, item: ContextItem) -> bool:
    """Whether a fact is of a thing that who told it has: "the alarm company is Securo"."""
    subject = item.fact[0] if item.fact is not None else ""
    plain = subject.islower() and item.text.casefold().startswith(subject)  # no one's report
    return question.own_thing and plain and bool(content(subject) & question.words)


def _of_self(question: Question, text: str) -> bool:
    """Whether a turn of who asks is of themselves though it does not say so."""
    if question.own_thing and (
        of_nobody_else(text, question.words) or named_as_known(text, question.words)
    ):
        return True
    return without_subject(text)


def kind_share(question: Question, item: ContextItem) -> float:
    """1 where the memory has something of the kind asked for, 0 where not, 0.5 unknown."""
    if question.origin and item.fact is None:  # a fact has it in its relation
        return float(FROM.search(item.text) is not None)
    if question.kind in CUES:
        return float(CUES[question.kind].search(item.text) is not None)
    if question.kind == "person":
        asked = frozenset().union(*question.names)
        others = [name for name in NAMED.findall(item.text) if not stems(name) <= asked]
        own = item.fact is None and FIRST_PERSON.search(item.text)
        if item.speaker not in ROLE_NAMES and own:
            others.append(item.speaker)
        return float(bool(others) or ROLES.search(item.text) is not None)
    return 0.5
