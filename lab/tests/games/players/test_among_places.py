"""Among places MAGS keeps in mind what it acts on, and looks whether it is still so."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

import mags
from mags.memory.memory import Memory
from mags.models.embed.hashing import HashEmbedder
from mags.ports.answer import Answerer
from mags.settings import Settings
from mags_lab.games.players.remembering import Remembering
from mags_lab.games.players.thinker import Habits
from mags_lab.games.turns import Choice, GameLine, GameScene

BELONGS = "The ball belongs on the stand."
SEEN = "A ball is in the laundry basket."
PUT = "Yesterday somebody put the ball on the stand over there."
IDLE = tuple(f"Nothing happens on day {day}." for day in range(20))
ASKED = "You are in the Attic. What belongs where, and is in a laundry basket?"
OTHERWISE = "You are in the Cellar. What happens on day 7?"
ACTIONS = ("go east", "go north")


class Tidy:
    """Goes east to put the ball away, citing why, unless a line says that it was put away."""

    def choose(self, lines: tuple[str, ...], question: str, actions: tuple[str, ...]) -> Choice:
        said = [line.partition(": ")[2] or line for line in lines]
        if {BELONGS, SEEN} <= set(said) and PUT not in said:
            return Choice(action="go east", sure=0.9, cited=(said.index(BELONGS), said.index(SEEN)))
        return Choice(action="go north", sure=0.5)


def in_ram(clock: Callable[[], float], thinker: Answerer) -> Memory:
    made, settings = HashEmbedder(64), Settings()
    return mags.open(None, clock=clock, answerer=thinker, settings=settings, embedder=made)


@pytest.fixture
def player() -> Iterator[Remembering]:
    habits = Habits(k=2, meeting=0, chains=0, outcomes=False, learn=False, ways=True)
    made = Remembering(Tidy(), in_ram, habits=habits)
    yield made
    made.close()


def scene(turn: int, question: str, *said: str) -> GameScene:
    told = tuple(
        GameLine(speaker="world", text=text, at=60.0 * turn + i) for i, text in enumerate(said)
    )
    return GameScene(turn=turn, at=60.0 * turn, said=told, question=question, actions=ACTIONS)


def shown(lines: tuple[str, ...]) -> set[str]:
    return {line.partition(": ")[2] for line in lines}


def test_what_an_act_rested_on_is_shown_again_where_nothing_asks_for_it(player: Remembering):
    first = scene(0, ASKED, BELONGS, SEEN, *IDLE)
    player.begin(first)
    player.choose(first)
    went = player.choose(scene(1, ASKED, "It is quiet."))
    assert (went.action, shown(went.lines) & {BELONGS, SEEN}) == ("go east", {BELONGS, SEEN})
    assert {BELONGS, SEEN} <= shown(player.choose(scene(2, OTHERWISE, "It is late.")).lines)


def test_what_was_said_last_of_what_an_act_rests_on_may_change_it(player: Remembering):
    first = scene(0, ASKED, BELONGS, SEEN, PUT, *IDLE)
    player.begin(first)
    player.choose(first)
    went = player.choose(scene(1, ASKED, "It is quiet."))
    assert went.action == "go north"
    assert {BELONGS, SEEN, PUT} <= shown(went.lines)


def test_a_new_game_has_nothing_in_mind(player: Remembering):
    first = scene(0, ASKED, BELONGS, SEEN, *IDLE)
    player.begin(first)
    player.choose(first)
    player.choose(scene(1, ASKED, "It is quiet."))
    other = scene(0, OTHERWISE, *IDLE)
    player.begin(other)
    assert shown(player.choose(other).lines) <= set(IDLE)
