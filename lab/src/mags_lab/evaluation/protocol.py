"""What the suites ask of a system, what they hand to it, and which half of a set may be fitted on.

MAGS, the baselines and the peers are all measured through these protocols, so that every figure in
a table comes from the same code on the same questions. Nothing is ever fitted on a question that is
reported: a question's id alone decides its half, so the halves stay the same on every machine and
when a set grows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from mags_lab.evaluation.objective import Cost

Triple: TypeAlias = tuple[str, str, str]
"""Subject, relation, object."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceTurn:
    """One thing said (or one passage), with an id the suites score by."""

    id: str
    text: str
    speaker: str
    at: datetime
    session: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """A question with the ids of the turns that answer it."""

    id: str
    text: str
    gold: frozenset[str]
    kind: str
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A triple told to a memory; `text` is the plain sentence for systems without triples."""

    subject: str
    relation: str
    object: str
    text: str

    @property
    def key(self) -> str:
        """The id it is scored by."""
        return f"{self.subject}|{self.relation}|{self.object}"


class Retriever(Protocol):
    """A memory of turns: everything is added first, then asked."""

    def add(self, turns: Sequence[SourceTurn]) -> None:
        """Store turns, oldest first; may be called several times."""
        ...

    def search(self, query: str, k: int) -> list[str]:
        """Return the ids of k turns, best first; exactly k are counted."""
        ...


class GraphRetriever(Retriever, Protocol):
    """A retriever that can also be given the triples somebody found in the turns."""

    def add_graph(
        self, turns: Sequence[SourceTurn], triples: Mapping[str, Sequence[Triple]]
    ) -> None:
        """Store turns together with their triples, by turn id; instead of `add`, once."""
        ...


class FactMemory(Protocol):
    """A memory of triples in which later statements may contradict earlier ones."""

    def tell(self, statements: Sequence[Statement]) -> None:
        """Store statements in order; the last one told holds."""
        ...

    def search(self, query: str, k: int) -> list[str]:
        """Return the keys of k statements, best first."""
        ...


@runtime_checkable
class Weighed(Protocol):
    """A memory that can tell what it held and did, for the objective; any of the others."""

    def cost(self) -> Cost:
        """Return the cost so far."""
        ...


class UpdateMemory(Protocol):
    """A memory of plain sentences that may see that one contradicts another."""

    def observe(self, sentences: Sequence[str]) -> None:
        """Store sentences in order, numbered from 0 over all calls."""
        ...

    def search(self, query: str, k: int) -> list[int]:
        """Return the numbers of k sentences, best first."""
        ...

    def closed(self) -> Collection[int]:
        """Return the numbers of the sentences it holds to be no longer true."""
        ...


Half = Literal["dev", "test"]


def split(identifier: str) -> Half:
    """Return the half a question belongs to: `dev` to fit on, `test` to report.

    The first byte of the SHA-256 of the id decides: even is `dev`.
    """
    return "test" if hashlib.sha256(identifier.encode()).digest()[0] % 2 else "dev"
