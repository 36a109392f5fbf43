"""Delta: the only thing that changes a memory.

A Delta holds before and after images of every node and arc it touches, so it
can be applied, inverted and composed without knowing what made it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mags.graph.edge import ARC
from mags.graph.node import NODE, Content

IDENTITY = {NODE: ("id",), ARC: ("src", "dst", "kind")}


@dataclass(frozen=True, slots=True, eq=False)
class Changes:
    """Before and after images of n records of one dtype (NODE or ARC).

    `before`, `after`: shape (n,), identity fields set in both even where the
    record did not exist; `had`, `has`: bool, shape (n,), whether it existed
    before and exists after. Each identity occurs once.
    """

    before: NDArray[np.void]
    after: NDArray[np.void]
    had: NDArray[np.bool_]
    has: NDArray[np.bool_]

    @classmethod
    def none(cls, dtype: np.dtype[np.void]) -> Changes:
        """No change of that dtype."""
        empty, flags = np.zeros(0, dtype), np.zeros(0, np.bool_)
        return cls(empty, empty, flags, flags)

    @classmethod
    def of(
        cls,
        dtype: np.dtype[np.void],
        images: Iterable[tuple[NDArray[np.void] | None, NDArray[np.void] | None]],
    ) -> Changes:
        """From (before, after) pairs of shape-(1,) records; None stands for absence."""
        pairs = [pair for pair in images if pair[0] is not None or pair[1] is not None]
        before = _joined(dtype, [old for old, _ in pairs])
        after = _joined(dtype, [new for _, new in pairs])
        had = np.array([old is not None for old, _ in pairs], np.bool_)
        has = np.array([new is not None for _, new in pairs], np.bool_)
        for known, source, target in ((had, after, before), (has, before, after)):
            if not known.all():
                for name in IDENTITY[dtype]:
                    target[name][~known] = source[name][~known]
        return cls(before, after, had, has)

    def __len__(self) -> int:
        """How many records are touched."""
        return len(self.had)

    def __repr__(self) -> str:
        """Counts only: the images may be many."""
        made, gone = len(self.created()), len(self.removed())
        return f"Changes(created={made}, removed={gone}, altered={len(self) - made - gone})"

    def __eq__(self, other: object) -> bool:
        """Equal images, in the same order."""
        return isinstance(other, Changes) and all(
            a.dtype == b.dtype and a.tobytes() == b.tobytes()
            for a, b in zip(self._columns(), other._columns(), strict=True)
        )

    __hash__ = None  # type: ignore[assignment]

    def _columns(self) -> tuple[NDArray[Any], ...]:
        return self.before, self.after, self.had, self.has

    def inverse(self) -> Changes:
        """What undoes these changes."""
        return Changes(self.after, self.before, self.has, self.had)

    def take(self, keep: NDArray[np.bool_]) -> Changes:
        """Only the records where `keep`, bool of shape (n,), is true."""
        return Changes(self.before[keep], self.after[keep], self.had[keep], self.has[keep])

    def created(self) -> NDArray[np.void]:
        """After images of what did not exist before."""
        return self.after[self.has & ~self.had]

    def removed(self) -> NDArray[np.void]:
        """Before images of what no longer exists."""
        return self.before[self.had & ~self.has]

    def altered(self) -> Changes:
        """What existed before and after."""
        return self.take(self.had & self.has)

    def forgetting(self, ids: NDArray[np.int64]) -> Changes:
        """Without the images of forgotten nodes and of the arcs at them.

        Nothing brings such a record back: where it is absent afterwards it stays, as absent
        before and after (whoever still holds it drops it; the inverse restores nothing); else
        it is left out. `ids`: shape (n,).
        """
        names = [name for name in IDENTITY[self.after.dtype] if name != "kind"]
        hit = np.zeros(len(self), np.bool_)
        for name in names:
            hit |= np.isin(self.after[name], ids)
        if not hit.any():
            return self
        out = self.take(~hit | ~self.has)
        gone = hit[~hit | ~self.has]
        blank = np.zeros(int(gone.sum()), self.after.dtype)
        for name in IDENTITY[self.after.dtype]:
            blank[name] = out.after[name][gone]
        out.before[gone] = out.after[gone] = blank
        out.had[gone] = False
        return out

    @staticmethod
    def compose(parts: Sequence[Changes], dtype: np.dtype[np.void]) -> Changes:
        """One net change: the first before image and the last after image of each record.

        Records that end as they began, to the bit, are left out; order is by identity.
        """
        parts = [part for part in parts if len(part)]
        if not parts:
            return Changes.none(dtype)
        before = _joined(dtype, [part.before for part in parts])
        after = _joined(dtype, [part.after for part in parts])
        had = np.concatenate([part.had for part in parts])
        has = np.concatenate([part.has for part in parts])
        keys = [after[name] for name in reversed(IDENTITY[dtype])]
        order = np.lexsort([np.arange(len(had)), *keys])
        same = np.ones(len(order) - 1, np.bool_)
        for key in keys:
            same &= key[order][1:] == key[order][:-1]
        first = order[np.r_[True, ~same]]
        last = order[np.r_[~same, True]]
        net = Changes(before[first], after[last], had[first], has[last])
        idle = (net.had == net.has) & (~net.had | _same_bits(net.before, net.after))
        return net.take(~idle)


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """One atomic change of a memory, with everything needed to undo it.

    kind: observe, assert, ask, feedback, sleep, edit, pin, rollback, import, forget, reembed.
    base: journal sequence it was computed on. recorded_at: seconds since the epoch.
    tick_before, tick_after: the memory's clock.
    key, payload: keyed hashes (hex) of the idempotency key and of what came with it.
    reasons: what the rules decided and why: rule names, ids and numbers, never words.
    result: ids to hand back when the same key comes again.
    contents: words of new nodes; they go to the content table, not the journal.
    """

    kind: str
    base: int = 0
    recorded_at: float = 0.0
    tick_before: int = 0
    tick_after: int = 0
    key: str | None = None
    payload: str | None = None
    nodes: Changes = field(default_factory=lambda: Changes.none(NODE))
    arcs: Changes = field(default_factory=lambda: Changes.none(ARC))
    reasons: tuple[Mapping[str, Any], ...] = ()
    result: Mapping[str, Any] = field(default_factory=dict)
    contents: tuple[Content, ...] = ()

    def inverse(self) -> Delta:
        """A Delta that undoes this one (contents stay: they are immutable)."""
        return Delta(
            kind=self.kind,
            base=self.base,
            recorded_at=self.recorded_at,
            tick_before=self.tick_after,
            tick_after=self.tick_before,
            nodes=self.nodes.inverse(),
            arcs=self.arcs.inverse(),
        )

    def forgetting(self, ids: NDArray[np.int64]) -> Delta:
        """Without the images and words of forgotten nodes (see `Changes.forgetting`)."""
        if not len(ids):
            return self
        return replace(
            self,
            nodes=self.nodes.forgetting(ids),
            arcs=self.arcs.forgetting(ids),
            contents=tuple(c for c in self.contents if not np.isin(c.node, ids)),
        )

    @staticmethod
    def compose(deltas: Sequence[Delta], kind: str) -> Delta:
        """The net effect of consecutive Deltas, oldest first."""
        return Delta(
            kind=kind,
            base=deltas[0].base if deltas else 0,
            recorded_at=deltas[-1].recorded_at if deltas else 0.0,
            tick_before=deltas[0].tick_before if deltas else 0,
            tick_after=deltas[-1].tick_after if deltas else 0,
            nodes=Changes.compose([d.nodes for d in deltas], NODE),
            arcs=Changes.compose([d.arcs for d in deltas], ARC),
            contents=tuple(c for d in deltas for c in d.contents),
        )


def _joined(
    dtype: np.dtype[np.void], records: Sequence[NDArray[np.void] | None]
) -> NDArray[np.void]:
    """Records of shape (n,) as one array, a blank one for None.

    By their bytes: np.concatenate compares the fields of every two dtypes anew.
    """
    counts = [1 if record is None else len(record) for record in records]
    if sum(counts) < MANY:
        blank = bytes(dtype.itemsize)
        joined = b"".join([blank if record is None else record.tobytes() for record in records])
        return np.frombuffer(bytearray(joined), dtype)
    # Copied by NumPy, large arrays do not keep other threads waiting.
    out = np.zeros(sum(counts), dtype)
    flat, end = out.view(np.uint8), 0
    for record, count in zip(records, counts, strict=True):
        start, end = end, end + count * dtype.itemsize
        if record is not None:
            flat[start:end] = np.ascontiguousarray(record).view(np.uint8)
    return out


MANY = 4096
"""Records from which on they are joined without holding up other threads."""


def _same_bits(a: NDArray[np.void], b: NDArray[np.void]) -> NDArray[np.bool_]:
    """Whether records are equal to the bit (0.0 and -0.0 are not), shape (n,)."""
    shape = (len(a), a.dtype.itemsize)
    left = np.ascontiguousarray(a).view(np.uint8).reshape(shape)
    right = np.ascontiguousarray(b).view(np.uint8).reshape(shape)
    return np.asarray((left == right).all(axis=1))
