"""The document's own examples as requests, and a memory that holds all that they name."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any
from unittest.mock import patch

import httpx

from mags.server.wire.requests import TRACE

Json = dict[str, Any]
ALICE, MARK = "alice", "before the move"
ENDLESS = "events"
ANSWER = json.dumps({"choices": [{"index": 0, "message": {"role": "assistant", "content": "x"}}]})
"""What a model's server says."""
COMPILED_S = 300.0
"""How long the very first answer may take, where kernels are compiled for it."""
DESTROYING = {"remove", "edit", "correct", "forget", "forget_node"}
"""After these what the other examples name may be gone."""
BEFORE = {"text": "Ana lives in Lisbon.", "speaker": "Bo", "at": "2026-01-05", "key": "a"}
AFTER = {"text": "Ana moved from Lisbon to Porto.", "speaker": "Bo", "at": "2026-05-01", "key": "b"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request. `name`: of the operation; `answers`: media types by documented status."""

    name: str
    method: str
    pattern: str
    answers: dict[str, list[str]]
    inside: Json = field(default_factory=dict)
    query: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    media: str = ""
    body: Any = None

    def __str__(self) -> str:
        """As a failure shows it."""
        return f"{self.name} {self.path} {self.query or ''} {self.body or ''}"

    @property
    def path(self) -> str:
        """The path with its values."""
        return re.sub(r"\{(\w+)\}", lambda found: str(self.inside[found[1]]), self.pattern)

    def about(self, namespace: str) -> Asked:
        """The same of another memory, for those that are about one."""
        return replace(self, inside={**self.inside, "namespace": namespace})

    def send(self, client: httpx.Client) -> httpx.Response:
        """Send it; of a stream that never ends only the beginning is taken."""
        headers = {**self.headers, **({"Content-Type": self.media} if self.media else {})}
        raw = isinstance(self.body, str) or not self.media
        content = (self.body if raw else json.dumps(self.body)) or ""
        with client.stream(
            self.method, self.path, params=self.query, headers=headers, content=content
        ) as answer:
            if self.name != ENDLESS or answer.status_code != 200:
                answer.read()
        return answer

    def told(self, answer: httpx.Response) -> tuple[str, int, str]:
        """Both, as a failure shows them; of a stream nothing was read."""
        text = answer.text[:200] if hasattr(answer, "_content") else "a stream"
        return str(self), answer.status_code, text

    def succeeds(self, answer: httpx.Response) -> bool:
        """Whether the document calls such an answer a success, in such a form."""
        media = answer.headers.get("content-type", "").partition(";")[0]
        forms = self.answers.get(str(answer.status_code))
        if forms is None or not answer.is_success:
            return False
        return media in forms if forms else not answer.content


def every_example(document: Json) -> Iterator[Asked]:
    """Each example of each operation: bodies, their fields and parameters, one at a time."""
    for pattern, methods in document["paths"].items():
        for method, about in methods.items():
            plain = _plain(document, pattern, method, about)
            yield plain
            for media, one in about.get("requestBody", {}).get("content", {}).items():
                bodies = _bodies(document, one["schema"])
                yield from (replace(plain, media=media, body=body) for body in bodies[1:])
            for one in about.get("parameters", ()):
                for example in one["schema"].get("examples", ())[one["required"] :]:
                    yield _with(plain, one, example)


def each_operation(document: Json) -> Iterator[Asked]:
    """The first example of each operation."""
    for pattern, methods in document["paths"].items():
        for method, about in methods.items():
            yield _plain(document, pattern, method, about)


def _plain(document: Json, pattern: str, method: str, about: Json) -> Asked:
    answers = {
        status: list(answer.get("content", ()))
        for status, answer in about["responses"].items()
        if status != "default"
    }
    asked = Asked(
        name=about["operationId"], method=method.upper(), pattern=pattern, answers=answers
    )
    for one in about.get("parameters", ()):
        if one["required"]:
            assert one["schema"].get("examples"), f"{asked.name}: {one['name']} has no example"
            asked = _with(asked, one, one["schema"]["examples"][0])
    for media, one in about.get("requestBody", {}).get("content", {}).items():
        bodies = _bodies(document, one["schema"])
        assert bodies, f"{asked.name}: its body has no example"
        asked = replace(asked, media=media, body=bodies[0])
    return asked


def _with(asked: Asked, parameter: Json, value: Any) -> Asked:
    where = {"path": "inside", "query": "query", "header": "headers"}[parameter["in"]]
    return replace(asked, **{where: {**getattr(asked, where), parameter["name"]: str(value)}})


def _bodies(document: Json, schema: Json) -> list[Any]:
    """Whole examples of a body, then the first with each example of a field put into it."""
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    whole = list(schema.get("examples", ()))
    fields = [
        {**whole[0], name: example}
        for name, about in schema.get("properties", {}).items()
        for example in _examples(about)
        if whole
    ]
    return [*whole, *fields]


def _examples(schema: Json) -> Iterator[Any]:
    yield from schema.get("examples", ())
    for one in schema.get("anyOf", ()):
        yield from _examples(one)


def fill(client: httpx.Client, namespace: str = ALICE) -> None:
    """Make a memory that holds all that the examples name; one that is there goes first."""
    path = f"/memories/{namespace}"
    assert client.delete(path).status_code in (204, 404)
    done = [
        client.post(f"{path}/turns", json=BEFORE),
        client.post(f"{path}/snapshots", json={"name": MARK}),
        client.post(f"{path}/turns", json=AFTER),
    ]
    with patch("secrets.token_hex", return_value=TRACE):
        asked = {"question": "Where does Ana live?"}
        done.append(client.post(f"{path}/ask", json=asked, timeout=COMPILED_S))
    assert all(one.is_success for one in done), [one.text for one in done]
