"""SqliteStore: one memory in one SQLite file, durable when a write returns."""

from mags.store.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
