"""The reference of the HTTP interface, from the server's own OpenAPI document."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mags.cli.service import outside
from mags.server.service import Service
from mags.server.settings import ServerSettings

HEAD = """Every route of `mags serve`, from its OpenAPI document (`GET /openapi.json`). What keys
and limits are stands in [the server](../server.md); an answer that is no success is
[Problem](#problem), below `/v1` also [ModelError](#modelerror)."""


def http() -> str:
    """The page: routes by their subject, then the shapes of what is sent and answered."""
    with TemporaryDirectory() as folder:
        document = Service(ServerSettings(folder=Path(folder)), outside()).api.openapi()
    schemas = document["components"]["schemas"]
    subjects: dict[str, list[str]] = {}
    for path, methods in document["paths"].items():
        for method, about in methods.items():
            subject = about.get("tags", ["OpenAI-compatible"])[0]
            subjects.setdefault(subject, []).append(_route(method, path, about))
    parts = ["# HTTP", HEAD]
    for subject, routes in subjects.items():
        parts += [f"## {subject.capitalize()}", *routes]
    parts += ["## Shapes", *(_shape(name, schemas[name]) for name in sorted(schemas))]
    return "\n\n".join(parts) + "\n"


def _route(method: str, path: str, about: Mapping[str, Any]) -> str:
    lines = [f"### `{method.upper()} {path}`", "", about["description"], ""]
    lines += [
        f"- `{one['name']}` ({one['in']}, {_row(one['schema'])}): {one.get('description', '')}"
        for one in about.get("parameters", ())
        if one["in"] != "path"
    ]
    body = about.get("requestBody", {}).get("content", {})
    lines += [f"- body: {_type(one.get('schema', {}))} ({media})" for media, one in body.items()]
    lines += [f"- answers {status}: {_said(one)}" for status, one in _good(about)]
    return "\n".join(lines)


def _good(about: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for status, one in about["responses"].items():
        if status != "default":
            yield status, one


def _said(answer: Mapping[str, Any]) -> str:
    shapes = [
        f"{_type(one['schema'])} ({media})" if "schema" in one else media
        for media, one in answer.get("content", {}).items()
    ]
    return ", ".join(shapes) or "nothing"


def _shape(name: str, schema: Mapping[str, Any]) -> str:
    said = " ".join(schema.get("description", "").split())
    needed = schema.get("required", ())
    rows = [
        f"- `{field}`: {_row(one)}{', needed' if field in needed else ''}"
        + (f". {one['description']}" if one.get("description") else "")
        for field, one in schema.get("properties", {}).items()
    ]
    shown = [json.dumps(one, ensure_ascii=False) for one in schema.get("examples", ())]
    samples = ["", "```json", *shown, "```"] if shown else []
    return "\n".join([f"### {name}", "", *([said, ""] if said else []), *rows, *samples])


def _row(schema: Mapping[str, Any]) -> str:
    """A field's type and default."""
    default = schema.get("default")
    return _type(schema) + (f" = `{default}`" if default not in (None, "", {}, []) else "")


def _type(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_type(one) for one in schema["anyOf"]))
    if "enum" in schema:
        return ", ".join(f"`{one}`" for one in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    return str(schema.get("type", "any"))
