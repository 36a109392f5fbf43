"""A key bound to a speaker tells as that speaker and nobody else, by whatever way it comes."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from mags.ports.chat import ChatSettings
from mags.server.auth import EVERY, Forbidden, Grant, KeyRing, Scope
from tests.models.chat.endpoint import Server
from tests.server.asking import DESTROYING, each_operation, fill
from tests.server.serving import Served, serving
from tests.server.test_mcp import ok, over_http, refused, talk

ALICE, OURS, ACME = "Alice Moss", "alice", "I work at Acme."
UNSAID = {"assert_fact", "import", "edit"}
"""What tells or changes something that no one speaker says."""


@pytest.fixture
def house(folder: Path, answering: Server) -> Iterator[tuple[Served, str, str]]:
    """A server, the key of everybody, and Alice's."""
    ring = KeyRing(folder)
    root = ring.add("root", (EVERY,), Scope.ADMIN, 1.0)
    hers = ring.add("hers", (OURS,), Scope.WRITE, 1.0, speaker=ALICE)
    upstream = ChatSettings(url=answering.url, model="tiny")
    with serving(folder, need_key=True, upstream=upstream) as served:
        yield served, root, hers


def speakers(client: httpx.Client) -> dict[str, str]:
    """By what was said who said it, in the whole memory."""
    exported = client.get(f"/memories/{OURS}/export", params={"vectors": False})
    rows = [json.loads(line) for line in exported.text.splitlines()]
    metas = [(row["text"], row["meta"]) for row in rows if "node" in row]
    return {text: meta["speaker"] for text, meta in metas if meta.get("speaker")}


def chatted(client: httpx.Client) -> set[str]:
    """Who said over the proxy where they work."""
    exported = client.get(f"/memories/{OURS}/export", params={"vectors": False}).text
    rows = [json.loads(line) for line in exported.splitlines()]
    return {row["meta"].get("speaker", "") for row in rows if row.get("text") == ACME} - {""}


def told(client: httpx.Client, **named: str) -> Iterator[httpx.Response]:
    """Each way to tell something in words, naming a speaker or none."""
    at = f"/memories/{OURS}"
    yield client.post(f"{at}/turns", json={"text": "I live in Oslo.", **named})
    turns = [{"text": "I like tea."}, {"text": "I like jazz.", **named}]
    yield client.post(f"{at}/turns/bulk", json={"turns": turns})
    yield client.post(f"{at}/turns/bulk", json={"turns": turns, "apart": True})
    yield client.post(f"{at}/converse", json={"text": "I adopted a dog.", **named})
    yield client.post(f"{at}/ask", json={"question": "Where do I live?", **named})
    yield client.post(f"{at}/recall", json={"query": "Where do I live?", **named})


def test_what_is_told_is_kept_as_told_by_the_speaker(house: tuple[Served, str, str]):
    served, root, hers = house
    with served.client(hers) as client:
        assert {one.status_code for one in told(client, speaker="Bob")} == {403}
        assert client.get("/memories").json()["memories"] == []
        for named in ({}, {"speaker": "user"}, {"speaker": ALICE}):
            assert {one.status_code // 100 for one in told(client, **named)} == {2}
        chat = {"messages": [{"role": "user", "content": ACME}], "user": "bob"}
        with served.client(root) as owner:  # says the same, and is somebody else
            assert owner.post("/v1/chat/completions", json=chat | {"user": OURS}).is_success
        assert client.post("/v1/chat/completions", json=chat).status_code == 200
        assert chatted(client) == {"user", ALICE}
        found = speakers(client)
        assert {found[t] for t in ("I live in Oslo.", "I like tea.", "I adopted a dog.")} == {ALICE}
        assert set(found.values()) <= {ALICE, "assistant", "mags", "user"}
        where = client.post(f"/memories/{OURS}/ask", json={"question": "Where do I live?"})
        assert "Oslo" in where.json()["text"]


def test_over_mcp_too(house: tuple[Served, str, str]):
    served, _, hers = house

    async def tools(client: Any) -> None:
        why = await refused(client, "observe", text="I live in Rome.", speaker="Bob")
        assert ALICE in why
        await ok(client, "observe", text="I live in Porto.")
        assert "Porto" in (await ok(client, "ask", question="Where do I live?"))["text"]
        for tool, said in (("ask", "question"), ("recall", "query")):
            assert ALICE in await refused(client, tool, **{said: "I?"}, speaker="Bob")
            await ok(client, tool, **{said: "Where do I live?"}, speaker=ALICE)

    talk(over_http(served, hers), tools)
    with served.client(hers) as client:
        assert speakers(client)["I live in Porto."] == ALICE


def test_no_route_lets_a_bound_key_tell_as_another(house: tuple[Served, str, str]):
    served, root, hers = house
    with served.client(root) as owner, served.client(hers) as client:
        fill(owner, OURS)
        before = speakers(owner)
        done: dict[str, int] = {}
        for asked in each_operation(served.service.api.openapi()):
            if "namespace" not in asked.inside or asked.name == "remove":
                continue
            answer = asked.about(OURS).send(client)
            done[asked.name] = answer.status_code
            if answer.is_success and asked.method != "GET":
                new = {t: who for t, who in speakers(owner).items() if t not in before}
                assert set(new.values()) <= {ALICE, "mags"}, asked.told(answer)
                if asked.name in DESTROYING:
                    fill(owner, OURS)
        assert {name for name, status in done.items() if status == 403} >= UNSAID
        edit = {"pinned": True}
        assert client.patch(f"/memories/{OURS}/nodes/3", json=edit).status_code == 200
        named = {"id": 3, "right": "Bergen", "speaker": "Bo"}
        assert client.post(f"/memories/{OURS}/corrections", json=named).status_code == 403


def test_an_admin_that_is_bound_is_not_the_owner():
    grant = Grant(name="a", namespaces=(EVERY,), scope=Scope.ADMIN, speaker=ALICE)
    assert not grant.trusted
    for named in ("alice moss", "Alice", f"{ALICE} ", "assistant", ""):
        with pytest.raises(Forbidden):
            grant.speaks(named)
    assert {grant.speaks(named) for named in ("user", ALICE)} == {ALICE}
