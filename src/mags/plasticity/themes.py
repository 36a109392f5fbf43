"""Themes: a core becomes a THEME node with its members and a summary of what is still true.

Sleep and recall both ask here what a summary must leave out (`over`, `unfit`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mags.graph.algorithms import communities
from mags.graph.delta import Changes, Delta
from mags.graph.records import (
    ARC,
    NEVER,
    NODE,
    ArcKind,
    Content,
    NodeFlag,
    NodeKind,
    blank_arc,
    blank_node,
)
from mags.index.state import Ids
from mags.plasticity.frozen import FrozenGraph, created
from mags.plasticity.regions import Regions

CUTS = (1.0, 2.0, 4.0)
"""Resolutions at which a large core is cut, one after another; parts still too large make none."""

NAMES = 3
"""Names in a summary."""
SENTENCES = 2
"""Texts of other members in a summary."""
LONGEST = 240
"""Characters after which a member's text is cut at a sentence or a word."""

SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


def over(nodes: NDArray[np.void], moment: float) -> NDArray[np.bool_]:
    """Which nodes are over at `moment`, were retracted, or repeat an answer of the memory.

    bool (n,). `moment`: event time.
    """
    ended = (nodes["valid_to"] <= moment) | (
        (nodes["flags"] & int(NodeFlag.RETRACTED) > 0) & (nodes["valid_to"] < NEVER)
    )
    # Only facts and notes end. An episode that repeats an answer would have the memory quote
    # itself.
    tells = np.isin(nodes["kind"], (int(NodeKind.FACT), int(NodeKind.NOTE)))
    return np.asarray((tells & ended) | (nodes["flags"] & int(NodeFlag.RECALLED) > 0))


def unfit(nodes: NDArray[np.void], moment: float) -> NDArray[np.bool_]:
    """Which nodes no theme may have as members: what is over, disputed or a guess; bool (n,).

    A summary cannot mark a part of itself as a guess. The turn that a guess was read from may be
    a member, in its own words.
    """
    marks = int(NodeFlag.GUESS | NodeFlag.DISPUTED)
    return np.asarray(over(nodes, moment) | (nodes["flags"] & marks > 0))


def reworded(nodes: NDArray[np.void], theme: np.void) -> NDArray[np.bool_]:
    """Which members of a theme got new words after the theme did; bool (n,).

    Entities do not count: their words change with every name that is learned.
    """
    # Content ids rise, so a greater one is newer.
    return np.asarray(
        (nodes["kind"] != NodeKind.ENTITY) & (nodes["content"] > theme["content"]), np.bool_
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Member:
    """A member of a theme: its kind, its words, and its vector, float32 (d,)."""

    kind: NodeKind
    content: Content
    vector: NDArray[np.float32]


def central_summary(members: Sequence[Member]) -> str:
    """Up to three names and two texts, those nearest the mean of the members' vectors.

    "Ana, Oslo: Ana lives in Oslo. The flat looks over the harbour." Repeated texts count
    once; equally near ones keep the order given.
    """
    vectors = np.stack([member.vector for member in members])
    nearness = vectors @ vectors.mean(axis=0)
    names: dict[str, None] = {}
    sentences: dict[str, None] = {}
    for i in np.argsort(-nearness, kind="stable"):
        text = " ".join(members[i].content.text.split())
        if members[i].kind == NodeKind.ENTITY:
            names.setdefault(text)
        elif text:
            sentences.setdefault(_opening(text))
    head, body = ", ".join(list(names)[:NAMES]), " ".join(list(sentences)[:SENTENCES])
    return f"{head}: {body}" if head and body else head or body


def _opening(text: str) -> str:
    """The first sentences of a text that fit into LONGEST characters, or else its first words."""
    if len(text) <= LONGEST:
        return text
    kept = ""
    for sentence in SENTENCE_END.split(text):
        if len(kept) + len(sentence) >= LONGEST:
            break
        kept = f"{kept} {sentence}".strip()
    return kept or text[:LONGEST].rsplit(" ", 1)[0] + " ..."


class PendingTheme(NamedTuple):
    """A theme to write: its position (None if new), its members, and those that are new to it.

    Members are positions, ascending.
    """

    theme: int | None
    members: NDArray[np.int64]
    fresh: NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class ThemeWriter:
    """The functions with which themes are written.

    `words`: node ids to contents, in order; `vectors`: node ids to float32 (n, d), rows of
    unit length; `embed`: texts to vectors of the same form; `ids`: for new nodes and contents;
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

    A theme sums up what is still true: facts that are over, and the turns that told them, are in
    none. A theme with such a member loses it and gets a new text, or is removed if fewer than
    `least` members stay. Other members never leave. Larger cores are cut into communities.

    A theme whose members are mostly those of a core (Jaccard index at least `same`) gains the new
    ones and a new text, once they are a share `news` of the core. A core of which a share `same`
    belongs to one larger theme is left to that theme. Otherwise a new theme is made. At most
    `batch` themes are written in a sleep: those that lost members, then the densest and largest.
    """

    least: int = 4
    most: int = 64
    same: float = 0.5
    news: float = 0.1
    batch: int = 64

    def __call__(
        self,
        frozen: FrozenGraph,
        *,
        scribe: ThemeWriter,
        now_s: float,
        regions: Regions | None = None,
    ) -> Delta:
        """THEME nodes with contents, and MEMBER arcs.

        `now_s`: record time; what ended by then, or by the newest turn, is over. With the
        `regions` of this frozen graph the communities of large cores need not be found again.
        """
        # The present is not before the newest turn (docs/decisions/0006).
        said = frozen.nodes["valid_from"][frozen.nodes["kind"] == NodeKind.EPISODE]
        unfit = not_to_tell(frozen, max(now_s, float(said.max(initial=-NEVER))))
        themes = Themes(frozen, unfit)
        mended, work, gone = list[PendingTheme](), list[PendingTheme](), list[int]()
        for core in self._cores(frozen, regions, unfit):
            theme, shared = themes.nearest(core)
            # shared / (size of the union) >= same, without dividing.
            old = themes.members[theme]
            fresh = np.setdiff1d(core, old, assume_unique=True)
            if theme is not None and shared >= self.same * (len(old) + len(core) - shared):
                themes.taken.add(theme)
                if theme in themes.outdated:
                    mended.append(PendingTheme(theme, np.union1d(old, core), fresh))
                elif len(fresh) and len(fresh) >= self.news * len(core):
                    work.append(PendingTheme(theme, np.union1d(old, core), fresh))
            elif shared < self.same * len(core):
                work.append(PendingTheme(None, core, core))
        # Themes that no core holds together any more still lose what is over.
        for theme in themes.outdated:
            if theme in themes.taken:
                continue
            held = themes.members[theme]
            if len(held) >= self.least:
                mended.append(PendingTheme(theme, held, held[:0]))
            else:
                gone.append(theme)
        return self._write(frozen, [*mended, *work][: self.batch], gone, themes, scribe, now_s)

    def _cores(
        self, frozen: FrozenGraph, regions: Regions | None, unfit: NDArray[np.bool_]
    ) -> list[NDArray[np.int64]]:
        """Positions of the nodes of each core, the densest and largest first."""
        net = frozen.net
        may = (net.inner >= 0) & (frozen.nodes["kind"] != NodeKind.THEME) & ~unfit
        large: list[NDArray[np.int64]] = []
        found: list[NDArray[np.int64]] = []
        for core in groups(np.flatnonzero(may), net.inner[may]):
            if len(core) <= self.most:
                found.append(core)
            elif regions is None:
                large.append(core)
            else:
                large += groups(core, regions.label[core])
        for resolution in CUTS:
            parts = [part for core in large for part in _cut(frozen, core, self.most, resolution)]
            large = [part for part in parts if len(part) > self.most]
            found += [part for part in parts if len(part) <= self.most]
        found = [core for core in found if len(core) >= self.least]
        return sorted(found, key=lambda c: (-int(net.core[c[0]]), -len(c), int(c[0])))

    def _write(
        self,
        frozen: FrozenGraph,
        work: Sequence[PendingTheme],
        gone: Sequence[int],
        themes: Themes,
        scribe: ThemeWriter,
        now_s: float,
    ) -> Delta:
        """The Delta that writes `work`; `gone`: positions of the themes to remove."""
        # Ids are taken before any words are read. A member whose words change while the text is
        # made then has a greater content id than the text, and `reworded` sees it.
        take = scribe.ids.take
        ids = [
            (take() if one.theme is None else int(frozen.ids[one.theme]), take()) for one in work
        ]
        texts = [scribe.summarise(_members(frozen, one.members, scribe)) for one in work]
        vectors = scribe.embed(texts).astype(np.float16) if texts else np.zeros((0, 0), np.float16)
        images: list[tuple[NDArray[np.void] | None, NDArray[np.void] | None]] = []
        arcs: list[NDArray[np.void]] = []
        contents: list[Content] = []
        for one, (theme_id, content_id), text, vector in zip(
            work, ids, texts, vectors, strict=True
        ):
            if one.theme is None:
                tick, before = frozen.tick, None
                after = blank_node(
                    id=theme_id, kind=NodeKind.THEME, strength_tick=tick, last_used_tick=tick
                )
            else:
                before = frozen.nodes[one.theme : one.theme + 1].copy()
                after = before.copy()
            after["content"], after["recorded_at"] = content_id, now_s
            after["valid_from"] = _newest(frozen, one.members)
            after["flags"] &= ~np.uint16(NodeFlag.COLD)
            images.append((before, after))
            arcs += [
                blank_arc(theme_id, int(i), ArcKind.MEMBER, t0=frozen.tick)
                for i in frozen.ids[one.fresh]
            ]
            meta = {"members": frozen.ids[one.members].tolist()}
            contents.append(
                Content(id=content_id, node=theme_id, text=text, meta=meta, vector=vector)
            )
        images += [(frozen.nodes[theme : theme + 1].copy(), None) for theme in gone]
        dropped = [themes.leaving[one.theme] for one in work if one.theme in themes.leaving]
        dropped.append(np.flatnonzero(np.isin(frozen.src, gone) | np.isin(frozen.dst, gone)))
        lost = frozen.arcs[np.unique(np.concatenate(dropped))]
        made = np.concatenate(arcs) if arcs else np.zeros(0, ARC)
        new = sum(one.theme is None for one in work)
        counts = {"themes": new, "updated": len(work) - new}
        delta = frozen.delta(
            "consolidate",
            nodes=Changes.of(NODE, images),
            arcs=Changes.compose([created(made), created(lost).inverse()], ARC),
            **counts | ({"removed": len(gone)} if gone else {}),
        )
        return replace(delta, contents=tuple(contents))


def _newest(frozen: FrozenGraph, members: NDArray[np.int64]) -> float:
    """When the newest member was said or began, which is how new the theme counts as.

    A theme dated by its sleep would look like news about old facts.
    """
    times = frozen.nodes["valid_from"][members]
    return float(times[np.isfinite(times)].max(initial=-NEVER))


def _cut(
    frozen: FrozenGraph, core: NDArray[np.int64], most: int, resolution: float
) -> Iterator[NDArray[np.int64]]:
    """A core's communities if it has more than `most` nodes, else the core."""
    if len(core) <= most:
        yield core
        return
    yield from groups(core, communities(*frozen.net.part(core), resolution=resolution))


def _members(frozen: FrozenGraph, members: NDArray[np.int64], scribe: ThemeWriter) -> list[Member]:
    """Members with words and vectors, best connected first."""
    ranked = members[np.lexsort((members, -frozen.net.degree[members]))]
    ids = frozen.ids[ranked].tolist()
    kinds = frozen.nodes["kind"][ranked].tolist()
    return [
        Member(kind=NodeKind(kind), content=content, vector=vector)
        for kind, content, vector in zip(kinds, scribe.words(ids), scribe.vectors(ids), strict=True)
    ]


def not_to_tell(frozen: FrozenGraph, moment: float) -> NDArray[np.bool_]:
    """Which nodes are `unfit`, or are turns that told what is over; bool (n,)."""
    found, ended = unfit(frozen.nodes, moment), over(frozen.nodes, moment)
    sources = (frozen.arcs["kind"] == ArcKind.SOURCE) & ended[frozen.src]
    found[frozen.dst[sources]] = True
    return found


class Themes:
    """The existing themes by position, to be found by their members.

    `members`: positions of a theme's members, ascending, without those that are `unfit` (bool by
    position); empty for None. `outdated`: themes with an unfit member, or one that got new words
    since; `leaving`: positions in `arcs` of the arcs to unfit members. `taken`: themes that a
    core has got already, since a theme stands for one core only.
    """

    def __init__(self, frozen: FrozenGraph, unfit: NDArray[np.bool_]) -> None:
        member = np.flatnonzero(frozen.arcs["kind"] == ArcKind.MEMBER)
        src, dst = frozen.src[member].astype(np.int64), frozen.dst[member].astype(np.int64)
        self.members: dict[int | None, NDArray[np.int64]] = {None: np.zeros(0, np.int64)}
        self.leaving: dict[int | None, NDArray[np.int64]] = {}
        self.outdated: list[int] = []
        self.taken: set[int] = set()
        self._of: dict[int, list[int]] = {}
        for group in groups(np.arange(len(src)), src):
            theme, held = int(src[group[0]]), dst[group]
            self.members[theme] = held[~unfit[held]]
            if (unfit[held] | reworded(frozen.nodes[held], frozen.nodes[theme])).any():
                self.outdated.append(theme)
                self.leaving[theme] = member[group[unfit[held]]]
            for position in self.members[theme].tolist():
                self._of.setdefault(position, []).append(theme)

    def nearest(self, core: NDArray[np.int64]) -> tuple[int | None, int]:
        """The theme that shares most members with a core, and how many; the smaller of equals."""
        shared = Counter(
            theme
            for position in core.tolist()
            for theme in self._of.get(position, ())
            if theme not in self.taken
        )
        if not shared:
            return None, 0
        return min(shared.items(), key=lambda t: (-t[1], len(self.members[t[0]]), t[0]))


def groups(values: NDArray[np.int64], label: NDArray[Any]) -> Iterator[NDArray[np.int64]]:
    """Groups of values with the same label, by ascending label, in the order of the input."""
    order = np.argsort(label, kind="stable")
    if len(order):
        yield from np.split(values[order], np.flatnonzero(np.diff(label[order])) + 1)
