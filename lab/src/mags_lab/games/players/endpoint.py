"""A language model as the reader: any endpoint in the place of the frozen one that is shipped."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from mags.errors import ModelReplyError
from mags.models.prompts import Prompt, parse
from mags.ports.chat import ChatModel
from mags_lab.games.turns import Choice

SCHEMA = {
    "type": "object",
    "properties": {
        "action": {"type": "integer"},
        "cited": {"type": "array", "items": {"type": "integer"}},
        "sure": {"type": "number"},
    },
    "required": ["action", "cited", "sure"],
    "additionalProperties": False,
}
TRIES = 2


class EndpointReader:
    """A `Reader` that puts the lines, the question and the actions before a language model."""

    def __init__(self, chat: ChatModel, *, prompt: Path | None = None) -> None:
        """`prompt`: a file in the place of the one shipped. Raises ConfigurationError."""
        self._chat = chat
        self._prompt = act_prompt(prompt)

    @property
    def name(self) -> str:
        """The model's."""
        return self._chat.name

    def choose(self, lines: tuple[str, ...], question: str, actions: tuple[str, ...]) -> Choice:
        """The model's choice; asked anew once where its reply is not in the agreed form.

        Raises ModelUnavailable, ModelReplyError.
        """
        messages = self._prompt.messages(
            {"lines": numbered(lines), "question": question, "actions": numbered(actions)}
        )
        for tried in range(1, TRIES + 1):
            said = self._chat.complete(messages, schema=SCHEMA).text
            try:
                return choice_of(said, len(lines), actions)
            except ValueError as failure:
                if tried == TRIES:
                    raise ModelReplyError(
                        f"{self._chat.name} did not name an action: {failure}",
                        endpoint=self._chat.name,
                        reason=str(failure),
                    ) from failure
        raise AssertionError("unreachable")


def act_prompt(path: Path | None = None) -> Prompt:
    """The prompt of a player, shipped or in a file; raises ConfigurationError."""
    source = path or resources.files(__package__) / "act.md"
    return parse("act", source.read_text(encoding="utf-8"))


def numbered(texts: Sequence[str]) -> str:
    """Texts under each other, counted from 1."""
    return "\n".join(f"{n}. {text}" for n, text in enumerate(texts, 1)) or "(none)"


def choice_of(said: str, lines: int, actions: Sequence[str]) -> Choice:
    """A reply read strictly; raises ValueError saying what is wrong with it."""
    found: Any = json.loads(said)
    if not isinstance(found, dict) or found.keys() != SCHEMA["properties"].keys():  # type: ignore[attr-defined]
        raise ValueError("it is no object of action, cited and sure")
    number, cited, sure = found["action"], found["cited"], found["sure"]
    if not _whole(number, len(actions)):
        raise ValueError(f"action {number!r} is none of 1 to {len(actions)}")
    if not isinstance(cited, list) or not all(_whole(place, lines) for place in cited):
        raise ValueError(f"cited {cited!r} are not lines from 1 to {lines}")
    if isinstance(sure, bool) or not isinstance(sure, int | float) or not 0.0 <= sure <= 1.0:
        raise ValueError(f"sure {sure!r} does not lie in [0, 1]")
    places = tuple(dict.fromkeys(place - 1 for place in cited))
    return Choice(action=actions[number - 1], sure=float(sure), cited=places)


def _whole(value: object, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= most
