"""Work on every memory of a folder or a database, several at a time: `--all` of a verb.

The names that are done are noted beside the memories, so that a job that was interrupted goes on.
With Ray the memories are shared out among the machines of a cluster, and what was lost with one of
them is done again.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from threadpoolctl import threadpool_limits

from mags.app import TENANT, make_catalog, make_keyring, make_parts, train_weights
from mags.cli.console import FAILED, counting, out
from mags.errors import CorruptFile, InvalidInput, MagsError
from mags.extras import import_extra
from mags.memory.live import reembed as make_anew
from mags.memory.memory import Memory
from mags.memory.settings import Parts
from mags.models.cores import cores
from mags.ports.store import Catalog
from mags.settings import read_settings

All = Annotated[
    bool, typer.Option("--all", help="Every memory of --folder or --store; can be interrupted.")
]
Folder = Annotated[
    Path, typer.Option("--folder", envvar="MAGS_FOLDER", help="With --all: where memories lie.")
]
Database = Annotated[
    str | None,
    typer.Option("--store", envvar="MAGS_STORE", help="With --all: postgresql://... of them."),
]
Processes = Annotated[
    int | None, typer.Option("--workers", min=1, help="With --all: so many at a time, else cores.")
]
Cluster = Annotated[
    str | None, typer.Option("--ray", help="With --all: address of a Ray cluster that does it.")
]
FOLDER = Path("memories")
LOST_AGAIN = 3
"""How often a memory is tried anew whose machine was lost."""
Work = Callable[[Catalog, str], str]
"""Does a memory, by its name; says what came of it. Another process must be able to import it."""
Tried = tuple[str, bool]
"""What came of a memory, and whether that went well."""
Submit = Callable[[str], "Future[Tried]"]
Lost = tuple[type[Exception], ...]
"""What is raised of a memory whose process, or machine, has ended."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where memories lie: a folder, or a tenant's in a database; `folder` has the notes of jobs."""

    folder: Path
    store: str | None = None
    tenant: str = TENANT


def every(
    what: str,
    work: Work,
    place: Place,
    names: Sequence[str] | None = None,
    *,
    of: str = "",
    processes: int | None = None,
    cluster: str | None = None,
) -> None:
    """Do every memory of a place, or those of `names`, that is not noted as done; tell of each.

    `what`: the job, under which is noted what is done; `of`: what else its outcome hangs on, such
    as an embedder: what another one did is not done. `processes`: of this machine, as many as it
    has cores where None; `cluster`: the address of a Ray cluster that does it in their place.
    Raises InvalidInput, CorruptFile, and typer.Exit where some failed: run again, it does those.
    """
    place = replace(place, folder=place.folder.absolute())
    notes = place.folder / f"{what}{_mark(place, of)}.job"
    if names is None:
        if place.store is None and not place.folder.is_dir():
            raise InvalidInput(f"there is no folder {place.folder}", path=str(place.folder))
        with closing(_catalog(place)) as catalog:
            names = catalog.names()
    done = _noted(notes)
    left = [name for name in names if name not in done]
    if done:
        out.print(f"{what} goes on: {len(names) - len(left)} of {len(names)} memories are done.")
    failed = dict[str, str]()
    if cluster is None:
        sharing = _processes(partial(_tried, work, place), processes or cores())
    else:
        sharing = _ray(work, place, cluster)
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    place.folder.mkdir(parents=True, exist_ok=True)
    with (
        notes.open("a", encoding="utf-8") as noting,
        counting(what, *columns, total=len(left)) as progress,
        sharing as (submit, lost),
    ):
        futures = {submit(name): name for name in left}
        for count, future in enumerate(as_completed(futures), 1):
            name, (said, well) = futures[future], _outcome(future, lost)
            if well:
                noting.write(json.dumps(name) + "\n")
                noting.flush()
                out.print(f"{name}: {said}", markup=False)
            else:
                failed[name] = said
            progress(count, len(left))
    for name, why in failed.items():
        out.print(f"{name} failed: {why}", markup=False)
    out.print(f"{what}: {len(left) - len(failed)} memories done, {len(failed)} failed.")
    if failed:
        raise typer.Exit(FAILED)
    notes.unlink()


def _mark(place: Place, of: str) -> str:
    """What tells the notes of a job from those of another database, tenant, or kind; no secret."""
    if place.store is None and not of:
        return ""
    return "-" + hashlib.sha256(repr((place.store, place.tenant, of)).encode()).hexdigest()[:8]


def _noted(notes: Path) -> set[str]:
    try:
        return {json.loads(line) for line in notes.read_text(encoding="utf-8").splitlines()}
    except FileNotFoundError:
        return set()
    except ValueError as failure:
        raise CorruptFile(
            f"{notes} is damaged: remove it, and the job begins anew", path=notes
        ) from failure


def _catalog(place: Place) -> Catalog:
    keyring = make_keyring(read_settings(os.environ).encryption)
    return make_catalog(place.folder, place.store, place.tenant, keyring=keyring)


@cache
def _kept(place: Place) -> Catalog:
    """The catalogue of a process that works: it has connections to a database."""
    return _catalog(place)


def _tried(work: Work, place: Place, name: str) -> Tried:
    # One that fails does not stop the others.
    try:
        return work(_kept(place), name), True
    except MagsError as failure:
        return str(failure), False


def _outcome(future: Future[Tried], lost: Lost) -> Tried:
    try:
        return future.result()
    except lost:
        return "its process was killed, or another one's: run the same again", False


@contextmanager
def _processes(trying: Callable[[str], Tried], processes: int) -> Iterator[tuple[Submit, Lost]]:
    # Each has a core: products that are spread over more of them would wait for one another.
    pool = ProcessPoolExecutor(
        processes,
        multiprocessing.get_context("spawn"),
        initializer=partial(threadpool_limits, limits=1, user_api="blas"),
    )
    try:
        yield lambda name: pool.submit(trying, name), (BrokenProcessPool,)
    finally:
        pool.shutdown(cancel_futures=True)  # where it is interrupted


@contextmanager
def _ray(work: Work, place: Place, address: str) -> Iterator[tuple[Submit, Lost]]:
    cluster = import_extra("mags.server.cluster", extra="cluster", needed_for="--ray")
    with cluster.connected(address) as ray:
        task = ray.remote(max_retries=LOST_AGAIN)(_tried)
        if ray.available_resources().get("CPU", 0) < 1:
            out.print("No core of the cluster is free: the job waits until replicas leave one.")

        def submit(name: str) -> Future[Tried]:
            future: Future[Tried] = task.remote(work, place, name).future()
            return future

        raised = ray.exceptions
        yield submit, (raised.WorkerCrashedError, raised.NodeDiedError, raised.OutOfMemoryError)


# -- what is done to a memory


@cache
def parts() -> Parts:
    """Models of this process, shared by its memories."""
    return make_parts(read_settings(os.environ))


def sleep_one(memories: Catalog, name: str) -> str:
    """See `Memory.sleep`."""
    with Memory(memories.open(name), parts()) as memory:
        report = memory.sleep()
        taught = train_weights(memory, read_settings(os.environ))
    done = sum(sum(counts.values()) for counts in report.rules.values())
    slept = f"slept, {done} changes by {len(report.rules)} rules"
    return f"{slept}; {taught}" if taught else slept


def reembed_one(memories: Catalog, name: str) -> str:
    """See `mags.memory.live.reembed`; interrupted, it begins this memory again."""
    with closing(memories.open(name)) as store:
        made = make_anew(store, parts().embedder)
    return f"embedded {made} texts with {parts().embedder.name}"


def import_one(source: Path, memories: Catalog, name: str) -> str:
    """Import an export from a folder of them, whole, into a memory that holds nothing yet."""
    with Memory(memories.open(name), parts()) as memory:
        if memory.log(1):
            return "holds something already: left as it is"
        delta = memory.import_(exports(source)[name])
    return f"added {len(delta.nodes)} nodes and {len(delta.arcs)} arcs"


def exports(source: Path) -> dict[str, Path]:
    """The files of a folder that end in .jsonl, by the names of their memories."""
    found = {path.stem: path for path in sorted(source.glob("*.jsonl"))}
    if not found:
        raise InvalidInput(f"{source} is no folder with exports (NAME.jsonl)", path=str(source))
    return found
