"""What every verb needs: the memory it works on, its options, and a terminal to print to.

What is stored may be somebody else's text. Printed as it is, an escape sequence in it would move
the cursor, rename the window or hide what follows; in a drawing it would be no valid XML. So every
console here prints a sign in the place of a control character.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from datetime import datetime
from io import StringIO
from pathlib import Path
from typing import Annotated, Any, TypeVar

import numpy as np
import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.progress import Progress, ProgressColumn
from rich.segment import Segment

from mags.app import open as open_memory
from mags.errors import ConfigurationError, InvalidInput, NotFound
from mags.memory.memory import Memory
from mags.recall.found import Trace

MemoryPath = Annotated[
    Path | None,
    typer.Option("--memory", "-m", envvar="MAGS_MEMORY", help="The memory's file."),
]
Tenant = Annotated[
    str, typer.Option("--tenant", envvar="MAGS_TENANT", help="Whose memories of a database.")
]
Branch = Annotated[str, typer.Option("--branch", help="Branch of the memory.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
AsOf = Annotated[
    str | None, typer.Option("--as-of", help="Event time to ask about, e.g. 2024-03-01.")
]
RecordedAsOf = Annotated[
    str | None, typer.Option("--recorded-as-of", help="Record time: what was known then.")
]
Node = Annotated[str, typer.Argument(help="A node as m12.")]
NodeOrName = Annotated[str, typer.Argument(help="A name, or a node as m12.")]

FAILED = 2
"""The exit code of a verb that failed."""
LONGEST_ID = 19
"""Digits of a node id."""
_SIGNS: dict[int, str] = {
    code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\n\t"
}
_SIGNS |= {0x7F: "\u2421", **dict.fromkeys((*range(0x80, 0xA0), 0xFFFE, 0xFFFF), "\ufffd")}

View = TypeVar("View")


def opened(
    memory: Path | None, branch: str, *, must_exist: bool = True, read_only: bool = False
) -> Memory:
    """Open a memory; raises ConfigurationError when no path is given or nothing is there."""
    path = existing(memory) if must_exist else named(memory)
    return open_memory(path, branch=branch, read_only=read_only)


def named(memory: Path | None) -> Path:
    """The path that was given; raises ConfigurationError."""
    if memory is None:
        raise ConfigurationError(
            "which memory? give --memory PATH or set MAGS_MEMORY", key="MAGS_MEMORY"
        )
    return memory


def existing(memory: Path | None) -> Path:
    """The path of a memory that is there; raises ConfigurationError."""
    path = named(memory)
    if not path.exists():
        raise ConfigurationError(
            f"there is no memory at {path}: make one with `mags observe`", path=str(path)
        )
    return path


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


def trace_path(memory: Path | None) -> Path:
    """Where the trace of the last answer lies, for `explain` and `feedback`."""
    path = named(memory)
    return path.with_name(path.name + ".trace.json")


def keep_trace(memory: Path | None, trace: Trace) -> None:
    """Keep a trace as the last one: ids and numbers only, so that `forget` leaves no words."""
    path = trace_path(memory)
    path.touch(mode=0o600)
    path.write_text(json.dumps(trace.wordless().as_dict()), encoding="utf-8")


def last_trace(memory: Path | None) -> Trace:
    """The last trace; raises NotFound."""
    path = trace_path(memory)
    if not path.exists():
        raise NotFound("there is no last answer: ask or recall something first", path=str(path))
    return Trace.from_dict(json.loads(path.read_text(encoding="utf-8")))


def visible(text: str) -> str:
    """The text with a sign for each control character but line ends and tabs."""
    return text.translate(_SIGNS)


class _Console(Console):
    """A console on which nothing that is printed can command the terminal."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterator[Segment]:
        """Its words made visible; what rich itself tells the terminal stays."""
        for part in super().render(renderable, options):
            yield part if part.control else Segment(visible(part.text), part.style)


def console(**how: Any) -> Console:
    """A console that prints a sign in the place of a control character."""
    return _Console(highlight=False, **how)


def page(width: int) -> Console:
    """Such a console of that width whose styles are kept, to be captured and shown elsewhere."""
    return console(file=StringIO(), width=width, force_terminal=True, color_system="standard")


out = console()


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


def print_view(view: View, as_text: Callable[[View], RenderableType], *, json: bool) -> None:
    """Print a view as JSON, or as what `as_text` makes of it."""
    if json:
        print_json(view)
    else:
        out.print(as_text(view))


@contextmanager
def counting(
    what: str, *columns: ProgressColumn, total: int | None = None
) -> Iterator[Callable[[int, int], None]]:
    """A bar of progress, to be told how many are done, of how many; it goes when all is done."""
    with Progress(*columns, transient=True) as progress:
        task = progress.add_task(what, total=total)
        yield lambda done, total: progress.update(task, completed=done, total=total)
