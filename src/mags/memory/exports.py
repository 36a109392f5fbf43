"""Exports read back: every line is checked before anything is made of it."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from mags.errors import InvalidInput
from mags.graph.records import ARC, NODE, ArcKind, NodeKind
from mags.memory.given import LONGEST_TURN, check_meta, words
from mags.memory.moments import EARLIEST_S, LATEST_S

FORMAT = "mags-memory"
VERSION = 1
HALF_BYTES = 2
MAPPINGS, LISTS = ("qualifiers", "attrs"), ("aliases", "members")
"""Entries of meta that are mappings and lists."""

KINDS = {"node": {int(k) for k in NodeKind}, "arc": {int(k) for k in ArcKind}}


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
