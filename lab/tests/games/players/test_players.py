"""Players: what each sees, and that a game leaves no trace in the next."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import mags
from lab.tests.games.players.tiny import Towns, Words
from mags.memory.memory import Memory
from mags.models.embed.hashing import HashEmbedder
from mags.ports.answer import Answerer
from mags.settings import PolicySettings, Settings
from mags_lab.games.matches import PlayedTurn, play
from mags_lab.games.players.baselines import Nothing, WindowPlayer
from mags_lab.games.players.remembering import MakeMemory, Remembering
from mags_lab.games.players.retrieving import Retrieving
from mags_lab.games.players.thinker import Habits
from mags_lab.games.turns import Choice, Player

EMBEDDER = HashEmbedder(64)
RULES = Settings(policy=PolicySettings(kind="rules"))
"""They read all that the game tells; those of `mags eval` play with the shipped policy."""


def in_ram(clock: Callable[[], float], thinker: Answerer) -> Memory:
    return mags.open(None, clock=clock, answerer=thinker, settings=RULES, embedder=EMBEDDER)


def in_files(folder: Path) -> MakeMemory:
    def make(clock: Callable[[], float], thinker: Answerer) -> Memory:
        path = folder / f"{len(list(folder.glob('*.mags')))}.mags"
        return mags.open(path, clock=clock, answerer=thinker, settings=RULES, embedder=EMBEDDER)

    return make


@pytest.fixture(params=["ram", "file"])
def mags_player(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Remembering]:
    player = Remembering(Words(), in_ram if request.param == "ram" else in_files(tmp_path))
    yield player
    player.close()


def untimed(turns: tuple[PlayedTurn, ...]) -> list[PlayedTurn]:
    return [replace(turn, recall_s=0.0, engram_s=0.0, choose_s=0.0) for turn in turns]


def score(turns: tuple[PlayedTurn, ...]) -> float:
    return sum(turn.right for turn in turns) / len(turns)


def test_nothing_sees_the_turn_alone():
    turns = play(Towns(), Nothing(Words()), seed=1, turns=20)
    assert turns[0].shown == 8
    assert {turn.shown for turn in turns[1:]} == {2}


def test_a_window_holds_the_last_lines_that_fit():
    turns = play(Towns(every=500), WindowPlayer(Words(), lines=5), seed=1, turns=30)
    assert {turn.shown for turn in turns} == {5}
    assert turns[-1].lines[-1].startswith("Jon: ")
    assert all(
        turn.tokens <= 40
        for turn in play(Towns(), WindowPlayer(Words(), tokens=40), seed=1, turns=9)
    )


def test_a_rulebook_is_all_that_static_retrieval_knows():
    player = Retrieving(Words(), EMBEDDER, growing=False, k=3)
    turns = play(Towns(every=10), player, seed=1, turns=100)
    assert all(turn.right for turn in turns if turn.since is None)
    assert score(tuple(turn for turn in turns if (turn.since or 0) > 1)) < 0.5


def test_growing_retrieval_finds_what_was_told_later():
    player = Retrieving(Words(), EMBEDDER, growing=True, k=12)
    turns = play(Towns(every=10), player, seed=1, turns=100)
    assert sum(turn.carried for turn in turns) / sum(turn.needed for turn in turns) > 0.9


def test_mags_follows_the_changes_of_a_world(mags_player: Remembering):
    turns = play(Towns(every=10), mags_player, seed=1, turns=50)
    assert score(turns) > 0.95
    right = [turn for turn in turns if turn.right]
    assert all(set(turn.cited) & set(turn.teaching) for turn in right[10:])
    assert {fact.valid_to is None for fact in mags_player.memory.facts()} == {True, False}


def test_lines_are_shown_oldest_first_and_each_once(mags_player: Remembering):
    for turn in play(Towns(every=5), mags_player, seed=1, turns=20)[1:]:
        assert turn.lines[-1].startswith(("Jon: ", "Ida: "))
    told = mags_player._thinker.shown
    places = [one.note.said for one in told if one.note is not None]
    assert places == sorted(set(places))


def test_rewards_strengthen_what_was_cited():
    learning = Remembering(Words(), in_ram)
    play(Towns(every=500), learning, seed=1, turns=30)
    used = [learning.memory.get(fact.id).uses for fact in learning.memory.facts()]
    assert sum(used) > 20
    kinds = [entry.kind for entry in learning.memory.log()]
    assert kinds.count("feedback") >= 25
    deaf = Remembering(Words(), in_ram, habits=Habits(learn=False))
    play(Towns(every=500), deaf, seed=1, turns=30)
    assert "feedback" not in {entry.kind for entry in deaf.memory.log()}


def test_a_game_leaves_no_trace_in_the_next(mags_player: Remembering):
    play(Towns(every=5), mags_player, seed=1, turns=15)
    second = play(Towns(every=5), mags_player, seed=2, turns=15)
    fresh = Remembering(Words(), in_ram)
    assert untimed(second) == untimed(play(Towns(every=5), fresh, seed=2, turns=15))


def test_a_rolled_back_memory_plays_as_an_empty_one():
    held: list[Memory] = []

    def rewound(clock: Callable[[], float], thinker: Answerer) -> Memory:
        if not held:
            held.append(in_ram(clock, thinker))
            held[0].snapshot("empty")
        return held[0]

    player = Remembering(Words(), rewound)
    play(Towns(every=5), player, seed=1, turns=15)
    held[0].rollback("empty")
    assert held[0].facts() == []
    assert sum(held[0].stats().nodes.values()) == 0
    assert len(held[0].recall("Where does Anna live now?")) == 0


@pytest.mark.parametrize(
    "make",
    [
        lambda: WindowPlayer(Words()),
        lambda: Retrieving(Words(), EMBEDDER, growing=True),
        lambda: Retrieving(Words(), EMBEDDER, growing=False),
    ],
)
def test_baselines_forget_the_game_before(make: Callable[[], Player]):
    player = make()
    play(Towns(), player, seed=1, turns=20)
    again = untimed(play(Towns(), player, seed=2, turns=20))
    assert again == untimed(play(Towns(), make(), seed=2, turns=20))


class Unsure:
    """A reader that is never sure and keeps what it was shown."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, ...]] = []

    def choose(self, lines: tuple[str, ...], question: str, actions: tuple[str, ...]) -> Choice:
        self.seen.append(lines)
        return Choice(action=actions[0], sure=0.0)


def test_an_unsure_reader_is_shown_more():
    reader = Unsure()
    player = Remembering(reader, in_ram, habits=Habits(chains=0, k=2, sure=0.5, again=4))
    play(Towns(), player, seed=1, turns=12)
    pairs = list(zip(reader.seen[::2], reader.seen[1::2], strict=True))
    assert len(pairs) == 12
    assert all(set(first) <= set(second) for first, second in pairs)
    assert any(len(second) > len(first) for first, second in pairs)
    assert player.recalls > 12


def test_history_is_shown_beside_what_is_recalled():
    plain = play(Towns(), Remembering(Words(), in_ram, habits=Habits(k=2)), seed=1, turns=20)
    habits = Habits(k=2, history=10)
    chatty = play(Towns(), Remembering(Words(), in_ram, habits=habits), seed=1, turns=20)
    assert chatty[-1].shown > plain[-1].shown
