"""Re-embedding: every vector of a memory made anew by another embedder, resumable."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

from mags.errors import EmbedderMismatch
from mags.memory.seals import TARGET, renew
from mags.ports.embedder import Embedder
from mags.ports.store import Store

BATCH = 256
DONE = "reembedded"


def reembed(
    store: Store, embedder: Embedder, on_progress: Callable[[int, int], None] | None = None
) -> int:
    """Give every content a vector by `embedder`; returns how many were made in this run.

    Interrupted at any point it leaves a note; the memory then opens only after it was run
    again with the same embedder, which goes on where it stopped.
    """
    target = store.facts.get(TARGET)
    if target and target != embedder.name:
        raise EmbedderMismatch(
            f"a re-embedding to {target!r} was interrupted: finish it with that embedder first",
            recorded=target,
            given=embedder.name,
        )
    if not target:
        if store.facts.get("embedder") == embedder.name:
            return 0
        with store.writing():
            store.facts.put(DONE, "0")
            store.facts.put(TARGET, embedder.name)
            renew(store)
    done = int(store.facts.get(DONE) or 0)
    waiting = sorted(content.id for content in store.contents.scan() if content.id > done)
    made = 0
    ids = iter(waiting)
    while batch := list(islice(ids, BATCH)):
        texts = [content.text for content in store.contents.get(batch)]
        with store.writing():
            store.contents.put_vectors(batch, embedder.embed(texts).astype("float16"))
            store.facts.put(DONE, str(batch[-1]))
        made += len(batch)
        if on_progress is not None:
            on_progress(made, len(waiting))
    with store.writing():
        store.facts.put("embedder", embedder.name)
        store.facts.put("dimension", str(embedder.dimension))
        store.facts.put(TARGET, "")
        renew(store)
    return made
