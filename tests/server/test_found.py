"""What a recall answers over HTTP: as its model describes it, and a problem where it fails."""

import json
import math
from dataclasses import replace
from pathlib import Path

from mags.memory.memory import Memory
from mags.server.settings import ServerLimits
from mags.server.wire.responses import FactOut, FoundOut, HitOut, found_as_dict, found_as_json
from tests.recall.small import told
from tests.server.serving import open_memory, serving


def test_a_body_over_its_limit_is_refused_though_it_tells_no_length(folder: Path):
    with (
        serving(folder, limits=ServerLimits(body_bytes=1_000)) as served,
        served.client() as client,
    ):
        pieces = (b'{"query": "' + b"x" * 500 for _ in range(10))
        answer = client.post("/memories/a/recall", content=pieces)
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
