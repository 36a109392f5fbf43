"""Small Deltas, contents and checkpoints for tests of stores."""

import base64
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from mags.graph.delta import Changes, Delta, encode
from mags.graph.records import ARC, NODE, ArcKind, Content, NodeKind, blank_arc, blank_node
from mags.ports.store import Checkpoint, JournalEntry, Store
from mags.store.sealing import Keyring

VECTOR = np.linspace(-1, 1, 8).astype(np.float16)


def keyring(folder: Path, master: bytes = bytes(32)) -> Keyring:
    """Keys in a folder, under a master key."""
    return Keyring("env:MASTER", folder, {"MASTER": base64.b64encode(master).decode()})


def content(node: int, text: str = "a word", **meta: object) -> Content:
    """The words of a node; its id is that of the node."""
    return Content(id=node, node=node, text=text, meta=meta, vector=VECTOR * np.float16(node))


def note(node: int, text: str | None = None, *, key: str | None = None, after: int = 0) -> Delta:
    """A Delta that makes a node, with words where told, drawing an arc to the node `after`."""
    arcs = [(None, blank_arc(node, after, ArcKind.ASSOCIATION))] if after else []
    return Delta(
        kind="observe",
        tick_before=node - 1,
        tick_after=node,
        key=key,
        payload=None if key is None else f"payload of {key}",
        nodes=Changes.of(NODE, [(None, blank_node(id=node, kind=NodeKind.NOTE, content=node))]),
        arcs=Changes.of(ARC, arcs),
        reasons=({"rule": "test", "node": node},),
        result={"id": node},
        contents=() if text is None else (content(node, text),),
    )


def checkpoint(store: Store, seq: int, *nodes: int) -> Checkpoint:
    """A checkpoint of a store's branch that holds these nodes."""
    records = np.zeros(len(nodes), NODE)
    records["id"] = nodes
    arrays = {
        "graph.nodes": records,
        "vectors.rows": np.arange(6, dtype=np.float16).reshape(2, 3),
        "lexicon.none": np.zeros((0, 4), np.int32),
    }
    return Checkpoint(seq=seq, branch=store.branch, tick=seq, arrays=arrays)


def seen(entries: Iterable[JournalEntry]) -> list[tuple[int, str, bytes]]:
    """Entries in a form that compares to the bit."""
    return [(entry.seq, entry.branch, encode(entry.delta)) for entry in entries]


def seqs(store: Store, after: int = 0) -> list[int]:
    """Sequences of the entries a branch sees."""
    return [entry.seq for entry in store.journal.since(after)]


def same(a: Checkpoint | None, b: Checkpoint | None) -> bool:
    """Whether two checkpoints are equal to the bit."""
    if a is None or b is None:
        return a is b
    heads = [(p.seq, p.branch, p.tick, list(p.arrays)) for p in (a, b)]
    pairs = zip(a.arrays.values(), b.arrays.values(), strict=True)
    return heads[0] == heads[1] and all(
        (x.dtype, x.shape, x.tobytes()) == (y.dtype, y.shape, y.tobytes()) for x, y in pairs
    )


class Stop(Exception):
    """What ends a block that is to fail."""


@contextmanager
def failing_block(store: Store) -> Iterator[None]:
    """A block of `writing` that raises at its end; nobody sees it."""
    try:
        with store.writing():
            yield
            raise Stop
    except Stop:
        pass
