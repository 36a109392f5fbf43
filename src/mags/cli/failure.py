"""How the command line fails: one line that says what to do, never a traceback of ours."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.markup import escape

from mags.cli.visible import console
from mags.errors import MagsError

FAILED = 2
INTERRUPTED = 130


@contextmanager
def explained() -> Iterator[None]:
    """Turn MAGS's errors, files that fail and Ctrl-C into a message and an exit code."""
    said = console(stderr=True)
    try:
        yield
    except MagsError as failure:
        why = escape(str(failure))  # it may name mags[extra]
        said.print(f"[bold red]mags:[/] {why}", markup=True, soft_wrap=True)
        sys.exit(FAILED)
    except OSError as failure:
        why = escape(f"{failure.filename or 'the output'}: {failure.strerror or failure}")
        said.print(f"[bold red]mags:[/] cannot read or write {why}", soft_wrap=True)
        sys.exit(FAILED)
    except KeyboardInterrupt:
        said.print("[yellow]mags:[/] stopped; everything acknowledged so far is kept")
        sys.exit(INTERRUPTED)
