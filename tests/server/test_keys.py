"""Keys: scoped, hashed, revoked at once. What each reaches is in `test_reach`."""

import subprocess
import sys
from pathlib import Path

import pytest

from mags.errors import ConfigurationError, CorruptFile, InvalidInput, NotFound, StoreBusy
from mags.server.auth import EVERY, FILE, Grant, KeyRing, Refused, Scope, alone
from tests.server.serving import Served, serving


def test_a_revoked_or_rotated_key_is_out_at_once(folder: Path):
    ring = KeyRing(folder)
    secret = ring.add("a", (EVERY,), Scope.READ, 1.0)
    with serving(folder, need_key=True) as served, served.client(secret) as client:
        assert client.get("/memories").status_code == 200
        renewed = ring.rotate("a", 3.0)
        assert client.get("/memories").status_code == 401
        with served.client(renewed) as other:
            assert other.get("/memories").status_code == 200
            ring.revoke("a", 4.0)
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
from mags.server.auth import Scope
from mags.server.auth import KeyRing
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
