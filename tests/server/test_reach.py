"""Who reaches what: every route, asked for by every kind of key, with the document's examples.

A route that is not in the document has no example here, and one that is about no memory must be
entered below: a new route fails these tests until somebody has said whom it serves.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from fastapi.routing import iter_route_contexts

from mags.ports.chat import ChatSettings
from mags.server.auth import EVERY, KeyRing, Scope
from tests.models.chat.endpoint import Server
from tests.server.asking import DESTROYING, Asked, each_operation, fill
from tests.server.serving import Served, serving

OURS, THEIRS, ROOT, OTHER = "ours", "theirs", "root", "other"
ANYBODY = {"healthy", "ready"}
READS = ANYBODY | {
    "recall", "explain", "connect", "neighbours", "profile", "facts", "stats", "node",
    "chains", "ways", "latest", "search", "one_model",
    "node_life", "node_neighbours", "regions", "picture", "log", "changes", "snapshots",
    "diff", "branches", "export", "events", "memories", "models", "embeddings",
}  # fmt: skip
WRITES = READS | {
    "observe", "observe_many", "assert_fact", "converse", "ask", "feedback", "sleep", "edit",
    "forget", "forget_node", "associate", "correct", "snapshot", "rollback", "branch", "import",
    "chat",
}  # fmt: skip
ADMIN = WRITES | {"remove", "metrics"}
OF_ALL = {"model", "choose_model", "restore_model"}
MAY = {Scope.READ.name: READS, Scope.WRITE.name: WRITES, Scope.ADMIN.name: ADMIN}
OF_NONE = ANYBODY | OF_ALL
OF_NONE |= {
    "memories",
    "models",
    "one_model",
    "embeddings",
    "chat",
    "metrics",
}
UNWRITTEN = {"/", "/assets/{name}", "/openapi.json", "/mcp"}
"""Routes of the app that are not in its document: the page, the document, and MCP."""


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """A server that asks for keys, and its keys by what they are for."""

    served: Served
    keys: dict[str, str]

    def operations(self, namespace: str = OURS) -> list[Asked]:
        """The first example of each, about a memory."""
        document = self.served.service.api.openapi()
        return [
            asked.about(namespace) if "namespace" in asked.inside else asked
            for asked in each_operation(document)
        ]

    def client(self, key: str) -> httpx.Client:
        """A client with one of the keys."""
        return self.served.client(self.keys[key])

    def answer(self, key: str, asked: Asked) -> httpx.Response:
        """Ask with a key about what is there; it is there again after."""
        with self.client(key) as client:
            answer = asked.send(client)
            if asked.name in DESTROYING and "namespace" in asked.inside and answer.is_success:
                self.fill(asked.inside["namespace"])
        return answer

    def fill(self, namespace: str) -> None:
        """A memory that holds all that the examples name."""
        with self.client(ROOT) as client:
            fill(client, namespace)

    def stats(self, namespace: str) -> object:
        """What a memory holds."""
        with self.client(ROOT) as client:
            return client.get(f"/memories/{namespace}/stats").json()


@pytest.fixture
def house(folder: Path, answering: Server) -> Iterator[House]:
    """One key for all, one of each scope for `OURS`, and one for `THEIRS`."""
    ring = KeyRing(folder)
    keys = {scope.name: ring.add(scope.name, (OURS,), scope, 1.0) for scope in Scope}
    keys[ROOT] = ring.add(ROOT, (EVERY,), Scope.ADMIN, 1.0)
    keys[OTHER] = ring.add(OTHER, (THEIRS,), Scope.ADMIN, 1.0)
    upstream = ChatSettings(url=answering.url, model="tiny")
    with serving(folder, need_key=True, upstream=upstream) as served:
        made = House(served=served, keys=keys)
        made.fill(OURS)
        yield made


def test_every_route_of_the_app_is_entered_here(house: House):
    api = house.served.service.api
    paths = {route.path.replace(":path}", "}") for route in iter_route_contexts(api.routes)}
    assert paths == {*api.openapi()["paths"], *UNWRITTEN}
    operations = house.operations()
    assert {one.name for one in operations} == ADMIN | OF_ALL
    assert {one.name for one in operations if "namespace" not in one.inside} == OF_NONE


@pytest.mark.parametrize("key", list(Scope.__members__))
def test_a_key_reaches_what_its_scope_holds_and_nothing_else(house: House, key: str):
    before, wrong = house.stats(OURS), []
    for asked in house.operations():
        may = asked.name in MAY[key]
        answer = house.answer(key, asked)
        if not (asked.succeeds(answer) if may else answer.status_code == 403):
            wrong.append(asked.told(answer))
    assert wrong == []
    assert (house.stats(OURS) == before) == (key == Scope.READ.name)


def test_the_model_is_for_an_admin_of_all_memories(house: House):
    answers = [(one, house.answer(ROOT, one)) for one in house.operations() if one.name in OF_ALL]
    assert len(answers) == 3
    assert [one[0].told(one[1]) for one in answers if not one[0].succeeds(one[1])] == []


def test_what_is_anothers_is_not_there(house: House):
    house.fill(THEIRS)
    before = house.stats(THEIRS)
    private = [one for one in house.operations(THEIRS) if one.name not in OF_NONE]
    assert len(private) > 30
    refused = [(one, house.answer(Scope.ADMIN.name, one)) for one in private]
    assert [one[0].told(one[1]) for one in refused if one[1].status_code != 404] == []
    assert house.stats(THEIRS) == before
    with house.client(Scope.ADMIN.name) as client:
        assert client.get("/memories").json()["memories"] == [OURS]
    # The same requests, by whose it is: else a route that is never found would pass.
    served = [(one, house.answer(OTHER, one)) for one in private]
    assert [one[0].told(one[1]) for one in served if not one[0].succeeds(one[1])] == []


def test_a_recall_over_several_goes_over_none_that_the_key_does_not_see(house: House):
    house.fill(THEIRS)
    asked = {"query": "Where does Ana live?", "also": [THEIRS]}
    for key, status in ((Scope.READ.name, 404), (OTHER, 404), (ROOT, 200)):
        with house.client(key) as client:
            answer = client.post(f"/memories/{OURS}/recall", json=asked)
        assert answer.status_code == status
        assert ("Porto" in answer.text) == (status == 200)


def test_nobody_gets_anything_without_a_key(house: House):
    wrong = []
    with house.served.client() as nobody, house.served.client("mags_wrong") as stranger:
        for asked in house.operations():
            answer = asked.send(nobody)
            if answer.status_code != (200 if asked.name in ANYBODY else 401):
                wrong.append(asked.told(answer))
            answer = asked.send(stranger)
            if answer.status_code not in (401, 429):  # 429: one wrong key after another
                wrong.append(asked.told(answer))
    assert wrong == []
