"""Export and import: a memory as JSON lines with a version, and as a NetworkX graph.

Line 1 is the header; then comes a line for each node (words, numbers, and the vector in base64
where asked for), then one for each arc. Importing gives new ids. Every line is checked before
anything is changed.
"""

from __future__ import annotations

import base64
import errno
import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np

from mags.engram.claim import slot_of
from mags.errors import InvalidInput, NotFound, StoreError, StoreFull
from mags.files import appearing
from mags.graph.delta import Delta, Draft
from mags.graph.records import ARC, NOBODY, NODE, ArcKind, Content, NodeFlag, NodeKind, arc_charge
from mags.index.state import State, names_of
from mags.index.tokens import fold_name
from mags.memory.inputs import EARLIEST_S, LATEST_S, LONGEST_TURN, check_meta, whole, words
from mags.memory.live import Live, Progress, tokens_of
from mags.memory.reading import session_hash
from mags.ports.pausing import pause
from mags.ports.policy import LED_BY, led_by

if TYPE_CHECKING:
    import networkx as nx

FORMAT = "mags-memory"
VERSION = 1
HALF_BYTES = 2
EMBEDDED_AT_ONCE = 64
MAPPINGS, LISTS = ("qualifiers", "attrs"), ("aliases", "members")
"""Entries of meta that are mappings and lists."""
KINDS = {"node": {int(k) for k in NodeKind}, "arc": {int(k) for k in ArcKind}}
CITATION = re.compile(r"\[m(\d{1,18})\]", re.ASCII)


def export(live: Live, to: Path | TextIO, *, vectors: bool = True) -> int:
    """Write every node and arc to a path, or to an open file; returns how many lines.

    At a path the file appears whole or not at all, for its owner alone. Reading and writing go on
    meanwhile; where something is forgotten meanwhile it begins again. Raises StoreError where it
    cannot be written.
    """
    try:
        if not isinstance(to, Path):
            return _write(live, to, vectors)
        as_it_is = to.exists() and not to.is_file()  # a pipe, a device
        with to.open("w", encoding="utf-8") if as_it_is else appearing(to) as out:
            return _write(live, out, vectors)
    except OSError as failure:
        kind = StoreFull if failure.errno == errno.ENOSPC else StoreError
        text = f"cannot write the export {to}: {failure.strerror or failure}"
        raise kind(text, path=str(to)) from failure


def _write(live: Live, out: TextIO, vectors: bool) -> int:
    while True:
        with live.committed() as state:
            count, lines = _lines(live, state, vectors)
            generation = live.generation
        try:
            for line in lines:
                out.write(json.dumps(line, ensure_ascii=False) + "\n")
            out.flush()
        except NotFound:
            with live.reading():
                if live.generation == generation:
                    raise
        with live.reading():
            if live.generation == generation:
                return count
        out.seek(0)
        out.truncate()


def _lines(live: Live, state: State, vectors: bool) -> tuple[int, Iterator[dict[str, Any]]]:
    """How many lines an export has, and the lines; words are read when a line is written."""
    rows = state.graph.where()
    nodes, arcs = state.graph.nodes[rows], state.graph.arcs()
    held = state.vectors.get(rows).astype(np.float16) if vectors else None
    present = np.zeros(len(rows), np.bool_)
    known = rows < state.vectors.size
    present[known] = state.vectors.present[rows[known]]
    look = live.looking.look if vectors and live.looking else ""
    header = {
        "format": FORMAT,
        "version": VERSION,
        "embedder": live.embedder.name,
        "look": look,
        "tick": state.graph.tick,
        "nodes": len(nodes),
        "arcs": len(arcs),
    }

    def lines() -> Iterator[dict[str, Any]]:
        yield header
        for start in range(0, len(nodes), 1_000):
            ids = nodes["content"][start : start + 1_000].tolist()
            words = live.store.contents.tokens(ids) if look else [b""] * len(ids)
            for i, content in enumerate(live.store.contents.get(ids), start):
                node = _plain(nodes[i], NODE)
                line = {"node": node, "text": content.text, "meta": dict(content.meta)}
                if held is not None and present[i]:
                    line["vector"] = base64.b64encode(held[i].tobytes()).decode()
                if words[i - start]:
                    line["tokens"] = base64.b64encode(words[i - start]).decode()
                yield line
        for arc in arcs:
            yield {"arc": _plain(arc, ARC)}

    return 1 + len(nodes) + len(arcs), lines()


def _plain(record: np.void, dtype: np.dtype[np.void]) -> dict[str, Any]:
    """A record as JSON numbers; infinities as text, JSON has none."""
    values = {name: record[name].item() for name in dtype.names or ()}
    return {name: str(v) if v in (np.inf, -np.inf) else v for name, v in values.items()}


def import_(live: Live, path: Path | TextIO, on_progress: Progress | None = None) -> Delta:
    """Add everything in a file to this memory, as one Delta.

    Entities of a known name become the known ones. Vectors are taken over when the
    embedder is the same, else made anew. Where turns were here already, and are here twice now,
    its one reason has their number (`again`). Raises InvalidInput naming the bad line; then
    nothing was changed.
    """
    read = _read(path, live.embedder.dimension)
    keep = read.header["embedder"] == live.embedder.name
    looking = live.looking
    if looking is None or read.header["look"] != looking.look:
        for line in read.nodes:
            line["tokens"] = b""

    def lacks(line: Mapping[str, Any]) -> bool:
        wordless = looking is not None and line["meta"].get("speaker") and not line["tokens"]
        return wordless or not (keep and "vector" in line)

    # Before the transaction: a model may take long, and nobody else could write.
    lacking = [line for line in read.nodes if lacks(line)]
    for start in range(0, len(lacking), EMBEDDED_AT_ONCE):
        part = lacking[start : start + EMBEDDED_AT_ONCE]
        made = live.embed([line["text"] for line in part])
        told = [Content(id=i, node=0, text=o["text"], meta=o["meta"]) for i, o in enumerate(part)]
        words = tokens_of(looking, told)
        for i, line in enumerate(part):
            line["vector"], line["tokens"] = made[line["text"]], words.get(i, b"")
        if on_progress is not None:
            on_progress(start + len(part), len(lacking))
    with live.writing() as state:
        draft = Draft(state.graph)
        renamed = _add_nodes(live, state, draft, read.nodes)
        for line in read.arcs:
            pause()
            src, dst = renamed[line["src"]], renamed[line["dst"]]
            values = {k: line[k] for k in line if k not in ("src", "dst", "kind")}
            draft.add_arc(src, dst, ArcKind(line["kind"]), **values)
        if again := _again(state, read.nodes):
            draft.reason("import", again=again)
        tick = max(state.graph.tick, read.header["tick"])
        return live.commit_draft(draft, "import", tick_after=tick)


def _again(state: State, nodes: list[dict[str, Any]]) -> int:
    """How many of the turns are here already: the same words, said at the same moment."""
    turns = [line for line in nodes if line["node"]["kind"] == NodeKind.EPISODE]
    held = state.graph.nodes[state.graph.where(NodeKind.EPISODE)]
    moments = [line["node"]["valid_from"] for line in turns]
    held = held[np.isin(held["valid_from"], np.array(moments, np.float64))]
    said = [one.text for one in state.words(held["id"].tolist())]
    known = set(zip(held["valid_from"].tolist(), said, strict=True))
    return sum((line["node"]["valid_from"], line["text"]) in known for line in turns)


def _add_nodes(
    live: Live, state: State, draft: Draft, nodes: list[dict[str, Any]]
) -> dict[int, int]:
    """Draft what is new; returns the id here of every id there."""
    renamed: dict[int, int] = {NOBODY: NOBODY}
    fresh: list[dict[str, Any]] = []
    for line in nodes:
        known = _known(state, line)
        if known is None:
            fresh.append(line)
        renamed[line["node"]["id"]] = live.ids.take() if known is None else known
    # In the order of their contents: a theme is older than the newer texts of its members.
    for line in sorted(fresh, key=lambda line: line["node"]["content"]):
        values, meta = dict(line["node"]), line["meta"]
        values.pop("content")
        node_id, kind = renamed[values.pop("id")], values["kind"]
        recalled = values["flags"] & NodeFlag.RECALLED
        content = Content(
            id=live.ids.take(),
            node=node_id,
            text=_citing(line["text"], renamed) if recalled else line["text"],
            meta=_pointing(meta, renamed),
            vector=line["vector"],
            tokens=line["tokens"],
        )
        for end in ("subject", "object"):
            values[end] = renamed.get(values[end], NOBODY)
        # Slot and session are keyed by the memory's own secret: hash them again.
        values["session"] = values["slot"] = 0
        if kind == NodeKind.EPISODE:
            values["session"] = session_hash(state, str(meta.get("session", "")))
        if kind == NodeKind.FACT:
            sort = fold_name(str(dict(meta.get("qualifiers", {})).get("kind", "")))
            values["slot"] = slot_of(state, str(meta.get("relation", "")), sort)
        draft.add_node(content, id=node_id, **values)
    return renamed


def _known(state: State, line: Mapping[str, Any]) -> int | None:
    """The entity of that name."""
    if line["node"]["kind"] != NodeKind.ENTITY:
        return None
    names = names_of(Content(id=0, node=0, text=line["text"], meta=line["meta"]))
    return next((found[0] for name in names if (found := state.names.find(name))), None)


def _citing(text: str, renamed: Mapping[int, int]) -> str:
    """The text of an answer with new ids in its citations, [-] for what was not exported."""

    def rewrite(cited: re.Match[str]) -> str:
        found = renamed.get(int(cited[1]), NOBODY)
        return f"[m{found}]" if found else "[-]"

    return CITATION.sub(rewrite, text)


def _pointing(meta: Mapping[str, Any], renamed: Mapping[int, int]) -> dict[str, Any]:
    """The words beside a text, with new ids for the nodes that they name."""
    found = dict(meta)
    if "members" in found:
        found["members"] = [renamed.get(int(i), NOBODY) for i in found["members"]]
    if LED_BY in found.get("attrs", {}):
        ids = (renamed.get(i, NOBODY) for i in led_by(found["attrs"]))
        kept = " ".join(str(one) for one in ids if one != NOBODY)
        found["attrs"] = {**found["attrs"], LED_BY: kept}
    return found


@dataclass(slots=True)
class _Export:
    """The lines of an export."""

    header: dict[str, Any] = field(default_factory=dict)
    nodes: list[dict[str, Any]] = field(default_factory=list)
    arcs: list[dict[str, Any]] = field(default_factory=list)


def _read(path: Path | TextIO, dimension: int) -> _Export:
    """An export, every line of it checked; raises InvalidInput with the line.

    `dimension`: of the vectors it may hold where they are kept.
    """
    out = _Export()
    try:
        with path.open(encoding="utf-8") if isinstance(path, Path) else path as lines:
            for number, line in enumerate(lines, 1):
                pause()
                try:
                    _add(out, _parse(line), dimension)
                except InvalidInput as failure:
                    raise InvalidInput(
                        f"line {number}: {failure}", line=number, **failure.facts
                    ) from failure
    except OSError as failure:
        raise InvalidInput(f"cannot read {path}: {failure.strerror}", path=str(path)) from failure
    except UnicodeDecodeError as failure:
        raise InvalidInput("the file is not UTF-8 text") from failure
    _check_whole(out)
    return out


def _check_whole(out: _Export) -> None:
    if not out.header:
        raise InvalidInput("the file is empty")
    for name, found in (("nodes", out.nodes), ("arcs", out.arcs)):
        count = out.header[name]
        if count is not None and len(found) != count:
            raise InvalidInput(f"the file is cut short: {len(found)} of {count} {name}")
    known = {line["node"]["id"] for line in out.nodes}
    if len(known) != len(out.nodes) or min(known, default=1) < 1:
        raise InvalidInput("the file gives one id to two nodes, or one below 1")
    for arc in out.arcs:
        if arc["src"] not in known or arc["dst"] not in known:
            raise InvalidInput("an arc joins a node that is not in the file", arc=arc)


def _add(out: _Export, data: dict[str, Any], dimension: int) -> None:
    if not out.header:
        out.header = _header(data)
    elif "node" in data:
        out.nodes.append(_node(data, dimension))
    elif "arc" in data:
        out.arcs.append(_record(data["arc"], "arc", ARC))
    else:
        raise InvalidInput("it is neither a node nor an arc")


def _node(data: dict[str, Any], dimension: int) -> dict[str, Any]:
    out: dict[str, Any] = {
        "node": _record(data["node"], "node", NODE),
        "meta": _meta(data.get("meta")),
        "text": words(data.get("text"), "a node's text", longest=LONGEST_TURN, empty=True),
        "tokens": _bytes(data, "tokens"),
    }
    raw = _bytes(data, "vector")
    if len(raw) == HALF_BYTES * dimension:
        half = np.frombuffer(raw, np.float16)
        if np.isfinite(half).all():
            out["vector"] = half
    return out


def _bytes(data: Mapping[str, Any], name: str) -> bytes:
    """What is in base64 under a name; empty where nothing is."""
    found = data.get(name)
    if found is None:
        return b""
    try:
        return base64.b64decode(words(found, f"its {name}", longest=10**6), validate=True)
    except ValueError as failure:
        raise InvalidInput(f"its {name} is not base64: {failure}", field=name) from failure


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
    version = whole(header.get("version"), "version is a whole number")
    if version > VERSION:
        raise InvalidInput(
            f"this export is of version {version}, newer than {VERSION}: upgrade MAGS",
            field="version",
            given=version,
        )
    return {
        "nodes": whole(header.get("nodes"), "nodes is a whole number"),
        # Exports of before arcs were counted do not say how many there are.
        "arcs": whole(header["arcs"], "arcs is a whole number") if "arcs" in header else None,
        "tick": whole(header.get("tick", 0), "tick is a whole number"),
        "embedder": str(header.get("embedder", "")),
        "look": str(header.get("look", "")),
    }


def _record(record: object, part: str, dtype: np.dtype[np.void]) -> dict[str, Any]:
    if not isinstance(record, Mapping):
        raise InvalidInput(f"its {part} is no object", field=part, given=record)
    missing = [name for name in dtype.names or () if name not in record]
    if missing:
        raise InvalidInput(f"it lacks {', '.join(missing)}")
    out = {name: _number(record[name], name, dtype[name]) for name in dtype.names or ()}
    if out["kind"] not in KINDS[part]:
        raise InvalidInput(
            f"there is no kind {out['kind']} of {part}", field="kind", given=out["kind"]
        )
    return out


def _number(value: object, name: str, dtype: np.dtype[Any]) -> float | int:
    if value in ("inf", "-inf"):
        value = float(str(value))
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInput(f"{name} must be a number, not {value!r}", field=name, given=value)
    if dtype.kind == "f":
        may_be = dtype.itemsize == np.dtype(np.float64).itemsize
        endless = may_be and isinstance(value, float) and math.isinf(value)
        if not (endless or EARLIEST_S <= value <= LATEST_S):
            raise InvalidInput(f"{name} cannot be {value!r}", field=name, given=value)
        return float(value)
    limits = np.iinfo(dtype)
    if not isinstance(value, int) or not int(limits.min) <= value <= int(limits.max):
        raise InvalidInput(f"{name} cannot be {value!r}", field=name, given=value)
    return value


def _meta(meta: object) -> dict[str, Any]:
    check_meta(meta)
    assert isinstance(meta, Mapping)
    for name, value in meta.items():
        if name in MAPPINGS and not isinstance(value, Mapping):
            raise InvalidInput(f"{name} must be an object, not {value!r}", field=name, given=value)
        if name in LISTS and not isinstance(value, list):
            raise InvalidInput(f"{name} must be a list, not {value!r}", field=name, given=value)
        if name == "members":
            for member in value:
                whole(member, "a member is a node id")
    return dict(meta)


def to_networkx(state: State) -> nx.MultiDiGraph:
    """Every living node (kind, text, strength ...) and arc (kind, weight now, uses)."""
    import networkx as nx  # takes 0.2 s, and only this needs it

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
        ends, uses = (int(arc["src"]), int(arc["dst"])), int(arc["uses"])
        graph.add_edge(*ends, key=kind, kind=kind, weight=float(weight), uses=uses)
    return graph
