"""What comes with a turn from outside, and what it left behind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mags.graph.records import Content
from mags.index.state import Ids


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """Time, ids and vectors for one inscription.

    `vectors`: text -> vector, shape (dimension,), unit length, for `Engram.texts` (a text
    without one is kept but not found by likeness). `now_s`: record time, seconds since the
    epoch. `tick`: the memory's clock after this turn. `previous`: id of the session's last
    episode. `nll`: the language model's mean negative log-likelihood a token of the turn
    given what was recalled, in nats, where known; the episode's surprise is then made of it.
    """

    ids: Ids
    now_s: float
    tick: int
    vectors: Mapping[str, NDArray[np.float16]] = field(default_factory=dict)
    previous: int | None = None
    nll: float | None = None

    def content(self, text: str, meta: Mapping[str, object], node: int | None = None) -> Content:
        """New words, for a new node or for `node`; a new node's words bear its id."""
        content_id = self.ids.take()
        vector = self.vectors.get(text)
        if vector is not None:
            vector = np.asarray(vector, np.float16)
        return Content(
            id=content_id,
            node=content_id if node is None else node,
            text=text,
            meta=meta,
            vector=vector,
        )


@dataclass(slots=True, kw_only=True)
class Inscribed:
    """What a turn left behind, as ids, in the order it happened.

    `episode`: None for a bare assertion. `facts`: new facts; `notes`: new notes; `closed`:
    facts and notes closed; `confirmed`: facts and notes said again; `ignored`: operations
    that could not be used, as (index, why). The draft's reasons tell more.
    """

    episode: int | None = None
    facts: list[int] = field(default_factory=list)
    notes: list[int] = field(default_factory=list)
    closed: list[int] = field(default_factory=list)
    confirmed: list[int] = field(default_factory=list)
    ignored: list[tuple[int, str]] = field(default_factory=list)

    def add(self, other: Inscribed) -> None:
        """Add the facts that another one left, closed or confirmed."""
        for name in ("facts", "closed", "confirmed"):
            mine = getattr(self, name)
            mine += [fact for fact in getattr(other, name) if fact not in mine]
