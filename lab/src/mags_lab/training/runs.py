"""The folder of a run: its recipe, its finished steps and their costs, and the curves it shows."""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from mags.errors import ConfigurationError, CorruptFile

RUN = "run.json"
MEGABYTE = 1 << 20
CLEAR = Path("/proc/self/clear_refs")
"""Where 5 is written to forget the most memory so far (proc(5))."""


class RunFile:
    """`run.json` of a folder: the recipe, and each finished step with its costs and results.

    A step is noted when it is done, so a run that was killed begins with the step it was at, which
    takes up its own checkpoint. Raises ConfigurationError where the folder is of another recipe.
    """

    def __init__(self, folder: Path, recipe: Mapping[str, Any]) -> None:
        self.folder = folder
        self._path = folder / RUN
        written = json.loads(json.dumps(recipe))
        self._run: dict[str, Any] = {"recipe": written, "steps": {}}
        if self._path.is_file():
            self._run = read_run(self._path)
            check_same(self._run["recipe"], written, folder)

    @property
    def steps(self) -> Mapping[str, Mapping[str, Any]]:
        """Finished steps, in the order in which they were."""
        found: Mapping[str, Mapping[str, Any]] = self._run["steps"]
        return found

    def is_done(self, name: str) -> bool:
        """Whether a step is finished."""
        return name in self._run["steps"]

    @contextmanager
    def step(self, name: str) -> Iterator[dict[str, Any]]:
        """Around a step: note its costs and what is put into the yielded mapping, when it is done.

        `wall_s`, `cpu_s`: of the step (of its last part, where it was stopped); `peak_mb`: the
        most memory that the process held within it (on other systems than Linux: so far).
        """
        begin_peak()
        wall, cpu = time.perf_counter(), time.process_time()
        found: dict[str, Any] = {}
        yield found
        self._run["steps"][name] = {
            "wall_s": round(time.perf_counter() - wall, 2),
            "cpu_s": round(time.process_time() - cpu, 2),
            "peak_mb": round(peak_mb(), 1),
            **found,
        }
        write_run(self._path, self._run)


def begin_peak() -> None:
    """Have `peak_mb` tell of what follows; only Linux can."""
    with suppress(OSError):
        CLEAR.write_text("5", encoding="ascii")


def peak_mb() -> float:
    """The most memory this process has had in RAM, in MB, since `begin_peak`."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / MEGABYTE if sys.platform == "darwin" else most / 1024


def write_run(path: Path, run: Mapping[str, Any]) -> None:
    """Write what is known of a run beside the last such file, then take its place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part")
    unfinished.write_text(json.dumps(run, indent=1) + "\n", encoding="utf-8")
    os.replace(unfinished, path)


def read_run(path: Path) -> dict[str, Any]:
    """What `write_run` wrote; raises CorruptFile."""
    try:
        run: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(run, dict):
            raise ValueError(f"no mapping: {type(run).__name__}")
    except ValueError as failure:
        raise CorruptFile(f"{path} is damaged: begin in another folder", path=path) from failure
    return run


def check_same(known: Mapping[str, Any], recipe: Mapping[str, Any], folder: Path) -> None:
    """Raise ConfigurationError where a folder was begun with something else than `recipe` says."""
    differs = sorted(name for name in recipe if known.get(name) != recipe[name])
    if differs:
        raise ConfigurationError(
            f"{folder} was begun with another recipe ({', '.join(differs)} differ): use another "
            "folder, or the same options.",
            path=str(folder),
            differs=differs,
        )


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
