"""`mags export`: everything as JSON lines."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mags.cli.shared import Branch, MemoryPath, Where, out


def export(
    file: Annotated[Path, typer.Argument(help="Where to write.")],
    memory: MemoryPath = None,
    branch: Branch = "main",
    vectors: Annotated[bool, typer.Option(help="With the vectors (larger).")] = True,
) -> None:
    """Write every node and arc to a file that `mags import` reads."""
    with Where(path=memory, branch=branch).open() as opened:
        lines = opened.export(file, vectors=vectors)
    out.print(f"Wrote {lines} lines to {file}.", markup=False)
