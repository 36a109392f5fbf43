"""Recalls on the straight way are answered as the app behind would answer them."""

import json
import math
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from mags.memory.memory import Memory
from mags.server.settings import ServerLimits
from mags.server.wire.responses import FactOut, FoundOut, HitOut, found_as_dict, found_as_json
from tests.recall.small import told
from tests.server.serving import open_memory, serving

STRAIGHT = {"Content-Type": "application/json"}
THROUGH_THE_APP = {"Content-Type": "application/json; charset=utf-8"}
BODIES = (
    b'{"query": "Where does Ana live?"}',
    b'{"query": "Where does Ana live?", "k": "3", "as_of": "2026-07-01", "session": "s"}',
    b'{"query": "Where does Ana live?", "k": 1.0, "as_of": 5, "speaker": "Bo"}',
    b'{"query": "Wo? \xc3\xa4\xc3\xb6", "recorded_as_of": null}',
    b'{"query": "Where?", "colour": "red"}',
    b'{"query": "Where?", "k": 0}',
    b'{"query": "Where?", "k": true}',
    b'{"query": "Where?", "as_of": "no day at all"}',
    b'{"query": ""}',
    b'{"query": " "}',
    b'{"query": "a\\u0000b"}',
    b'{"query": "half a pair \\ud800"}',
    b'{"query": NaN}',
    b'{"query": "Where?"',
    b'["Where?"]',
    b"\xff\xfe",
    b"",
)


@pytest.fixture
def memory(client: httpx.Client, name: str) -> str:
    """The path of a memory that knows where Ana lives."""
    said = {"text": "Ana moved from Lisbon to Porto in May.", "speaker": "Bo", "at": "2026-06-01"}
    assert client.post(f"/memories/{name}/turns", json=said).status_code == 201
    return f"/memories/{name}/recall"


@pytest.mark.parametrize("body", BODIES, ids=range(len(BODIES)))
def test_both_ways_say_the_same(client: httpx.Client, memory: str, body: bytes):
    answers = [
        client.post(memory, content=body, headers=headers)
        for headers in (STRAIGHT, THROUGH_THE_APP)
    ]
    straight, through = ({**answer.json(), "trace": ""} for answer in answers)
    assert answers[0].status_code == answers[1].status_code
    assert answers[0].headers["content-type"] == answers[1].headers["content-type"]
    for found in (straight, through):
        for hit in found.get("hits", ()):  # what depends on the moment of asking
            hit["score"] = round(hit["score"], 3)
            hit["shares"].pop("recency", None)
    assert straight == through


def test_what_is_not_there_is_said_both_ways(client: httpx.Client):
    for headers in (STRAIGHT, THROUGH_THE_APP):
        answer = client.post("/memories/nobody/recall", content=BODIES[0], headers=headers)
        assert (answer.status_code, answer.json()["type"]) == (404, "urn:mags:NotFound")


def test_a_branch_goes_through_the_app(client: httpx.Client, memory: str):
    answer = client.post(memory, params={"branch": "none"}, json={"query": "Where?"})
    assert answer.status_code == 404


def test_a_body_over_its_limit_is_refused_on_either_way(folder: Path):
    with (
        serving(folder, limits=ServerLimits(body_bytes=1_000)) as served,
        served.client() as client,
    ):
        for headers in (STRAIGHT, THROUGH_THE_APP):
            pieces = (b'{"query": "' + b"x" * 500 for _ in range(10))
            answer = client.post("/memories/a/recall", content=pieces, headers=headers)
            assert answer.status_code == 413


def test_the_route_is_logged_and_counted(folder: Path):
    with serving(folder) as served, served.client() as client:
        client.post("/memories/a/recall", json={"query": "Where?"})
        metrics = client.get("/metrics").text
    last = json.loads(served.log.getvalue().splitlines()[0])
    assert (last["route"], last["status"]) == ("/memories/{namespace}/recall", 404)
    assert 'route="/memories/{namespace}/recall",status="404"} 1.0' in metrics


def test_what_nobody_expected_is_a_problem_too(folder: Path):
    class Broken(Memory):
        def recall(self, *args, **kwargs):
            raise RuntimeError("of this nobody shall read")

    def broken(store):
        memory = open_memory(store)
        memory.__class__ = Broken
        return memory

    with serving(folder) as served, served.client() as client:
        client.post("/memories/a/turns", json={"text": "I like tea."})
        served.service.memories.renew(broken)
        answer = client.post("/memories/a/recall", json={"query": "Where?"})
    assert (answer.status_code, answer.json()["title"]) == (500, "Error")
    assert "nobody" not in answer.text


def test_what_is_said_fits_the_model_that_describes_it():
    found = told().ask("What is the cat called, and where does Ana live?", k=20)
    said = json.loads(found_as_json(found, "t"))
    assert FoundOut.model_validate(said).model_dump(mode="json") == said
    assert FoundOut.of(found, "t").model_dump(mode="json") == said
    assert set(said) == set(FoundOut.model_fields)
    assert {hit["kind"] for hit in said["hits"]} >= {"episode"}
    for hit in said["hits"]:
        assert set(hit) == set(HitOut.model_fields)
        assert hit["fact"] is None or set(hit["fact"]) == set(FactOut.model_fields)


def test_a_guess_is_marked_as_one():
    found = told().ask("Where does Ana live?", k=20)
    fact = next(hit.fact for hit in found.hits if hit.fact is not None)
    hit = replace(found.hits[0], fact=replace(fact, tentative=True))
    said = found_as_dict(replace(found, hits=(hit,)), "t")["hits"][0]
    assert (said["tentative"], said["fact"]["tentative"]) == (True, True)
    assert HitOut.model_validate(said).tentative
    assert not FactOut.of(fact).tentative


def test_numbers_that_json_does_not_know_are_null():
    found = told().ask("What is the cat called?")
    object.__setattr__(found.hits[0], "score", math.inf)
    assert found_as_dict(found, "t")["hits"][0]["score"] == math.inf
    assert json.loads(found_as_json(found, "t"))["hits"][0]["score"] is None
