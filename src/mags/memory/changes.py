"""Deltas in plain numbers, for who follows a memory as it changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mags.graph.delta import Changes
from mags.graph.records import NEVER, ArcKind, Content, NodeFlag, NodeKind
from mags.index.state import State
from mags.memory.given import count, whole
from mags.memory.live import Live
from mags.ports.store import Entry
from mags.recall.found import moment_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ArcView:
    """An arc as a change left it. `weight`: its charge then (0.0 where it was removed)."""

    src: int
    dst: int
    kind: str
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedView:
    """A node in its words of now. `current`: False for what is over; `tentative`: it is a guess."""

    id: int
    kind: str
    text: str
    current: bool
    tentative: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeView:
    """One Delta: node ids and arcs by what became of them, at most so many of each.

    `closed`, `edited`: those of `changed` that ended, or have other words now. `arcs`: new ones;
    `reweighted`: those that were there before; `cut`: those that are gone. `erased_nodes`,
    `erased_arcs`: what of it was forgotten, of which the number alone is kept. `named`: words of
    the first so many of its nodes that are still there, what says most first. `more`: how many
    touched records are not listed.
    """

    seq: int
    kind: str
    recorded_at: datetime | None
    tick: int
    added: tuple[int, ...]
    changed: tuple[int, ...]
    removed: tuple[int, ...]
    closed: tuple[int, ...]
    edited: tuple[int, ...]
    arcs: tuple[ArcView, ...]
    reweighted: tuple[ArcView, ...]
    cut: tuple[ArcView, ...]
    erased_nodes: int
    erased_arcs: int
    more: int
    reasons: tuple[Mapping[str, Any], ...]
    named: tuple[NamedView, ...] = ()


LABEL = 160
"""Characters of a text that tells of a node."""
_TELLING = {kind: i for i, kind in enumerate((NodeKind.FACT, NodeKind.NOTE, NodeKind.EPISODE))}
"""Kinds whose words say most of what a change did, first."""


def changes(
    live: Live, after: int, *, limit: int, listed: int = 500, named: int = 0
) -> list[ChangeView]:
    """Changes after a sequence, oldest first; raises NotFound where they were folded away.

    `named`: of how many nodes of each the words are told.
    """
    after = whole(after, "after is the sequence of a change")
    limit, named = count(limit, "limit is how many changes"), whole(named, "named counts nodes")
    entries: Iterator[Entry] = iter(live.store.journal.since(after))
    seen = [_view(entry, listed) for entry in islice(entries, limit)]
    if not named:
        return seen
    with live.reading() as state:
        return [replace(one, named=tuple(_named(state, one, named))) for one in seen]


def _view(entry: Entry, listed: int) -> ChangeView:
    delta = entry.delta
    nodes, arcs = delta.nodes, delta.arcs
    altered, woven = nodes.altered(), arcs.altered()
    was, now = altered.before, altered.after
    ends = (was["valid_to"] == NEVER) & (now["valid_to"] != NEVER)
    other = was["content"] != now["content"]
    made = [nodes.created()["id"], now["id"], nodes.removed()["id"]]
    some = [tuple(int(i) for i in ids[:listed]) for ids in (*made, now["id"][ends])]
    lines = [arcs.created(), woven.after, arcs.removed()]
    more = sum(max(0, len(one) - listed) for one in (*made, *lines))
    return ChangeView(
        seq=entry.seq,
        kind=delta.kind,
        recorded_at=moment_of(delta.recorded_at),
        tick=delta.tick_after,
        added=some[0],
        changed=some[1],
        removed=some[2],
        closed=some[3],
        edited=tuple(int(i) for i in now["id"][other][:listed]),
        arcs=tuple(_arcs(lines[0][:listed], there=True)),
        reweighted=tuple(_arcs(lines[1][:listed], there=True)),
        cut=tuple(_arcs(lines[2][:listed], there=False)),
        erased_nodes=_erased(nodes),
        erased_arcs=_erased(arcs),
        more=more,
        reasons=delta.reasons[:listed],
    )


def _erased(changes: Changes) -> int:
    """How many records were removed and forgotten: the journal keeps that they were, not what."""
    return int((~changes.had & ~changes.has).sum())


def _named(state: State, change: ChangeView, most: int) -> Iterator[NamedView]:
    """The words of a change's nodes: what ended or was edited, then what came, then the rest."""
    graph = state.graph
    first = [i for i in dict.fromkeys((*change.closed, *change.edited)) if i in graph]
    came = [i for i in change.added if i in graph]
    came.sort(key=lambda i: (_TELLING.get(state.kind(i), len(_TELLING)), i))
    rest = [i for i in change.changed if i in graph]
    ids = list(dict.fromkeys((*first, *came, *rest)))[:most]
    for content in state.words(ids):
        node = graph.view(content.node)[0]
        yield named(node, content, current=bool(node["valid_to"] == NEVER))


def named(node: np.void, content: Content, *, current: bool) -> NamedView:
    """A node in its words of now."""
    return NamedView(
        id=content.node,
        kind=NodeKind(int(node["kind"])).name.lower(),
        text=content.text[:LABEL],
        current=current,
        tentative=bool(int(node["flags"]) & NodeFlag.GUESS),
    )


def _arcs(records: NDArray[np.void], *, there: bool) -> Iterator[ArcView]:
    for arc in records:
        yield ArcView(
            src=int(arc["src"]),
            dst=int(arc["dst"]),
            kind=ArcKind(int(arc["kind"])).name.lower(),
            weight=float(arc["w"]) if there else 0.0,
        )
