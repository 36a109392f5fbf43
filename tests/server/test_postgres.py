"""Servers whose memories lie in PostgreSQL."""

import time
from contextlib import closing
from pathlib import Path

import pytest

from mags.errors import ConfigurationError, InvalidInput, NotFound
from mags.server.auth import EVERY, KeyRing, Scope
from mags.server.settings import ServerSettings
from mags.store.sqlite import SqliteStore
from tests.cli.running import run
from tests.server.serving import open_memory, serving
from tests.store.samples import keyring
from tests.store.server import postgres, shared

postgres()  # skips all of these where there is none

import psycopg  # noqa: E402 - it may be missing where there is no server

from mags.store.postgres import PostgresCatalog  # noqa: E402


def recalled(client, name: str) -> str:
    answer = client.post(f"/memories/{name}/recall", json={"query": "Where does Ana live?"})
    return answer.text


def test_two_servers_share_the_memories_of_a_tenant(folder: Path, tmp_path: Path):
    store = {"store": shared().url, "tenant": "served"}
    with (
        serving(folder, **store) as one,
        serving(tmp_path / "other", **store) as two,
        serving(tmp_path / "third", store=shared().url, tenant="others") as third,
        one.client() as first,
        two.client() as second,
        third.client() as elsewhere,
    ):
        first.post("/memories/ana/turns", json={"text": "Ana lives in Oslo."})
        assert "Oslo" in recalled(second, "ana")
        second.post("/memories/ana/turns", json={"text": "Ana lives in Porto."})
        ends = time.monotonic() + 20.0
        while "Porto" not in recalled(first, "ana"):
            assert time.monotonic() < ends, "a commit of another server is not heard of"
        assert second.get("/memories").json() == first.get("/memories").json()
        assert "ana" not in elsewhere.get("/memories").text
        assert elsewhere.post("/memories/ana/recall", json={"query": "Ana"}).status_code == 404
        assert not list(folder.glob("*.mags"))
        assert first.get("/memories/ANA/stats").status_code == 404
        assert first.post("/memories/made/turns", json={"text": ""}).status_code == 422
        assert "made" not in first.get("/memories").text  # as no request made anything of it


def test_a_file_is_moved_to_a_database_and_served_from_there(folder: Path, tmp_path: Path):
    place = postgres().place()
    path = tmp_path / "ana.mags"
    with open_memory(SqliteStore.open(path)) as memory:
        memory.observe("Ana lives in Oslo.", key="1")
    with psycopg.connect(place.owner) as db:
        db.execute("CREATE ROLE another LOGIN")
    assert "another may work with them" in run("prepare", place.owner, "--role", "another")
    there = f"{place.url.replace('//mags:', '//another:')}#ana"
    assert "1 changes and 5 texts" in run("move", str(path), there)
    with pytest.raises(InvalidInput, match="must be new"):
        run("move", str(path), there)
    with pytest.raises(InvalidInput, match="the same"):
        run("move", there, there)
    with pytest.raises(NotFound, match="no memory at"):
        run("move", str(tmp_path / "none.mags"), there)
    with serving(folder, store=place.url) as served, served.client() as client:
        assert "Oslo" in recalled(client, "ana")
        turn = {"text": "Ana lives in Oslo.", "key": "1"}
        before = client.get("/memories/ana/stats").json()
        client.post("/memories/ana/turns", json=turn)  # the receipt has come along
        assert client.get("/memories/ana/stats").json() == before
        assert client.delete("/memories/ana").status_code == 204
    run("move", str(path), there)
    run("move", there, str(tmp_path / "back.mags"))
    with closing(SqliteStore.open(tmp_path / "back.mags")) as back:
        assert back.journal.head() == 1


def test_a_recall_over_all_opens_those_that_the_key_sees_and_that_hold_what_is_asked(
    folder: Path, tmp_path: Path
):
    ring = KeyRing(folder)
    every, team = (
        ring.add(name, names, Scope.ADMIN, 1.0)
        for name, names in (("every", (EVERY,)), ("team", ("team-*", "mine")))
    )
    keys, url = keyring(tmp_path / "keys"), shared().url
    for name, text, key in (
        ("mine", "I like tea.", None),
        ("team-a", "The release is on Friday.", None),
        ("boss", "The release is on Monday.", None),
        ("team-sealed", "The release notes are in a drawer.", keys),
    ):
        with (
            closing(PostgresCatalog(url, "over all", keyring=key)) as catalog,
            open_memory(catalog.open(name)) as memory,
        ):
            memory.observe(text)
    with (
        serving(folder, store=url, tenant="over all", need_key=True, keyring=keys) as served,
        served.client(every) as whole,
        served.client(team) as part,
    ):
        asked = {"query": "When is the release?", "also": [EVERY]}
        for client, also, seen in (
            (whole, [EVERY], {"mine", "team-a", "boss"}),
            (part, [EVERY], {"mine", "team-a"}),
            (part, [EVERY, "team-sealed"], {"mine", "team-a", "team-sealed"}),
        ):
            found = client.post("/memories/mine/recall", json={**asked, "also": also}).json()
            assert set(found["traces"]) == seen
            assert found["hits"][0]["memory"] in seen - {"mine"}
        assert part.post("/memories/boss/recall", json=asked).status_code == 404
        assert whole.delete("/memories/team-a").status_code == 204
        found = part.post("/memories/mine/recall", json=asked).json()
        assert set(found["traces"]) == {"mine"}


def test_a_store_that_is_no_database_is_refused(tmp_path: Path):
    with pytest.raises(ConfigurationError, match="postgresql://"):
        ServerSettings(folder=tmp_path, store="mysql://here").catalog()
