"""Keys: scoped, hashed, revoked at once; and no key ever sees another's memory."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from mags.errors import ConfigurationError, CorruptFile, InvalidInput, NotFound, StoreBusy
from mags.server.grants import EVERY, Grant, Refused, Scope
from mags.server.keys import FILE, KeyRing
from mags.server.private import alone
from tests.server.serving import Served, serving

OURS, THEIRS = "ours", "theirs"
READS = {"recall", "explain", "connect", "neighbours", "profile", "facts", "stats", "node",
         "node_life", "node_neighbours", "regions", "picture", "log", "changes", "snapshots",
         "diff", "branches", "export", "events"}  # fmt: skip


@pytest.fixture
def keyed(folder: Path) -> Iterator[tuple[Served, dict[str, str]]]:
    """A server that asks for keys: one for all, one of each scope for `ours`."""
    ring = KeyRing(folder)
    keys = {"root": ring.add("root", (EVERY,), Scope.ADMIN, 1.0)}
    for scope in Scope:
        keys[scope.name] = ring.add(scope.name, (OURS,), scope, 2.0)
    with serving(folder, need_key=True) as running:
        with running.client(keys["root"]) as root:
            for name in (OURS, THEIRS):
                root.post(f"/memories/{name}/turns", json={"text": f"I am {name}."})
        yield running, keys


def calls(served: Served, namespace: str) -> Iterator[tuple[str, str, str]]:
    """Every route about a namespace: its name, method and a path."""
    values = {"namespace": namespace, "node_id": "1", "trace": "none"}
    for pattern, methods in served.service.api.openapi()["paths"].items():
        if "{namespace}" in pattern:
            path = re.sub(r"\{(\w+)\}", lambda m: values[m[1]], pattern)
            for method, operation in methods.items():
                yield operation["operationId"], method.upper(), path


BODIES = {
    "observe": {"text": "I am here."},
    "observe_many": {"turns": [{"text": "I am here."}]},
    "assert_fact": {"subject": "a", "relation": "likes", "object": "b"},
    "converse": {"text": "I am here."},
    "recall": {"query": "who"},
    "ask": {"question": "who"},
    "feedback": {"trace": "none"},
    "edit": {"importance": 0.5},
    "forget": {"what": "nobody at all"},
    "associate": {"src": 1, "dst": 2, "weight": 0.5},
    "snapshot": {"name": "s"},
    "rollback": {"name": "s"},
    "branch": {"name": "b"},
}
QUERIES = {
    "connect": {"start": "a", "end": "b"},
    "neighbours": {"of": "a"},
    "profile": {"of": "a"},
    "diff": {"since": "s"},
}


def send(client: httpx.Client, name: str, method: str, path: str) -> int:
    query = QUERIES.get(name, {})
    if name == "events":
        with client.stream(method, path, params=query) as answer:
            return answer.status_code
    body = BODIES.get(name)
    return client.request(method, path, json=body, params=query).status_code


def test_no_route_lets_a_key_into_another_memory(keyed: tuple[Served, dict[str, str]]):
    served, keys = keyed
    tried = list(calls(served, THEIRS))
    assert {name for name, *_ in tried} >= READS | set(BODIES)
    with served.client(keys["ADMIN"]) as client, served.client(keys["root"]) as root:
        before = root.get(f"/memories/{THEIRS}/stats").json()
        for name, method, path in tried:
            assert send(client, name, method, path) == 404, name
        assert root.get(f"/memories/{THEIRS}/stats").json() == before
        assert client.get("/memories").json()["memories"] == [OURS]


def test_no_route_lets_anybody_in_without_a_key(keyed: tuple[Served, dict[str, str]]):
    served, _ = keyed
    with served.client() as client, served.client("mags_wrong") as wrong:
        for name, method, path in calls(served, OURS):
            assert send(client, name, method, path) == 401, name
            assert send(wrong, name, method, path) == 401, name
        assert client.get("/memories").status_code == 401
        assert client.get("/metrics").status_code == 401
        assert client.get("/healthz").status_code == 200


def test_a_key_that_may_read_writes_nothing(keyed: tuple[Served, dict[str, str]]):
    served, keys = keyed
    with served.client(keys["READ"]) as client:
        before = client.get(f"/memories/{OURS}/stats").json()
        for name, method, path in calls(served, OURS):
            if name not in READS:
                assert send(client, name, method, path) == 403, name
        assert client.get(f"/memories/{OURS}/stats").json() == before


def test_only_an_admin_deletes_a_memory(keyed: tuple[Served, dict[str, str]]):
    served, keys = keyed
    for scope, status in ((Scope.READ, 403), (Scope.WRITE, 403), (Scope.ADMIN, 204)):
        with served.client(keys[scope.name]) as client:
            assert client.delete(f"/memories/{OURS}").status_code == status


def test_a_revoked_or_rotated_key_is_out_at_once(keyed: tuple[Served, dict[str, str]]):
    served, keys = keyed
    ring = KeyRing(served.service.settings.folder)
    with served.client(keys["READ"]) as client:
        assert client.get("/memories").status_code == 200
        renewed = ring.rotate("READ", 3.0)
        assert client.get("/memories").status_code == 401
        with served.client(renewed) as other:
            assert other.get("/memories").status_code == 200
            ring.revoke("READ", 4.0)
            assert other.get("/memories").status_code == 401


def test_a_key_is_never_on_the_disk(folder: Path):
    secret = KeyRing(folder).add("a", (EVERY,), Scope.READ, 1.0)
    written = (folder / FILE).read_text()
    assert secret not in written
    assert secret.removeprefix("mags_") not in written
    assert (folder / FILE).stat().st_mode & 0o077 == 0


def test_a_ring_tells_what_is_wrong_with_a_key(folder: Path):
    ring = KeyRing(folder)
    ring.add("a", ("team-*", "alice"), Scope.WRITE, 1.0)
    with pytest.raises(InvalidInput, match="already"):
        ring.add("a", (EVERY,), Scope.READ, 2.0)
    with pytest.raises(InvalidInput, match="namespace"):
        ring.add("b", ("../etc",), Scope.READ, 2.0)
    with pytest.raises(NotFound, match="there are: a"):
        ring.revoke("c", 2.0)
    with pytest.raises(Refused):
        ring.grant("mags_nothing")


def test_a_damaged_file_of_keys_lets_nobody_in(folder: Path):
    ring = KeyRing(folder)
    secret = ring.add("a", (EVERY,), Scope.READ, 1.0)
    (folder / FILE).write_text("{")
    with pytest.raises(CorruptFile, match="damaged"):
        KeyRing(folder).grant(secret)


def test_a_pattern_covers_what_begins_with_it():
    grant = Grant(name="a", namespaces=("team-*", "alice"), scope=Scope.READ)
    seen = [name for name in ("team-1", "team-", "alice", "alice2", "bob") if grant.sees(name)]
    assert seen == ["team-1", "team-", "alice"]


def test_another_address_than_loopback_needs_a_key(folder: Path):
    with pytest.raises(ConfigurationError, match="mags keys add"), serving(folder, host="0.0.0.0"):
        pass


def test_a_page_of_another_site_gets_nothing(served: Served):
    with served.client() as client:
        bound = {"Host": "evil.example"}
        assert client.get("/memories", headers=bound).status_code == 403
        assert client.get("/memories", headers={"Origin": "http://evil.example"}).status_code == 403


def test_a_server_behind_a_proxy_asks_for_a_key_whatever_name_is_sent(folder: Path):
    key = KeyRing(folder).add("a", (EVERY,), Scope.READ, 1.0)
    with serving(folder, hosts=("memory.example.org",)) as served:
        for host in ("memory.example.org", "localhost"):
            with served.client() as nobody, served.client(key) as known:
                assert nobody.get("/memories", headers={"Host": host}).status_code == 401
                assert known.get("/memories", headers={"Host": host}).status_code == 200


ADDS = """
import sys
from pathlib import Path
from mags.server.grants import Scope
from mags.server.keys import KeyRing
ring = KeyRing(Path(sys.argv[1]))
ring.known()
for n in range(10):
    ring.add(f"{sys.argv[2]} {n}", ("*",), Scope.READ, float(n))
"""


def test_keys_made_by_several_processes_at_once_are_all_there(folder: Path):
    makers = [
        subprocess.Popen([sys.executable, "-c", ADDS, str(folder), name]) for name in ("a", "b")
    ]
    assert [maker.wait(60) for maker in makers] == [0, 0]
    known = {key.name for key in KeyRing(folder).known()}
    assert known == {f"{name} {n}" for name in "ab" for n in range(10)}
    assert not list(folder.glob("*.part"))


def test_who_waits_too_long_for_another_process_is_told(folder: Path):
    path = folder / FILE
    with alone(path), pytest.raises(StoreBusy, match="another process"), alone(path, wait_s=0.05):
        pass
    with alone(path, wait_s=0.0):
        pass
