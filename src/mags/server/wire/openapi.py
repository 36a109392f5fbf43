"""The interface as OpenAPI: what FastAPI writes, with the errors as they are truly answered.

A completion goes on to the model's server with fields that nobody here knows, an import is read
line by line, and streams are text. So these shapes are written down by hand.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from fastapi import FastAPI

from mags.server.wire.problems import MEDIA, PROXY

Json = dict[str, Any]
JSON, LINES, EVENTS, PLAIN = (
    "application/json",
    "application/x-ndjson",
    "text/event-stream",
    "text/plain",
)
TEXT: Json = {"type": "string"}
EXPORTED = (
    '{"format": "mags-memory", "version": 1, "embedder": "hash-64", "tick": 1, "nodes": 1}\n'
    '{"node": {"id": 1, "kind": 2, "flags": 0, "content": 1, "subject": 0, "object": 0, "slot": 0, '
    '"session": 0, "strength": 1.0, "strength_tick": 1, "importance": 0.0, "confidence": 1.0, '
    '"valid_from": "-inf", "valid_to": "inf", "recorded_at": 1772357400.0, "closed_at": "inf", '
    '"last_used_tick": 1, "uses": 0, "low_degree_since_tick": -1}, "text": "Ana", '
    '"meta": {"name": "Ana", "aliases": []}}\n'
)
"""The least that an import takes: a memory that has heard of somebody."""


def _object(
    said: str = "", *, optional: Collection[str] = (), more: bool = False, **properties: Json
) -> Json:
    """An object of these properties; `more`: others are taken too."""
    found: Json = {"type": "object", "description": said} if said else {"type": "object"}
    required = [name for name in properties if name not in optional]
    found |= {"required": required, "properties": properties}
    return {**found, "additionalProperties": True} if more else found


def _list(items: Json, **limits: int) -> Json:
    return {"type": "array", **limits, "items": items}


_CITATION = _object(id={"type": "integer"}, text=TEXT, speaker=TEXT, score={"type": "number"})
_REMEMBERED = _object(
    "The memory that was used, the id to explain the recall by, what was shown.",
    memory=TEXT,
    trace=TEXT,
    citations=_list(_CITATION),
    warnings=_list(TEXT),
    optional=["warnings"],
)
_MESSAGE = _object(
    role=TEXT,
    content={"anyOf": [TEXT, _list({"type": "object"}), {"type": "null"}]},
    optional=["content"],
    more=True,
)
_VECTOR = _object(
    object={"const": "embedding"},
    index={"type": "integer"},
    embedding={
        "anyOf": [_list({"type": "number"}), TEXT],
        "description": "Numbers, or float32 little-endian in base64, as requested.",
    },
)
_COMPLETION = _object(
    "A chat completion, as OpenAI's API takes it. Fields that are not listed go on to the model as "
    "they are.",
    messages=_list(_MESSAGE, minItems=1),
    model={**TEXT, "description": "Left out, the one that is configured."},
    stream={"anyOf": [{"type": "boolean"}, {"type": "null"}]},
    user={
        "anyOf": [TEXT, {"type": "null"}],
        "description": "The memory, where the key has several; the model is not told.",
    },
    optional=["model", "stream", "user"],
    more=True,
)
_COMPLETION["examples"] = [
    {"messages": [{"role": "user", "content": "Where does Ana live?"}], "user": "alice"},
    {
        "model": "my-model",
        "user": "alice",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": [{"type": "text", "text": "Where is Ana?"}]},
        ],
        "temperature": 0.3,
        "stream": False,
    },
]
SHAPES: Mapping[str, Json] = {
    "CompletionIn": _COMPLETION,
    "CompletionOut": _object(
        "The model's answer as it came, and what it was shown.",
        choices=_list({"type": "object"}, minItems=1),
        mags=_REMEMBERED,
        more=True,
    ),
    "VectorsOut": _object(
        "A vector for each text, in their order.",
        object={"const": "list"},
        data=_list(_VECTOR),
        model={**TEXT, "description": "The memory's embedder, whichever was named."},
        usage={"type": "object", "description": "Counts of tokens: 0, nobody pays."},
    ),
    "Problem": _object(
        "A problem (RFC 9457): what went wrong and what to do, with facts of its own.",
        type={**TEXT, "examples": ["urn:mags:NotFound"]},
        title={**TEXT, "examples": ["Not found"]},
        status={"type": "integer", "examples": [404]},
        detail=TEXT,
        more=True,
    ),
    "ModelError": _object(
        "An error as OpenAI's API gives it, for its clients to understand.",
        error=_object(message=TEXT, type=TEXT, more=True),
    ),
}
"""Shapes of what no model of these modules reads or writes, by their names in the document."""


def taken(media: str, schema: Json) -> Json:
    """What a route says of a body that it reads by itself, for `openapi_extra`."""
    return {"requestBody": {"required": True, "content": {media: {"schema": schema}}}}


def answered(*media: str, json: Json | None = None) -> dict[int | str, Json]:
    """What a route says of its success, for `responses`: texts of some media, and JSON.

    Events have no schema: some readers of the document take it for that of each, some of all.
    """
    content: Json = {} if json is None else {JSON: {"schema": json}}
    content |= {one: {} if one == EVENTS else {"schema": TEXT} for one in media}
    return {200: {"content": content}}


def shape(name: str) -> Json:
    """A reference to one of `SHAPES`."""
    return {"$ref": f"#/components/schemas/{name}"}


FASTAPIS_OWN = ("HTTPValidationError", "ValidationError")


class Described(FastAPI):
    """An app whose document names problems as its errors, not FastAPI's own form of them."""

    def openapi(self) -> dict[str, Any]:
        """The document; made when it is first asked for (half a second), and kept, errors and all.

        FastAPI's route asks for it on the event loop, so it is never made twice at a time.
        """
        document = super().openapi()
        if "responses" not in document["components"]:
            _name_problems(document)
        return document


def _name_problems(document: dict[str, Any]) -> None:
    for path, methods in document["paths"].items():
        named = "ModelError" if path.startswith(f"{PROXY}/") else "Problem"
        for about in methods.values():
            about["responses"].pop("422", None)
            about["responses"]["default"] = {"$ref": f"#/components/responses/{named}"}
    parts = document["components"]
    for name in FASTAPIS_OWN:
        parts["schemas"].pop(name, None)
    parts["schemas"] |= SHAPES
    parts["responses"] = {
        name: {"description": "What went wrong.", "content": {media: {"schema": shape(name)}}}
        for name, media in (("Problem", MEDIA), ("ModelError", JSON))
    }
