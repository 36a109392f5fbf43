"""What every verb shares: the memory it works on and how it prints."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields, is_dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from mags.app import open as open_memory
from mags.cli.visible import console
from mags.errors import ConfigurationError, InvalidInput
from mags.memory.memory import Memory

MemoryPath = Annotated[
    Path | None,
    typer.Option("--memory", "-m", envvar="MAGS_MEMORY", help="The memory's file."),
]
Branch = Annotated[str, typer.Option("--branch", help="Branch of the memory.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
AsOf = Annotated[
    str | None, typer.Option("--as-of", help="Event time to ask about, e.g. 2024-03-01.")
]
RecordedAsOf = Annotated[
    str | None, typer.Option("--recorded-as-of", help="Record time: what was known then.")
]

out = console()

LONGEST_ID = 19
"""Digits of a node id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """Which memory a verb works on."""

    path: Path | None
    branch: str = "main"

    def open(self, *, must_exist: bool = True, read_only: bool = False) -> Memory:
        """Open it; raises ConfigurationError when no path is given or nothing is there."""
        path = self.existing() if must_exist else self.named()
        return open_memory(path, branch=self.branch, read_only=read_only)

    def named(self) -> Path:
        """The path that was given; raises ConfigurationError."""
        if self.path is None:
            raise ConfigurationError(
                "which memory? give --memory PATH or set MAGS_MEMORY", key="MAGS_MEMORY"
            )
        return self.path

    def existing(self) -> Path:
        """The path of a memory that is there; raises ConfigurationError."""
        path = self.named()
        if not path.exists():
            raise ConfigurationError(
                f"there is no memory at {path}: make one with `mags observe`", path=str(path)
            )
        return path


def plain(value: Any) -> Any:  # noqa: ANN401 - any view to JSON types
    """A view as JSON types: dataclasses as objects, times as ISO 8601."""
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value) if f.repr}
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple | set):
        return [plain(v) for v in value]
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return None
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def print_json(value: Any) -> None:  # noqa: ANN401 - any view
    """Print a view as JSON."""
    out.print_json(json.dumps(plain(value), ensure_ascii=False), highlight=False)


def node_id(given: str) -> int:
    """A node id as people type it: m12 or 12; raises InvalidInput."""
    digits = given.strip().lstrip("[").rstrip("]").removeprefix("m")
    if not _is_id(digits):
        raise InvalidInput(f"{given!r} is no node: write it as m12", given=given)
    return int(digits)


def node_or_name(given: str) -> int | str:
    """A node id for m12 or [m12], else the name itself."""
    text = given.strip()
    bare = text.removeprefix("[").removesuffix("]")
    if bare.startswith("m") and _is_id(bare[1:]):
        return int(bare[1:])
    return text


def _is_id(digits: str) -> bool:
    return digits.isascii() and digits.isdecimal() and len(digits) <= LONGEST_ID
