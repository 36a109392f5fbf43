"""Memories that are opened, left, closed and deleted while others come and go."""

import os
import threading
import time
from pathlib import Path

import httpx
import pytest

from mags.errors import InvalidInput, NotFound, StoreError
from mags.ports.store import Store
from mags.server.auth import EVERY, EVERYTHING, Grant, KeyRing, Scope
from mags.server.open_memories import OpenMemories, Overloaded
from mags.server.settings import ServerLimits
from mags.store.folder import FolderCatalog
from tests.server.serving import Served, open_memory, serving


def filled(folder: Path, *names: str, most: int = 128) -> OpenMemories:
    memories = OpenMemories(FolderCatalog(folder), open_memory, most=most)
    for name in names:
        with memories.enter(EVERYTHING, name, Scope.WRITE) as opened:
            opened.memory.observe(f"I am {name}.")
    return memories


def test_deleting_a_memory_leaves_what_merely_begins_with_its_name(folder: Path):
    memories = filled(folder, "a", "a-b", "a.b")
    beside = folder / "a.mags-copy.mags"
    beside.write_bytes(b"x")
    memories.remove(EVERYTHING, "a")
    memories.close()
    assert {path.name for path in folder.glob("a*")} >= {"a-b.mags", "a.b.mags", beside.name}
    assert not (folder / "a.mags").exists()


def test_with_a_memory_go_the_copies_that_migrations_kept_of_it(folder: Path):
    memories = filled(folder, "a", "b")
    for name in ("a", "b"):
        (folder / f"{name}.mags.v1-backup").write_bytes(b"x")
    memories.remove(EVERYTHING, "a")
    memories.close()
    kept = {path.name for path in folder.iterdir() if path.name[0] in "ab"}
    assert kept == {"b.mags", "b.mags.v1-backup"}


@pytest.mark.parametrize("name", ["a.mags", "a.mags-wal", "a.MAGS.b", "keys.mags"])
def test_no_memory_has_the_name_of_anothers_file(folder: Path, name: str):
    memories = OpenMemories(FolderCatalog(folder), open_memory)
    with pytest.raises(InvalidInput), memories.enter(EVERYTHING, name, Scope.WRITE):
        pass


def test_a_branch_is_not_deleted_with_everything_else(folder: Path):
    memories = filled(folder, "a")
    with pytest.raises(InvalidInput, match="branch"):
        memories.remove(EVERYTHING, "a", branch="draft")
    assert memories.names(EVERYTHING) == ["a"]
    memories.close()


def test_a_branch_of_what_is_not_there_makes_no_file(folder: Path):
    memories = OpenMemories(FolderCatalog(folder), open_memory)
    with pytest.raises(NotFound), memories.enter(EVERYTHING, "a", Scope.WRITE, branch="x"):
        pass
    assert memories.names(EVERYTHING) == []


def test_a_memory_that_is_removed_while_it_is_opened_is_not_there(folder: Path):
    class Vanishing(FolderCatalog):
        def open(self, name: str, branch: str = "main") -> Store:
            self.remove(name)
            raise StoreError(f"there is no memory at {folder / name}")

    filled(folder, "a").close()
    memories = OpenMemories(Vanishing(folder), open_memory)
    with (
        pytest.raises(NotFound, match="no memory 'a'"),
        memories.enter(EVERYTHING, "a", Scope.READ),
    ):
        pass


def test_a_disk_that_takes_two_spellings_for_one_opens_only_the_right_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    filled(folder, "alice").close()
    exists = Path.exists

    def blind(path: Path) -> bool:
        return exists(path) or exists(path.with_name(path.name.casefold()))

    monkeypatch.setattr(Path, "exists", blind)
    memories = OpenMemories(FolderCatalog(folder), open_memory)
    key = Grant(name="k", namespaces=("Alice",), scope=Scope.WRITE)
    with pytest.raises(NotFound), memories.enter(key, "Alice", Scope.WRITE):
        pass
    memories.close()


def test_a_memory_opens_without_a_look_at_all_the_others(folder: Path, monkeypatch):
    filled(folder, "alice", "bert").close()

    listed = []
    listdir = os.listdir
    monkeypatch.setattr("os.listdir", lambda path: listed.append(str(path)) or listdir(path))
    filled(folder, "alice").close()
    assert str(folder) not in listed
    assert FolderCatalog(folder).exists("alice")
    assert next(folder.iterdir())  # it is by `listdir` that a folder is listed
    assert str(folder) in listed


def test_a_memory_that_opens_while_the_server_closes_is_closed_too(folder: Path):
    begun, go = threading.Event(), threading.Event()
    opened = []

    def slow(store: Store):
        begun.set()
        assert go.wait(10.0)
        opened.append(open_memory(store))
        return opened[-1]

    memories = OpenMemories(FolderCatalog(folder), slow)
    failures = []

    def enter() -> None:
        try:
            with memories.enter(EVERYTHING, "a", Scope.WRITE):
                pass
        except Overloaded as failure:
            failures.append(failure)

    thread = threading.Thread(target=enter)
    thread.start()
    assert begun.wait(10.0)
    memories.close()
    go.set()
    thread.join(10.0)
    assert len(failures) == 1
    assert len(memories) == 0
    with open_memory(FolderCatalog(folder).open("a")) as again:  # its writer's lock is free
        again.observe("I am here.")


def test_an_event_stream_ends_when_its_key_is_revoked(folder: Path):
    ring = KeyRing(folder)
    root = ring.add("root", (EVERY,), Scope.ADMIN, 1.0)
    with serving(folder, need_key=True) as served, served.client(root) as client:
        client.post("/memories/a/turns", json={"text": "I am here."})
        with client.stream("GET", "/memories/a/events") as answer:
            lines = answer.iter_lines()
            assert next(lines) == ": listening"
            ring.rotate("root", 2.0)
            assert [line for line in lines if line] == []
        until = time.monotonic() + 30.0  # the count falls just after the last byte is out
        while served.service.api.state.streams and time.monotonic() < until:
            time.sleep(0.01)
        assert served.service.api.state.streams == 0


def test_an_event_stream_says_that_its_memory_was_deleted(folder: Path):
    with serving(folder) as served, served.client() as client, served.client() as other:
        client.post("/memories/a/turns", json={"text": "I am here."})
        with client.stream("GET", "/memories/a/events") as answer:
            lines = answer.iter_lines()
            next(lines)
            while other.delete("/memories/a").status_code == 503:
                pass  # just being looked at
            assert "event: failed" in list(lines)


def open_now(served: Served) -> list[str]:
    return sorted(namespace for namespace, _ in served.service.memories._memories)


def test_who_opens_one_memory_after_another_fills_half_of_the_ram_beside_others(folder: Path):
    keys = {name: KeyRing(folder).add(name, [f"{name}*"], Scope.WRITE, 0.0) for name in "hm"}
    with serving(folder, need_key=True) as served, served.client(keys["m"]) as modest:
        modest.post("/memories/m0/turns", json={"text": "I like tea."}).raise_for_status()
        each = modest.get("/memories/m0/stats").json()["bytes_in_memory"]
    limits = ServerLimits(open_bytes=4.5 * each)
    with (
        serving(folder, need_key=True, limits=limits) as served,
        served.client(keys["h"]) as hostile,
        served.client(keys["m"]) as modest,
    ):

        def tell(client: httpx.Client, name: str) -> None:
            told = client.post(f"/memories/{name}/turns", json={"text": f"I am {name}."})
            assert told.status_code == 201

        for name in ("h0", "h1", "h2", "h3"):
            tell(hostile, name)
        assert open_now(served) == ["h0", "h1", "h2", "h3"]  # nobody else asks
        for name in ("m0", "m1"):
            tell(modest, name)
        for name in ("h4", "h5", "h6"):
            tell(hostile, name)
        assert open_now(served) == ["h5", "h6", "m0", "m1"]
        found = hostile.post("/memories/h0/recall", json={"query": "Who?"}).json()  # opened again
        assert "h0" in str(found)


def test_a_memory_over_the_whole_ram_is_answered_and_then_closed(folder: Path):
    with (
        serving(folder, limits=ServerLimits(open_bytes=1.0)) as served,
        served.client() as client,
    ):
        for number in range(3):
            told = client.post("/memories/a/turns", json={"text": f"I have {number} dogs."})
            assert told.status_code == 201
            assert open_now(served) == []
        assert "2 dogs" in client.get("/memories/a/export").text


def test_what_only_asks_of_a_memory_that_is_not_there_makes_none(folder: Path):
    with serving(folder) as served, served.client() as client:
        asked = client.post("/memories/tyop/ask", json={"question": "Where do I live?"})
        assert (asked.status_code, asked.json()["text"]) == (200, "I don't know.")
        assert list(folder.iterdir()) == []
        assert client.get("/memories/tyop/facts").status_code == 404
        told = client.post("/memories/ana/turns", json={"text": "I live in Oslo."})
        assert told.status_code == 201
        assert client.get("/memories").json()["memories"] == ["ana"]
        assert client.post("/memories/ana/ask", json={"question": "Who?"}).status_code == 200
        assert client.get("/memories/ana/facts").status_code == 200
