"""From a plan to what is searched: texts without names, terms, entities."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mags.index.state import State
from mags.index.tokens import STOP_WORDS, AnswerMark, stem, words
from mags.ports.english import topic_of
from mags.ports.policy import Plan
from mags.recall.settings import RecallSettings

_EXPECTED: tuple[tuple[re.Pattern[str], AnswerMark], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), mark)
    for pattern, mark in (
        (r"\b(?:when|how long ago|what (?:date|day|month|year|time)|which (?:day|month|year))\b",
         AnswerMark.TIME),
        (r"\bhow (?:many|much|old|long|often|far|big|tall)\b|\bwhat (?:number|percentage)\b",
         AnswerMark.NUMBER),
        (r"\bwhere\b|\b(?:what|which) (?:city|country|town|place|state|restaurant)\b",
         AnswerMark.PLACE),
        (r"\bwho(?:se|m)?\b", AnswerMark.PERSON),
        (r"\bwhy\b|\breasons?\b|\bmotivat|\binspire", AnswerMark.REASON),
        (r"\b(?:like|love|enjoy|prefer|favou?rite|recommend|suggest|hobb(?:y|ies)|interest)",
         AnswerMark.LIKING),
    )
)  # fmt: skip


ASSISTANTS = ("assistant", "mags")
"""Speakers that a question means by "you"."""

_YOU = re.compile(r"\b(?:you|your|yours|yourself|you'd|you've|remind me)\b", re.IGNORECASE)

_REQUEST = re.compile(
    r"\b(?:can|could|would|will|do|might|may) you (?:please |perhaps |maybe |possibly |also )?"
    r"(?:advi[sc]e|believe|come up|explain|find|give|guess|happen to|have|help|know|let|list|look"
    r"|make|offer|plan|point|propose|provide|reckon|recommend|share|show|suggest|tell|think|walk)\b"
    r"|\bwhat (?:do|would|should) you (?:advise|propose|recommend|say|suggest|think)\b"
    r"|\bthank you\b|\bif you (?:can|could|would|please|like|don't mind)\b",
    re.IGNORECASE,
)
"""Asks the assistant for something; "you" here does not mean what it said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A plan made ready for one memory.

    `texts`: one a query, common words and speakers' names taken out, to be embedded; a query
    after the second with no other words than the question's is left out.
    `terms`: stems of each, likewise. `entities`: ids named in the question; `speakers`:
    those of them that said something. `expected`: `AnswerMark`s that an answer should bear.
    `overview`: everything about something is asked for, so that themes may tell of it.
    """

    plan: Plan
    texts: tuple[str, ...]
    terms: tuple[tuple[str, ...], ...]
    entities: tuple[int, ...]
    speakers: tuple[int, ...] = ()
    expected: int = 0
    overview: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RecallRequest:
    """What one recall may see and when it happens.

    `vectors`: shape (queries, dimension). `as_of`: event time in seconds or None for now.
    `recorded_as_of`: record time or None. `now_s`: the present. `tick`: the memory's clock.
    """

    query: Query
    vectors: NDArray[np.float32]
    k: int
    now_s: float
    as_of: float | None = None
    recorded_as_of: float | None = None

    @property
    def moment(self) -> float:
        """The event time that facts are to hold at, in seconds."""
        return self.now_s if self.as_of is None else self.as_of


def prepare(state: State, plan: Plan, settings: RecallSettings) -> Query:
    """Take common words and the names of speakers out of what is searched.

    A speaker's name says whose words to look among (the `speaker` feature), not what they are.
    """
    named = [i for name in plan.entities for i in state.names.find(name)]
    named += state.names.scan(plan.queries[0]) if plan.queries else []
    if plan.queries and means_assistant(plan.queries[0]):
        named += [i for name in ASSISTANTS for i in state.names.find(name)]
    entities = tuple(dict.fromkeys(i for i in named if i in state.graph))
    speakers = tuple(i for i in entities if i in state.speakers)
    names = {word for i in speakers for word in words(state.content(i).text)}
    heard = [words(text) for text in plan.queries]
    # Looked up once each: most words of a question are those of its rewordings.
    common = {word for word in set().union(*heard) if _common(state, word, settings)}
    texts: list[str] = []
    terms: list[tuple[str, ...]] = []
    for text, said in zip(plan.queries, heard, strict=True):
        kept = [w for w in said if w not in common and w.removesuffix("'s") not in names]
        content = [word for word in kept if word not in STOP_WORDS]
        stems = [stem(word) for word in (content or said) if word not in STOP_WORDS]
        found = tuple(dict.fromkeys(stems))
        if len(terms) < 2 or set(found) != set(terms[0]):
            texts.append(" ".join(kept) if content else text)
            terms.append(found)
    return Query(
        plan=plan,
        texts=tuple(texts),
        terms=tuple(terms),
        entities=entities,
        speakers=speakers,
        expected=expected(plan.queries[0]) if plan.queries else 0,
        overview=bool(plan.queries and topic_of(plan.queries[0])),
    )


def means_assistant(question: str) -> bool:
    """Whether a question's "you" means what the assistant said, not whom to ask.

    "What did you recommend?" does, "Can you recommend something?" does not.
    """
    return _YOU.search(_REQUEST.sub(" ", question)) is not None


def expected(question: str) -> int:
    """The `AnswerMark`s that a text answering the question should bear, as their sum."""
    return sum(int(mark) for pattern, mark in _EXPECTED if pattern.search(question))


def _common(state: State, word: str, settings: RecallSettings) -> bool:
    if word in STOP_WORDS or state.lexicon.documents < settings.common_floor:
        return False
    share = state.lexicon.frequency(stem(word)) / state.lexicon.documents
    return share > settings.common_share
