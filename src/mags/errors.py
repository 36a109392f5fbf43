"""Every error MAGS raises, drawn once.

::

    MagsError
    |- InvalidInput            what the caller gave cannot be used
    |  |- NotFound             no node, snapshot, branch or Delta of that name
    |  |- KeyConflict          an idempotency key came back with another payload
    |- StoreError              the durable side
    |  |- StoreBusy            another process holds the writer's lock
    |  |- StoreFull            the disk is full; nothing was written
    |  |- CorruptFile          truncated, damaged or foreign file
    |  |- NewerSchema          written by a newer MAGS
    |  |- EmbedderMismatch     the memory was written with another embedder
    |  |- StoreClosed          used after close()
    |- ModelError              a language or embedding model
    |  |- ModelUnavailable     no endpoint, refused, timed out
    |  |- ModelReplyError      it answered, but not in the agreed form
    |- MissingExtra            an optional dependency, or the laboratory, is not installed
    |- ConfigurationError      a setting cannot be used

Errors carry their facts as attributes and a message that says what to do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


class MagsError(Exception):
    """The root: catch it to catch everything MAGS raises on purpose."""

    def __init__(self, message: str, **facts: object) -> None:
        """Keep the message and every fact as an attribute."""
        super().__init__(message)
        self.facts = facts
        for name, value in facts.items():
            setattr(self, name, value)


class InvalidInput(MagsError):
    """What the caller gave cannot be used; nothing was changed."""


class NotFound(InvalidInput):
    """Nothing of that name or id is in this memory."""


class KeyConflict(InvalidInput):
    """The idempotency key was used before with another payload."""


class StoreError(MagsError):
    """The durable side failed; the last acknowledged turn is still there."""


class StoreBusy(StoreError):
    """Another process holds the writer's lock."""


class StoreFull(StoreError):
    """The disk is full; the turn was not written."""


class CorruptFile(StoreError):
    """A file is truncated, damaged or not one of ours."""


class NewerSchema(StoreError):
    """The file was written by a newer MAGS."""


class EmbedderMismatch(StoreError):
    """The memory was written with another embedder."""


class StoreClosed(StoreError):
    """The memory was used after it was closed."""


class ModelError(MagsError):
    """A language or embedding model failed."""


class ModelUnavailable(ModelError):
    """No model answers: not configured, refused, or out of time."""


class ModelReplyError(ModelError):
    """The model answered, but not in the agreed form."""


LABORATORY = frozenset({"train", "pyg", "games", "textworld", "scienceworld", "gguf"})
"""Extras of the laboratory, which is installed from the sources of MAGS."""


class MissingExtra(MagsError):
    """An optional dependency, or the laboratory, is not installed."""

    def __init__(self, *, extra: str | None, needed_for: str) -> None:
        """Name the extra that brings it (None: the laboratory alone) and what needs it."""
        if extra is None:
            needs = "the laboratory: pip install . ./lab in the folder of the sources"
        elif extra in LABORATORY:
            needs = (
                f"the extra '{extra}' of the laboratory: pip install . './lab[{extra}]' in the "
                "folder of the sources"
            )
        else:
            needs = f"the extra '{extra}': pip install 'mags[{extra}]'"
        super().__init__(f"{needed_for} needs {needs}", extra=extra, needed_for=needed_for)


class ConfigurationError(MagsError):
    """A setting cannot be used as it stands."""


@contextmanager
def boundary(crossed: str, translate: Callable[[Exception], MagsError | None]) -> Iterator[None]:
    """Name the boundary a foreign failure crossed; the only broad `except` in MAGS.

    `translate` turns a foreign exception into a `MagsError`, or returns None
    to let it pass untouched. MAGS's own errors always pass untouched.
    """
    try:
        yield
    except MagsError:
        raise
    except Exception as failure:
        known = translate(failure)
        if known is None:
            raise
        known.facts["boundary"] = crossed
        raise known from failure
