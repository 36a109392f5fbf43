"""The three replies as JSON: what a server holds a model to, and the block it stands for.

Servers enforce JSON schemas (`response_format`), not the grammar of memory tokens. So JSON is
asked for where a block was refused, and written as the block that `mags.models.grammar` reads:
limits and guardrails are the same for both. Every key is required, as OpenAI's strict form
wants; "" and [] say that there is nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from mags.models.grammar import ANSWER_KINDS, QUALIFIERS, ROUTES, refuse

Json = Mapping[str, Any]

WORDS: Json = {"type": "string"}
ACTS = ("ADD", "UPDATE", "RETRACT", "NOTE")


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
                    act=_one_of(ACTS),
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
