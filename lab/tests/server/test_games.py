"""Games played live over HTTP."""

from pathlib import Path

import httpx
import pytest

from lab.tests.server.playing import GAMES as JOINING
from lab.tests.server.playing import players
from mags.server.auth import Grant, Scope
from mags_lab.games.matches import GameMatch
from mags_lab.games.registry import GAMES, make
from mags_lab.server.sessions import IDLE_S, MINE, MOST, OFFERED, GameSessions
from tests.server.serving import Served, serving

TINY = {"game": "nonsense/tiny", "seed": 3}


def key(name: str) -> Grant:
    return Grant(name=name, namespaces=("*",), scope=Scope.WRITE, digest=name)


def test_a_game_is_played_by_both_turn_by_turn(client: httpx.Client):
    assert client.get("/games").json()["games"]["nonsense/tiny"] == 50
    begun = client.post("/games", json=TINY)
    assert begun.status_code == 201
    game = begun.json()
    assert game["turns"] == 50
    path = f"/games/{game['id']}"
    steps = [client.post(f"{path}/step").json() for _ in range(50)]
    assert [step["turn"] for step in steps] == list(range(1, 51))
    assert [step["over"] for step in steps] == [False] * 49 + [True]
    for side in ("mags", "alone"):
        turns = [step[side] for step in steps]
        assert all(turn["action"] in turn["actions"] for turn in turns)
        assert all(turn["right"] == (turn["action"] in turn["best"]) for turn in turns)
        assert turns[-1]["rights"] == sum(turn["right"] for turn in turns)
        assert turns[-1]["score"] == pytest.approx(sum(turn["reward"] for turn in turns))
    told = [line for step in steps for line in step["mags"]["said"]]
    assert {"speaker", "text"} == told[0].keys()
    # Only a memory brings back what is not said in this turn.
    assert any(
        line not in step["alone"]["lines"] for step in steps for line in step["mags"]["lines"]
    )
    assert client.post(f"{path}/step").status_code == 422
    assert client.delete(path).status_code == 204
    assert client.post(f"{path}/step").status_code == 404


def test_it_is_the_game_that_the_arena_tunes_on(client: httpx.Client):
    remembering, nothing = players()
    for name, player in (("mags", remembering), ("alone", nothing)):
        expected = [
            t.action for t in GameMatch(make("knights/short/tuning"), player, seed=1, turns=6)
        ]
        game = client.post("/games", json={"game": "knights/short", "seed": 1}).json()["id"]
        played = [client.post(f"/games/{game}/step").json()[name] for _ in range(6)]
        assert [turn["action"] for turn in played] == expected
    remembering.close()


def test_the_memory_of_a_game_is_drawn_as_it_grows(client: httpx.Client):
    path = f"/games/{client.post('/games', json=TINY).json()['id']}"
    assert client.get(f"{path}/picture").status_code == 422
    sizes = []
    for _ in range(2):
        client.post(f"{path}/step")
        sizes.append(client.get(f"{path}/picture").json()["nodes"])
    assert 0 < sizes[0] < sizes[1]


def test_a_game_of_another_key_is_not_there(folder: Path):
    with serving(folder, joining=JOINING, need_key=True) as served:
        made = served.service.keys.add
        one, other = (made(name, ("*",), Scope.WRITE, 0.0) for name in "ab")
        reader = made("r", ("*",), Scope.READ, 0.0)
        with served.client(one) as client, served.client(other) as stranger:
            path = f"/games/{client.post('/games', json=TINY).json()['id']}"
            assert client.post(f"{path}/step").status_code == 200
            for answer in (
                stranger.post(f"{path}/step"),
                stranger.get(f"{path}/picture"),
                stranger.delete(path),
            ):
                assert answer.status_code == 404
        with served.client(reader) as client:
            assert client.post("/games", json=TINY).status_code == 403
        with served.client() as client:
            assert client.get("/games").status_code == 401


@pytest.mark.parametrize(
    "body", [{"game": "nonsense/vast"}, {"game": "../x"}, {"seed": -1}, {"seed": 1.5}, {"sed": 1}]
)
def test_a_game_that_is_not_offered_is_refused(client: httpx.Client, body: dict):
    assert client.post("/games", json=body).status_code == 422


def test_the_oldest_game_of_a_key_gives_way_and_strangers_games_do_not():
    sessions = GameSessions(players)
    theirs, _ = sessions.begin(key("b"), "knights/short", 0)
    mine = [sessions.begin(key("a"), "knights/short", n)[0] for n in range(MINE + 1)]
    assert len(sessions) == 1 + MINE
    assert sessions.step(key("b"), theirs)[1].played == 1
    assert sessions.step(key("a"), mine[-1])[1].played == 1
    with pytest.raises(Exception, match="any more"):
        sessions.step(key("a"), mine[0])
    sessions.close()
    assert len(sessions) == 0


def test_a_full_house_says_so_until_somebody_is_idle():
    now = 0.0
    sessions = GameSessions(players, lambda: now)
    for n in range(MOST):
        sessions.begin(key(f"k{n}"), "knights/short", 0)
    with pytest.raises(Exception, match="being played"):
        sessions.begin(key("late"), "knights/short", 0)
    now = IDLE_S + 1.0
    sessions.begin(key("late"), "knights/short", 0)
    assert len(sessions) == 1
    sessions.close()


def test_every_game_that_is_offered_is_there():
    assert OFFERED.keys() <= GAMES.keys()
    assert len(OFFERED) == 9


def test_a_stop_puts_games_away(folder: Path):
    with serving(folder, joining=JOINING) as served, served.client() as client:
        client.post("/games", json=TINY)
        kept: Served = served
    assert len(kept.service.api.state.sessions) == 0
