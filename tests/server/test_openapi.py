"""The interface as it is written down, held to a golden file.

After a wanted change: `REWRITE_GOLDEN=1 pytest tests/server/test_openapi.py`.
"""

import json
import os
from pathlib import Path
from typing import Any

import httpx

GOLDEN = Path(__file__).parent / "openapi.json"
REWRITE = os.environ.get("REWRITE_GOLDEN")


def named(schema: dict[str, Any]) -> str:
    """The shape's name, else its type."""
    return schema.get("$ref", "").rpartition("/")[2] or schema["type"]


def outline(document: dict[str, Any]) -> dict[str, Any]:
    """What a client depends on: operations, what they take, what they give; no prose."""
    operations = {}
    for path, methods in document["paths"].items():
        for method, about in methods.items():
            body = about.get("requestBody", {}).get("content", {})
            operations[f"{method.upper()} {path}"] = {
                "name": about["operationId"],
                "query": sorted(p["name"] for p in about.get("parameters", ())),
                "body": {media: named(one["schema"]) for media, one in body.items()},
                "answers": {
                    status: sorted(answer.get("content", ()))
                    for status, answer in about["responses"].items()
                },
            }
    fields = {
        name: {field: field in about.get("required", ()) for field in about.get("properties", {})}
        for name, about in document["components"]["schemas"].items()
    }
    return {"operations": operations, "fields": fields}


def test_the_interface_is_the_one_written_down(client: httpx.Client):
    found = outline(client.get("/openapi.json").json())
    if REWRITE:
        GOLDEN.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    assert found == json.loads(GOLDEN.read_text(encoding="utf-8"))


def test_every_operation_says_what_it_does(client: httpx.Client):
    document = client.get("/openapi.json").json()
    silent = [
        f"{method} {path}"
        for path, methods in document["paths"].items()
        for method, about in methods.items()
        if not about.get("description")
    ]
    assert silent == []


def test_every_operation_that_takes_a_body_says_what_it_looks_like(client: httpx.Client):
    document = client.get("/openapi.json").json()
    shapes = {
        about["operationId"]: list(about.get("requestBody", {}).get("content", {}))
        for methods in document["paths"].values()
        for method, about in methods.items()
        if method in ("post", "put", "patch")
    }
    assert [name for name, media in shapes.items() if not media] == []
    assert (shapes["chat"], shapes["import"]) == (["application/json"], ["application/x-ndjson"])
