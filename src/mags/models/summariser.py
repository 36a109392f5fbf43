"""A theme's name and summary, written by a chat model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mags.models import rendering
from mags.models.answer.context import visible
from mags.models.grammar import foreign, language_name, refuse, said_aloud
from mags.models.prompts import Prompt
from mags.ports.chat import ChatModel, estimate

MOST_CHARACTERS = 800


class PromptedSummariser:
    """Sums up the members of a theme. `prompts`: at least "summarise".

    `budget_tokens`: members beyond it are left out; they come best connected first.
    """

    def __init__(
        self,
        chat: ChatModel,
        prompts: Mapping[str, Prompt],
        *,
        language: str = "en",
        budget_tokens: int = 1500,
    ) -> None:
        self._chat = chat
        self._prompt = prompts["summarise"]
        self._language = language
        self._budget_tokens = budget_tokens

    def __call__(self, texts: Sequence[str]) -> str:
        """Name and summary as one text, "Name: summary"; raises ModelError."""
        room = self._budget_tokens
        lines: list[str] = []
        for text in texts:
            line = f"- {rendering.quote(text)}"
            room -= estimate(line)
            if room < 0 and lines:  # the best connected one in any case
                break
            lines.append(line)
        values = {"memories": "\n".join(lines), "language": language_name(self._language)}
        reply = self._chat.complete(self._prompt.messages(values)).text
        name, _, summary = visible(said_aloud(reply)).partition("\n")
        text = f"{name.strip(' #*:.')}: {' '.join(summary.split())}"
        if not name.strip() or not summary.strip() or len(text) > MOST_CHARACTERS:
            raise refuse("a summary is a name on one line and one to three sentences", reply)
        why = foreign(text, self._language, "\n".join(texts))
        if why:
            raise refuse(why, text)
        return text
