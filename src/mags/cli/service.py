"""Verbs of the service: `serve` (HTTP and the page), `keys` of a server, and `mcp`."""

from __future__ import annotations

import math
import os
import re
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from threadpoolctl import threadpool_limits

from mags.app import TENANT, Models, encoder, make_embedder, make_keyring, make_parts
from mags.cli.console import Branch, MemoryPath, Tenant, opened, out
from mags.cli.printing import day
from mags.errors import InvalidInput
from mags.extras import import_extra, plugins
from mags.memory.inputs import seconds
from mags.memory.memory import Memory
from mags.models.cores import cores
from mags.models.prompts import load_prompts
from mags.ports.embedder import CachedEmbedder, Embedder
from mags.recall.found import moment_of
from mags.settings import Settings, read_settings

if TYPE_CHECKING:
    from mags.server.concurrency import ConcurrencyLimiter
    from mags.server.open_memories import OpenMemory
    from mags.server.service import Service
    from mags.server.settings import ModelChoice, Outside, ServerSettings

Folder = Annotated[
    Path,
    typer.Option("--folder", envvar="MAGS_FOLDER", help="Where memories and keys lie."),
]
Name = Annotated[str, typer.Argument(help="The key's name.")]
Expires = Annotated[
    str | None, typer.Option(help="When it ends: 12h, 30d, 4w from now, or a date (never).")
]
SPAN = re.compile(r"([1-9]\d{0,4})([hdw])")
HOURS = {"h": 1, "d": 24, "w": 168}
FOLDER = Path("memories")
CPU_S = 60.0
"""Seconds of processor time a minute for each key: a core of its own."""
TRACES = 200
"""Traces of the last answers, kept for `explain` over MCP."""

keys = typer.Typer(name="keys", help="Keys of a server: add, list, rotate, revoke.",
                   no_args_is_help=True)  # fmt: skip
_serving = partial(import_extra, extra="server", needed_for="mags serve")
_tracing = partial(import_extra, extra="telemetry", needed_for="mags serve --traces")
_keyed = partial(import_extra, extra="server", needed_for="mags keys")
_mcp = partial(import_extra, extra="server", needed_for="mags mcp")


def one_blas_thread() -> threadpool_limits:
    """Keep OpenBLAS to the calling thread until the end of the context.

    OpenBLAS spreads larger products over all cores, and its threads wait by spinning. Where other
    work runs at the same time (requests, other matches), a product then costs several times its
    processor time. Only our own processes do this: a library must not choose for its program.
    """
    return threadpool_limits(limits=1, user_api="blas")


Store = Annotated[
    str | None,
    typer.Option(envvar="MAGS_STORE", help="postgresql://... of the memories instead."),
]
Host = Annotated[str, typer.Option(help="Address to listen on.")]
Port = Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")]
NeedKey = Annotated[bool, typer.Option(help="Ask for a key on loopback too.")]
Rate = Annotated[
    float, typer.Option(min=0.1, help="Requests a second for each key; twice that at once.")
]
AllowHost = Annotated[
    list[str] | None, typer.Option(help="Another name by which it is asked (a proxy's).")
]
Audit = Annotated[
    Path | None,
    typer.Option(
        envvar="MAGS_AUDIT",
        help="The audit log (audit.jsonl in the folder where a key is needed, else none).",
    ),
]
Traces = Annotated[
    bool,
    typer.Option(envvar="MAGS_TRACES", help="Export OpenTelemetry traces, as OTEL_* say."),
]
Open = Annotated[
    int, typer.Option("--open", min=1, help="Memories held open at a time, some 4 MB each.")
]
OpenMb = Annotated[
    float | None,
    typer.Option(min=1.0, help="RAM for the memories held open.", show_default="no limit"),
]
Cpu = Annotated[
    float | None,
    typer.Option(
        min=1.0,
        help="Processor time a minute for each key, in seconds.",
        show_default="60 where keys are asked for, else no limit",
    ),
]
TurnChars = Annotated[
    int, typer.Option(min=1_000, max=1_000_000, help="Characters of a turn or a question.")
]
MemoryMb = Annotated[
    float | None, typer.Option(min=1.0, help="Size of a memory on disk.", show_default="no limit")
]
Memories = Annotated[
    int | None,
    typer.Option(min=1, help="Memories that a key may have.", show_default="no limit"),
]


def serve(
    folder: Folder = FOLDER,
    store: Store = None,
    tenant: Tenant = TENANT,
    host: Host = "127.0.0.1",
    port: Port = 7437,
    need_key: NeedKey = False,
    rate: Rate = 200.0,
    allow_host: AllowHost = None,
    workers: Annotated[
        int, typer.Option(min=1, help="Processes that hold memories, each those of its own.")
    ] = 1,
    audit: Audit = None,
    traces: Traces = False,
    most_open: Open = 128,
    open_mb: OpenMb = None,
    cpu: Cpu = None,
    turn_chars: TurnChars = 100_000,
    memory_mb: MemoryMb = None,
    memories: Memories = None,
) -> None:
    """Serve the memories of a folder: HTTP, the OpenAI-compatible proxy, MCP and the page."""
    run = _serving("mags.server.run")
    chosen = _chosen(
        folder=folder, store=store, tenant=tenant, host=host, port=port, need_key=need_key,
        rate=rate, allow_host=allow_host, audit=audit,
        most_open=most_open, open_mb=open_mb, cpu=cpu, turn_chars=turn_chars, memory_mb=memory_mb,
        memories=memories,
    )  # fmt: skip
    make = partial(service_of, chosen, traces=traces, processes=workers)
    if workers == 1:
        http_server = run.http_server(make())
    else:
        served = _serving("mags.server.workers").Workers(chosen, workers, make)
        http_server = run.http_server(served)
        served.start()
    _tell(chosen)
    with one_blas_thread():
        http_server.run()


def cluster(
    folder: Folder = FOLDER,
    store: Store = None,
    tenant: Tenant = TENANT,
    host: Host = "127.0.0.1",
    port: Port = 7437,
    need_key: NeedKey = False,
    rate: Rate = 200.0,
    allow_host: AllowHost = None,
    replicas: Annotated[
        int, typer.Option(min=1, help="Processes that hold memories, on any machine.")
    ] = 2,
    ray: Annotated[
        str | None,
        typer.Option(envvar="RAY_ADDRESS", help="The Ray cluster; else one is begun here."),
    ] = None,
    audit: Audit = None,
    traces: Traces = False,
    most_open: Open = 128,
    open_mb: OpenMb = None,
    cpu: Cpu = None,
    turn_chars: TurnChars = 100_000,
    memory_mb: MemoryMb = None,
    memories: Memories = None,
) -> None:
    """Serve on every machine of a Ray cluster; memories lie where all of them reach them."""
    serving = import_extra("mags.server.cluster", extra="cluster", needed_for="mags cluster")
    chosen = _chosen(
        folder=folder.absolute(), store=store, tenant=tenant, host=host, port=port,
        need_key=need_key, rate=rate, allow_host=allow_host, audit=audit,
        most_open=most_open, open_mb=open_mb, cpu=cpu, turn_chars=turn_chars, memory_mb=memory_mb,
        memories=memories,
    )  # fmt: skip
    with serving.connected(ray):
        make = partial(service_of, chosen, traces=traces, processes=cores())
        serving.deploy(chosen, replicas, make)
        _tell(chosen)
        # Ray's own handler would abort the process.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            threading.Event().wait()  # until a signal ends it
        finally:
            serving.stop()


def _chosen(
    *,
    rate: float,
    allow_host: list[str] | None,
    cpu: float | None,
    turn_chars: int,
    memory_mb: float | None,
    most_open: int,
    open_mb: float | None,
    memories: int | None,
    **rest: Any,
) -> ServerSettings:
    server = _serving("mags.server.settings")
    chosen: ServerSettings = server.ServerSettings(
        hosts=tuple(allow_host or ()), oidc=read_settings(os.environ).oidc, **rest
    )
    work = server.WorkLimits(
        turn_chars=turn_chars,
        cpu_s=cpu or (CPU_S if chosen.asks else math.inf),
        memory_bytes=1e6 * memory_mb if memory_mb else math.inf,
        memories=memories or math.inf,
    )
    limits = server.ServerLimits(
        rate=rate,
        burst=max(1, round(2 * rate)),
        open=most_open,
        open_bytes=1e6 * open_mb if open_mb else math.inf,
        work=work,
    )
    return replace(chosen, limits=limits)


def service_of(chosen: ServerSettings, *, traces: bool, processes: int) -> Service:
    """A server with what each process must have of its own: models, keys of memories, spans.

    `processes`: so many share the cores.
    """
    keyring = make_keyring(read_settings(os.environ).encryption)
    spans = _tracing("mags.server.telemetry").exported(os.environ) if traces else None
    made: Service = _serving("mags.server.service").Service(
        replace(chosen, keyring=keyring), outside(processes), spans=spans
    )
    return made


def _tell(settings: ServerSettings) -> None:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    what = settings.folder if settings.store is None else "a database"
    where = f"http://{host}:{settings.port}"
    out.print(f"MAGS serves {what} at {where} (Ctrl-C stops it)", markup=False)


def outside(processes: int = 1) -> Outside:
    """What the server works with: settings read once, models shared by all memories.

    `processes`: so many share the cores.
    """
    settings = read_settings(os.environ)
    batching = _serving("mags.server.batching")
    if settings.embedder.kind == "embedded":
        # Its vectors do not depend on what is embedded beside them; another's may.
        slots = max(1, cores() // processes)
        turns = _serving("mags.server.concurrency").ConcurrencyLimiter(slots)
        batched = batching.BatchedEmbedder(encoder(), limiter=turns)
        return _wired(settings, CachedEmbedder(batched), turns)
    return _wired(settings, make_embedder(settings.embedder))


def _wired(
    settings: Settings, embedder: Embedder, turns: ConcurrencyLimiter | None = None
) -> Outside:
    server = _serving("mags.server.settings")
    parts = make_parts(settings, Models(embedder=embedder))
    chat, kind = settings.chat, settings.policy.kind
    # Whether a recall is planned without waiting for a language model.
    here = kind in ("rules", "reader") or (kind == "auto" and not chat.url)

    def with_model(choice: ModelChoice) -> Outside:
        other = replace(chat, url=choice.url, model=choice.model, key=choice.key)
        return _wired(replace(settings, chat=other), embedder, turns)

    found: Outside = server.Outside(
        open_memory=lambda store: Memory(store, parts),
        embedder=lambda: embedder,
        remembered=load_prompts(settings.policy.prompts)["remembered"],
        upstream=chat if chat.url else None,
        model=server.ModelChoice(url=chat.url, model=chat.model, key=chat.key),
        with_model=with_model,
        joining=plugins("mags.server"),
        limiter=turns if here else None,
    )
    return found


def prepare(
    url: Annotated[str, typer.Argument(help="postgresql://owner@host/database, as their owner.")],
    role: Annotated[str, typer.Option(help="Who uses the tables; made if not there.")] = "mags",
) -> None:
    """Make the tables for memories in a PostgreSQL database, or bring them up to date."""
    postgres = import_extra("mags.store.postgres", extra="postgres", needed_for="mags prepare")
    version = postgres.prepare(url, role)
    out.print(f"The tables are of schema {version}; {role} may work with them.", markup=False)


def mcp(memory: MemoryPath = None, branch: Branch = "main") -> None:
    """Speak MCP over stdio: tools to recall, observe, ask, explain, forget, take back.

    For the settings of Claude Desktop and others: {"command": "mags", "args": ["mcp", "--memory",
    "/path/to/alice.mags"]}.
    """
    tools, memories = _mcp("mags.server.mcp"), _mcp("mags.server.open_memories")
    with opened(memory, branch, must_exist=False) as mem:
        shared = memories.OpenMemory(memory=mem, traces=memories.Traces(TRACES))

        @contextmanager
        def enter(*_: Any) -> Iterator[OpenMemory]:
            yield shared.of(shared.grant)  # whoever can start this process may do everything

        tools.make(enter).run("stdio")


@keys.command()
def add(
    name: Name,
    namespace: Annotated[
        list[str] | None,
        typer.Option("--namespace", "-n", help="A memory, 'team-*', or '*' for all (default)."),
    ] = None,
    scope: Annotated[str, typer.Option(help="read, write or admin.")] = "write",
    expires: Expires = None,
    speaker: Annotated[str, typer.Option(help="As whom alone it may speak (anybody).")] = "",
    folder: Folder = FOLDER,
) -> None:
    """Make a key and print it, for the only time."""
    scopes = _keyed("mags.server.auth").Scope
    if scope.upper() not in scopes.__members__:
        raise InvalidInput(f"a scope is read, write or admin, not {scope!r}", scope=scope)
    now_s, spaces = time.time(), tuple(namespace or ["*"])
    ends = _end(expires, now_s)
    ring = _ring(folder)
    _show(ring.add(name, spaces, scopes[scope.upper()], now_s, expires=ends, speaker=speaker))


@keys.command(name="list")
def list_(folder: Folder = FOLDER) -> None:
    """Names, scopes, namespaces, speakers and ends; never the keys themselves."""
    table = Table("name", "scope", "namespaces", "speaker", "made", "expires", "revoked", box=None)
    for key in _ring(folder).known():
        moments = (key.made, key.expires, key.revoked)
        days = (day(None if at is None else moment_of(at)) for at in moments)
        spaces = ", ".join(key.namespaces)
        table.add_row(key.name, key.scope.name.lower(), spaces, key.speaker, *days)
    out.print(table)


@keys.command()
def rotate(name: Name, expires: Expires = None, folder: Folder = FOLDER) -> None:
    """Another secret for a key; the old one is out at once. It lasts as long as the old one did."""
    now_s = time.time()
    _show(_ring(folder).rotate(name, now_s, expires=_end(expires, now_s)))


@keys.command()
def revoke(name: Name, folder: Folder = FOLDER) -> None:
    """Let a key in no more, at once."""
    _ring(folder).revoke(name, time.time())
    out.print(f"{name} is revoked.", markup=False)


def _ring(folder: Path) -> Any:  # noqa: ANN401 - the server's, which may not be installed
    return _keyed("mags.server.auth").KeyRing(folder)


def _show(secret: str) -> None:
    out.print(secret, markup=False, soft_wrap=True)
    typer.echo("Keep it: it is not shown again.", err=True)


def _end(given: str | None, now_s: float) -> float | None:
    """When a key ends, in seconds since the epoch; raises InvalidInput."""
    if given is None:
        return None
    span = SPAN.fullmatch(given)
    end = now_s + int(span[1]) * HOURS[span[2]] * 3_600 if span else seconds(given)
    if end is not None and end <= now_s:
        raise InvalidInput(
            f"a key cannot end at {given!r}, which is past: 30d, or a day to come", given=given
        )
    return end
