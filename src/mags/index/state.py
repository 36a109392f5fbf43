"""State: everything a branch holds in memory, changed by Deltas only.

The smaller indexes are defined here: ids, facts by slot, episodes in order, entities by exact name
or alias (never by embeddings), recently used words.
"""

from __future__ import annotations

import hashlib
import threading
from bisect import bisect_left
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import Any, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from mags.errors import NotFound
from mags.graph.delta import Changes, Delta
from mags.graph.graph import REVERSE, Graph
from mags.graph.records import NEVER, NOBODY, ArcKind, Content, NodeFlag, NodeKind
from mags.index.search import Lexicon, VectorIndex
from mags.index.tokens import RULES, fold_name, marks, words

Fetch = Callable[[Sequence[int]], list[Content]]
"""Content ids -> contents, in order (vectors may be left out)."""
FetchTokens = Callable[[Sequence[int]], list[bytes]]
"""Content ids -> what the words of the texts are to the second look, in order."""
FetchWhole = Callable[[Sequence[int]], Iterable[Content]]
"""Node ids -> all their contents, vectors included."""

GUESS, ONE = int(NodeFlag.GUESS), int(NodeFlag.ONE)
DISPUTED, WAITING = int(NodeFlag.DISPUTED), int(NodeFlag.WAITING)
LONGEST = 8
"""Words of the longest name that is looked for in a text."""
MOST = 50_000
"""Contents held in memory."""
AT_ONCE = 10_000
"""Contents read from the store at once, where all are read."""
BLOCK = 256
"""Guesses of a subject that are compared with its sure facts at once."""
CAPTIONS = frozenset({"caption", "blip_caption", "query", "title"})
"""Attributes of an episode that are searched together with its text."""


class Ids:
    """Hands out ids to any thread, from blocks; the unused rest of a block is lost."""

    def __init__(self, reserve: Callable[[int], int], block: int = 256) -> None:
        """`reserve(n)` returns the first of n ids that nobody else will get."""
        self._reserve = reserve
        self._block = block
        self._lock = threading.Lock()
        self._next = 0
        self._end = 0

    def take(self, n: int = 1) -> int:
        """The first of `n` consecutive ids."""
        while True:
            with self._lock:
                if self._next + n <= self._end:
                    first = self._next
                    self._next += n
                    return first
            # Not under the lock: a thread that holds the store's lock may be waiting for an id.
            size = max(self._block, n)
            start = self._reserve(size)
            with self._lock:
                # Another thread may have brought a block meanwhile. Then this one is not used.
                if self._end - self._next < size:
                    self._next, self._end = start, start + size


def _holds(facts: NDArray[np.void], moment: float) -> NDArray[np.bool_]:
    return np.asarray((facts["valid_from"] <= moment) & (moment < facts["valid_to"]))


class Slots:
    """Facts by subject, object and slot, read from the graph's arcs; holds nothing itself."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def of(self, subject: int) -> list[int]:
        """Ids of all facts about a subject, open and closed."""
        return self._ids(self._rows(subject, ArcKind.SUBJECT))

    def about(self, entity: int) -> list[int]:
        """Ids of all facts whose object is that entity."""
        return self._ids(self._rows(entity, ArcKind.OBJECT))

    def all(self, subject: int, slot: int) -> list[int]:
        """Ids of the facts of a slot, open and closed."""
        return self._ids(self._in_slot(subject, slot))

    def open(self, subject: int, slot: int) -> list[int]:
        """Ids of the open facts of a slot."""
        rows = self._in_slot(subject, slot)
        return self._ids(rows[self._graph.nodes["valid_to"][rows] == NEVER])

    def outdone(
        self, rows: NDArray[np.int64], moment: float, known: float | None = None
    ) -> NDArray[np.bool_]:
        """Which facts, by their rows, are guesses that a sure fact of their slot outdoes; (n,).

        A sure fact outdoes a guess that says the same, or any guess if its slot holds one value.
        A guess that holds at `moment` (event time) is outdone only by facts that hold then; any
        other guess by all facts. `known`: count only facts recorded by that time.
        """
        nodes = self._graph.nodes
        out = np.zeros(len(rows), np.bool_)
        places = np.flatnonzero(nodes["flags"][rows] & GUESS)
        for subject in np.unique(nodes["subject"][rows[places]]).tolist():
            near = self._rows(subject, ArcKind.SUBJECT)
            near = near[(nodes["flags"][near] & GUESS) == 0]
            if known is not None:
                near = near[nodes["recorded_at"][near] <= known]
            sure = nodes[near]
            # An entity may have thousands of guesses; few share a slot with anything sure.
            of_subject = places[nodes["subject"][rows[places]] == subject]
            at = of_subject[np.isin(nodes["slot"][rows[of_subject]], sure["slot"])]
            # In blocks: every guess is compared with every sure fact in one array.
            for part in np.split(at, range(BLOCK, len(at), BLOCK)):
                guesses = nodes[rows[part]][:, None]
                counts = _holds(sure, moment) | ~_holds(guesses, moment)
                same = (guesses["object"] == sure["object"]) | ((sure["flags"] & ONE) != 0)
                beaten = (guesses["slot"] == sure["slot"]) & counts & same
                out[part] = beaten.any(axis=1)
        return out

    def outranked(self, node_id: int, moment: float, known: float | None = None) -> list[int]:
        """The facts of a higher grade than a fact or episode, which says otherwise, that hold."""
        graph = self._graph
        if not int(graph.nodes["flags"][graph.row(node_id)]) & DISPUTED:
            return []
        return [
            i for i in graph.targets(node_id, ArcKind.DISPUTES) if self._is_so(i, moment, known)
        ]

    def disputing(self, fact: int, moment: float, known: float | None = None) -> list[int]:
        """The facts and episodes that say otherwise than a fact and have not been settled.

        Of a fact and the episodes it comes from the fact alone.
        """
        graph = self._graph
        found = [i for i in graph.origins(fact, ArcKind.DISPUTES) if self._is_so(i, moment, known)]
        told = {e for i in found for e in graph.targets(i, ArcKind.SOURCE)}
        kinds = {i: int(graph.nodes["kind"][graph.row(i)]) for i in found}
        return [i for i in found if kinds[i] == NodeKind.FACT or i not in told]

    def _is_so(self, node_id: int, moment: float, known: float | None) -> bool:
        node = self._graph.view(node_id)[0]
        if known is not None and float(node["recorded_at"]) > known:
            return False
        late = known is not None and float(node["closed_at"]) > known
        return float(node["valid_from"]) <= moment and (late or moment < float(node["valid_to"]))

    def _in_slot(self, subject: int, slot: int) -> NDArray[np.int64]:
        rows = self._rows(subject, ArcKind.SUBJECT)
        mask = self._graph.nodes["slot"][rows] == np.uint64(slot)
        return np.asarray(rows[mask], np.int64)

    def _rows(self, entity: int, kind: ArcKind) -> NDArray[np.int64]:
        row = self._graph.row_of.get(entity)
        if row is None:
            return np.zeros(0, np.int64)
        adjacency = self._graph.adjacency
        block = adjacency.block(row)
        peers = adjacency.columns["peer"][block]
        kinds = adjacency.columns["kind"][block]
        rows = peers[kinds == (int(kind) | REVERSE)].astype(np.int64)
        return np.asarray(rows[self._graph.alive[rows]], np.int64)

    def _ids(self, rows: NDArray[np.int64]) -> list[int]:
        ids: list[int] = self._graph.nodes["id"][rows].tolist()
        return ids


class Episodes:
    """Rows of living episodes in the order they came, overall and by session.

    Read from the graph at first use, then kept up to date. Any thread may be the first, so the
    lists are assigned only once they are complete.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._rows: tuple[list[int], dict[int, list[int]]] | None = None

    def recent(
        self, count: int, session: int | None = None, before: int | None = None
    ) -> list[int]:
        """Ids of the last `count` episodes (of a session, by its hash), oldest first.

        `before`: of those that came before this one.
        """
        rows = self._rows
        if rows is None:
            rows = self._rows = self._read()
        held = rows[0] if session is None else rows[1].get(session, [])
        end = len(held) if before is None else bisect_left(held, self._graph.row(before))
        ids: list[int] = self._graph.nodes["id"][held[max(0, end - count) : end]].tolist()
        return ids

    def changed(self, created: NDArray[np.void], *, gone: bool) -> None:
        """Add new NODE records, which the graph holds already; `gone`: some were removed."""
        if self._rows is None:
            return
        every, of_session = self._rows
        fresh = created[created["kind"] == NodeKind.EPISODE]
        rows = self._graph.rows(fresh["id"].tolist()).tolist()
        # A removed episode that comes back has its old row, which is out of order: read anew.
        last = every[-1] if every else -1
        if gone or sorted(rows) != rows or (rows and rows[0] <= last):
            self._rows = None
            return
        every.extend(rows)
        for row, session in zip(rows, fresh["session"].tolist(), strict=True):
            of_session.setdefault(session, []).append(row)

    def _read(self) -> tuple[list[int], dict[int, list[int]]]:
        rows = self._graph.where(NodeKind.EPISODE)
        of_session: dict[int, list[int]] = {}
        for row, session in zip(
            rows.tolist(), self._graph.nodes["session"][rows].tolist(), strict=True
        ):
            of_session.setdefault(session, []).append(row)
        return rows.tolist(), of_session


def _parts(form: str) -> frozenset[str]:
    """The words of a name of several."""
    parts = form.split()
    return frozenset(parts if len(parts) > 1 else ())


def _given(name: str, form: str) -> list[str]:
    """The first name in the full name of somebody, folded; none of other names."""
    parts = name.split()
    full = 1 < len(parts) < 4 and all(part[:1].isupper() for part in parts)
    return [form.partition(" ")[0]] if full else []


class Names:
    """Folded name -> entity ids, in the order they were learned."""

    def __init__(self) -> None:
        self._ids: dict[str, list[int]] = {}
        self._words: dict[str, list[int]] = {}
        self._forms: dict[int, list[tuple[str, str]]] = {}
        self._within: Counter[str] = Counter()
        self._given: dict[str, list[int]] = {}
        self._longest = 0
        """Words of the longest name there ever was, at most `LONGEST`."""

    def add(self, entity: int, names: Iterable[str]) -> None:
        """Learn names of an entity."""
        for name in names:
            form = fold_name(name)
            if not form:
                continue
            pair = (form, " ".join(parts := words(form)))
            self._longest = min(LONGEST, max(self._longest, len(parts)))
            known = self._forms.setdefault(entity, [])
            if pair not in known:
                known.append(pair)
                self._within.update(_parts(pair[1]))
            keyed = [(self._ids, pair[0]), (self._words, pair[1])]
            keyed += [(self._given, given) for given in _given(name, pair[1])]
            for table, key in keyed:
                ids = table.setdefault(key, [])
                if entity not in ids:
                    ids.append(entity)

    def drop(self, entities: set[int]) -> None:
        """Forget every name of these entities."""
        for entity in entities:
            for pair in self._forms.pop(entity, ()):
                for part in _parts(pair[1]):
                    self._within[part] -= 1
                    if not self._within[part]:
                        del self._within[part]
                tables = (self._ids, self._words, self._given)
                keys = (*pair, pair[1].partition(" ")[0])
                for table, key in zip(tables, keys, strict=True):
                    kept = [i for i in table.get(key, ()) if i != entity]
                    if kept:
                        table[key] = kept
                    else:
                        table.pop(key, None)

    def find(self, name: str) -> list[int]:
        """Entities of exactly that name or alias."""
        return list(self._ids.get(fold_name(name), ()))

    def given(self, name: str) -> list[int]:
        """Entities with a longer name that begins with this first name."""
        return list(self._given.get(fold_name(name), ()))

    def within(self, word: str) -> int:
        """How many names of several words hold a word, as "street" is in "Baker Street"."""
        return self._within[word]

    def scan(self, text: str) -> list[int]:
        """Entities named in a text, longest names first at each place, in order.

        A first name alone names who has it, where no other does and nothing else is named.
        """
        said = [t.removesuffix("'s") for t in words(text)]
        found: list[int] = []
        alone: list[int] = []
        i = 0
        while i < len(said):
            for n in range(min(self._longest, len(said) - i), 0, -1):
                ids = self._words.get(" ".join(said[i : i + n]))
                if ids:
                    found.extend(ids)
                    i += n - 1
                    break
            else:
                whose = self._given.get(said[i], ())
                if len(whose) == 1 and said[i].capitalize() in text:
                    alone.extend(whose)
            i += 1
        return list(dict.fromkeys(found or alone))


class Waiting:
    """Episodes that are not read yet; given to `State.following`."""

    def __init__(self, state: State) -> None:
        self._graph = state.graph
        rows = state.graph.where(NodeKind.EPISODE)
        nodes = state.graph.nodes
        self._ids: set[int] = set(nodes["id"][rows[nodes["flags"][rows] & WAITING > 0]].tolist())

    def __contains__(self, node_id: int) -> bool:
        return node_id in self._ids

    def __bool__(self) -> bool:
        return bool(self._ids)

    def ids(self) -> list[int]:
        """Their ids, in the order they came."""
        return sorted(self._ids, key=self._graph.row)

    def changed(self, delta: Delta) -> None:
        """Add what waits after a Delta and drop what no longer does."""
        after = delta.nodes.after
        waits = delta.nodes.has & (after["flags"] & WAITING > 0)
        self._ids.difference_update(after["id"][~waits].tolist())
        self._ids.update(after["id"][waits].tolist())


class Words:
    """A cache of contents by id, the least recently used dropped first; safe in threads."""

    def __init__(self, fetch: Fetch) -> None:
        """`fetch` reads contents that are not in the cache."""
        self._fetch = fetch
        self._lock = threading.Lock()
        self._held: OrderedDict[int, Content] = OrderedDict()

    def get(self, content_ids: Sequence[int]) -> list[Content]:
        """Contents in the order asked, vectors left out; raises NotFound."""
        out: dict[int, Content] = {}
        missing: dict[int, None] = {}
        with self._lock:
            for content_id in content_ids:
                known = self._held.get(content_id)
                if known is None:
                    missing[content_id] = None
                else:
                    self._held.move_to_end(content_id)
                    out[content_id] = known
        if missing:
            # Outside the lock: the store may be slow.
            fetched = self._fetch(list(missing))
            out.update(zip(missing, fetched, strict=True))
            self.keep(fetched)
        return [out[content_id] for content_id in content_ids]

    def keep(self, contents: Iterable[Content]) -> None:
        """Hold contents, without their vectors."""
        with self._lock:
            for c in contents:
                self._held[c.id] = Content(id=c.id, node=c.node, text=c.text, meta=c.meta)
                self._held.move_to_end(c.id)
            while len(self._held) > MOST:
                self._held.popitem(last=False)

    def drop(self, nodes: Collection[int]) -> None:
        """Drop all contents of these nodes."""
        gone = set(nodes)
        with self._lock:
            for content_id in [i for i, c in self._held.items() if c.node in gone]:
                del self._held[content_id]


Kept = TypeVar("Kept")


class Follower(Protocol):
    """Something derived from a state that is kept up to date with it by Deltas."""

    def changed(self, delta: Delta) -> None:
        """Drop what the Delta has made wrong; it is applied to the state already."""


Beside = TypeVar("Beside", bound=Follower)


class State:
    """Graph, vectors, words and names of one branch at one sequence."""

    def __init__(
        self,
        *,
        dimension: int,
        secret: bytes,
        fetch: Fetch,
        fetch_whole: FetchWhole,
        fetch_tokens: FetchTokens = lambda ids: [b""] * len(ids),
    ) -> None:
        """An empty state; words come from the content table through `fetch`."""
        self._keyed = hashlib.blake2b(digest_size=8, key=secret)
        self.seq = 0
        self.latest_s = -NEVER
        """Event time of the newest episode: the present is not before it."""
        self.graph = Graph()
        self.vectors = VectorIndex(dimension)
        self.lexicon = Lexicon(partial(self.hash, "term"))
        self.slots = Slots(self.graph)
        self.episodes = Episodes(self.graph)
        self._names: Names | None = None
        self._speakers: dict[int, int] | None = None
        self._fetch_whole = fetch_whole
        self._fetch_tokens = fetch_tokens
        self._words = Words(fetch)
        self._kept: dict[Hashable, Any] = {}
        self._followers: dict[Callable[[State], Any], Follower] = {}

    def kept(self, key: Hashable, make: Callable[[], Kept]) -> Kept:
        """The result of `make`, kept until the state changes."""
        # No lock: two threads may both make it, with the same result.
        found: Kept | None = self._kept.get(key)
        if found is None:
            found = self._kept[key] = make()
        return found

    def following(self, make: Callable[[State], Beside]) -> Beside:
        """The result of `make(state)`, made once; it is given every Delta from then on."""
        found = self._followers.get(make)
        if found is None:
            found = self._followers.setdefault(make, make(self))  # another thread may be first
        return cast(Beside, found)

    def hash(self, *words: str) -> int:
        """A keyed 64-bit hash: the same for the same words in the same memory only."""
        made = self._keyed.copy()  # has the key in it already
        made.update("\x1f".join(words).encode())
        return int.from_bytes(made.digest())

    def content(self, node_id: int) -> Content:
        """Words of a node as they are now; raises NotFound."""
        return self.words([node_id])[0]

    def words(self, node_ids: Sequence[int]) -> list[Content]:
        """Words of nodes as they are now, in order, vectors left out."""
        rows = [self.graph.row(int(i)) for i in node_ids]
        wanted: list[int] = self.graph.nodes["content"][rows].tolist() if rows else []
        if not all(wanted):
            node_id = node_ids[wanted.index(0)]
            raise NotFound(f"node {node_id} has no words", node_id=node_id)
        return self._words.get(wanted)

    def tokens(self, rows: NDArray[np.int64]) -> list[bytes]:
        """What the words of nodes by row are to the second look; nothing of it is kept here."""
        return self._fetch_tokens(self.graph.nodes["content"][rows].tolist())

    def former(self, node_ids: Sequence[int]) -> Iterable[Content]:
        """All words of nodes, also of removed ones; they are not kept in memory."""
        return self._fetch_whole(node_ids)

    @property
    def names(self) -> Names:
        """Names of all living entities, read at first use."""
        if self._names is None:
            names = Names()
            ids = [int(i) for i in self.graph.ids(NodeKind.ENTITY)]
            for start in range(0, len(ids), AT_ONCE):
                for content in self.words(ids[start : start + AT_ONCE]):
                    names.add(content.node, names_of(content))
            self._names = names
        return self._names

    @property
    def speakers(self) -> dict[int, int]:
        """Entities that said something, each with how many episodes; counted at first use."""
        if self._speakers is None:
            said = self.graph.nodes["subject"][self.graph.where(NodeKind.EPISODE)]
            ids, counts = np.unique(said[said != NOBODY], return_counts=True)
            self._speakers = dict(zip(ids.tolist(), counts.tolist(), strict=True))
        return self._speakers

    def alone(self, programs: Collection[int], heard: Iterable[int] = ()) -> bool:
        """Whether at most one person has ever spoken; `programs`: entities that are none.

        `heard`: speakers of a turn that is being written.
        """
        speakers = {*heard, *islice(self.speakers, len(programs) + 2)}
        return len(speakers.difference(programs) - {NOBODY}) < 2

    def _count_speakers(self, delta: Delta) -> None:
        changes = delta.nodes
        if self._speakers is None:
            return
        if len(changes.removed()):
            self._speakers = None
            return
        fresh = changes.created()
        for speaker in fresh["subject"][fresh["kind"] == NodeKind.EPISODE].tolist():
            if speaker != NOBODY:
                self._speakers[speaker] = self._speakers.get(speaker, 0) + 1

    def apply(self, delta: Delta, seq: int | None = None) -> None:
        """Apply a Delta to graph and indexes."""
        self._kept.clear()
        self.graph.apply(delta)
        changes = delta.nodes
        if len(changes):
            created = changes.created()
            gone = changes.after["id"][~changes.has]
            if len(gone):
                self._drop(gone)
            self._hear(changes)
            self.episodes.changed(created, gone=bool(len(gone)))
            self._count_speakers(delta)
            self._index(delta)
        # Last: followers read the state as it is after the Delta.
        for follower in self._followers.values():
            follower.changed(delta)
        if seq is not None:
            self.seq = seq

    def _drop(self, gone: NDArray[np.int64]) -> None:
        """Take removed nodes out of every index and cache."""
        ids = gone.tolist()
        rows = np.array([self.graph.row_of[i] for i in ids if i in self.graph.row_of], np.int64)
        self.vectors.drop(rows)
        self.lexicon.drop(rows)
        self._words.drop(ids)
        if self._names is not None:
            self._names.drop(set(ids))

    def _hear(self, changes: Changes) -> None:
        """Keep `latest_s` up to date; it falls if the newest episode is removed or redated."""
        before, after = changes.before["valid_from"], changes.after["valid_from"]
        times = after[changes.has & (changes.after["kind"] == NodeKind.EPISODE)]
        was = changes.had & (changes.before["kind"] == NodeKind.EPISODE)
        if (before[was & (~changes.has | (before != after))] >= self.latest_s).any():
            self._hear_all()
        elif len(times):
            self.latest_s = max(self.latest_s, float(times.max()))

    def _hear_all(self) -> None:
        said = self.graph.nodes["valid_from"][self.graph.where(NodeKind.EPISODE)]
        self.latest_s = float(said.max(initial=-NEVER))

    def _index(self, delta: Delta) -> None:
        changes = delta.nodes
        new_words = changes.has & (
            ~changes.had | (changes.before["content"] != changes.after["content"])
        )
        nodes: list[int] = changes.after["id"][new_words].tolist()
        wanted: list[int] = changes.after["content"][new_words].tolist()
        if not nodes:
            return
        # A Delta from the journal comes without its contents, and so does the undoing of a
        # removal: they are read from the store. Forgotten ones are not there either.
        by_id = {content.id: content for content in delta.contents}
        lacking = [node for node, i in zip(nodes, wanted, strict=True) if i not in by_id]
        if lacking:
            by_id.update((content.id, content) for content in self._fetch_whole(lacking))
        contents = [by_id[i] for i in wanted if i in by_id]
        rows = self.graph.rows(n for n, i in zip(nodes, wanted, strict=True) if i in by_id)
        self._words.keep(contents)
        have = [i for i, content in enumerate(contents) if content.vector is not None]
        if have:
            vectors = np.stack([contents[i].vector for i in have])  # type: ignore[misc]
            self.vectors.put(rows[have], vectors)
        # A node whose words were changed is in the lexicon with its old ones.
        self.lexicon.drop(rows)
        texts = [self.indexed_text(r, c) for r, c in zip(rows.tolist(), contents, strict=True)]
        self.lexicon.add(rows.tolist(), texts, [marks(content.text) for content in contents])
        self.lexicon.set_aside(rows[self.graph.kinds[rows] == NodeKind.THEME])
        if self._names is not None:
            entities = [c for c in contents if self.kind(c.node) == NodeKind.ENTITY]
            self._names.drop({c.node for c in entities})
            for content in entities:
                self._names.add(content.node, names_of(content))

    def reindex(self) -> None:
        """Take the words of texts anew that older rules took otherwise; nothing where none did.

        Those of plain ASCII give the same words as ever, and only their marks are made anew.
        """
        if self.lexicon.rules == RULES:
            return
        rows, texts = [], []
        held = np.flatnonzero(self.lexicon.length[: self.lexicon.size])
        for part in np.array_split(held, len(held) // AT_ONCE + 1):
            contents = self.words(self.graph.nodes["id"][part].tolist())
            self.lexicon.marks[part] = [marks(content.text) for content in contents]
            for row, content in zip(part.tolist(), contents, strict=True):
                text = self.indexed_text(row, content)
                if not text.isascii():
                    rows.append(row)
                    texts.append(text)
        changed = np.array(rows, np.int64)
        kinds = self.lexicon.marks[changed]
        self.lexicon.drop(changed)
        self.lexicon.add(rows, texts, kinds.tolist())
        self.lexicon.set_aside(changed[self.graph.kinds[changed] == NodeKind.THEME])
        self.lexicon.rules = RULES

    def kind(self, node_id: int) -> NodeKind:
        """Kind of a living node."""
        return NodeKind(int(self.graph.nodes["kind"][self.graph.row(node_id)]))

    def indexed_text(self, row: int, content: Content) -> str:
        """The text that the lexical index gets: with an episode's speaker, date and captions."""
        parts = [content.text]
        meta = content.meta
        if self.graph.nodes["kind"][row] == NodeKind.EPISODE:
            parts.append(str(meta.get("speaker", "")))
            parts.extend(str(v) for k, v in dict(meta.get("attrs", {})).items() if k in CAPTIONS)
            parts.append(date_words(float(self.graph.nodes["valid_from"][row])))
        return " ".join(part for part in parts if part)

    def packed(self) -> dict[str, NDArray[Any]]:
        """Everything but words, as arrays by dotted name."""
        rows = self.graph.where()
        out = {f"graph.{k}": v for k, v in self.graph.packed().items()}
        out.update({f"vectors.{k}": v for k, v in self.vectors.packed(rows).items()})
        out.update({f"lexicon.{k}": v for k, v in self.lexicon.packed(rows).items()})
        return out

    def unpack(self, arrays: Mapping[str, NDArray[Any]], *, tick: int, seq: int) -> None:
        """Replace everything by what `packed` returned."""
        self._kept.clear()
        self._followers.clear()
        parts: dict[str, dict[str, NDArray[Any]]] = {"graph": {}, "vectors": {}, "lexicon": {}}
        for name, array in arrays.items():
            part, _, rest = name.partition(".")
            parts[part][rest] = array
        self.graph = Graph.unpack(parts["graph"], tick)
        self.vectors = VectorIndex.unpack(parts["vectors"], self.vectors.dimension)
        self.lexicon = Lexicon.unpack(parts["lexicon"], partial(self.hash, "term"))
        # Which rows are set aside is not packed: they are the themes.
        self.lexicon.set_aside(self.graph.where(NodeKind.THEME))
        self.slots = Slots(self.graph)
        self.episodes = Episodes(self.graph)
        self.seq = seq
        self._hear_all()
        self._names = None
        self._speakers = None


def names_of(content: Content) -> list[str]:
    """The name and the aliases of an entity."""
    return [content.text, *(str(a) for a in content.meta.get("aliases", ()))]


def date_words(at: float) -> str:
    """A date as words people search for: "8 May 2023"; empty when unknown."""
    if not -62_135_596_800.0 <= at < 253_402_300_800.0 or at == 0.0:  # the years 1 to 9999
        return ""
    moment = datetime.fromtimestamp(at, UTC)
    return f"{moment.day} {moment:%B %Y}"
