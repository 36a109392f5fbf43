"""What a turn is written to: the branch as it will be once its draft is applied.

`WriteMoment` is what comes with the turn from outside, `Inscribed` what it left behind, `View` what
the rules read and write, `Surroundings` what lies around the turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mags.graph.delta import Draft
from mags.graph.graph import REVERSE, table_of
from mags.graph.records import NEVER, NOBODY, ArcKind, Content, NodeFlag, NodeKind
from mags.index.state import Ids, State, names_of
from mags.index.tokens import fold_name

GUESS = int(NodeFlag.GUESS)
UNSEEN = int(NodeFlag.GUESS | NodeFlag.WAITING)
"""What a turn does not look at: guesses, and turns that wait to be read after it."""

SEARCHED = (NodeKind.EPISODE, NodeKind.FACT, NodeKind.NOTE)
"""Kinds among which a new node looks for what is like it."""

FEW = 4_096
"""Up to so many rows are asked for their kinds; the kinds of more are read once a turn."""

ALIKE = 0.6
"""Cosine with its turn from which on a text of that turn looks among what is near the turn."""

WIDE = 4
"""A turn looks for this many times as many neighbours as a text keeps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteMoment:
    """Time, ids and vectors for one inscription.

    `vectors`: text -> vector, shape (dimension,), unit length, for `Engram.texts` (a text
    without one is kept but not found by likeness). `now_s`: record time, seconds since the
    epoch. `tick`: the memory's clock after this turn. `previous`: id of the session's last
    episode.
    """

    ids: Ids
    now_s: float
    tick: int
    vectors: Mapping[str, NDArray[np.float16]] = field(default_factory=dict)
    previous: int | None = None

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
    facts and notes closed; `confirmed`: facts and notes said again; `disputed`: facts that say
    otherwise than one of a higher grade, which stays; `ignored`: operations that could not be
    used, as (index, why). The draft's reasons tell more.
    """

    episode: int | None = None
    facts: list[int] = field(default_factory=list)
    notes: list[int] = field(default_factory=list)
    closed: list[int] = field(default_factory=list)
    confirmed: list[int] = field(default_factory=list)
    disputed: list[int] = field(default_factory=list)
    ignored: list[tuple[int, str]] = field(default_factory=list)

    def add(self, other: Inscribed) -> None:
        """Add the facts that another one left, closed or confirmed."""
        for name in ("facts", "closed", "confirmed"):
            mine = getattr(self, name)
            mine += [fact for fact in getattr(other, name) if fact not in mine]


class View:
    """Reads of state and draft together, and the few writes that both need to know.

    One view serves one turn: what was drafted before it was made is known by words, names
    and slots. It shows what is surely held; guesses are seen by `guesses` alone, so that no rule
    that reads a view can be swayed by one.
    """

    def __init__(self, state: State, draft: Draft) -> None:
        """`draft` must be over the graph of `state`."""
        self.state = state
        self.draft = draft
        self._words: dict[int, Content] = {}
        self._read: dict[int, Content] = {}
        self._held: dict[tuple[int, int], list[int]] = {}
        self._names: dict[str, list[int]] = {}
        self._facts: dict[int, list[int]] = {}
        self._sources: dict[int, list[int]] = {}
        self._disputes: dict[int, dict[int, bool]] = {}
        self._groups: dict[tuple[NodeKind, ...], NDArray[np.int64]] = {}
        self._guesses = False
        self.heard: list[int] = []
        """Who speaks in this turn."""
        for content in draft.contents:
            self._learn(content)

    def guesses(self) -> View:
        """The same view with the guesses for facts, and with nothing that is surely held."""
        other = copy(self)  # which shares what is drafted and read later, too
        other._guesses = True
        return other

    # -- reading -----------------------------------------------------------------

    def node(self, node_id: int) -> np.void:
        """The NODE record of a node, a NumPy scalar, not to be written to."""
        record: np.void = self.draft.peek(node_id)[0]
        return record

    def origin(self, node_id: int) -> tuple[int, int]:
        """Kind and subject of a node: what no turn changes, read without a copy."""
        graph = self.draft.graph
        row = graph.row_of.get(node_id)
        nodes = self.draft.peek(node_id) if row is None else graph.nodes
        at = row or 0
        return int(nodes["kind"][at]), int(nodes["subject"][at])

    def words(self, node_id: int) -> Content:
        """Words of a node."""
        content = self._words.get(node_id) or self._read.get(node_id)
        if content is None:
            content = self._read[node_id] = self.state.content(node_id)
        return content

    def fetch(self, node_ids: Iterable[int]) -> None:
        """Get the words of several nodes at once, before they are asked for one by one."""
        known = self._words.keys() | self._read.keys()
        wanted = [i for i in node_ids if i not in known]
        if wanted:
            self._read.update(zip(wanted, self.state.words(wanted), strict=True))

    def find(self, name: str) -> list[int]:
        """Entities of exactly that name or alias, those of the state first."""
        known = self.state.names.find(name)
        if not self._names:
            return known
        return known + [i for i in self._names.get(fold_name(name), ()) if i not in known]

    def facts(self, subject: int, slot: int) -> list[int]:
        """Ids of the facts of a slot, open and closed, in no order that matters."""
        place = subject, slot
        nodes = ((i, self.node(i)) for i in self._facts.get(subject, ()))
        fresh = [i for i, node in nodes if (int(node["subject"]), int(node["slot"])) == place]
        if subject not in self.draft.graph:
            return self._shown(fresh)
        held = self._held.get(place)
        if held is None:
            held = self._held[place] = self.state.slots.all(subject, slot)
        return self._shown(held + fresh)

    def open(self, subject: int, slot: int) -> list[int]:
        """Ids of the open facts of a slot."""
        return [i for i in self.facts(subject, slot) if self.node(i)["valid_to"] == NEVER]

    def about(self, entity: int) -> list[int]:
        """Ids of every fact that has the entity as subject or object."""
        fresh = self._facts.get(entity, ())
        if entity not in self.draft.graph:
            return self._shown(fresh)
        slots = self.state.slots
        return self._shown([*slots.of(entity), *slots.about(entity), *fresh])

    def is_guess(self, fact: int) -> bool:
        """Whether a fact is a guess."""
        graph = self.draft.graph
        row = graph.row_of.get(fact)
        flags = self.draft.peek(fact)["flags"][0] if row is None else graph.nodes["flags"][row]
        return bool(int(flags) & GUESS)

    def _shown(self, facts: Iterable[int]) -> list[int]:
        return [fact for fact in facts if self.is_guess(fact) is self._guesses]

    def sources(self, fact: int) -> list[int]:
        """Ids of the episodes a fact or note came from."""
        fresh = self._sources.get(fact, [])
        if fact not in self.draft.graph:
            return list(fresh)
        return self.ends(fact, ArcKind.SOURCE) + fresh

    def disputes(self, node_id: int) -> list[int]:
        """Ids of the facts of a higher grade that a fact or episode says otherwise than."""
        held = self.ends(node_id, ArcKind.DISPUTES)
        fresh = self._disputes.get(node_id, {})
        return [
            *(i for i in held if fresh.get(i, True)),
            *(i for i in fresh if fresh[i] and i not in held),
        ]

    def ends(self, node_id: int, kind: ArcKind, *, back: bool = False) -> list[int]:
        """Ids at the head of a node's structural arcs of one kind in the state; `back`: tail."""
        graph = self.draft.graph
        row = graph.row_of.get(node_id)
        if row is None:
            return []
        block = graph.adjacency.block(row)
        columns = graph.adjacency.columns
        code = int(kind) | (REVERSE if back else 0)
        kinds = columns["kind"][block]
        # Most nodes have few arcs, and bytes are searched sooner than an array is compared.
        if not kinds.tobytes().count(code):
            return []
        peers = columns["peer"][block][kinds == code]
        ids: list[int] = graph.nodes["id"][peers].tolist()
        return ids

    def nearest(
        self, vector: NDArray[Any] | None, k: int, kinds: tuple[NodeKind, ...] = SEARCHED
    ) -> tuple[list[int], NDArray[np.float32]]:
        """The k nodes of the state most like a vector: ids and their vectors, best first."""
        index = self.state.vectors
        if vector is None:
            return [], np.zeros((0, index.dimension), np.float32)
        query = np.asarray(vector, np.float32)
        (rows,) = index.search_groups(query, k, lambda found: self._group(found, kinds), 1)
        ids: list[int] = self.draft.graph.nodes["id"][rows].tolist()
        return ids, index.matrix[rows].astype(np.float32)

    def _group(self, rows: NDArray[np.int64], kinds: tuple[NodeKind, ...]) -> NDArray[np.int64]:
        """0 for living rows of those kinds but `UNSEEN`, -1 for others; few one by one."""
        if len(rows) <= FEW:
            return np.where(self._allowed(rows, kinds), 0, -1)
        groups = self._groups.get(kinds)
        if groups is None:
            allowed = self._allowed(slice(0, self.state.vectors.size), kinds)
            groups = self._groups[kinds] = np.where(allowed, 0, -1)
        return groups[rows]

    def _allowed(
        self, rows: NDArray[np.int64] | slice, kinds: tuple[NodeKind, ...]
    ) -> NDArray[np.bool_]:
        graph = self.draft.graph
        seen = (graph.nodes["flags"][rows] & UNSEEN) == 0
        return np.asarray(graph.alive[rows] & table_of(*kinds)[graph.kinds[rows]] & seen, np.bool_)

    def vectors(self, node_ids: Iterable[int]) -> NDArray[np.float32]:
        """Vectors of nodes, shape (n, dimension); zeros where there is none."""
        ids = list(node_ids)
        rows = np.fromiter(map(self.draft.graph.row_of.get, ids, repeat(-1)), np.int64, len(ids))
        out = self.state.vectors.get(rows)
        for i, node_id in enumerate(ids):
            if node_id in self._words:
                vector = self._words[node_id].vector
                if vector is not None:
                    out[i] = vector
        return out

    # -- writing -----------------------------------------------------------------

    def add(self, content: Content, **values: Any) -> int:
        """Draft a node with its words; returns its id."""
        self.draft.add_node(content, id=content.node, **values)
        self._learn(content)
        return content.node

    def rename(self, content: Content) -> None:
        """Give a node new words: a new text is a new content."""
        self.draft.node(content.node)["content"] = content.id
        self.draft.contents.append(content)
        self._learn(content)

    def join(self, src: int, dst: int, kind: ArcKind) -> None:
        """Draft a structural arc, once."""
        self.draft.add_arc(src, dst, kind)
        if kind == ArcKind.SOURCE and dst not in self.sources(src):
            self._sources.setdefault(src, []).append(dst)
        elif kind == ArcKind.DISPUTES:
            self._disputes.setdefault(src, {})[dst] = True

    def agree(self, src: int, dst: int) -> None:
        """Draft that a node disputes a fact no more."""
        self.draft.remove_arc(src, dst, ArcKind.DISPUTES)
        self._disputes.setdefault(src, {})[dst] = False

    def _learn(self, content: Content) -> None:
        self._words[content.node] = content
        node = self.node(content.node)
        kind = int(node["kind"])
        if kind == NodeKind.ENTITY:
            for name in names_of(content):
                ids = self._names.setdefault(fold_name(name), [])
                if content.node not in ids:
                    ids.append(content.node)
        elif kind == NodeKind.FACT:
            for end in {int(node["subject"]), int(node["object"])} - {NOBODY}:
                self._facts.setdefault(end, []).append(content.node)


class Surroundings:
    """Finds what is like the texts of a turn with one search, where it can."""

    def __init__(self, view: View, k: int) -> None:
        """`k`: how many neighbours a text gets."""
        self._view = view
        self._k = k
        self._centre: NDArray[np.float32] | None = None
        self._ids, self._vectors = view.nearest(None, 0)

    def centre(self, vector: NDArray[np.float16] | None) -> None:
        """Look around a turn's own vector."""
        if vector is not None:
            self._centre = vector.astype(np.float32)
            self._ids, self._vectors = self._view.nearest(self._centre, WIDE * self._k)

    def look(self, vector: NDArray[np.float16] | None) -> tuple[list[int], NDArray[np.float32]]:
        """Ids and cosines of the k nodes most like a text, best first.

        A text like its turn is compared with what is near the turn, any other with all.
        """
        if vector is None:
            return [], np.zeros(0, np.float32)
        query = vector.astype(np.float32)
        if self._centre is None or float(self._centre @ query) < ALIKE:
            ids, vectors = self._view.nearest(query, self._k)
            return ids, vectors @ query
        cosines = self._vectors @ query
        order = np.argsort(-cosines, kind="stable")[: self._k]
        return [self._ids[i] for i in order.tolist()], cosines[order]

    def before(self, previous: int | None, count: int) -> list[int]:
        """At most `count` episodes of the session, the last first."""
        out: list[int] = []
        while previous is not None and previous in self._view.draft.graph and len(out) < count:
            out.append(previous)
            earlier = self._view.ends(previous, ArcKind.NEXT, back=True)
            previous = earlier[0] if earlier else None
        return out
