"""Input that no client in good faith sends gets a 4xx, and leaves the server as it was."""

import socket
import threading
from pathlib import Path

import httpx
import pytest

from mags.server.run import HEADER_BYTES
from mags.server.settings import ServerLimits
from tests.server.serving import Served, serving

JSON = {"Content-Type": "application/json"}
NUMBERS = ["NaN", "Infinity", "-Infinity", "1e999", "1" + "0" * 400, "-1e300", '"\\ud800"', "[]"]


@pytest.fixture
def at(client: httpx.Client, request: pytest.FixtureRequest) -> str:
    """The path of a memory that is there."""
    path = f"/memories/{request.function.__name__}"
    assert client.post(f"{path}/turns", json={"text": "Ana lives in Porto."}).status_code < 300
    return path


@pytest.mark.parametrize("number", NUMBERS)
def test_a_number_that_is_none_is_refused(client: httpx.Client, at: str, number: str):
    for method, path, body in (
        ("POST", "recall", '{"query": "x", "as_of": %s}'),
        ("POST", "turns", '{"text": "x", "at": %s}'),
        ("PATCH", "nodes/1", '{"valid_from": %s}'),
        ("PATCH", "nodes/1", '{"importance": %s}'),
        ("PUT", "associations", '{"src": 1, "dst": 2, "weight": %s}'),
        ("PUT", "associations", '{"src": %s, "dst": 2}'),
    ):
        answer = client.request(method, f"{at}/{path}", content=body % number, headers=JSON)
        assert answer.status_code == 422, body


@pytest.mark.parametrize("value", ["NaN", "1e999", '"\\ud800"', "[" * 400 + "]" * 400])
def test_what_json_cannot_hold_is_refused_in_free_fields_too(
    client: httpx.Client, at: str, value: str
):
    body = f'{{"meta": {{"a": {value}}}}}'
    assert client.patch(f"{at}/nodes/1", content=body, headers=JSON).status_code == 422
    assert client.get(f"{at}/nodes/1").status_code == 200


@pytest.mark.parametrize(
    "body",
    ['{"text": "x", "\\ud800": 1}', '{"text": "x", "attrs": {"\\ud800": "x"}}', "[" * 100_000],
)
def test_a_body_that_cannot_be_told_back_is_refused(client: httpx.Client, at: str, body: str):
    answer = client.post(f"{at}/turns", content=body, headers=JSON)
    assert answer.status_code in (400, 422)


@pytest.mark.parametrize("name", ["[", "[::1", "x y"])
def test_a_host_or_origin_that_is_no_name_is_refused(client: httpx.Client, name: str):
    assert client.get("/memories", headers={"Host": name}).status_code == 403
    assert client.get("/memories", headers={"Origin": f"http://{name}"}).status_code == 403


@pytest.mark.parametrize("seq", [b"\xb2", b"9" * 30, b"9" * 5_000, b"x"])
def test_a_last_event_id_that_is_no_sequence_is_refused(client: httpx.Client, at: str, seq: bytes):
    answer = client.get(f"{at}/events", headers={"Last-Event-ID": seq})
    assert answer.status_code == 422


@pytest.mark.parametrize("name", ["a" * 300, "%00", "..%2Findex.html", "%2e%2e"])
def test_only_files_of_the_bundle_are_given(client: httpx.Client, name: str):
    assert client.get(f"/assets/{name}").status_code == 404


def test_a_path_that_ends_like_another_has_no_other_limits(folder: Path):
    with (
        serving(folder, limits=ServerLimits(body_bytes=1_000)) as served,
        served.client() as client,
    ):
        client.post("/memories/a/turns", json={"text": "I am here."})
        large = {"meta": {"a": "x" * 2_000}}
        assert client.patch("/memories/a/nodes/import", json=large).status_code == 413
        assert client.patch("/memories/a/nodes/events", json=large).status_code == 413


def test_headers_without_end_are_cut_off(served: Served):
    port = int(served.base.rsplit(":", 1)[1])
    with socket.create_connection(("127.0.0.1", port), timeout=10.0) as line:
        line.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ")
        sent = 0
        with pytest.raises((BrokenPipeError, ConnectionResetError)):  # noqa: PT012 - any of them
            while sent < 100 * HEADER_BYTES:
                sent += line.send(b"x" * HEADER_BYTES)


def test_every_answer_forbids_to_be_run_or_framed(client: httpx.Client, at: str):
    for path in ("/", f"{at}/stats", f"{at}/export", "/nothing", "/v1/models"):
        headers = client.get(path).headers
        assert headers["x-content-type-options"] == "nosniff", path
        assert "default-src 'none'" in headers["content-security-policy"], path
        assert "frame-ancestors 'none'" in headers["content-security-policy"], path


def test_the_same_key_at_the_same_time_is_written_once(client: httpx.Client, at: str):
    statuses: list[int] = []
    turn = {"text": "I moved to Faro.", "key": "k"}

    def send() -> None:
        statuses.append(client.post(f"{at}/turns", json=turn).status_code)

    threads = [threading.Thread(target=send) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [200] * 7 + [201]
    assert client.get(f"{at}/stats").json()["nodes"]["episode"] == 2


def test_an_import_of_nonsense_is_refused(client: httpx.Client):
    cut = b'{"format": "mags-memory", "version": 1, "nodes": 1, "arcs": 0}\n'
    for body in (b"", b"\n", b"\xff\n", b"NaN\n", b"[" * 100_000, cut):
        answer = client.post("/memories/never/import", content=body)
        assert answer.status_code == 422
        assert "mags-import" not in answer.text, "the server's own paths are nobody's business"


def test_what_listens_for_nothing_holds_no_place(client: httpx.Client):
    answer = client.get("/mcp", headers={"Accept": "text/event-stream"})
    assert answer.status_code == 405
