"""Parts of MAGS that need an extra: brought in when a verb needs them, never at its start."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import entry_points
from types import ModuleType
from typing import Any

from mags.errors import MissingExtra


def import_extra(module: str, *, extra: str, needed_for: str) -> ModuleType:
    """Import a module of MAGS whose libraries come with an extra; raises MissingExtra."""
    with _needing(extra, needed_for):
        return import_module(module)


def plugin(group: str, name: str, *, extra: str | None = None, needed_for: str) -> Any:  # noqa: ANN401
    """What an entry point of this name gives; raises MissingExtra where there is none.

    The laboratory is the one plugin so far, with its verbs (group `mags.verbs`), its policies
    (`mags.policies`) and its routes (`mags.server`). `extra`: brings the libraries it imports.
    """
    for point in entry_points(group=group, name=name):
        with _needing(extra, needed_for):
            return point.load()
    raise MissingExtra(extra=extra, needed_for=needed_for)


def plugins(group: str) -> dict[str, Any]:
    """Every plugin of a group of entry points, by name."""
    return {point.name: point.load() for point in sorted(entry_points(group=group))}


@contextmanager
def _needing(extra: str | None, needed_for: str) -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as failure:
        # A module of MAGS that is missing is a fault of the code, not of the installation.
        if extra is None or (failure.name or "mags").startswith("mags"):
            raise
        raise MissingExtra(extra=extra, needed_for=needed_for) from failure
