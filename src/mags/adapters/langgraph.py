"""A memory as LangGraph's long-term store (extra `langgraph`).

Implements `BaseStore` of langgraph-checkpoint, https://docs.langchain.com/oss/python/langgraph:
items by namespace and key, which are read exactly as they were put and searched by recall.
"""

from __future__ import annotations

import asyncio
import operator
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any

from mags.adapters.kept import UNSAID, Json, Kept, searchable
from mags.errors import InvalidInput, MissingExtra
from mags.memory.memory import Memory
from mags.recall.found import Hit

try:
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        Item,
        ListNamespacesOp,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        TTLConfig,
        get_text_at_path,
    )
except ModuleNotFoundError as failure:
    raise MissingExtra(extra="langgraph", needed_for="mags.adapters.langgraph") from failure

MARK = "langgraph"
MINUTE_S = 60.0
STALE = 0.1
"""Reading an item renews its time to live at once. That is written to the memory only once this
share of the time has passed, so that not every read is a write."""
WIDER = 4
"""By how much `k` grows when a recall has found too few items."""
Place = tuple[tuple[str, ...], str]
ANY = "*"
Compare = Callable[[float, float], bool]
ORDERS: Mapping[str, Compare] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredItem:
    """An item as it is stored. Times in seconds since the epoch; `ttl`: minutes, None for ever.

    `indexed`: whether a search by words may find it.
    """

    namespace: tuple[str, ...]
    key: str
    value: Json
    created: float
    updated: float
    used: float
    ttl: float | None
    indexed: bool

    @classmethod
    def of(cls, record: Json) -> StoredItem:
        """From JSON."""
        return cls(**{**record, "namespace": tuple(record["namespace"])})


class MagsStore(BaseStore):
    """A LangGraph store in a memory of MAGS. Safe to use from several threads.

    An item is an episode. Its texts are observed with its namespace as the speaker, so that "I" in
    one namespace is not "I" in another. Its value is stored with the episode. `search` with a query
    ranks by recall, so facts and associations count; items that recall does not find come last,
    without a score. Deleting is forgetting: nothing stays in the file or the journal. An item whose
    time to live is over is left out of every answer, and is forgotten at the next put.

    One store is one memory. If users must not influence each other's ranking, give each a memory.
    """

    supports_ttl = True
    __slots__ = ("_clock", "_fields", "_kept", "_lock", "_memory", "_prolonged", "ttl_config")

    def __init__(
        self,
        memory: Memory,
        *,
        fields: Iterable[str] | None = None,
        ttl: TTLConfig | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """The store does not close `memory`.

        `fields`: which parts of a value are searched, as LangGraph's paths ("text",
        "notes[*].body"), None for all its texts; `ttl`: LangGraph's configuration; `clock`: returns
        seconds since the epoch.
        """
        self._memory, self._clock = memory, clock
        self._fields = None if fields is None else tuple(fields)
        self.ttl_config = ttl
        self._kept: Kept[StoredItem, Place] = Kept(
            memory, MARK, read=StoredItem.of, place=lambda item: (item.namespace, item.key)
        )
        self._lock = threading.Lock()
        self._prolonged: dict[int, float] = {}

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """The results in the order of the operations; all reads come before all puts."""
        with self._lock:
            now_s = self._clock()
            given = list(ops)
            # As in LangGraph's own stores: reads of a batch do not see its puts, and of several
            # puts to one place the last one counts.
            answers = [self._answer(op, now_s) for op in given]
            puts = {(op.namespace, op.key): op for op in given if isinstance(op, PutOp)}
            if puts:
                self._sweep(now_s)
            for op in puts.values():
                self._put(op, now_s)
            return answers

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """As `batch`, in a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def sweep_ttl(self) -> int:
        """Forget items whose time is over, and return how many they were."""
        with self._lock:
            return self._sweep(self._clock())

    # -- reading -----------------------------------------------------------------

    def _answer(self, op: Op, now_s: float) -> Result:
        if isinstance(op, GetOp):
            found = self._there(self._kept.records(), (op.namespace, op.key), now_s)
            if found is None:
                return None
            self._use([found], now_s, op.refresh_ttl)
            return Item(**_fields(found[1]))
        if isinstance(op, SearchOp):
            return self._search(op, now_s)
        if isinstance(op, ListNamespacesOp):
            return _namespaces(op, {item.namespace for _, item in self._all(now_s)})
        if isinstance(op, PutOp):
            return None
        raise ValueError(f"this store has no operation {type(op).__name__}")

    def _there(
        self, records: Mapping[int, StoredItem], place: Place, now_s: float
    ) -> tuple[int, StoredItem] | None:
        """The item at a place, unless its time is over."""
        episode = self._kept.at(place)
        if episode is None or self._over(episode, records[episode], now_s):
            return None
        return episode, records[episode]

    def _all(self, now_s: float) -> Iterator[tuple[int, StoredItem]]:
        records = self._kept.records()
        for place in self._kept.places():
            found = self._there(records, place, now_s)
            if found is not None:
                yield found

    def _over(self, episode: int, item: StoredItem, now_s: float) -> bool:
        if item.ttl is None:
            return False
        # The newest use may not be written to the memory yet (`STALE`).
        used = max(item.used, self._prolonged.get(episode, 0.0))
        return now_s > used + item.ttl * MINUTE_S

    def _search(self, op: SearchOp, now_s: float) -> list[SearchItem]:
        within = {
            episode: item
            for episode, item in self._all(now_s)
            if lies_in(item.namespace, op.namespace_prefix) and fits(item.value, op.filter or {})
        }
        stop = op.offset + op.limit
        scores: dict[int, float] = {}
        if op.query and op.query.strip() and stop > 0:
            scores = self._ranked(op.query, within, stop)
        order = [*scores, *(episode for episode in within if episode not in scores)]
        chosen = order[op.offset : stop]
        self._use([(episode, within[episode]) for episode in chosen], now_s, op.refresh_ttl)
        return [SearchItem(**_fields(within[one]), score=scores.get(one)) for one in chosen]

    def _ranked(self, query: str, within: Mapping[int, StoredItem], most: int) -> dict[int, float]:
        """Episodes of indexed items with recall's scores, best first; at most `most`."""
        # Recall searches the whole memory and knows neither prefix nor filter, so it is asked for
        # more hits until enough of them are wanted ones, or there are no more.
        wanted = {episode for episode, item in within.items() if item.indexed}
        k = WIDER * most
        while wanted:
            hits = self._memory.recall(searchable(query), k=k).hits
            scores = _best(hits, wanted)
            if len(scores) >= min(most, len(wanted)) or len(hits) < k:
                return dict(list(scores.items())[:most])
            k *= WIDER
        return {}

    # -- writing -----------------------------------------------------------------

    def _put(self, op: PutOp, now_s: float) -> None:
        records = self._kept.records()
        old = self._there(records, (op.namespace, op.key), now_s)
        if op.value is None:
            if old is not None:
                self._erase(old[0])
            return
        text = self._text(op)
        item = StoredItem(
            namespace=tuple(op.namespace),
            key=op.key,
            value=dict(op.value),
            created=now_s if old is None else old[1].created,
            updated=now_s,
            used=now_s,
            ttl=op.ttl,
            indexed=bool(text),
        )
        if old is not None and self._memory.get(old[0]).text == (text or UNSAID):
            self._prolonged.pop(old[0], None)
            self._kept.change(old[0], asdict(item))
            return
        # The new one is written first: a crash in between leaves both, and the later one counts.
        who = ".".join(item.namespace)
        self._kept.put(asdict(item), text, speaker=who, session=who)
        if old is not None:
            self._erase(old[0])

    def _text(self, op: PutOp) -> str:
        """The text of an item that is searched, "" for none."""
        if op.index is False or op.value is None:
            return ""
        fields = self._fields if op.index is None else tuple(op.index)
        if fields is None:
            return searchable(texts_of(op.value))
        found = [text for path in fields for text in get_text_at_path(dict(op.value), path)]
        return searchable("\n".join(found))

    def _use(self, used: Iterable[tuple[int, StoredItem]], now_s: float, refresh: bool) -> None:
        """Renew the time to live of items that have one."""
        for episode, item in used:
            if item.ttl is None or not refresh:
                continue
            self._prolonged[episode] = now_s
            if now_s - item.used >= STALE * item.ttl * MINUTE_S:
                self._kept.change(episode, asdict(replace(item, used=now_s)))

    def _sweep(self, now_s: float) -> int:
        """Forget items whose time is over, and old versions that a crash has left behind."""
        records = self._kept.records()
        over = [one for one, item in records.items() if self._over(one, item, now_s)]
        for episode in {*over, *self._kept.doubles()}:
            self._erase(episode)
        return len(over)

    def _erase(self, episode: int) -> None:
        self._prolonged.pop(episode, None)
        self._kept.erase(episode)


def _best(hits: Iterable[Hit], wanted: set[int]) -> dict[int, float]:
    """The best score of a hit that rests on each of the wanted episodes, best first."""
    found: dict[int, float] = {}
    for hit in hits:
        for episode in hit.episode_ids:
            if episode in wanted:
                # Hits come best first, so the first score is the best.
                found.setdefault(episode, hit.score)
    return found


def _fields(item: StoredItem) -> dict[str, Any]:
    return {
        "namespace": item.namespace,
        "key": item.key,
        "value": item.value,
        "created_at": datetime.fromtimestamp(item.created, UTC),
        "updated_at": datetime.fromtimestamp(item.updated, UTC),
    }


def _namespaces(op: ListNamespacesOp, known: set[tuple[str, ...]]) -> list[tuple[str, ...]]:
    kept = [
        namespace
        for namespace in known
        if all(
            lies_in(namespace, one.path, suffix=one.match_type == "suffix", wild=True)
            for one in op.match_conditions or ()
        )
    ]
    cut = sorted({namespace[: op.max_depth] for namespace in kept})
    return cut[op.offset : op.offset + op.limit]


def fits(value: object, wanted: Mapping[str, Any]) -> bool:
    """Whether a value matches a filter: equal values, operators ($ne, $gt ...), or nested ones."""
    return all(
        _fits(value.get(name) if isinstance(value, Mapping) else None, one)
        for name, one in wanted.items()
    )


def _fits(value: object, wanted: object) -> bool:
    if isinstance(wanted, Mapping):
        if any(str(name).startswith("$") for name in wanted):
            return all(_relates(value, str(name), one) for name, one in wanted.items())
        return isinstance(value, Mapping) and fits(value, wanted)
    if isinstance(wanted, list | tuple):
        return (
            isinstance(value, list | tuple)
            and len(value) == len(wanted)
            and all(_fits(one, other) for one, other in zip(value, wanted, strict=True))
        )
    return value == wanted


def _relates(value: object, relation: str, other: object) -> bool:
    if relation == "$eq":
        return value == other
    if relation == "$ne":
        return value != other
    if relation not in ORDERS:
        raise InvalidInput(
            f"a filter has no {relation!r}: there are $eq, $ne, {', '.join(ORDERS)}", given=relation
        )
    left, right = _number(value), _number(other)
    return left is not None and right is not None and ORDERS[relation](left, right)


def _number(value: object) -> float | None:
    if not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except ValueError:
        return None


def lies_in(
    namespace: tuple[str, ...], path: tuple[str, ...], *, suffix: bool = False, wild: bool = False
) -> bool:
    """Whether a namespace begins (or ends) with a path; `wild`: "*" matches any label."""
    if len(path) > len(namespace):
        return False
    part = namespace[len(namespace) - len(path) :] if suffix else namespace[: len(path)]
    return all(mine == one or (wild and one == ANY) for mine, one in zip(part, path, strict=True))


def texts_of(value: Mapping[str, Any]) -> str:
    """The texts and numbers of a value: a single text as it is, several each with its name."""
    leaves = list(_leaves(value, ""))
    if len(leaves) == 1 and isinstance(leaves[0][1], str):
        return leaves[0][1]
    return "\n".join(f"{name}: {leaf}" if name else str(leaf) for name, leaf in leaves)


def _leaves(value: object, name: str) -> Iterator[tuple[str, object]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(inner, str(key))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _leaves(inner, name)
    elif value is not None and not (isinstance(value, str) and not value.strip()):
        yield name, value
