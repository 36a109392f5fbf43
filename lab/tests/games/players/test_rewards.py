"""Who learns from rewards, and who does not, whatever they are."""

from __future__ import annotations

import pytest

from lab.tests.games.players.test_players import EMBEDDER, in_ram, untimed
from lab.tests.games.players.tiny import Towns, Words
from mags_lab.cli.arena import HABITS, LINES, STANDARD, UNREWARDED, make_player
from mags_lab.games.matches import play
from mags_lab.games.players.remembering import Remembering
from mags_lab.games.players.retrieving import Retrieving, RewardedRetrieving
from mags_lab.games.turns import GameLine, GameScene, Move, Outcome, Player, Rewarded

ACTIONS = ("Give amber wax", "Give oat bread", "Give copper coins")
TOLD = ("guide", "Pell loves amber wax."), ("Jon", "Once Pell was glad of oat bread.")
BAD = "narrator", "Pell would not take the amber wax."
GOOD = "narrator", "You gave Pell amber wax, and Pell was glad."


def scene(turn: int, *said: tuple[str, str]) -> GameScene:
    at = 3_600.0 * turn
    lines = tuple(GameLine(speaker=speaker, text=text, at=at) for speaker, text in said)
    return GameScene(
        turn=turn, at=at, said=lines, question="What do you give Pell?", actions=ACTIONS
    )


def moves(player: Player, rewards: tuple[float, ...]) -> list[Move]:
    """What a player does where the same is asked and every gift is refused, and it is paid so."""
    found: list[Move] = []
    for turn, reward in enumerate(rewards):
        refused = found[-1].action.removeprefix("Give ") if found else ""
        said = [("narrator", f"Pell would not take the {refused}.")] if found else TOLD
        now = scene(turn, *said)
        if turn == 0:
            player.begin(now)
        found.append(player.choose(now))
        if isinstance(player, Rewarded):
            player.rewarded(Outcome(reward=reward))
    return found


def acts(player: Player, *rewards: float) -> list[tuple[object, ...]]:
    return [(one.action, one.lines, one.cited) for one in moves(player, rewards)]


def mags(name: str) -> Remembering:
    return Remembering(Words(), in_ram, habits=HABITS[name], name=name)


@pytest.mark.parametrize("name", ["MAGS, no reward", "MAGS"])
def test_mags_without_reward_does_the_same_whatever_it_is_paid_and_mags_does_not(name: str):
    paid, unpaid = acts(mags(name), 1.0, 1.0, 1.0, 1.0), acts(mags(name), 0.0, 0.0, 0.0, 0.0)
    assert (paid == unpaid) is (name == "MAGS, no reward")


def test_mags_without_reward_keeps_no_outcome_and_gives_no_feedback():
    player = mags("MAGS, no reward")
    moves(player, (0.0, 0.0, 0.0))
    attrs = [player.memory.get(one).meta.get("attrs", {}) for one in player.notes]
    assert attrs
    assert not any("outcome" in one for one in attrs)
    assert "feedback" not in {entry.kind for entry in player.memory.log()}
    assert player._thinker.diary.deeds == []


def test_growing_retrieval_with_a_diary_does_not_do_again_what_was_punished():
    growing = Retrieving(Words(), EMBEDDER, growing=True)
    learning = RewardedRetrieving(Words(), EMBEDDER)
    assert {one.action for one in moves(growing, (0.0, 0.0, 0.0))} == {ACTIONS[0]}
    tried = [one.action for one in moves(learning, (0.0, 0.0, 0.0))]
    assert tried[0] == ACTIONS[0]
    assert sorted(tried) == sorted(ACTIONS)


def test_growing_retrieval_with_a_diary_does_again_what_was_rewarded():
    player = RewardedRetrieving(Words(), EMBEDDER)
    player.begin(scene(0, *TOLD))
    assert player.choose(scene(0, *TOLD)).action == ACTIONS[0]
    player.rewarded(Outcome(reward=1.0))
    now = scene(1, GOOD, ("Jon", "There is oat bread left for the guide."))
    assert player.choose(now).action == ACTIONS[0]


def test_what_is_newer_than_a_failure_is_tried_again():
    player = RewardedRetrieving(Words(), EMBEDDER)
    player.begin(scene(0, *TOLD))
    player.choose(scene(0, *TOLD))
    player.rewarded(Outcome(reward=0.0))
    assert player.choose(scene(1, BAD)).action != ACTIONS[0]
    player.rewarded(Outcome(reward=0.0))
    now = scene(2, ("narrator", "Pell frowned."), ("guide", "Now Pell loves amber wax again."))
    assert player.choose(now).action == ACTIONS[0]


def test_untold_of_rewards_it_is_growing_retrieval():
    class Deaf(RewardedRetrieving):
        def rewarded(self, outcome: Outcome) -> None:
            """Told nothing."""

    ours, growing = Deaf(Words(), EMBEDDER), Retrieving(Words(), EMBEDDER, growing=True)
    played = [untimed(play(Towns(every=10), one, seed=1, turns=60)) for one in (ours, growing)]
    assert played[0] == played[1]


def test_a_diary_of_rewards_is_forgotten_with_the_game():
    player = RewardedRetrieving(Words(), EMBEDDER)
    play(Towns(every=10), player, seed=1, turns=40)
    again = untimed(play(Towns(every=10), player, seed=2, turns=40))
    fresh = RewardedRetrieving(Words(), EMBEDDER)
    assert again == untimed(play(Towns(every=10), fresh, seed=2, turns=40))


def test_two_of_the_players_of_every_table_learn_from_rewards():
    assert set(STANDARD) - set(UNREWARDED) == {"growing + diary", "MAGS, no reward"}
    learns = {
        name for name in STANDARD if isinstance(make_player(name, Words()), RewardedRetrieving)
    }
    learns |= {name for name in HABITS if HABITS[name].outcomes and name in STANDARD}
    assert learns == {"growing + diary", "MAGS"}


def test_nobody_learns_from_rewards_in_adventures():
    player = make_player("MAGS", Words(), lines=LINES["hunt"])
    assert isinstance(player, Remembering)
    assert (player.habits.outcomes, player.habits.learn) == (False, False)
