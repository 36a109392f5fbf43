"""How much an adapter is told of its task; known without any library of training."""

from __future__ import annotations

from enum import StrEnum


class Wording(StrEnum):
    """How much a model is told of its task."""

    COMPACT = "compact"
    FEW_SHOT = "few-shot"
