"""The interface as OpenAPI: what FastAPI writes, with the errors as they are truly answered."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI

from mags.server.problems import MEDIA
from mags.server.wire.raw import SHAPES

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
