"""The trace of the last answer, kept beside the memory for `explain` and `feedback`.

Ids and numbers only: the question itself is not kept, so that `forget` leaves no copy.
"""

from __future__ import annotations

import json
from pathlib import Path

from mags.errors import ConfigurationError, NotFound
from mags.recall.found import Trace


def trace_path(memory: Path) -> Path:
    """Where the last trace of a memory lies."""
    return memory.with_name(memory.name + ".trace.json")


def keep_trace(memory: Path | None, trace: Trace) -> None:
    """Remember a trace as the last one."""
    if memory is None:
        return
    trace_path(memory).write_text(json.dumps(trace.wordless().as_dict()), encoding="utf-8")


def last_trace(memory: Path | None) -> Trace:
    """The last trace; raises NotFound."""
    if memory is None:
        raise ConfigurationError("which memory? give --memory PATH or set MAGS_MEMORY")
    path = trace_path(memory)
    if not path.exists():
        raise NotFound("there is no last answer: ask or recall something first", path=str(path))
    return Trace.from_dict(json.loads(path.read_text(encoding="utf-8")))
