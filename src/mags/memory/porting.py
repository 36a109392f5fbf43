"""Export and import: a memory as JSON lines, one thing a line, versioned; and as a NetworkX graph.

Line 1 is the header; then one line a node (its words and numbers, its vector in base64 where
asked for), then one line an arc. Ids are the exporter's; importing gives new ones. Every line
that is read is checked before anything is made of it.
"""

from __future__ import annotations

import base64
import errno
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from mags.engram.claim import slot_of
from mags.errors import InvalidInput, NotFound, StoreError, StoreFull
from mags.graph.charge import arc_charge
from mags.graph.delta import Delta
from mags.graph.draft import Draft
from mags.graph.edge import ARC, ArcKind
from mags.graph.node import NOBODY, NODE, Content, NodeFlag, NodeKind
from mags.index.names import fold
from mags.index.state import State, names_of
from mags.memory.inputs import EARLIEST_S, LATEST_S, LONGEST_TURN, check_meta, words
from mags.memory.live import Live, Progress
from mags.memory.reading import session_hash
from mags.ports.policy import LED_BY, led_by

FORMAT = "mags-memory"
VERSION = 1
HALF_BYTES = 2
MAPPINGS, LISTS = ("qualifiers", "attrs"), ("aliases", "members")
"""Entries of meta that are mappings and lists."""

KINDS = {"node": {int(k) for k in NodeKind}, "arc": {int(k) for k in ArcKind}}
CITATION = re.compile(r"\[m(\d{1,18})\]", re.ASCII)


class Porter:
    """Writes a memory to a file and reads one into another."""

    def __init__(self, live: Live) -> None:
        """Exports from and imports into `live`."""
        self._live = live

    def export(self, path: Path, *, vectors: bool = True) -> int:
        """Write every node and arc to `path`; returns how many lines.

        The file appears whole or not at all. Reading and writing go on meanwhile; what is
        forgotten meanwhile makes it begin again. Raises StoreError where it cannot be written.
        """
        if path.exists() and not path.is_file():
            return self._write(path, vectors, path)
        beside = path.with_name(f"{path.name}.part")
        try:
            count = self._write(path, vectors, beside)
            beside.replace(path)
        except OSError as failure:
            raise _unwritten(path, failure) from failure
        finally:
            with suppress(OSError):
                beside.unlink(missing_ok=True)
        return count

    def _write(self, path: Path, vectors: bool, place: Path) -> int:
        live = self._live
        while True:
            with live.settled() as state:
                picture = _Picture.of(state, live.embedder.name, vectors)
                generation = live.generation
            try:
                with place.open("w", encoding="utf-8") as out:
                    for line in picture.lines(live.store.contents.get):
                        out.write(json.dumps(line, ensure_ascii=False) + "\n")
            except OSError as failure:
                raise _unwritten(path, failure) from failure
            except NotFound:
                with live.reading():
                    if live.generation == generation:
                        raise
                continue
            with live.reading():
                if live.generation == generation:
                    return 1 + len(picture.nodes) + len(picture.arcs)

    def import_(self, path: Path, on_progress: Progress | None = None) -> Delta:
        """Add everything in a file to this memory, as one Delta.

        Entities of a known name become the known ones. Vectors are taken over when the
        embedder is the same, else made anew. Raises InvalidInput naming the bad line;
        then nothing was changed.
        """
        lines = read(path, self._live.embedder.dimension)
        header, nodes, arcs = lines.header, lines.nodes, lines.arcs
        keep = header["embedder"] == self._live.embedder.name
        self._vectors(nodes, keep, on_progress)
        with self._live.writing() as state:
            draft = Draft(state.graph)
            renamed = self._add_nodes(state, draft, nodes)
            for line in arcs:
                src, dst = renamed[line["src"]], renamed[line["dst"]]
                values = {k: line[k] for k in line if k not in ("src", "dst", "kind")}
                draft.add_arc(src, dst, ArcKind(line["kind"]), **values)
            tick = max(state.graph.tick, int(header.get("tick", 0)))
            return self._live.commit_draft(draft, "import", tick_after=tick)

    def _vectors(
        self, nodes: list[dict[str, Any]], keep: bool, on_progress: Progress | None
    ) -> None:
        lacking = [line for line in nodes if not (keep and "vector" in line)]
        for start in range(0, len(lacking), 64):
            part = lacking[start : start + 64]
            made = self._live.embed([line["text"] for line in part])
            for line in part:
                line["vector"] = made[line["text"]]
            if on_progress is not None:
                on_progress(min(start + 64, len(lacking)), len(lacking))

    def _add_nodes(self, state: State, draft: Draft, nodes: list[dict[str, Any]]) -> dict[int, int]:
        renamed: dict[int, int] = {NOBODY: NOBODY}
        fresh: list[dict[str, Any]] = []
        for line in nodes:
            old = int(line["node"]["id"])
            known = self._known(state, line)
            if known is None:
                renamed[old] = self._live.ids.take()
                fresh.append(line)
            else:
                renamed[old] = known
        # In the order they were written: a theme is older than words that its members got since.
        for line in sorted(fresh, key=lambda line: int(line["node"]["content"])):
            values = dict(line["node"])
            node_id = renamed[int(values.pop("id"))]
            meta = _pointing(line["meta"], renamed)
            recalled = int(values["flags"]) & NodeFlag.RECALLED
            text = _citing(line["text"], renamed) if recalled else line["text"]
            content = Content(
                id=self._live.ids.take(),
                node=node_id,
                text=text,
                meta=meta,
                vector=line["vector"],
            )
            values.pop("content")
            for end in ("subject", "object"):
                values[end] = renamed.get(int(values[end]), NOBODY)
            values["slot"], values["session"] = self._hashes(state, line)
            draft.add_node(content, id=node_id, **values)
        return renamed

    def _known(self, state: State, line: Mapping[str, Any]) -> int | None:
        if int(line["node"]["kind"]) != NodeKind.ENTITY:
            return None
        content = Content(id=0, node=0, text=line["text"], meta=line["meta"])
        for name in names_of(content):
            found = state.names.find(name)
            if found:
                return found[0]
        return None

    def _hashes(self, state: State, line: Mapping[str, Any]) -> tuple[int, int]:
        """Slot and session are keyed by the memory's own secret: hash them again."""
        meta, node_kind = line["meta"], int(line["node"]["kind"])
        session = 0
        if node_kind == NodeKind.EPISODE:
            session = session_hash(state, str(meta.get("session", "")))
        slot = 0
        if node_kind == NodeKind.FACT:
            kind = fold(str(dict(meta.get("qualifiers", {})).get("kind", "")))
            slot = slot_of(state, str(meta.get("relation", "")), kind)
        return slot, session


def _citing(text: str, renamed: Mapping[int, int]) -> str:
    """The text of an answer, which cites nodes by their new ids; what did not come is no id."""

    def rewrite(cited: re.Match[str]) -> str:
        found = renamed.get(int(cited[1]), NOBODY)
        return f"[m{found}]" if found else "[-]"

    return CITATION.sub(rewrite, text)


def _pointing(meta: Mapping[str, Any], renamed: Mapping[int, int]) -> dict[str, Any]:
    """The words beside a text, with the nodes that they speak of by their new ids."""
    found = dict(meta)
    if "members" in found:
        found["members"] = [renamed.get(int(i), NOBODY) for i in found["members"]]
    if LED_BY in found.get("attrs", {}):
        ids = (renamed.get(i, NOBODY) for i in led_by(found["attrs"]))
        kept = " ".join(str(one) for one in ids if one != NOBODY)
        found["attrs"] = {**found["attrs"], LED_BY: kept}
    return found


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Picture:
    """What an export holds, apart from the words: `vectors` by the row of `nodes`."""

    tick: int
    embedder: str
    nodes: NDArray[np.void]
    arcs: NDArray[np.void]
    vectors: NDArray[np.float16] | None
    present: NDArray[np.bool_]

    @classmethod
    def of(cls, state: State, embedder: str, vectors: bool) -> _Picture:
        rows = state.graph.where()
        present = np.zeros(len(rows), np.bool_)
        known = rows < state.vectors.size
        present[known] = state.vectors.present[rows[known]]
        return cls(
            tick=state.graph.tick,
            embedder=embedder,
            nodes=state.graph.nodes[rows],
            arcs=state.graph.arcs(),
            vectors=state.vectors.get(rows).astype(np.float16) if vectors else None,
            present=present,
        )

    def lines(self, fetch: Callable[[Sequence[int]], list[Content]]) -> Iterator[dict[str, Any]]:
        yield {
            "format": FORMAT,
            "version": VERSION,
            "embedder": self.embedder,
            "tick": self.tick,
            "nodes": len(self.nodes),
            "arcs": len(self.arcs),
        }
        for start in range(0, len(self.nodes), 1_000):
            part = self.nodes[start : start + 1_000]
            for i, content in enumerate(fetch(part["content"].tolist()), start):
                node = _plain(self.nodes[i], NODE)
                line = {"node": node, "text": content.text, "meta": dict(content.meta)}
                if self.vectors is not None and self.present[i]:
                    line["vector"] = base64.b64encode(self.vectors[i].tobytes()).decode()
                yield line
        for arc in self.arcs:
            yield {"arc": _plain(arc, ARC)}


def _unwritten(path: Path, failure: OSError) -> StoreError:
    full = failure.errno == errno.ENOSPC
    kind = StoreFull if full else StoreError
    return kind(f"cannot write the export {path}: {failure.strerror}", path=str(path))


def _plain(record: np.void, dtype: np.dtype[np.void]) -> dict[str, Any]:
    """A record as JSON numbers; infinities as text, JSON has none."""
    out: dict[str, Any] = {}
    for name in dtype.names or ():
        value = record[name].item()
        out[name] = str(value) if isinstance(value, float) and abs(value) == np.inf else value
    return out


@dataclass(slots=True)
class Lines:
    """An export taken apart; `dimension`: of the vectors it may hold where they are kept."""

    dimension: int
    header: dict[str, Any] = field(default_factory=dict)
    nodes: list[dict[str, Any]] = field(default_factory=list)
    arcs: list[dict[str, Any]] = field(default_factory=list)

    def add(self, line: str, number: int) -> None:
        """Take in one line; raises InvalidInput naming it."""
        try:
            data = _parse(line)
            if number == 1:
                self.header = _header(data)
            elif "node" in data:
                self.nodes.append(self._node(data))
            elif "arc" in data:
                self.arcs.append(_record(data["arc"], "arc", ARC))
            else:
                raise InvalidInput("it is neither a node nor an arc")
        except InvalidInput as failure:
            raise InvalidInput(f"line {number}: {failure}", line=number) from failure

    def _node(self, data: dict[str, Any]) -> dict[str, Any]:
        out: dict[str, Any] = {
            "node": _record(data["node"], "node", NODE),
            "meta": _meta(data.get("meta")),
        }
        out["text"] = words(data.get("text"), "a node's text", longest=LONGEST_TURN, empty=True)
        vector = data.get("vector")
        if vector is not None:
            try:
                raw = base64.b64decode(words(vector, "a vector", longest=10**6), validate=True)
            except ValueError as failure:
                raise InvalidInput(f"its vector is not base64: {failure}") from failure
            if len(raw) == HALF_BYTES * self.dimension:
                half = np.frombuffer(raw, np.float16)
                if np.isfinite(half).all():
                    out["vector"] = half
        return out

    def check(self) -> None:
        """Raise InvalidInput unless it is whole."""
        if not self.header:
            raise InvalidInput("the file is empty")
        if len(self.nodes) != self.header["nodes"]:
            raise InvalidInput(
                f"the file is cut short: {len(self.nodes)} of {self.header['nodes']} nodes"
            )
        arcs = self.header["arcs"]
        if arcs is not None and len(self.arcs) != arcs:
            raise InvalidInput(f"the file is cut short: {len(self.arcs)} of {arcs} arcs")
        known = {line["node"]["id"] for line in self.nodes}
        if len(known) != len(self.nodes) or min(known, default=1) < 1:
            raise InvalidInput("the file gives one id to two nodes, or one below 1")
        for arc in self.arcs:
            if arc["src"] not in known or arc["dst"] not in known:
                raise InvalidInput("an arc joins a node that is not in the file", arc=arc)


def read(path: Path, dimension: int) -> Lines:
    """Header, node lines and arc lines of an export; raises InvalidInput with the line."""
    out = Lines(dimension)
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                out.add(line, number)
    except OSError as failure:
        raise InvalidInput(f"cannot read {path}: {failure.strerror}", path=str(path)) from failure
    except UnicodeDecodeError as failure:
        raise InvalidInput("the file is not UTF-8 text") from failure
    out.check()
    return out


def _parse(line: str) -> dict[str, Any]:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError) as failure:  # also a number of too many digits
        raise InvalidInput(f"it is not JSON: {failure}") from failure
    if not isinstance(data, dict):
        raise InvalidInput("it is not a JSON object")
    return data


def _header(header: dict[str, Any]) -> dict[str, Any]:
    if header.get("format") != FORMAT:
        raise InvalidInput("this is not an export of a MAGS memory (no header in line 1)")
    version = _whole(header.get("version"), "version")
    if version > VERSION:
        raise InvalidInput(
            f"this export is of version {version}, newer than {VERSION}: upgrade MAGS"
        )
    return {
        "nodes": _whole(header.get("nodes"), "nodes"),
        # Exports of before arcs were counted do not say how many there are.
        "arcs": _whole(header["arcs"], "arcs") if "arcs" in header else None,
        "tick": _whole(header.get("tick", 0), "tick"),
        "embedder": str(header.get("embedder", "")),
    }


def _whole(value: object, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**62:
        raise InvalidInput(f"{name} must be a whole number, not {value!r}")
    return value


def _record(record: object, part: str, dtype: np.dtype[np.void]) -> dict[str, Any]:
    if not isinstance(record, Mapping):
        raise InvalidInput(f"its {part} is no object")
    missing = [name for name in dtype.names or () if name not in record]
    if missing:
        raise InvalidInput(f"it lacks {', '.join(missing)}")
    out = {name: _number(record[name], name, dtype[name]) for name in dtype.names or ()}
    if out["kind"] not in KINDS[part]:
        raise InvalidInput(f"there is no kind {out['kind']} of {part}")
    return out


def _number(value: object, name: str, dtype: np.dtype[Any]) -> float | int:
    if value in ("inf", "-inf"):
        value = float(str(value))
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInput(f"{name} must be a number, not {value!r}")
    if dtype.kind == "f":
        may_be = dtype.itemsize == np.dtype(np.float64).itemsize
        endless = may_be and isinstance(value, float) and math.isinf(value)
        if not (endless or EARLIEST_S <= value <= LATEST_S):
            raise InvalidInput(f"{name} cannot be {value!r}")
        return float(value)
    limits = np.iinfo(dtype)
    if not isinstance(value, int) or not int(limits.min) <= value <= int(limits.max):
        raise InvalidInput(f"{name} cannot be {value!r}")
    return value


def _meta(meta: object) -> dict[str, Any]:
    check_meta(meta)
    assert isinstance(meta, Mapping)
    for name, value in meta.items():
        if name in MAPPINGS and not isinstance(value, Mapping):
            raise InvalidInput(f"{name} must be an object, not {value!r}")
        if name in LISTS and not isinstance(value, list):
            raise InvalidInput(f"{name} must be a list, not {value!r}")
        if name == "members":
            for member in value:
                _whole(member, "a member")
    return dict(meta)


def to_networkx(state: State) -> nx.MultiDiGraph:
    """Every living node (kind, text, strength ...) and arc (kind, weight now, uses)."""
    graph: nx.MultiDiGraph = nx.MultiDiGraph(tick=state.graph.tick)
    ids = [int(i) for i in state.graph.ids()]
    for start in range(0, len(ids), 5_000):
        part = ids[start : start + 5_000]
        for node_id, content in zip(part, state.words(part), strict=True):
            node = state.graph.node(node_id)[0]
            graph.add_node(
                node_id,
                kind=NodeKind(int(node["kind"])).name.lower(),
                text=content.text,
                strength=float(node["strength"]),
                importance=float(node["importance"]),
                confidence=float(node["confidence"]),
                valid_from=float(node["valid_from"]),
                valid_to=float(node["valid_to"]),
            )
    arcs = state.graph.arcs()
    for arc, weight in zip(arcs, arc_charge(arcs, state.graph.tick), strict=True):
        kind = ArcKind(int(arc["kind"])).name.lower()
        graph.add_edge(
            int(arc["src"]), int(arc["dst"]), key=kind, kind=kind, weight=float(weight),
            uses=int(arc["uses"]),
        )  # fmt: skip
    return graph
