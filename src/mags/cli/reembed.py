"""`mags reembed`: every vector anew, with the configured embedder."""

from __future__ import annotations

import os

from rich.progress import Progress

from mags.app import make_embedder, make_store
from mags.cli.shared import Branch, MemoryPath, Where, out
from mags.memory.live import reembed as make_anew
from mags.settings import read_settings


def reembed(memory: MemoryPath = None, branch: Branch = "main") -> None:
    """Make every vector anew with the configured embedder (MAGS_EMBEDDER, config file).

    Interrupted, it goes on where it stopped when it is run again.
    """
    path = Where(path=memory, branch=branch).existing()
    embedder = make_embedder(read_settings(os.environ).embedder)
    store = make_store(path, branch=branch)
    try:
        with Progress(transient=True) as progress:
            task = progress.add_task("embedding", total=None)
            made = make_anew(
                store,
                embedder,
                lambda done, total: progress.update(task, completed=done, total=total),
            )
    finally:
        store.close()
    if made:
        out.print(f"Embedded {made} texts with {embedder.name}.", markup=False)
    else:
        out.print(f"Every vector is by {embedder.name} already.", markup=False)
