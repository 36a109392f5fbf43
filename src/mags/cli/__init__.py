"""The command line: one file a verb, all of them thin over `mags.Memory`."""

from __future__ import annotations

import sys

from mags.cli.app import app
from mags.cli.failure import explained

__all__ = ["app", "main"]


def main() -> None:
    """Run the command line; MAGS's errors become one clear line and exit code 2."""
    with explained():
        app(standalone_mode=True)
    sys.exit(0)
