"""The language model of a MAGS that has none: it says how to configure one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from mags.errors import ModelUnavailable
from mags.ports.chat import Message, Tool

HOW_TO_CONFIGURE = (
    "set MAGS_CHAT_URL (for example http://localhost:8000/v1) and MAGS_CHAT_MODEL, "
    "or [chat] url and model in the config file"
)


class NoChat:
    """A `ChatModel` that is never there, so that "no model" needs no branch of its own."""

    name = "no language model"
    takes_tools = False

    def complete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Tool] = (),
        schema: Mapping[str, Any] | None = None,
        on_text: Callable[[str], None] | None = None,
    ) -> NoReturn:
        """Raise ModelUnavailable."""
        raise ModelUnavailable(
            f"No language model is configured: {HOW_TO_CONFIGURE}.", endpoint=None, tried=0
        )
