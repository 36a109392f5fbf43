"""Consolidate: a dense core becomes a THEME with its members and a summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mags.graph.communities import communities
from mags.graph.delta import Changes, Delta
from mags.graph.edge import ARC, ArcKind, blank_arc
from mags.graph.node import NODE, Content, NodeFlag, NodeKind, blank_node
from mags.plasticity.regions import Regions
from mags.plasticity.still import Still, created
from mags.plasticity.summary import Member, central_summary

CUTS = (1.0, 2.0, 4.0)
"""Resolutions at which a core that is too large is cut; what is too large then makes no theme."""


class Ids(Protocol):
    """Gives out ids that are unique for ever."""

    def take(self, n: int = 1) -> int:
        """Reserve n ids; the first of them."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Scribe:
    """What writing a theme takes from outside.

    `words`: node ids to contents, in order; `vectors`: node ids to float32 (n, d), rows of
    unit length; `embed`: texts to the same; `ids`: for new nodes and contents;
    `summarise`: members, best connected first, to the theme's text.
    """

    words: Callable[[Sequence[int]], Sequence[Content]]
    vectors: Callable[[Sequence[int]], NDArray[np.float32]]
    embed: Callable[[Sequence[str]], NDArray[np.float32]]
    ids: Ids
    summarise: Callable[[Sequence[Member]], str] = central_summary


@dataclass(frozen=True, slots=True, kw_only=True)
class Consolidate:
    """Make or update a theme for every innermost core of `least` to `most` nodes.

    Larger cores are cut along their communities. A theme whose members mostly are those of
    a core (Jaccard index at least `same`) gains the new ones and a new text, once they are
    `news` of the core or more; a core of which that share belongs to one larger theme is left
    to it; otherwise a new theme is made. At most `batch` themes are written a sleep, the
    densest and largest first. Members never leave: structure does not change.
    """

    least: int = 4
    most: int = 64
    same: float = 0.5
    news: float = 0.1
    batch: int = 64

    def __call__(
        self,
        still: Still,
        *,
        scribe: Scribe,
        now_s: float,
        regions: Regions | None = None,
    ) -> Delta:
        """THEME nodes with contents, and MEMBER arcs.

        `now_s`: record time; `regions` of this still, where known, spare finding the
        communities of large cores anew.
        """
        themes = _Themes(still)
        work: list[tuple[int | None, NDArray[np.int64], NDArray[np.int64]]] = []
        for core in self._cores(still, regions):
            theme, shared = themes.nearest(core)
            old = themes.members(theme)
            fresh = np.setdiff1d(core, old, assume_unique=True)
            if theme is not None and shared >= self.same * (len(old) + len(core) - shared):
                themes.take(theme)
                if len(fresh) and len(fresh) >= self.news * len(core):
                    work.append((theme, np.union1d(old, core), fresh))
            elif shared < self.same * len(core):
                work.append((None, core, core))
        work = work[: self.batch]
        return self._write(still, work, scribe, now_s)

    def _cores(self, still: Still, regions: Regions | None) -> list[NDArray[np.int64]]:
        """Positions of the nodes of each core, the densest and largest first."""
        net = still.net
        may = (net.inner >= 0) & (still.nodes["kind"] != NodeKind.THEME)
        large: list[NDArray[np.int64]] = []
        found: list[NDArray[np.int64]] = []
        for core in _groups(np.flatnonzero(may), net.inner[may]):
            if len(core) <= self.most:
                found.append(core)
            elif regions is None:
                large.append(core)
            else:
                large += _groups(core, regions.label[core])
        for resolution in CUTS:
            parts = [part for core in large for part in _cut(still, core, self.most, resolution)]
            large = [part for part in parts if len(part) > self.most]
            found += [part for part in parts if len(part) <= self.most]
        found = [core for core in found if len(core) >= self.least]
        return sorted(found, key=lambda c: (-int(net.core[c[0]]), -len(c), int(c[0])))

    def _write(
        self,
        still: Still,
        work: Sequence[tuple[int | None, NDArray[np.int64], NDArray[np.int64]]],
        scribe: Scribe,
        now_s: float,
    ) -> Delta:
        """`work`: position of the theme or None, its members, those that are new to it."""
        texts = [scribe.summarise(_members(still, members, scribe)) for _, members, _ in work]
        vectors = scribe.embed(texts).astype(np.float16) if texts else np.zeros((0, 0), np.float16)
        images: list[tuple[NDArray[np.void] | None, NDArray[np.void] | None]] = []
        arcs: list[NDArray[np.void]] = []
        contents: list[Content] = []
        for (theme, members, fresh), text, vector in zip(work, texts, vectors, strict=True):
            before = None if theme is None else still.nodes[theme : theme + 1].copy()
            after = _new_theme(scribe.ids, still.tick, now_s) if before is None else before.copy()
            theme_id, content_id = int(after["id"][0]), scribe.ids.take()
            after["content"] = content_id
            after["flags"] &= ~np.uint16(NodeFlag.COLD)
            images.append((before, after))
            ids = still.ids[members].tolist()
            arcs += [
                blank_arc(theme_id, int(i), ArcKind.MEMBER, t0=still.tick) for i in still.ids[fresh]
            ]
            contents.append(
                Content(
                    id=content_id, node=theme_id, text=text, meta={"members": ids}, vector=vector
                )
            )
        made = sum(theme is None for theme, _, _ in work)
        delta = still.delta(
            "consolidate",
            nodes=Changes.of(NODE, images),
            arcs=created(np.concatenate(arcs)) if arcs else Changes.none(ARC),
            themes=made,
            updated=len(work) - made,
        )
        return Delta(
            kind=delta.kind,
            tick_before=delta.tick_before,
            tick_after=delta.tick_after,
            nodes=delta.nodes,
            arcs=delta.arcs,
            reasons=delta.reasons,
            contents=tuple(contents),
        )


def _new_theme(ids: Ids, tick: int, now_s: float) -> NDArray[np.void]:
    return blank_node(
        id=ids.take(),
        kind=NodeKind.THEME,
        strength_tick=tick,
        last_used_tick=tick,
        recorded_at=now_s,
    )


class _Themes:
    """The themes there are, by their positions, to be found by their members."""

    def __init__(self, still: Still) -> None:
        member = np.flatnonzero(still.arcs["kind"] == ArcKind.MEMBER)
        src, dst = still.src[member].astype(np.int64), still.dst[member].astype(np.int64)
        self._members: dict[int | None, NDArray[np.int64]] = {None: np.zeros(0, np.int64)}
        self._of: dict[int, list[int]] = {}
        for group in _groups(np.arange(len(src)), src):
            self._members[int(src[group[0]])] = dst[group]
        for theme, position in zip(src.tolist(), dst.tolist(), strict=True):
            self._of.setdefault(position, []).append(theme)
        self._taken: set[int] = set()

    def members(self, theme: int | None) -> NDArray[np.int64]:
        """Positions of a theme's members, ascending."""
        return self._members[theme]

    def take(self, theme: int) -> None:
        """A theme stands for one core only."""
        self._taken.add(theme)

    def nearest(self, core: NDArray[np.int64]) -> tuple[int | None, int]:
        """The theme that shares most with a core, and how much; the smaller of equals."""
        shared = Counter(
            theme
            for position in core.tolist()
            for theme in self._of.get(position, ())
            if theme not in self._taken
        )
        if not shared:
            return None, 0
        return min(shared.items(), key=lambda t: (-t[1], len(self._members[t[0]]), t[0]))


def _groups(values: NDArray[np.int64], label: NDArray[Any]) -> Iterator[NDArray[np.int64]]:
    """Values of one label each, by ascending label, in the order they came in."""
    order = np.argsort(label, kind="stable")
    if len(order):
        yield from np.split(values[order], np.flatnonzero(np.diff(label[order])) + 1)


def _cut(
    still: Still, core: NDArray[np.int64], most: int, resolution: float
) -> Iterator[NDArray[np.int64]]:
    """A core's communities, where it has more than `most` nodes."""
    if len(core) <= most:
        yield core
        return
    yield from _groups(core, communities(*still.net.part(core), resolution=resolution))


def _members(still: Still, members: NDArray[np.int64], scribe: Scribe) -> list[Member]:
    """Members with words and vectors, best connected first."""
    ranked = members[np.lexsort((members, -still.net.degree[members]))]
    ids = still.ids[ranked].tolist()
    kinds = still.nodes["kind"][ranked].tolist()
    return [
        Member(kind=NodeKind(kind), content=content, vector=vector)
        for kind, content, vector in zip(kinds, scribe.words(ids), scribe.vectors(ids), strict=True)
    ]
