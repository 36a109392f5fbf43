"""Who reaches the games: their routes, asked for by every kind of key, with their own examples."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from lab.tests.server.playing import GAMES, begin_game
from mags.server.auth import EVERY, KeyRing, Scope
from tests.server.asking import Asked, each_operation, every_example
from tests.server.serving import Served, serving

OF_ALL = {"games", "begin_game"}
OF_ONE = {"step", "game_picture", "end_game"}
OWNER, OTHER = "owner", "other"


@pytest.fixture
def house(folder: Path) -> Iterator[tuple[Served, dict[str, str]]]:
    """A server that asks for keys, and its keys by what they are for."""
    ring = KeyRing(folder)
    keys = {scope.name: ring.add(scope.name, ("ours",), scope, 1.0) for scope in Scope}
    keys |= {name: ring.add(name, (EVERY,), Scope.ADMIN, 1.0) for name in (OWNER, OTHER)}
    with serving(folder, need_key=True, joining=GAMES) as served:
        yield served, keys


def operations(served: Served) -> list[Asked]:
    """The first example of each operation on games."""
    found = [one for one in each_operation(served.service.api.openapi()) if "/games" in one.path]
    assert {one.name for one in found} == OF_ALL | OF_ONE
    return found


def answer(asked: Asked, client: httpx.Client, owner: httpx.Client) -> httpx.Response:
    """Ask about a game of the owner, which is put away after."""
    game = asked.inside.get("game")
    if game is not None:
        begin_game(owner, game)
    answered = asked.send(client)
    if game is not None:
        owner.delete(f"/games/{game}")
    return answered


@pytest.mark.parametrize("key", list(Scope.__members__))
def test_who_may_write_plays_and_who_may_only_read_does_not(house, key: str):
    served, keys = house
    wrong = []
    with served.client(keys[key]) as client, served.client(keys[OWNER]) as owner:
        for asked in operations(served):
            may = key != Scope.READ.name
            given = answer(asked, client, client if may else owner)
            if not (asked.succeeds(given) if may else given.status_code == 403):
                wrong.append(asked.told(given))
    assert wrong == []


def test_a_game_of_anothers_is_not_there(house):
    served, keys = house
    with served.client(keys[OTHER]) as client, served.client(keys[OWNER]) as owner:
        private = [one for one in operations(served) if one.name in OF_ONE]
        assert [answer(one, client, owner).status_code for one in private] == [404] * 3


def test_nobody_plays_without_a_key(house):
    served, _ = house
    with served.client() as nobody, served.client("mags_wrong") as stranger:
        for asked in operations(served):
            assert [asked.send(one).status_code for one in (nobody, stranger)] == [401, 401]


def test_every_example_of_the_games_succeeds(client: httpx.Client):
    document = client.get("/openapi.json").json()
    tried = [one for one in every_example(document) if "/games" in one.path]
    assert len(tried) > 5
    answers = [(one, answer(one, client, client)) for one in tried]
    assert [one.told(given) for one, given in answers if not one.succeeds(given)] == []


def test_the_page_is_told_that_there_are_games(client: httpx.Client):
    assert client.get("/memories").json()["joined"] == ["games"]
