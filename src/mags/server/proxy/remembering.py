"""What the proxy does for one conversation: recall before the model, remember after it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from mags.errors import InvalidInput, MagsError
from mags.memory.given import LONGEST_TURN
from mags.models.prompts import Prompt
from mags.recall.found import Found
from mags.server.grants import Grant, Scope, namespace_of
from mags.server.halls import Halls
from mags.server.proxy.upstream import Json, text_of
from mags.server.wire.plain import whole_text

CONTEXT_TOKENS = 800
ASSISTANT = "assistant"
SESSION = "proxy"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """One request: whose memory it goes to, what was said last, and how it is known again."""

    namespace: str
    speaker: str
    said: str
    asked: str
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """What was recalled for a conversation; `trace`: its id, "" where there was no memory yet."""

    conversation: Conversation
    found: Found | None = None
    trace: str = ""

    @property
    def kept(self) -> str:
        """What an error says of the memory where the model then fails."""
        if not self.conversation.said:
            return ""
        return f"what was said is remembered in {self.conversation.namespace!r}, and no answer"

    def extension(self, warning: str = "") -> Json:
        """The field `mags` of an answer: the memory, and the memories that were shown."""
        hits = [] if self.found is None else self.found.hits
        return {
            "memory": self.conversation.namespace,
            "trace": self.trace,
            "citations": [
                {"id": hit.id, "text": hit.text, "speaker": hit.speaker, "score": hit.score}
                for hit in hits
            ],
            **({"warnings": [warning]} if warning else {}),
        }


def read_conversation(body: Json, grant: Grant) -> Conversation:
    """What a request says; raises InvalidInput where it is no chat completion."""
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise InvalidInput("messages: a list of at least one message", field="messages")
    if not all(isinstance(m, dict) and isinstance(m.get("role"), str) for m in messages):
        raise InvalidInput("messages: each is an object with a role", field="messages")
    if not isinstance(body.get("stream"), bool | None):
        raise InvalidInput("stream: true or false", field="stream")
    user = body.get("user")
    if user is not None and not isinstance(user, str):
        raise InvalidInput("user: a text", field="user")
    asked = next((text_of(m) for m in reversed(messages) if m["role"] == "user"), "")
    # After a tool's answer the client sends the same turn again: it is remembered already.
    said = asked if messages[-1]["role"] == "user" else ""
    known = json.dumps(messages, sort_keys=True, ensure_ascii=True).encode()
    return Conversation(
        namespace=namespace_of(grant, user),
        speaker="user",
        said=said.strip()[:LONGEST_TURN],
        asked=asked.strip()[:LONGEST_TURN],
        key=hashlib.sha256(known).hexdigest(),
    )


class Rememberer:
    """The memory's side of the proxy; every method works in a thread of its own."""

    def __init__(self, halls: Halls, prompt: Prompt) -> None:
        """Memories come from `halls`, only as the grant allows; `prompt`: what frames them."""
        self._halls, self._prompt = halls, prompt

    def before(self, grant: Grant, conversation: Conversation) -> Remembered:
        """Recall for what was asked, then remember it: durable before the model is asked."""
        with self._halls.enter(grant, conversation.namespace, Scope.WRITE) as hall:
            remembered = Remembered(conversation=conversation)
            if conversation.asked:
                found = hall.memory.recall(conversation.asked, speaker=conversation.speaker)
                trace = hall.traces.keep(found.trace)
                remembered = Remembered(conversation=conversation, found=found, trace=trace)
            if conversation.said:
                hall.memory.observe(
                    conversation.said,
                    speaker=conversation.speaker,
                    session=SESSION,
                    key=f"{conversation.key} said",
                )
            return remembered

    def after(self, grant: Grant, conversation: Conversation, answer: str) -> str:
        """Remember what the model answered: "", or why that could not be.

        The answer is there and paid for: it reaches the client all the same.
        """
        try:
            self._remember(grant, conversation, whole_text(answer)[:LONGEST_TURN])
        except MagsError as failure:
            return f"this answer is not remembered: {failure}"
        return ""

    def _remember(self, grant: Grant, conversation: Conversation, answer: str) -> None:
        if not answer.strip():
            return
        with self._halls.enter(grant, conversation.namespace, Scope.WRITE) as hall:
            hall.memory.observe(
                answer,
                speaker=ASSISTANT,
                session=SESSION,
                key=f"{conversation.key} {hashlib.sha256(answer.encode()).hexdigest()}",
            )

    def shown(self, body: Json, remembered: Remembered) -> Json:
        """The request as the model gets it: a system message of bounded size before the rest.

        It stands after the client's own system messages, which keep the first word.
        """
        found = remembered.found
        context = "" if found is None else found.context(CONTEXT_TOKENS)
        if not context:
            return body
        words = self._prompt.render("system", {"recalled": context}).strip()
        messages: list[Any] = list(body["messages"])
        at = next(
            (n for n, m in enumerate(messages) if m["role"] not in ("system", "developer")),
            len(messages),
        )
        message = {"role": "system", "content": words}
        return {**body, "messages": [*messages[:at], message, *messages[at:]]}
