"""The protocols of systems in a suite, the data they get, and the two halves of a set.

MAGS, the baselines and other systems are all measured through these protocols, so every figure in a
table comes from the same code on the same questions. Nothing is ever fitted on a question that is
reported: the id of a question alone decides its half, so the halves are the same on every machine
and stay the same when a set grows.
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
    """One turn (or one passage), with the id by which it is scored."""

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
        """The id by which it is scored."""
        return f"{self.subject}|{self.relation}|{self.object}"


class Retriever(Protocol):
    """A memory of turns. Everything is added first, then the questions are asked."""

    def add(self, turns: Sequence[SourceTurn]) -> None:
        """Store turns, oldest first; may be called several times."""
        ...

    def search(self, query: str, k: int) -> list[str]:
        """Return the ids of k turns, best first; only the first k are counted."""
        ...


class GraphRetriever(Retriever, Protocol):
    """A retriever that also takes triples which others have found in the turns."""

    def add_graph(
        self, turns: Sequence[SourceTurn], triples: Mapping[str, Sequence[Triple]]
    ) -> None:
        """Store turns with their triples by turn id. Called once, instead of `add`."""
        ...


class FactMemory(Protocol):
    """A memory of triples in which later statements may contradict earlier ones."""

    def tell(self, statements: Sequence[Statement]) -> None:
        """Store statements in order; a later one holds against an earlier one."""
        ...

    def search(self, query: str, k: int) -> list[str]:
        """Return the keys of k statements, best first."""
        ...


@runtime_checkable
class Weighed(Protocol):
    """A memory of any kind that reports its cost, for the objective."""

    def cost(self) -> Cost:
        """Return the cost so far."""
        ...


class UpdateMemory(Protocol):
    """A memory of plain sentences that may notice that one contradicts another."""

    def observe(self, sentences: Sequence[str]) -> None:
        """Store sentences in order, numbered from 0 over all calls."""
        ...

    def search(self, query: str, k: int) -> list[int]:
        """Return the numbers of k sentences, best first."""
        ...

    def closed(self) -> Collection[int]:
        """Return the numbers of the sentences that it takes to be no longer true."""
        ...


Half = Literal["dev", "test"]


def split(identifier: str) -> Half:
    """Return the half a question belongs to: `dev` to fit on, `test` to report.

    The first byte of the SHA-256 of the id decides: even is `dev`.
    """
    return "test" if hashlib.sha256(identifier.encode()).digest()[0] % 2 else "dev"
