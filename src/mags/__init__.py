"""MAGS gives any frozen language model a memory that learns.

import mags

with mags.open("alice.mags") as memory:
    memory.observe("I moved to Oslo in May.", speaker="Alice")
    print(memory.ask("Where does Alice live?").text)
"""

from importlib import import_module
from typing import TYPE_CHECKING

from mags.errors import (
    ConfigurationError,
    CorruptFile,
    EmbedderMismatch,
    InvalidInput,
    KeyConflict,
    MagsError,
    MissingExtra,
    MissingKey,
    ModelError,
    ModelReplyError,
    ModelUnavailable,
    NewerSchema,
    NotFound,
    StoreBusy,
    StoreClosed,
    StoreError,
    StoreFull,
)

if TYPE_CHECKING:
    from mags import inspect
    from mags.app import open
    from mags.memory.editing import Edit
    from mags.memory.memory import Memory, recall_across
    from mags.memory.settings import MemorySettings
    from mags.memory.views import (
        ArcView,
        ChangeView,
        Citation,
        Diff,
        DotView,
        Explanation,
        Forgotten,
        Frame,
        LinkView,
        LogEntry,
        NamedView,
        NeighbourView,
        NodeView,
        PathView,
        Picture,
        Profile,
        RegionView,
        Reply,
        Seen,
        Stats,
    )
    from mags.ports.policy import Plan, Turn
    from mags.recall.found import FactView, Found, FoundAcross, Hit, Trace

__all__ = [
    "ArcView",
    "ChangeView",
    "Citation",
    "ConfigurationError",
    "CorruptFile",
    "Diff",
    "DotView",
    "Edit",
    "EmbedderMismatch",
    "Explanation",
    "FactView",
    "Forgotten",
    "Found",
    "FoundAcross",
    "Frame",
    "Hit",
    "InvalidInput",
    "KeyConflict",
    "LinkView",
    "LogEntry",
    "MagsError",
    "Memory",
    "MemorySettings",
    "MissingExtra",
    "MissingKey",
    "ModelError",
    "ModelReplyError",
    "ModelUnavailable",
    "NamedView",
    "NeighbourView",
    "NewerSchema",
    "NodeView",
    "NotFound",
    "PathView",
    "Picture",
    "Plan",
    "Profile",
    "RegionView",
    "Reply",
    "Seen",
    "Stats",
    "StoreBusy",
    "StoreClosed",
    "StoreError",
    "StoreFull",
    "Trace",
    "Turn",
    "inspect",
    "open",
    "recall_across",
]


_HOMES = (
    "mags.app",
    "mags.memory.memory",
    "mags.memory.views",
    "mags.memory.editing",
    "mags.memory.settings",
    "mags.ports.policy",
    "mags.recall.found",
)


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """What is exported, loaded when it is first used: a second that not every process needs."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        if name == "inspect":
            return import_module("mags.inspect")
        home = next(home for home in map(import_module, _HOMES) if hasattr(home, name))
        return getattr(home, name)
