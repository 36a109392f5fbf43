"""From a plan to what is searched: texts without names, terms, entities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mags.index.state import State
from mags.index.tokens import STOP_WORDS, stem, words
from mags.ports.policy import Plan
from mags.recall.settings import RecallSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A plan made ready for one memory.

    `texts`: one a query, common words taken out, to be embedded. `terms`: stems of each,
    without common words. `entities`: ids named in the question.
    """

    plan: Plan
    texts: tuple[str, ...]
    terms: tuple[tuple[str, ...], ...]
    entities: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reading:
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


def prepare(state: State, plan: Plan, settings: RecallSettings) -> Query:
    """Take common words (the speakers' names, mostly) out of what is searched."""
    texts: list[str] = []
    terms: list[tuple[str, ...]] = []
    for text in plan.queries:
        kept = [word for word in words(text) if not _common(state, word, settings)]
        content = [word for word in kept if word not in STOP_WORDS]
        texts.append(" ".join(kept) if content else text)
        stems = [stem(word) for word in (content or words(text)) if word not in STOP_WORDS]
        terms.append(tuple(dict.fromkeys(stems)))
    named = [i for name in plan.entities for i in state.names.find(name)]
    named += state.names.scan(plan.queries[0]) if plan.queries else []
    return Query(
        plan=plan,
        texts=tuple(texts),
        terms=tuple(terms),
        entities=tuple(dict.fromkeys(i for i in named if i in state.graph)),
    )


def _common(state: State, word: str, settings: RecallSettings) -> bool:
    if word in STOP_WORDS or state.lexicon.documents < settings.common_floor:
        return False
    share = state.lexicon.frequency(stem(word)) / state.lexicon.documents
    return share > settings.common_share
