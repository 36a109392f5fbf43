"""Delta: the only thing that changes a memory.

A Delta holds before and after images of every node and arc it touches, so it can be applied,
inverted and composed by code that does not know what made it. A `Draft` collects one. A `PastGraph`
is everything that many of them have held.

`encode` makes bytes of one, `decode` the same again, to the bit; words are left out. Version 1::

    "D" | version u8 | flags u8 | crc32 of the body u32 | body
    body (zlib where flag 1 is set): length of the header u32 | header JSON | nodes | arcs

Each of `nodes` and `arcs` holds had and has flags, then two images a record: the after image (the
before image where it ends absent), and how the other one differs from what it would most
likely be. Images lie byte column by byte column, which is what makes them small.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mags.errors import CorruptFile, NewerSchema, NotFound
from mags.graph.records import ARC, NODE, ArcKind, Content, NodeFlag, blank_arc, blank_node

if TYPE_CHECKING:
    from mags.graph.graph import Graph


ArcKey = tuple[int, int, int]
Image = NDArray[np.void] | None
"""A record of shape (1,), or None for absence."""

IDENTITY = {NODE: ("id",), ARC: ("src", "dst", "kind")}
LINK = np.dtype([("src", "i8"), ("dst", "i8"), ("kind", "u1")])
"""An arc without its weight."""
AT_ONCE = 1_000
"""Deltas between two clearings of what is the same, when a `PastGraph` is gathered."""
MANY = 4096
"""Records from which on they are joined without holding up other threads."""


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
        images: Iterable[tuple[Image, Image]],
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
        return len(self.had)

    def __repr__(self) -> str:
        made, gone = len(self.created()), len(self.removed())
        return f"Changes(created={made}, removed={gone}, altered={len(self) - made - gone})"

    def __eq__(self, other: object) -> bool:
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
        idle = (net.had == net.has) & (~net.had | same_bits(net.before, net.after))
        return net.take(~idle)


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """One atomic change of a memory, with everything needed to undo it.

    kind: observe, read, assert, ask, feedback, sleep, train, edit, pin, rollback, import, forget,
    reembed.
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


def _joined(dtype: np.dtype[np.void], records: Sequence[Image]) -> NDArray[np.void]:
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


def as_bytes(records: NDArray[np.void]) -> NDArray[np.uint8]:
    """Records as bytes, shape (n, itemsize)."""
    flat = np.ascontiguousarray(records).view(np.uint8)
    return flat.reshape(len(records), records.dtype.itemsize)


def same_bits(a: NDArray[np.void], b: NDArray[np.void]) -> NDArray[np.bool_]:
    """Whether records are equal to the bit (0.0 and -0.0 are not), shape (n,)."""
    return np.asarray((as_bytes(a) == as_bytes(b)).all(axis=1))


class Draft:
    """What a turn is about to change.

    Reads fall through to the graph, so rules see their own pending changes;
    nothing touches the graph until the Delta is applied.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.contents: list[Content] = []
        self.reasons: list[Mapping[str, Any]] = []
        self._nodes: dict[int, Image] = {}
        self._arcs: dict[ArcKey, Image] = {}

    def node(self, node_id: int) -> NDArray[np.void]:
        """A writable NODE record of shape (1,); changes to it are part of the draft.

        Raises NotFound for a node that is not there or was removed in this draft.
        """
        row = self._nodes[node_id] = self._pending(node_id)
        return row

    def peek(self, node_id: int) -> NDArray[np.void]:
        """The NODE record as it would be, not to be written to; raises NotFound."""
        if node_id not in self._nodes:
            return self.graph.view(node_id)
        return self._pending(node_id)

    def _pending(self, node_id: int) -> NDArray[np.void]:
        if node_id not in self._nodes:
            return self.graph.node(node_id)
        row = self._nodes[node_id]
        if row is None:
            raise NotFound(f"node {node_id} was removed in this draft", node_id=node_id)
        return row

    def add_node(self, content: Content | None = None, /, **values: Any) -> NDArray[np.void]:
        """Create a node (`id` and `kind` among the values), with its words."""
        if content is not None:
            values["content"] = content.id
            self.contents.append(content)
        row = blank_node(**values)
        self._nodes[int(row["id"][0])] = row
        return row

    def remove_node(self, node_id: int) -> None:
        """Remove a node, every arc at it, and what was drafted of it; raises NotFound."""
        self._pending(node_id)
        for arc in self.graph.arcs_at(node_id) if node_id in self.graph else ():
            self._arcs[int(arc["src"]), int(arc["dst"]), int(arc["kind"])] = None
        for key in [k for k in self._arcs if node_id in k[:2]]:
            self._arcs[key] = None
        self._nodes[node_id] = None
        self.contents = [content for content in self.contents if content.node != node_id]

    def arc(self, src: int, dst: int, kind: ArcKind) -> Image:
        """A writable ARC record of shape (1,), or None where there is none."""
        key = (src, dst, int(kind))
        if key in self._arcs:
            return self._arcs[key]
        if src not in self.graph or dst not in self.graph:
            return None
        found = self.graph.find_arc(src, dst, kind)
        if found is not None:
            self._arcs[key] = found
        return found

    def add_arc(self, src: int, dst: int, kind: ArcKind, **values: Any) -> NDArray[np.void]:
        """Create an arc, or return the one that is there, writable."""
        found = self.arc(src, dst, kind)
        if found is None:
            found = self._arcs[(src, dst, int(kind))] = blank_arc(src, dst, kind, **values)
        return found

    def add_arcs(self, records: NDArray[np.void]) -> None:
        """Put arcs as they are given, ARC records of shape (n,), new or in place of old ones."""
        names = ("src", "dst", "kind")
        for i, key in enumerate(zip(*(records[name].tolist() for name in names), strict=True)):
            self._arcs[key] = records[i : i + 1]

    def remove_arc(self, src: int, dst: int, kind: ArcKind) -> None:
        """Remove an arc if it is there."""
        self._arcs[(src, dst, int(kind))] = None

    def reason(self, rule: str, **facts: Any) -> None:
        """Write down what a rule decided: ids and numbers, never words."""
        self.reasons.append({"rule": rule, **facts})

    def delta(self, kind: str, **fields: Any) -> Delta:
        """The Delta; records that end as they began are left out."""
        graph = self.graph
        # Sorted, so that the same changes are the same Delta in whatever order rules made them.
        nodes = [
            (graph.view(i) if i in graph else None, self._nodes[i]) for i in sorted(self._nodes)
        ]
        keys = sorted(self._arcs)
        arcs = zip(graph.find_arcs(keys), map(self._arcs.__getitem__, keys), strict=True)
        fields = {"tick_before": graph.tick, "tick_after": graph.tick, **fields}
        return Delta(
            kind=kind,
            nodes=Changes.of(NODE, filter(_differs, nodes)),
            arcs=Changes.of(ARC, filter(_differs, arcs)),
            reasons=tuple(self.reasons),
            contents=tuple(self.contents),
            **fields,
        )


def _differs(images: tuple[Image, Image]) -> bool:
    before, after = images
    if before is None or after is None:
        return before is not after
    return before.tobytes() != after.tobytes()


@dataclass(frozen=True, slots=True)
class PastGraph:
    """`nodes`: shape (n,) of NODE, the last image of each; `links`: shape (m,) of LINK, each once.

    Associations are left out: nothing is derived from them. `given`: shape (k,), ids of what was
    ever asserted by hand.
    """

    nodes: NDArray[np.void]
    links: NDArray[np.void]
    given: NDArray[np.int64]

    @classmethod
    def of(cls, deltas: Iterable[Delta]) -> PastGraph:
        """What Deltas show, each in the order in which it was written."""
        nodes: list[NDArray[np.void]] = [np.zeros(0, NODE)]
        links: list[NDArray[np.void]] = [np.zeros(0, LINK)]
        given: set[int] = set()
        for count, delta in enumerate(deltas, start=1):
            changes = delta.nodes
            for images in (changes.before[changes.had], changes.after[changes.has]):
                nodes.append(images)
                given.update(images["id"][(images["flags"] & int(NodeFlag.GIVEN)) > 0].tolist())
            links.append(_links(delta.arcs.after[delta.arcs.had | delta.arcs.has]))
            if count % AT_ONCE == 0:
                nodes, links = [_last(np.concatenate(nodes))], [np.unique(np.concatenate(links))]
        by_hand = np.fromiter(sorted(given), np.int64, len(given))
        return cls(_last(np.concatenate(nodes)), np.unique(np.concatenate(links)), by_hand)

    @classmethod
    def present(cls, graph: Graph, *kinds: ArcKind) -> PastGraph:
        """What a graph holds, with its arcs of these kinds."""
        nodes, links = graph.nodes[graph.where()], _links(graph.arcs(*kinds))
        # A removed node keeps its row, and an arc may still lie there.
        there = np.isin(links["src"], nodes["id"]) & np.isin(links["dst"], nodes["id"])
        given = nodes["id"][(nodes["flags"] & int(NodeFlag.GIVEN)) > 0]
        return cls(nodes, links[there], given)

    def into(self, ids: NDArray[np.int64], *kinds: ArcKind) -> NDArray[np.void]:
        """Links of these kinds that end at one of these nodes."""
        return self._along("dst", ids, kinds)

    def out_of(self, ids: NDArray[np.int64], *kinds: ArcKind) -> NDArray[np.void]:
        """Links of these kinds that begin at one of these nodes."""
        return self._along("src", ids, kinds)

    def _along(
        self, end: str, ids: NDArray[np.int64], kinds: tuple[ArcKind, ...]
    ) -> NDArray[np.void]:
        of_kind = np.isin(self.links["kind"], [int(kind) for kind in kinds])
        return self.links[of_kind & np.isin(self.links[end], ids)]


def _links(arcs: NDArray[np.void]) -> NDArray[np.void]:
    """The structural arcs among ARC records, as LINK records."""
    arcs = arcs[arcs["kind"] != int(ArcKind.ASSOCIATION)]
    made = np.zeros(len(arcs), LINK)
    for name in LINK.names or ():
        made[name] = arcs[name]
    return made


def _last(nodes: NDArray[np.void]) -> NDArray[np.void]:
    """The last of the images of each node, by id."""
    _, first = np.unique(nodes["id"][::-1], return_index=True)
    return nodes[::-1][first]


# -- a Delta as bytes ----------------------------------------------------------

VERSION = 1
"""Raise it when NODE, ARC or the header change, and keep reading what came before."""

COMPRESSED = 1
THRESHOLD = 256
"""Bodies of more bytes are compressed."""

HEAD = struct.Struct("<cBBI")
COUNT = struct.Struct("<I")
PLAIN = ("kind", "base", "recorded_at", "tick_before", "tick_after", "key", "payload")


def encode(delta: Delta) -> bytes:
    """The Delta as bytes, its contents left out; reasons and result must be JSON types."""
    header: dict[str, Any] = {name: getattr(delta, name) for name in PLAIN}
    header["reasons"] = list(delta.reasons)
    header["result"] = delta.result
    header["n"] = [len(delta.nodes), len(delta.arcs)]
    text = json.dumps(header, separators=(",", ":"), default=_plain).encode()
    pieces: list[bytes | memoryview] = [
        COUNT.pack(len(text)),
        text,
        *_pack(delta.nodes),
        *_pack(delta.arcs),
    ]
    flags = 0
    if sum(memoryview(piece).nbytes for piece in pieces) > THRESHOLD:
        # Piece by piece: nobody else waits while a sleep's millions of bytes are put together.
        flags, compressor = COMPRESSED, zlib.compressobj(1)
        pieces = [*map(compressor.compress, pieces), compressor.flush()]
    body = b"".join(pieces)
    return HEAD.pack(b"D", VERSION, flags, zlib.crc32(body)) + body


def decode(data: bytes) -> Delta:
    """The Delta that `encode` was given, without contents; raises CorruptFile, NewerSchema."""
    header, nodes, arcs = _parts(data)
    n_nodes, n_arcs = header.pop("n")
    reasons = tuple(header.pop("reasons"))
    return Delta(
        nodes=_unpack(nodes, NODE, n_nodes),
        arcs=_unpack(arcs, ARC, n_arcs),
        reasons=reasons,
        **header,
    )


def touches(data: bytes, ids: NDArray[np.int64]) -> bool:
    """Whether an encoded Delta has images of one of these nodes, or of an arc at one."""
    header, nodes, arcs = _parts(data)
    n_nodes, n_arcs = header["n"]
    found = [_ids(nodes, NODE, n_nodes, "id")]
    found += [_ids(arcs, ARC, n_arcs, end) for end in ("src", "dst")]
    return bool(np.isin(np.concatenate(found), ids).any())


def _parts(data: bytes) -> tuple[dict[str, Any], memoryview, memoryview]:
    """Header, images of nodes, images of arcs."""
    body = memoryview(_body(data))
    (length,) = COUNT.unpack_from(body)
    start = COUNT.size + length
    header: dict[str, Any] = json.loads(bytes(body[COUNT.size : start]))
    end = start + header["n"][0] * (2 + 2 * NODE.itemsize)
    return header, body[start:end], body[end:]


def _ids(data: memoryview, dtype: np.dtype[np.void], n: int, name: str) -> NDArray[np.int64]:
    """One identity column of packed images; both images of a record share it."""
    fields = dtype.fields
    assert fields is not None
    start = 2 * n + fields[name][1] * n
    columns = np.frombuffer(data, np.uint8, 8 * n, start) if n else np.zeros(0, np.uint8)
    return np.ascontiguousarray(columns.reshape(8, n).T).view(np.int64).reshape(n)


def _body(data: bytes) -> bytes:
    if len(data) < HEAD.size or data[:1] != b"D":
        raise CorruptFile("a journal entry is not in the form MAGS writes; restore a copy")
    _, version, flags, crc = HEAD.unpack_from(data)
    if version > VERSION:
        raise NewerSchema(
            f"a journal entry has version {version}, this MAGS reads up to {VERSION}: upgrade it",
            found=version,
            known=VERSION,
        )
    body = data[HEAD.size :]
    # Of the body as it lies on the disk: damage is found before anything is unpacked.
    if zlib.crc32(body) != crc:
        raise CorruptFile("a journal entry is damaged (its checksum differs); restore a copy")
    return zlib.decompress(body) if flags & COMPRESSED else body


def _plain(value: object) -> object:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a Delta holds numbers, names and lists, not {type(value).__name__}")


def _pack(changes: Changes) -> list[bytes | memoryview]:
    if not len(changes):
        return []
    dtype = changes.after.dtype
    before, after, has = as_bytes(changes.before), as_bytes(changes.after), changes.has
    first, rest = after, before
    if not has.all():
        first = np.where(has[:, None], after, before)
        rest = np.where(has[:, None], before, after)
    rest = rest ^ _likely(first, changes.had & has, dtype)
    columns = (np.ascontiguousarray(image.T).data for image in (first, rest))
    return [changes.had.tobytes(), has.tobytes(), *columns]


def _unpack(data: memoryview, dtype: np.dtype[np.void], n: int) -> Changes:
    if not n:
        return Changes.none(dtype)
    had = np.frombuffer(data, np.bool_, n).copy()
    has = np.frombuffer(data, np.bool_, n, n).copy()
    size = n * dtype.itemsize
    shape = (dtype.itemsize, n)
    first = np.ascontiguousarray(np.frombuffer(data, np.uint8, size, 2 * n).reshape(shape).T)
    rest = np.frombuffer(data, np.uint8, size, 2 * n + size).reshape(shape).T
    other = np.ascontiguousarray(rest ^ _likely(first, had & has, dtype))
    before, after = other, first
    if not has.all():
        before = np.where(has[:, None], other, first)
        after = np.where(has[:, None], first, other)
    return Changes(before.view(dtype).reshape(n), after.view(dtype).reshape(n), had, has)


def _likely(
    first: NDArray[np.uint8], both: NDArray[np.bool_], dtype: np.dtype[np.void]
) -> NDArray[np.uint8]:
    """What the other image would be: the same record, or an absent one (its identity only)."""
    return first * (both[:, None] | _IDENTITY_BYTES[dtype])


def _identity_bytes(dtype: np.dtype[np.void]) -> NDArray[np.bool_]:
    """Which bytes of a record belong to its identity, shape (itemsize,)."""
    mask = np.zeros(1, dtype)
    for name in IDENTITY[dtype]:
        mask[name] = -1 if mask[name].dtype.kind == "i" else 255
    return np.not_equal(mask.view(np.uint8), 0)


_IDENTITY_BYTES = {dtype: _identity_bytes(dtype) for dtype in IDENTITY}
