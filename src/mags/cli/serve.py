"""`mags serve`: the memories of a folder over HTTP, with the page."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mags.app import Models, encoder, make_embedder, make_parts, make_store
from mags.cli.alone import alone
from mags.cli.shared import out
from mags.extras import bring, guests
from mags.memory.handle import closed_on_failure
from mags.memory.memory import Memory
from mags.models.embed.cache import CachedEmbedder
from mags.models.prompts import load_prompts
from mags.ports.embedder import Embedder
from mags.settings import Settings, read_settings

if TYPE_CHECKING:
    from mags.server.settings import ModelChoice, Outside
    from mags.server.turnstile import Turnstile

Folder = Annotated[
    Path,
    typer.Option("--folder", envvar="MAGS_FOLDER", help="Where memories and keys lie."),
]
FOLDER = Path("memories")


def serve(
    folder: Folder = FOLDER,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 7437,
    need_key: Annotated[bool, typer.Option(help="Ask for a key on loopback too.")] = False,
    rate: Annotated[
        float, typer.Option(min=0.1, help="Requests a second for each key; twice that at once.")
    ] = 200.0,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="Another name by which it is asked (a proxy's).")
    ] = None,
) -> None:
    """Serve the memories of a folder: HTTP, the OpenAI-compatible proxy, MCP and the page."""
    settings = bring("mags.server.settings", extra="server", needed_for="mags serve")
    service = bring("mags.server.service", extra="server", needed_for="mags serve")
    run = bring("mags.server.run", extra="server", needed_for="mags serve")
    chosen = settings.ServerSettings(
        folder=folder,
        host=host,
        port=port,
        need_key=need_key,
        hosts=tuple(allow_host or ()),
        limits=settings.Limits(rate=rate, burst=max(1, round(2 * rate))),
    )
    made = service.Service(chosen, outside())
    listener = run.listener(made)
    shown = f"[{host}]" if ":" in host else host
    out.print(f"MAGS serves {folder} at http://{shown}:{port} (Ctrl-C stops it)", markup=False)
    with alone():
        listener.run()


def outside() -> Outside:
    """What the server works with: settings read once, models shared by all memories."""
    settings = read_settings(os.environ)
    batching = bring("mags.server.batching", extra="server", needed_for="mags serve")
    if settings.embedder.kind == "embedded":
        # Its vectors do not depend on what is embedded beside them; another's may.
        turns = bring("mags.server.turnstile", extra="server", needed_for="mags serve").Turnstile()
        batched = batching.BatchedEmbedder(encoder(), turnstile=turns)
        return _wired(settings, CachedEmbedder(batched), turns)
    return _wired(settings, make_embedder(settings.embedder))


def _wired(settings: Settings, embedder: Embedder, turns: Turnstile | None = None) -> Outside:
    upstream = bring("mags.server.proxy.upstream", extra="server", needed_for="mags serve")
    parts_of = bring("mags.server.settings", extra="server", needed_for="mags serve")
    parts = make_parts(settings, Models(embedder=embedder))
    chat = settings.chat

    def open_memory(path: Path, branch: str) -> Memory:
        store = make_store(path, branch=branch)
        with closed_on_failure(store):
            return Memory(store, parts)

    def with_model(choice: ModelChoice) -> Outside:
        other = replace(chat, url=choice.url, model=choice.model, key=choice.key)
        return _wired(replace(settings, chat=other), embedder, turns)

    asked = upstream.Upstream(
        url=chat.url,
        model=chat.model,
        key=chat.key,
        connect_s=chat.connect_s,
        silence_s=chat.timeout_s,
    )
    found: Outside = parts_of.Outside(
        open_memory=open_memory,
        embedder=lambda: embedder,
        remembered=load_prompts(settings.policy.prompts)["remembered"],
        upstream=asked if chat.url else None,
        model=parts_of.ModelChoice(url=chat.url, model=chat.model, key=chat.key),
        with_model=with_model,
        joining=guests("mags.server"),
        turnstile=turns if _plans_here(settings) else None,
    )
    return found


def _plans_here(settings: Settings) -> bool:
    """Whether no language model is waited for to plan a recall."""
    kind = settings.policy.kind
    return kind in ("rules", "heads", "both") or (kind == "auto" and not settings.chat.url)
