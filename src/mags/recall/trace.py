"""The trace: why each hit came back, in ids and numbers."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One arc of a path: from `src` to `dst` (node ids) as it was walked.

    `kind`: an ArcKind's number; `forward`: walked from tail to head; `weight`: charge then.
    """

    src: int
    dst: int
    kind: int
    forward: bool
    weight: float


class Numbers(Mapping[str, float]):
    """A row of numbers by name; the dictionary is made when somebody looks.

    Most traces are kept for a reward that may never come: their numbers are not looked at.
    """

    __slots__ = ("_names", "_row")

    def __init__(self, names: tuple[str, ...], row: NDArray[np.float64]) -> None:
        """`names` and `row` of one length; neither is copied."""
        self._names, self._row = names, row

    def __getitem__(self, name: str) -> float:
        """The number of that name; raises KeyError."""
        if name not in self._names:
            raise KeyError(name)
        return float(self._row[self._names.index(name)])

    def __iter__(self) -> Iterator[str]:
        """Names, in their order."""
        return iter(self._names)

    def __len__(self) -> int:
        """How many numbers."""
        return len(self._names)

    def items(self) -> ItemsView[str, float]:
        """Names with their numbers."""
        return self.as_dict().items()

    def as_dict(self) -> dict[str, float]:
        """The dictionary itself."""
        return dict(zip(self._names, self._row.tolist(), strict=True))

    def __repr__(self) -> str:
        """As the dictionary would look."""
        return repr(self.as_dict())


def rounded(
    names: tuple[str, ...], table: NDArray[np.float32], at: NDArray[np.int64]
) -> list[Numbers]:
    """Columns of a table (names, n) at some places, by name, to five decimals."""
    return [Numbers(names, row) for row in np.round(table[:, at].astype(np.float64), 5).T]


@dataclass(frozen=True, slots=True, kw_only=True)
class HitTrace:
    """Why one node came back.

    `anchor`: the anchor its path begins at (itself when it is one, 0 when no path reached
    it); `path`: the steps from there; `features`: raw values; `shares`: what each added to
    the score; `sources`: episodes; `valid_from`, `valid_to`: event time in seconds.
    """

    id: int
    score: float
    anchor: int
    path: tuple[Step, ...]
    features: Mapping[str, float]
    shares: Mapping[str, float]
    sources: tuple[int, ...]
    valid_from: float
    valid_to: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """One recall, explainable and creditable from this alone.

    `tick`, `seq`: the clock and the journal sequence it read; `anchors`: node ids;
    `queries`: what was searched; `again`: what was searched once more while answering;
    `chain`: facts of the followed hops; `cited`: ids the
    answer used (filled in by `ask`); `clusters`: strongly connected hits.
    """

    tick: int
    seq: int
    queries: tuple[str, ...]
    anchors: tuple[int, ...]
    hits: tuple[HitTrace, ...]
    chain: tuple[int, ...] = ()
    cited: tuple[int, ...] = ()
    clusters: tuple[tuple[int, ...], ...] = ()
    as_of: float | None = None
    recorded_as_of: float | None = None
    key: str = ""
    costs: Mapping[str, float] = field(default_factory=dict)
    again: tuple[str, ...] = ()

    def wordless(self) -> Trace:
        """The same in ids and numbers only, without what was asked."""
        return replace(self, queries=(), again=())

    def of(self, node_id: int) -> HitTrace | None:
        """The part about one node."""
        return next((hit for hit in self.hits if hit.id == node_id), None)

    def as_dict(self) -> dict[str, Any]:
        """JSON types only."""
        return {
            "tick": self.tick,
            "seq": self.seq,
            "queries": list(self.queries),
            "again": list(self.again),
            "anchors": list(self.anchors),
            "chain": list(self.chain),
            "cited": list(self.cited),
            "clusters": [list(c) for c in self.clusters],
            "as_of": self.as_of,
            "recorded_as_of": self.recorded_as_of,
            "key": self.key,
            "costs": dict(self.costs),
            "hits": [_hit_dict(hit) for hit in self.hits],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Trace:
        """The reverse of `as_dict`."""
        hits = tuple(
            HitTrace(
                id=h["id"],
                score=h["score"],
                anchor=h["anchor"],
                path=tuple(Step(**step) for step in h["path"]),
                features=h["features"],
                shares=h["shares"],
                sources=tuple(h["sources"]),
                valid_from=float(h["valid_from"]),
                valid_to=float(h["valid_to"]),
            )
            for h in data["hits"]
        )
        return cls(
            tick=data["tick"],
            seq=data["seq"],
            queries=tuple(data["queries"]),
            anchors=tuple(data["anchors"]),
            hits=hits,
            chain=tuple(data["chain"]),
            cited=tuple(data["cited"]),
            clusters=tuple(tuple(c) for c in data["clusters"]),
            as_of=data["as_of"],
            recorded_as_of=data["recorded_as_of"],
            key=data["key"],
            costs=dict(data["costs"]),
            again=tuple(data.get("again", ())),
        )


def _hit_dict(hit: HitTrace) -> dict[str, Any]:
    return {
        "id": hit.id,
        "score": hit.score,
        "anchor": hit.anchor,
        "path": [
            {"src": s.src, "dst": s.dst, "kind": s.kind, "forward": s.forward, "weight": s.weight}
            for s in hit.path
        ],
        "features": dict(hit.features.items()),
        "shares": dict(hit.shares.items()),
        "sources": list(hit.sources),
        "valid_from": str(hit.valid_from),
        "valid_to": str(hit.valid_to),
    }
