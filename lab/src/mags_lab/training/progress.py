"""What a training run shows and keeps: a line that moves, and scalars for TensorBoard."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


class Watch(Protocol):
    """Receives the named scalars of each step."""

    def __call__(self, step: int, scalars: Mapping[str, float]) -> None:
        """Note them; `step` counts from 1."""
        ...


class Logbook:
    """Shows progress and writes `scalars.jsonl`, and TensorBoard's event files where it is there.

    Use as a context. `folder`: where the files go; None shows only. `console`: where to show;
    None keeps silent.
    """

    def __init__(
        self, folder: Path | None, *, title: str, steps: int, console: Console | None = None
    ) -> None:
        self._events = None if folder is None else event_writer(folder)
        self._lines = None
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            self._lines = (folder / "scalars.jsonl").open("a", encoding="utf-8")
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[shown]}"),
        )
        self._progress = Progress(*columns, console=console, disable=console is None)
        self._task = self._progress.add_task(title, total=steps, shown="")

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        failure: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.stop()
        if self._lines is not None:
            self._lines.close()
        if self._events is not None:
            self._events.close()

    def __call__(self, step: int, scalars: Mapping[str, float]) -> None:
        """Note the scalars of a step and move the line."""
        shown = "  ".join(f"{name} {value:.4g}" for name, value in scalars.items())
        self._progress.update(self._task, completed=step, shown=shown)
        if self._lines is not None:
            entry = {"step": step, "time": time.time(), **scalars}
            self._lines.write(json.dumps(entry) + "\n")
            self._lines.flush()
        if self._events is not None:
            for name, value in scalars.items():
                self._events.add_scalar(name, value, step)


class EventWriter(Protocol):
    """The part of TensorBoard's SummaryWriter that is used."""

    def add_scalar(self, tag: str, value: float, step: int) -> None:
        """Note one scalar."""
        ...

    def close(self) -> None:
        """Write what is left."""
        ...


def event_writer(folder: Path) -> EventWriter | None:
    """A writer of TensorBoard's event files, or None where `tensorboard` is not installed."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    writer: EventWriter = SummaryWriter(log_dir=str(folder))
    return writer
