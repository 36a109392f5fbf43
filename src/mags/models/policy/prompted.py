"""The three decisions of a memory, made by any chat model with a few-shot prompt.

What the model replies passes the grammar and the guardrails. A reply that fails is asked for once
more with the reason, and with a schema that the server holds it to where it can (structured
output); what fails again is counted, and a turn stays an episode.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeVar

from mags.errors import ModelReplyError
from mags.models import rendering
from mags.models.grammar import (
    ANSWER_KINDS,
    QUALIFIERS,
    ROUTES,
    check_invented,
    check_language,
    language_name,
    read_engram,
    read_plan,
    read_route,
    refuse,
)
from mags.models.prompts import Prompt
from mags.models.words import is_name
from mags.ports.chat import ChatModel, Message
from mags.ports.intent import asks
from mags.ports.policy import Operation, Plan, Recalled, Route, Turn, Writing

Json = Mapping[str, Any]
Read = TypeVar("Read")

AGAIN = "Reply again with the one block alone, or as JSON where a schema for it is given."
NAME = re.compile(r"(?<=[^\W_]\s)[^\W\d_a-z][\w-]+(?:\s+[^\W\d_a-z][\w-]+)*")


class PromptedPolicy:
    """A `Policy` over a chat model.

    `prompts`: at least "router", "ask" and "write". `language`: the memory's, as an ISO 639-1
    code. `grounded`: refuse names and objects that nobody said. `failures` counts by role the
    decisions whose second reply was refused as well.
    """

    def __init__(
        self,
        chat: ChatModel,
        prompts: Mapping[str, Prompt],
        *,
        language: str = "en",
        grounded: bool = True,
    ) -> None:
        self._chat = chat
        self._prompts = prompts
        self._language = language
        self._grounded = grounded
        self.failures: Counter[str] = Counter()

    @property
    def name(self) -> str:
        """What to show the user, e.g. "prompted (qwen3-8b at localhost:8000)"."""
        return f"prompted ({self._chat.name})"

    def route(self, turn: Turn, recent: Sequence[Turn]) -> Route:
        """Decide what a turn needs; raises ModelError."""
        values = prompt_values(turn, recent, language=self._language)
        return self._decide("router", values, read_route)

    def ask(self, question: Turn, recent: Sequence[Turn]) -> Plan:
        """Plan a recall; raises ModelError."""
        values = prompt_values(question, recent, language=self._language)
        return self._decide("ask", values, lambda reply: read_plan(reply, question.text))

    def write(self, turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled]) -> Writing:
        """Propose operations; a turn that could not be read comes back as not understood."""
        source = words_of(turn, recent, recalled)

        def read(reply: str) -> tuple[Operation, ...]:
            operations = read_engram(reply).operations
            check_language(operations, self._language, source)
            if self._grounded:
                check_invented(operations, source)
            return operations

        operations: tuple[Operation, ...] = ()
        why = ""
        try:
            values = prompt_values(turn, recent, recalled, language=self._language)
            operations = self._decide("write", values, read)
        except ModelReplyError as refused:
            why = f"{self.name} was not understood: {refused.facts.get('reason', refused)}"
        return Writing(
            operations=operations,
            mentions=_mentions(operations, turn),
            understood=not why,
            why=why,
            is_question=asks(turn.text),
        )

    def _decide(self, role: str, values: Mapping[str, str], read: Callable[[str], Read]) -> Read:
        messages = self._prompts[role].messages(values)
        schema: Json | None = None
        while True:
            said: tuple[Message, ...] = ()
            try:
                reply = self._chat.complete(messages, schema=schema).text
                said = (Message(role="assistant", content=reply),)
                return read(reply if schema is None else as_block(role, reply))
            except ModelReplyError as refused:
                if schema is not None:
                    self.failures[role] += 1
                    raise
                reason = refused.facts.get("reason", refused)
            schema = SCHEMAS[role]
            again = f"That reply cannot be used: {reason}. {AGAIN}"
            messages = (*messages, *said, Message(role="user", content=again))


def words_of(turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled]) -> str:
    """All that was said: what a policy may write comes from here (see `check_invented`)."""
    said: tuple[Turn | Recalled, ...] = (turn, *recent, *recalled)
    return "\n".join(f"{one.speaker} {one.text}" for one in said)


def prompt_values(
    turn: Turn,
    recent: Sequence[Turn] = (),
    recalled: Sequence[Recalled] = (),
    *,
    language: str = "en",
) -> dict[str, str]:
    """What fills the slots of the prompts of all three roles; training words it the same."""
    return {
        "language": language_name(language),
        "now": rendering.now(turn.at),
        "recent": rendering.said(recent),
        "recalled": rendering.lines([rendering.memory(one) for one in recalled]),
        "turn": rendering.said([turn]),
    }


def _mentions(operations: Sequence[Operation], turn: Turn) -> tuple[str, ...]:
    """Names the operations use, then capitalised words of the turn that begin no sentence."""
    used = [
        name
        for operation in operations
        for name in (operation.subject, operation.object)
        if name and is_name(name)
    ]
    return tuple(dict.fromkeys((*used, *NAME.findall(turn.text))))


# Servers enforce JSON schemas (`response_format`), not the grammar of memory tokens. So JSON is
# asked for where a block was refused, and written as the block that `mags.models.grammar` reads:
# limits and guardrails are the same for both. Every key is required, as OpenAI's strict form wants;
# "" and [] say that there is nothing.

WORDS: Json = {"type": "string"}


def _object(**properties: Json) -> Json:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(items: Json) -> Json:
    return {"type": "array", "items": items}


def _one_of(words: Sequence[str]) -> Json:
    return {"type": "string", "enum": list(words)}


SCHEMAS: Mapping[str, Json] = MappingProxyType(
    {
        "write": _object(
            operations=_list(
                _object(
                    act=_one_of(("ADD", "UPDATE", "RETRACT", "NOTE")),
                    subject=WORDS,
                    relation=WORDS,
                    object=WORDS,
                    qualifiers=_list(_object(name=_one_of(QUALIFIERS), value=WORDS)),
                    when=WORDS,
                    text=WORDS,
                )
            )
        ),
        "ask": _object(
            queries=_list(WORDS),
            entities=_list(WORDS),
            hops=_list(_object(subject=WORDS, relation=WORDS, inverse={"type": "boolean"})),
            since=WORDS,
            until=WORDS,
            kind=_one_of(("", *ANSWER_KINDS)),
            past={"type": "boolean"},
        ),
        "router": _object(route=_one_of(tuple(ROUTES))),
    }
)
"""JSON schema of a role's reply. A note has its words in `text`, all else in the other keys."""


def as_block(role: str, reply: str) -> str:
    """A JSON reply as the block of its role; any other reply as it stands.

    Raises ModelReplyError where it is JSON of another form.
    """
    words = reply.strip()
    if not words.startswith("{"):
        return reply
    try:
        read = json.loads(words)
        return WRITTEN[role](read)
    except (ValueError, KeyError, TypeError, AttributeError) as failure:
        raise refuse(f"JSON of another form ({failure})", words) from failure


def _engram(read: Json) -> str:
    lines = [_operation(one) for one in read["operations"]]
    return "\n".join(("<engram>", *(lines or ["none"]), "</engram>"))


def _operation(one: Json) -> str:
    if one["act"] == "NOTE":
        return f"NOTE | {_plain(one['text'])}"
    pairs = "; ".join(f"{pair['name']}={_value(pair['value'])}" for pair in one["qualifiers"])
    fields = [_plain(one[name]) for name in ("subject", "relation", "object")]
    more = [pairs, _plain(one["when"])] if one["when"] else [pairs] if pairs else []
    return " | ".join((one["act"], *fields, *more))


def _plan(read: Json) -> str:
    lines = [_plain(query) for query in read["queries"]]
    if read["entities"]:
        lines.append("entities: " + "; ".join(_value(name) for name in read["entities"]))
    for hop in read["hops"]:
        fields = [_plain(hop["subject"]) or "^", _plain(hop["relation"])]
        lines.append("hop: " + " | ".join((*fields, *(["inverse"] if hop["inverse"] else []))))
    lines += [f"{name}: {_plain(read[name])}" for name in ("since", "until", "kind") if read[name]]
    if read["past"]:
        lines.append("past: yes")
    return "\n".join(("<recall>", *lines, "</recall>"))


def _route(read: Json) -> str:
    return f"<route> {_plain(read['route'])} </route>"


def _plain(words: str) -> str:
    """Words of a field on one line, its bars escaped."""
    return " ".join(words.split()).replace("\\|", "|").replace("|", "\\|")


def _value(words: str) -> str:
    """Words between semicolons: one of theirs would end them."""
    return _plain(words).replace(";", ",")


WRITTEN: Mapping[str, Callable[[Json], str]] = MappingProxyType(
    {"write": _engram, "ask": _plan, "router": _route}
)
