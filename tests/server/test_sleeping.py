"""A sleep that is streamed: each rule when it is done, then the whole of it, or why it failed."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from mags.errors import StoreBusy
from mags.server.settings import ServerLimits
from tests.server.serving import Served, serving
from tests.server.sleeping import RULES, Held, failing

STREAMED = {"stream": True}
WAIT_S = 30.0
Event = tuple[str, dict[str, object]]


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Held:
    return Held(monkeypatch)


@pytest.fixture
def memory(client: httpx.Client, name: str) -> str:
    return told(client, f"/memories/{name}")


def told(client: httpx.Client, path: str) -> str:
    """The path of a memory that has something to sleep over."""
    turns = [{"text": f"Ana saw {n} geese in Porto.", "at": n} for n in range(1, 9)]
    assert client.post(f"{path}/turns/bulk", json={"turns": turns, "apart": True}).is_success
    return path


@contextmanager
def asleep(client: httpx.Client, path: str) -> Iterator[Iterator[Event]]:
    """The events of a sleep, as they come."""
    with client.stream("POST", f"{path}/sleep", json=STREAMED) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        yield events(answer)


def events(answer: httpx.Response) -> Iterator[Event]:
    kind = ""
    for line in answer.iter_lines():
        name, _, value = line.partition(": ")
        if name == "event":
            kind = value
        elif name == "data":
            yield kind, json.loads(value)


def until_at_rest(client: httpx.Client) -> None:
    """Wait until the server takes requests again."""
    ends = time.monotonic() + WAIT_S
    while client.get("/memories").status_code != 200:
        assert time.monotonic() < ends
        time.sleep(0.01)


def test_each_rule_comes_when_it_is_done_and_not_at_the_end(
    client: httpx.Client, memory: str, held: Held
):
    with asleep(client, memory) as coming:
        for rule in RULES:
            kind, told = next(coming)
            assert (kind, told["rule"]) == ("rule", rule)
            assert held.ended == 0  # the sleep waits at this very rule
            held.rules.release()
        kind, _ = next(coming)
        assert (kind, held.ended) == ("done", 1)
        assert list(coming) == []


def test_what_each_rule_did_adds_up_to_the_report(client: httpx.Client, memory: str):
    with asleep(client, memory) as coming:
        *rules, (kind, report) = coming
    assert kind == "done"
    did = {told["rule"]: told["did"] for _, told in rules if told["rule"] != "regions"}
    assert {rule: counts for rule, counts in did.items() if counts} == report["rules"]
    assert report["rules"]["decay"]["steadier"] > 0
    assert client.get(f"{memory}/log").json()[0]["kind"] == "sleep"


@pytest.mark.parametrize("sent", [{}, {"json": {}}, {"json": {"stream": False}}])
def test_a_sleep_that_is_not_streamed_answers_its_report_alone(
    client: httpx.Client, memory: str, sent: dict[str, object]
):
    answer = client.post(f"{memory}/sleep", **sent)
    assert answer.headers["content-type"] == "application/json"
    assert "decay" in answer.json()["rules"]
    assert client.post(f"{memory}/sleep", json={"streamed": True}).status_code == 422


def test_what_fails_on_the_way_ends_the_stream_with_a_problem(
    client: httpx.Client, memory: str, monkeypatch: pytest.MonkeyPatch
):
    failing(monkeypatch, StoreBusy("others keep sleeping: try later"), after=2)
    with asleep(client, memory) as coming:
        *rules, (kind, problem) = coming
    assert [told["rule"] for _, told in rules] == RULES[:2]
    assert (kind, problem["status"]) == ("failed", 503)
    assert (problem["type"], problem["detail"]) == (
        "urn:mags:StoreBusy",
        "others keep sleeping: try later",
    )


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_failure_that_nobody_expected_is_told_too_and_shows_nothing_of_itself(
    client: httpx.Client, memory: str, monkeypatch: pytest.MonkeyPatch
):
    failing(monkeypatch, ZeroDivisionError("secret"), after=1)
    with asleep(client, memory) as coming:
        kind, problem = list(coming)[-1]
    for thread in threading.enumerate():
        if thread.name == "mags-answer":
            thread.join(WAIT_S)  # until its failure is told, which is this test's and no other's
    assert (kind, problem["status"]) == ("failed", 500)
    assert "secret" not in problem["detail"]


def test_what_fails_at_once_has_a_status_of_its_own(
    client: httpx.Client, memory: str, monkeypatch: pytest.MonkeyPatch
):
    failing(monkeypatch, StoreBusy("others keep sleeping: try later"), after=0)
    answer = client.post(f"{memory}/sleep", json=STREAMED)
    assert (answer.status_code, answer.json()["type"]) == (503, "urn:mags:StoreBusy")


def test_a_sleep_goes_on_where_its_watcher_leaves(client: httpx.Client, memory: str, held: Held):
    with asleep(client, memory) as coming:
        next(coming)
    held.let_go()
    ends = time.monotonic() + WAIT_S
    while client.get(f"{memory}/log").json()[0]["kind"] != "sleep":
        assert time.monotonic() < ends
        time.sleep(0.01)


def test_a_sleep_that_is_watched_holds_a_place_as_any_request_does(folder: Path, held: Held):
    limits = ServerLimits(busy=1, waiting=0)
    with serving(folder, limits=limits) as served, served.client() as client:
        path = told(client, "/memories/a")
        until_at_rest(client)
        with served.client() as other, asleep(client, path) as coming:
            next(coming)
            assert other.get("/memories").status_code == 503
            assert other.get("/healthz").status_code == 200
            held.let_go()
            assert list(coming)[-1][0] == "done"
            until_at_rest(other)


def test_a_server_that_stops_ends_the_sleep_that_is_watched(folder: Path, held: Held):
    with serving(folder) as served, served.client() as client:
        path = told(client, "/memories/a")
        with asleep(client, path) as coming:
            next(coming)
            stop(served)
            held.let_go()
            assert list(coming)[-1][0] == "done"
    with serving(folder) as served, served.client() as client:
        assert client.get("/memories/a/log").json()[0]["kind"] == "sleep"


def stop(served: Served) -> None:
    """Begin to stop, as a signal does, and wait until nobody is let in any more."""
    served.service.stopping.set()
    served.http_server.should_exit = True
    ends = time.monotonic() + WAIT_S
    while True:
        assert time.monotonic() < ends
        try:
            with served.client() as other:
                other.get("/healthz")
        except httpx.TransportError:
            return
        time.sleep(0.01)
