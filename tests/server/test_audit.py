"""The audit log: who read, wrote and erased what, and what happens when it cannot be written."""

import json
import resource
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from mags.errors import StoreError
from mags.server.audit import AuditLog
from mags.server.auth import KeyRing, Scope
from mags.server.settings import AUDIT
from tests.server.serving import Served, serving, until
from tests.server.test_mcp import ok, over_http, talk

WORD = "Xyloquartz"


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def told(path: Path) -> list[tuple[Any, ...]]:
    """What each line says, but for time and id."""
    names = ("key", "action", "namespaces", "method", "route", "status")
    found = [{**line, "namespaces": ",".join(line["namespaces"])} for line in lines(path)]
    return [tuple(line[name] for name in names) for line in found]


@pytest.fixture
def kept(folder: Path) -> Iterator[tuple[Served, str]]:
    secret = KeyRing(folder).add("phone", ("alice",), Scope.WRITE, 1.0)
    with serving(folder, need_key=True) as served:
        yield served, secret


def test_each_request_is_one_line_that_says_who_did_what_and_never_a_word(
    kept: tuple[Served, str], folder: Path
):
    served, secret = kept
    path, here = folder / AUDIT, "/memories/{namespace}"
    with served.client(secret) as phone, served.client("mags_wrong") as stranger:
        turn = {"text": f"I hid the {WORD}.", "speaker": WORD, "key": WORD}
        first = phone.post("/memories/alice/turns", json=turn)
        phone.post("/memories/alice/recall", json={"query": WORD})
        phone.get("/memories/alice/search", params={"words": WORD})
        phone.post("/memories/alice/forget", json={"what": WORD, "dry_run": True})
        phone.post("/memories/alice/forget", json={"what": WORD})
        phone.get("/memories/bob/stats")
        phone.post("/memories/alice/recall", json={"query": WORD, "also": ["bob"]})
        phone.delete("/memories/alice")
        phone.get("/memories")
        stranger.get("/memories/alice/stats")
        phone.get("/healthz")
        with phone.stream("GET", "/memories/alice/events") as events:
            assert events.status_code == 200
            assert told(path)[-1] == (
                "phone", "read", "alice", "GET", f"{here}/events", 200,
            )  # fmt: skip

    assert told(path) == [
        ("phone", "write", "alice", "POST", f"{here}/turns", 201),
        ("phone", "read", "alice", "POST", f"{here}/recall", 200),
        ("phone", "read", "alice", "GET", f"{here}/search", 200),
        ("phone", "write", "alice", "POST", f"{here}/forget", 200),
        ("phone", "erase", "alice", "POST", f"{here}/forget", 200),
        ("phone", "read", "bob", "GET", f"{here}/stats", 404),
        ("phone", "read", "alice,bob", "POST", f"{here}/recall", 404),
        ("phone", "erase", "alice", "DELETE", here, 403),
        ("phone", None, "", "GET", "/memories", 200),
        (None, None, "", "GET", None, 401),
        ("phone", "read", "alice", "GET", f"{here}/events", 200),
    ]
    assert lines(path)[0]["id"] == first.headers["x-request-id"]
    assert WORD not in path.read_text()
    assert secret not in path.read_text()
    assert path.stat().st_mode & 0o777 == 0o600


def test_mcp_and_the_proxy_are_in_it_too(kept: tuple[Served, str], folder: Path):
    served, secret = kept
    asked = {"messages": [{"role": "user", "content": f"I hid the {WORD}."}]}

    async def tools(client: Any) -> None:
        await ok(client, "recall", query="Porto")
        await ok(client, "forget", what=WORD, dry_run=False)

    with served.client(secret) as phone:
        assert phone.post("/v1/chat/completions", json=asked).status_code == 502
    talk(over_http(served, secret), tools)
    # A stream's line is written when it has ended.
    until(lambda: any(line[1] == "erase" for line in told(folder / AUDIT)))
    found = told(folder / AUDIT)
    assert found[0] == ("phone", "write", "alice", "POST", "/v1/chat/completions", 502)
    done = [line[1:3] for line in found[1:] if line[1]]  # not what only lists the tools
    assert done == [("read", "alice"), ("erase", "alice")]


def test_there_is_none_where_no_key_is_needed_unless_it_is_named(folder: Path, tmp_path: Path):
    with serving(folder) as served, served.client() as client:
        client.get("/memories")
    assert not (folder / AUDIT).exists()
    path = tmp_path / "elsewhere" / "log"
    with serving(folder, audit=path) as served, served.client() as client:
        client.get("/memories")
    assert told(path) == [("local", None, "", "GET", "/memories", 200)]


def test_after_logrotate_lines_go_to_the_new_file(tmp_path: Path):
    path = tmp_path / "log"
    log = AuditLog(path)
    log.write("1")
    path.rename(tmp_path / "log.1")
    log.write("2")
    other = AuditLog(path)  # another worker
    other.write("3")
    log.write("4")
    assert (tmp_path / "log.1").read_text() == "1\n"
    assert path.read_text() == "2\n3\n4\n"
    assert path.stat().st_mode & 0o777 == 0o600
    log.close()
    other.close()


@contextmanager
def full(path: Path, room: int) -> Iterator[None]:
    """No file of this process grows beyond what this one has and so many bytes more."""
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + room, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)


def test_a_line_that_does_not_fit_is_held_and_written_whole_when_there_is_room(tmp_path: Path):
    path = tmp_path / "log"
    log = AuditLog(path)
    log.write("first")
    with full(path, room=3):
        log.write("second")
        for _ in range(2):
            with pytest.raises(StoreError, match="audit log cannot be written"):
                log.flush()
    log.flush()
    log.write("third")
    assert path.read_text() == "first\nsecond\nthird\n"
    log.close()


def test_nothing_is_done_while_its_line_could_not_be_written(tmp_path: Path, folder: Path):
    secret = KeyRing(folder).add("phone", ("alice",), Scope.WRITE, 1.0)
    path = tmp_path / "log"
    with (
        serving(folder, need_key=True, audit=path) as served,
        served.client(secret) as phone,
    ):
        assert phone.get("/memories").status_code == 200
        while not (held := path.read_text()):  # it is written after the answer
            time.sleep(0.01)
        parked = tmp_path / "parked"
        path.rename(parked)
        path.symlink_to("/dev/full")  # the disk is full
        assert phone.get("/memories").status_code == 200  # was let in before anybody knew
        answer = phone.post("/memories/alice/turns", json={"text": "I live in Porto."})
        assert answer.status_code == 507
        assert "audit log" in answer.json()["detail"]
        assert phone.get("/healthz").status_code == 200
        path.unlink()
        parked.rename(path)  # there is room again
        assert phone.get("/memories/alice/stats").status_code == 404  # nothing was written
    assert path.read_text().startswith(held)
    assert [line[4:] for line in told(path)] == [
        ("/memories", 200),
        ("/memories", 200),
        ("/memories/{namespace}/stats", 404),
    ]


def test_a_log_that_cannot_be_opened_stops_the_start(folder: Path, tmp_path: Path):
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(StoreError, match="audit log"),
        serving(folder, audit=tmp_path / "file" / "log"),
    ):
        pass
