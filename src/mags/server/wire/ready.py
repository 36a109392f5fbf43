"""Whether a server is ready, as it says it."""

from __future__ import annotations

from typing import Literal

from mags.server.wire.shown import Shown

Reason = Literal["compiling", "stopping"]


class ReadyOut(Shown):
    """Whether requests are answered at once; `reason`: why not."""

    ready: bool
    reason: Reason | None = None
