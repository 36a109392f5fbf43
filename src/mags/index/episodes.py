"""Episodes in the order they came, overall and by session."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mags.graph.graph import Graph
from mags.graph.node import NodeKind


class Episodes:
    """Rows of living episodes; read from the graph at first use, then kept up with it."""

    def __init__(self, graph: Graph) -> None:
        """Episodes of that graph."""
        self._graph = graph
        self._rows: tuple[list[int], dict[int, list[int]]] | None = None

    def recent(self, count: int, session: int | None = None) -> list[int]:
        """Ids of the last `count` episodes (of a session, by its hash), oldest first."""
        rows = self._rows
        if rows is None:
            rows = self._rows = self._read()
        held = rows[0] if session is None else rows[1].get(session, [])
        ids: list[int] = self._graph.nodes["id"][held[-count:]].tolist() if count > 0 else []
        return ids

    def changed(self, created: NDArray[np.void], *, gone: bool) -> None:
        """Take up new NODE records that the graph holds by now; `gone`: some were removed."""
        if self._rows is None:
            return
        every, of_session = self._rows
        fresh = created[created["kind"] == NodeKind.EPISODE]
        rows = self._graph.rows(fresh["id"].tolist()).tolist()
        last = every[-1] if every else -1
        if gone or sorted(rows) != rows or (rows and rows[0] <= last):
            self._rows = None
            return
        every.extend(rows)
        for row, session in zip(rows, fresh["session"].tolist(), strict=True):
            of_session.setdefault(session, []).append(row)

    def _read(self) -> tuple[list[int], dict[int, list[int]]]:
        rows = self._graph.where(NodeKind.EPISODE)
        sessions = self._graph.nodes["session"][rows]
        order = np.argsort(sessions, kind="stable")
        ordered = sessions[order]
        cuts = np.flatnonzero(np.diff(ordered)) + 1 if len(rows) else np.zeros(0, np.int64)
        parts = np.split(rows[order], cuts) if len(rows) else []
        heads = ordered[np.r_[0, cuts]].tolist() if len(rows) else []
        groups = {head: part.tolist() for head, part in zip(heads, parts, strict=True)}
        return rows.tolist(), groups
