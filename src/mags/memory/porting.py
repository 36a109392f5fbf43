"""Export and import: a memory as JSON lines, one thing a line, versioned.

Line 1 is the header; then one line a node (its words and numbers, its vector in base64 where
asked for), then one line an arc. Ids are the exporter's; importing gives new ones.
"""

from __future__ import annotations

import base64
import errno
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mags.engram.claim import slot_of
from mags.errors import NotFound, StoreError, StoreFull
from mags.graph.delta import Delta, Draft
from mags.graph.records import ARC, NOBODY, NODE, ArcKind, Content, NodeFlag, NodeKind
from mags.index.names import fold
from mags.index.state import State, names_of
from mags.memory.exports import FORMAT, VERSION, read
from mags.memory.live import Live
from mags.memory.working import session_hash
from mags.ports.policy import LED_BY, led_by

CITATION = re.compile(r"\[m(\d{1,18})\]", re.ASCII)
Progress = Callable[[int, int], None]


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
            delta = draft.delta(
                "import", base=state.seq, recorded_at=self._live.clock(), tick_after=tick
            )
            self._live.commit(delta)
        return delta

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
