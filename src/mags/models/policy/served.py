"""A trained model behind an endpoint: compact prompts, as it was taught, over any chat model."""

from __future__ import annotations

from mags.models.policy.taught import CompactPolicy
from mags.ports.chat import ChatModel, Message

ROLES = ("ask", "write", "router")


class ChatVoice:
    """Replies to compact prompts by a chat model."""

    def __init__(self, chat: ChatModel) -> None:
        self._chat = chat

    def complete(self, prompt: str, role: str) -> str:
        """The reply; the prompt names the role itself."""
        return self._chat.complete([Message(role="user", content=prompt)]).text


def served_policy(chat: ChatModel, *, language: str = "en") -> CompactPolicy:
    """The policy of one model that was taught all roles with the compact wording."""
    voices = dict.fromkeys(ROLES, ChatVoice(chat))
    return CompactPolicy(f"trained ({chat.name})", voices, language=language)
