"""What the proxy does for one conversation: recall before the model, remember after it."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from mags.errors import InvalidInput, MagsError
from mags.memory.inputs import LONGEST_TURN
from mags.models.prompts import Prompt
from mags.recall.found import Found
from mags.server.grants import Grant, Scope, namespace_of
from mags.server.halls import Halls
from mags.server.proxy.upstream import Json, text_of
from mags.server.wire.plain import whole_text

CONTEXT_TOKENS = 800
ASSISTANT = "assistant"
INSTRUCTIONS = ("system", "developer")
SESSION = "proxy"
GIVEN_KEY, RETRIES = "idempotency-key", "x-stainless-retry-count"
"""Headers: the client's own key; how often OpenAI's clients have sent this request before."""
RETRY_S = 900.0
"""How long a request counts as sent again: OpenAI's clients wait ten minutes for an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """One request: whose memory it goes to, what was said last, and how it is known again.

    `digest`: of its history, the client's own instructions left out, as they may tell the time.
    `retried`: the client says that it sends it again. `key`: under which it is remembered.
    """

    namespace: str
    speaker: str
    said: str
    asked: str
    digest: str
    retried: bool
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A request that was made: its key, when, and how many of its history in that period before."""

    key: str
    at_s: float
    before: int


class Keys:
    """Under which key a request is remembered; safe to use from several threads.

    A request brings its whole history and no id of its conversation, so the same messages may be
    a retry or a new conversation that begins as another did ("I live in Oslo", again, after
    Bergen). They are a retry where the client says so, and where nothing else was asked of this
    memory since; either within `RETRY_S`. In doubt it is new: a turn that is kept twice confirms
    what it says, one that is dropped leaves the memory wrong.
    """

    def __init__(self) -> None:
        """Of no request yet."""
        self._lock = threading.Lock()
        # By namespace, then by digest; who asked last, and what was asked last, at the end.
        self._asked: OrderedDict[str, OrderedDict[str, _Asked]] = OrderedDict()

    def key(self, conversation: Conversation, now_s: float) -> str:
        """The key of a request that comes now."""
        if conversation.key:
            return conversation.key
        digest, period = conversation.digest, now_s // RETRY_S
        with self._lock:
            past = self._asked.pop(conversation.namespace, OrderedDict[str, _Asked]())
            _forget_old(past, now_s)
            known = past.get(digest)
            if known is None or not (conversation.retried or digest == next(reversed(past))):
                before = 0
                if known is not None and known.at_s // RETRY_S == period:
                    before = known.before + 1
                # Of the time alone, so that a retry finds what was kept before a restart.
                known = _Asked(key=f"{digest} {period:.0f} {before}", at_s=now_s, before=before)
                past.pop(digest, None)
                past[digest] = known
            self._asked[conversation.namespace] = past
            first = next(iter(self._asked))
            _forget_old(self._asked[first], now_s)
            if not self._asked[first]:
                del self._asked[first]
            return known.key


def _forget_old(past: OrderedDict[str, _Asked], now_s: float) -> None:
    while past and now_s - next(iter(past.values())).at_s >= RETRY_S:
        past.popitem(last=False)


def read_conversation(body: Json, grant: Grant, headers: Mapping[str, str]) -> Conversation:
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
    history = [message for message in messages if message["role"] not in INSTRUCTIONS]
    known = json.dumps(history, sort_keys=True, ensure_ascii=True).encode()
    return Conversation(
        namespace=namespace_of(grant, user),
        speaker="user",
        said=said.strip()[:LONGEST_TURN],
        asked=asked.strip()[:LONGEST_TURN],
        digest=hashlib.sha256(known).hexdigest(),
        retried=headers.get(RETRIES, "0") != "0",
        key=headers.get(GIVEN_KEY, ""),
    )


class Rememberer:
    """The memory's side of the proxy; every method works in a thread of its own."""

    def __init__(
        self, halls: Halls, prompt: Prompt, clock: Callable[[], float] = time.time
    ) -> None:
        """Memories come from `halls`, only as the grant allows; `prompt`: what frames them."""
        self._halls, self._prompt, self._clock = halls, prompt, clock
        self._keys = Keys()

    def before(self, grant: Grant, conversation: Conversation) -> Remembered:
        """Recall for what was asked, then remember it: durable before the model is asked."""
        with self._halls.enter(grant, conversation.namespace, Scope.WRITE) as hall:
            conversation = replace(conversation, key=self._keys.key(conversation, self._clock()))
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
            (n for n, m in enumerate(messages) if m["role"] not in INSTRUCTIONS),
            len(messages),
        )
        message = {"role": "system", "content": words}
        return {**body, "messages": [*messages[:at], message, *messages[at:]]}
