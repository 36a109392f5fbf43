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
    |  |- MissingKey           of an encrypted memory
    |  |- StoreClosed          used after close()
    |- ModelError              a language or embedding model
    |  |- ModelUnavailable     no endpoint, refused, timed out
    |  |- ModelReplyError      it answered, but not in the agreed form
    |- MissingExtra            an optional dependency, or the laboratory, is not installed
    |- ConfigurationError      a setting cannot be used

An error says what to do, and carries what it knows as attributes: those that its class declares are
None where they are not known. What a single place adds is an attribute, too, and in `facts`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


class MagsError(Exception):
    """The root: catch it to catch everything MAGS raises on purpose."""

    facts: dict[str, object]
    """All that is known, by name."""
    boundary: str | None = None
    """What a failure from outside MAGS crossed."""
    path: str | Path | None = None
    """The file it is about."""

    def __init__(self, message: str, **facts: object) -> None:
        super().__init__(message)
        self.facts = {}
        self.add(**facts)

    def add(self, **facts: object) -> None:
        """Add to what is known; no fact is called "facts", or it would take their place."""
        assert "facts" not in facts
        self.facts |= facts
        for name, value in facts.items():
            setattr(self, name, value)


class InvalidInput(MagsError):
    """What the caller gave cannot be used; nothing was changed."""

    field: str | None = None
    """The parameter or field that it is about."""
    given: object = None
    """What was given for it."""
    line: int | None = None
    """The line of the file it is about, from 1."""


class NotFound(InvalidInput):
    """Nothing of that name or id is in this memory."""

    name: str | None = None
    """Of an entity or a snapshot."""
    node_id: int | None = None
    content_id: int | None = None
    seq: int | None = None
    """Of a journal entry."""
    compacted: int | None = None
    """The last entry that was folded into another: what lies before it cannot be told."""
    branch: str | None = None
    namespace: str | None = None
    """The memory of a server that is not there."""
    trace: str | None = None
    region: int | None = None
    query: str | None = None
    """What no memory holds."""


class KeyConflict(InvalidInput):
    """The idempotency key was used before with another payload."""

    key: str | None = None


class StoreError(MagsError):
    """The durable side failed; the last acknowledged turn is still there."""

    erased: bool = False
    """Everything is gone from the memory; only the cleaning of the file is left."""


class StoreBusy(StoreError):
    """Another process holds the writer's lock."""

    pid: int | None = None
    """The process that holds it, where known."""
    waited_s: float | None = None


class StoreFull(StoreError):
    """The disk is full; the turn was not written."""


class CorruptFile(StoreError):
    """A file is truncated, damaged or not one of ours."""

    found: object = None
    expected: object = None


class NewerSchema(StoreError):
    """The file was written by a newer MAGS."""

    found: int | None = None
    """The version of the file."""
    known: int | None = None
    """The newest version that this MAGS reads."""


class EmbedderMismatch(StoreError):
    """The memory was written with another embedder."""

    recorded: str | int | None = None
    """The name that the memory was written with; the dimension, where only that differs."""
    given: object = None
    """The same of the one that was given."""
    dimension: int | None = None


class MissingKey(StoreError):
    """The key of an encrypted memory is not there, was destroyed, or is wrapped by another one."""


class StoreClosed(StoreError):
    """The memory was used after it was closed."""


class ModelError(MagsError):
    """A language or embedding model failed."""

    endpoint: str | None = None
    """The model by its name, as asked."""
    reason: str | None = None
    """Why, in a few words."""


class ModelUnavailable(ModelError):
    """No model answers: not configured, refused, or out of time."""

    tried: int | None = None
    """How often it was asked."""
    status: int | None = None
    """The HTTP status of the last refusal."""


class ModelReplyError(ModelError):
    """The model answered, but not in the agreed form."""

    line: str | None = None
    """The line of the reply that is not in form."""
    reply: str | None = None
    """The whole reply, where it is kept."""
    model: str | None = None
    """The model that the server was asked for."""
    expected: object = None


LABORATORY = frozenset({"train", "pyg", "games", "textworld", "scienceworld", "gguf"})
"""Extras of the laboratory, which is installed from the sources of MAGS."""


class MissingExtra(MagsError):
    """An optional dependency, or the laboratory, is not installed."""

    extra: str | None
    needed_for: str

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

    key: str | None = None
    """The setting, by its full name."""
    value: object = None
    allowed: str | tuple[str, ...] | None = None
    """What it may be."""


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
        known.add(boundary=crossed)
        raise known from failure
