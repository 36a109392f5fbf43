"""The interface as OpenAPI: what FastAPI writes, with the errors as they are truly answered.

A completion goes on to the model's server with fields that nobody here knows, an import is read
line by line, and streams are text. So these shapes are written down by hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI

from mags.server.wire.problems import MEDIA

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

_MESSAGE: Json = {
    "type": "object",
    "required": ["role"],
    "properties": {
        "role": TEXT,
        "content": {
            "anyOf": [TEXT, {"type": "array", "items": {"type": "object"}}, {"type": "null"}],
        },
    },
    "additionalProperties": True,
}
_CITATION: Json = {
    "type": "object",
    "required": ["id", "text", "speaker", "score"],
    "properties": {
        "id": {"type": "integer"},
        "text": TEXT,
        "speaker": TEXT,
        "score": {"type": "number"},
    },
}
_REMEMBERED: Json = {
    "type": "object",
    "description": "The memory that was used, the id to explain the recall by, what was shown.",
    "required": ["memory", "trace", "citations"],
    "properties": {
        "memory": TEXT,
        "trace": TEXT,
        "citations": {"type": "array", "items": _CITATION},
        "warnings": {"type": "array", "items": TEXT},
    },
}
_VECTOR: Json = {
    "type": "object",
    "required": ["object", "index", "embedding"],
    "properties": {
        "object": {"const": "embedding"},
        "index": {"type": "integer"},
        "embedding": {
            "anyOf": [{"type": "array", "items": {"type": "number"}}, TEXT],
            "description": "Numbers, or float32 little-endian in base64, as it was asked for.",
        },
    },
}
SHAPES: Mapping[str, Json] = {
    "CompletionIn": {
        "type": "object",
        "description": "A chat completion, as OpenAI's API takes it. Fields that are not listed go "
        "on to the model as they are.",
        "required": ["messages"],
        "properties": {
            "messages": {"type": "array", "minItems": 1, "items": _MESSAGE},
            "model": {**TEXT, "description": "Left out, the one that is configured."},
            "stream": {"anyOf": [{"type": "boolean"}, {"type": "null"}]},
            "user": {
                "anyOf": [TEXT, {"type": "null"}],
                "description": "The memory, where the key has several; the model is not told.",
            },
        },
        "additionalProperties": True,
        "examples": [
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
        ],
    },
    "CompletionOut": {
        "type": "object",
        "description": "The model's answer as it came, and what it was shown.",
        "required": ["choices", "mags"],
        "properties": {
            "choices": {"type": "array", "minItems": 1, "items": {"type": "object"}},
            "mags": _REMEMBERED,
        },
        "additionalProperties": True,
    },
    "VectorsOut": {
        "type": "object",
        "description": "A vector for each text, in their order.",
        "required": ["object", "data", "model", "usage"],
        "properties": {
            "object": {"const": "list"},
            "data": {"type": "array", "items": _VECTOR},
            "model": {**TEXT, "description": "The memory's embedder, whichever was named."},
            "usage": {"type": "object", "description": "Counts of tokens: 0, nobody pays."},
        },
    },
}


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


PROXY = "/v1/"
PROBLEM = {
    "type": "object",
    "description": "A problem (RFC 9457): what went wrong and what to do, with facts of its own.",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string", "examples": ["urn:mags:NotFound"]},
        "title": {"type": "string", "examples": ["Not found"]},
        "status": {"type": "integer", "examples": [404]},
        "detail": {"type": "string"},
    },
    "additionalProperties": True,
}
MODEL_ERROR = {
    "type": "object",
    "description": "An error as OpenAI's API gives it, for its clients to understand.",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["message", "type"],
            "properties": {"message": {"type": "string"}, "type": {"type": "string"}},
            "additionalProperties": True,
        }
    },
}
FASTAPIS_OWN = ("HTTPValidationError", "ValidationError")


class Described(FastAPI):
    """An app whose document names problems as its errors, not FastAPI's own form of them."""

    def openapi(self) -> dict[str, Any]:
        """The document; FastAPI makes it once and keeps it, errors and all."""
        document = super().openapi()
        if "responses" not in document["components"]:
            _name_problems(document)
        return document


def _name_problems(document: dict[str, Any]) -> None:
    for path, methods in document["paths"].items():
        named = "ModelError" if path.startswith(PROXY) else "Problem"
        for about in methods.values():
            about["responses"].pop("422", None)
            about["responses"]["default"] = {"$ref": f"#/components/responses/{named}"}
    parts = document["components"]
    for name in FASTAPIS_OWN:
        parts["schemas"].pop(name, None)
    parts["schemas"] |= {"Problem": PROBLEM, "ModelError": MODEL_ERROR, **SHAPES}
    a_problem = {MEDIA: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    an_error = {"application/json": {"schema": {"$ref": "#/components/schemas/ModelError"}}}
    parts["responses"] = {
        "Problem": {"description": "What went wrong.", "content": a_problem},
        "ModelError": {"description": "What went wrong.", "content": an_error},
    }
