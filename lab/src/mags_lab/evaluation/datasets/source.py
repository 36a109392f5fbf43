"""Reading JSON from a data folder, gzipped or not."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

from mags.errors import InvalidInput, NotFound

Json: TypeAlias = Any
"""A parsed JSON value. Its shape is that of the set; a loader checks it by reading it."""


def read_json(path: Path) -> Json:
    """Return the JSON value in `path`, which may be gzipped (`.gz`)."""
    return json.loads(_read(path))


def read_jsonl(path: Path) -> Iterator[Json]:
    """Yield one JSON value for each line; empty lines are skipped."""
    for line in _read(path).splitlines():
        if line.strip():
            yield json.loads(line)


def moment(text: str, pattern: str) -> datetime:
    """Return the time in `text` by a `strptime` pattern, in UTC, since the sets name no zone.

    White space is reduced to single spaces first, and a weekday in brackets is dropped.
    """
    plain = re.sub(r"\s+", " ", re.sub(r"\([A-Za-z]{3}\)", " ", text)).strip()
    try:
        return datetime.strptime(plain, pattern).replace(tzinfo=UTC)
    except ValueError as failure:
        raise InvalidInput(f"not a time of the form {pattern!r}: {text!r}", text=text) from failure


def _read(path: Path) -> str:
    if not path.exists():
        raise NotFound(
            f"benchmark data not found: {path}. Set MAGS_DATA to the folder that holds it "
            "(docs/benchmarks.md names the sets and where they come from)",
            path=path,
        )
    raw = path.read_bytes()
    return (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8")
