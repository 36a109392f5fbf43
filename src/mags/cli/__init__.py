"""The command line, thin over `mags.Memory`: verbs are grouped by what they do."""

from mags.cli.app import app, main

__all__ = ["app", "main"]
