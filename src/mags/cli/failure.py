"""How the command line fails: one line that says what to do, never a traceback of ours."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape

from mags.errors import MagsError

FAILED = 2
INTERRUPTED = 130


@contextmanager
def explained() -> Iterator[None]:
    """Turn MAGS's errors and Ctrl-C into a message and an exit code."""
    console = Console(stderr=True)
    try:
        yield
    except MagsError as failure:
        said = escape(str(failure))  # it may name mags[extra]
        console.print(f"[bold red]mags:[/] {said}", highlight=False, markup=True, soft_wrap=True)
        sys.exit(FAILED)
    except KeyboardInterrupt:
        console.print("[yellow]mags:[/] stopped; everything acknowledged so far is kept")
        sys.exit(INTERRUPTED)
