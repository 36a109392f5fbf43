"""Every example in the document is a request that succeeds as the document says."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from mags.ports.chat import ChatSettings
from tests.models.chat.endpoint import Server
from tests.server.asking import DESTROYING, Asked, each_operation, every_example, fill
from tests.server.serving import serving


@pytest.fixture
def http(tmp_path: Path, answering: Server) -> Iterator[httpx.Client]:
    with (
        serving(tmp_path, upstream=ChatSettings(url=answering.url, model="tiny")) as served,
        served.client() as client,
    ):
        yield client


def failures(http: httpx.Client, tried: list[Asked]) -> list[str]:
    """Requests that did not succeed, each asked of a memory that holds all it names."""
    fill(http)
    failed = []
    for asked in tried:
        answer = asked.send(http)
        if not asked.succeeds(answer):
            failed.append(asked.told(answer))
        if asked.name in DESTROYING:
            fill(http)
    return failed


def test_every_example_in_the_document_succeeds(http: httpx.Client):
    tried = list(every_example(http.get("/openapi.json").json()))
    assert failures(http, tried) == []
    assert len(tried) > 70
    assert {asked.name for asked in tried} >= {"chat", "import", "feedback", "edit", "events"}


def test_every_route_about_a_memory_takes_a_branch(http: httpx.Client):
    tried = [
        replace(one, query={**one.query, "branch": "main"})
        for one in each_operation(http.get("/openapi.json").json())
        if "namespace" in one.inside
    ]
    assert failures(http, tried) == []
    assert len(tried) > 30
