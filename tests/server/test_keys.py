"""Keys: scoped, hashed, revoked at once. What each reaches is in `test_reach`."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from mags.errors import ConfigurationError, CorruptFile, InvalidInput, NotFound, StoreBusy
from mags.server.auth import EVERY, FILE, Grant, KeyRing, Refused, Scope, alone
from mags.server.middleware import FAILURES
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


def test_a_key_that_has_expired_lets_nobody_in(folder: Path):
    now = 1_000.0
    ring = KeyRing(folder, lambda: now)
    secret = ring.add("a", (EVERY,), Scope.READ, now, expires=now + 60, speaker="Alice")
    again = KeyRing(folder, lambda: now)
    grant = again.grant(secret)
    assert (grant.speaker, grant.expires, again.is_valid(grant)) == ("Alice", now + 60, True)
    now += 60
    assert not again.is_valid(grant)
    with pytest.raises(Refused, match="expired"):
        again.grant(secret)
    renewed = again.grant(ring.rotate("a", now))
    assert (renewed.expires, renewed.speaker) == (now + 60, "Alice")
    now += 61
    assert again.grant(ring.add("a", (EVERY,), Scope.READ, now)).expires is None


def test_a_file_of_keys_from_before_they_expired_is_read(folder: Path):
    ring = KeyRing(folder)
    secret = ring.add("a", (EVERY,), Scope.READ, 1.0)
    rows = json.loads((folder / FILE).read_text())
    for row in rows["keys"]:
        del row["expires"], row["speaker"]
    (folder / FILE).write_text(json.dumps(rows))
    grant = KeyRing(folder).grant(secret)
    assert (grant.expires, grant.speaker) == (None, "")


def test_who_is_no_speaker_gets_no_key(folder: Path):
    for name in ("  ", "Alice\n", " Alice", "A" * 201):
        with pytest.raises(InvalidInput, match="no speaker"):
            KeyRing(folder).add("a", (EVERY,), Scope.READ, 1.0, speaker=name)


@pytest.mark.parametrize(
    "header", ["X-Forwarded-For", "x-forwarded-proto", "Forwarded", "Via", "X-Real-IP"]
)
def test_without_keys_what_comes_through_a_proxy_is_refused(served: Served, header: str):
    with served.client() as client:
        answer = client.get("/memories", headers={header: "10.0.0.1"})
        assert answer.status_code == 403
        assert "--need-key" in answer.json()["detail"]


def test_without_keys_a_page_of_another_site_gets_nothing_whatever_it_sends(served: Served):
    with served.client() as client:
        for site in ("cross-site", "same-site", "odd"):
            asked = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors"}
            assert client.get("/memories", headers=asked).status_code == 403
            asked["Sec-Fetch-Mode"] = "navigate"
            assert client.get("/memories", headers=asked).status_code == 403
            assert client.get("/", headers=asked).status_code != 403  # a link to the page
            asked |= {"Origin": "null"}
            assert client.get("/", headers=asked).status_code == 403
        for site in ("same-origin", "none"):
            assert client.get("/memories", headers={"Sec-Fetch-Site": site}).status_code == 200


def test_with_keys_proxies_and_other_sites_are_served(folder: Path):
    secret = KeyRing(folder).add("a", (EVERY,), Scope.READ, 1.0)
    with serving(folder, need_key=True) as served, served.client(secret) as client:
        told = {"X-Forwarded-For": "10.0.0.1", "Sec-Fetch-Site": "cross-site", "Via": "1.1 x"}
        assert client.get("/memories", headers=told).status_code == 200


def test_who_sends_one_wrong_key_after_another_is_told_to_wait_and_others_are_not(folder: Path):
    secret = KeyRing(folder).add("a", (EVERY,), Scope.READ, 1.0)
    with (
        serving(folder, need_key=True) as served,
        served.client("mags_wrong") as stranger,
        served.client(secret) as client,
        served.client() as nobody,
    ):
        answers = [stranger.get("/memories") for _ in range(FAILURES + 5)]
        assert {one.status_code for one in answers[:FAILURES]} == {401}
        assert answers[-1].status_code == 429
        assert "Retry-After" in answers[-1].headers
        assert client.get("/memories").status_code == 200
        assert nobody.get("/memories").status_code == 401
