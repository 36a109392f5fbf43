"""Every example in the document is a request that succeeds as the document says."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from mags.server.proxy.upstream import Upstream
from tests.models.chat.endpoint import Server, Step
from tests.models.chat.endpoint import serving as model_serving
from tests.server.asking import DESTROYING, begin_game, each_operation, every_example, fill
from tests.server.serving import serving
from tests.server.test_fuzz import ANSWER


@pytest.fixture
def model() -> Iterator[Server]:
    with model_serving() as running:
        running.steps = [Step(raw=ANSWER.encode()) for _ in range(20)]
        yield running


@pytest.fixture
def http(tmp_path: Path, model: Server) -> Iterator[httpx.Client]:
    with (
        serving(tmp_path, upstream=Upstream(url=model.url, model="tiny")) as served,
        served.client() as client,
    ):
        yield client


def test_every_example_in_the_document_succeeds(http: httpx.Client):
    tried = list(every_example(http.get("/openapi.json").json()))
    fill(http)
    failed = []
    for asked in tried:
        if "game" in asked.inside:
            begin_game(http, asked.inside["game"])
        answer = asked.send(http)
        if not asked.succeeds(answer):
            failed.append(asked.told(answer))
        if asked.name in DESTROYING:
            fill(http)
    assert failed == []
    assert len(tried) > 70
    assert {asked.name for asked in tried} >= {"chat", "import", "feedback", "edit", "events"}


def test_every_route_about_a_memory_takes_a_branch(http: httpx.Client):
    fill(http)
    tried = [
        one for one in each_operation(http.get("/openapi.json").json()) if "namespace" in one.inside
    ]
    failed = []
    for asked in tried:
        answer = replace(asked, query={**asked.query, "branch": "main"}).send(http)
        if not asked.succeeds(answer):
            failed.append(asked.told(answer))
        if asked.name in DESTROYING:
            fill(http)
    assert failed == []
    assert len(tried) > 30
