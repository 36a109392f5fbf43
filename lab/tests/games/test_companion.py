"""Getting to know someone: a life in words, what is asked of it, and what is so."""

import hashlib
from itertools import combinations
from random import Random

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import given, settings
from hypothesis import strategies as st

from mags.errors import InvalidInput, NotFound
from mags_lab.games.companion.bank import bank
from mags_lab.games.companion.cast import LEVELS, CompanionTelling, FactSlot, ToldFacts, fact, level
from mags_lab.games.companion.game import Companion
from mags_lab.games.companion.standings import standings
from mags_lab.games.gym import GameEnv
from mags_lab.games.matches import play
from mags_lab.games.players.baselines import Nothing, Oracle
from mags_lab.games.reader import shipped_reader
from mags_lab.games.registry import make
from mags_lab.games.sentences import BANKS
from mags_lab.games.turns import GameScene, Truth, TruthFact

DIGESTS = {
    "companion/short": "5b8bfaca5b14a375",
    "companion/short/tuning": "4ceb3b93b09dfdba",
    "companion/short/unseen": "7606efcb3658c6fb",
    "companion/standard": "09d91fc6651b5234",
    "companion/standard/tuning": "bcc572064e45163c",
    "companion/standard/unseen": "9c80c1ad5e932868",
    "companion/long": "b355135f7b9df81d",
    "companion/long/tuning": "3eec2c695339ec72",
    "companion/long/unseen": "367aea066becee6c",
}


def played(name: str, seed: int, *, careful: float) -> list[tuple[GameScene, Truth]]:
    """Every scene and its truth, for one who is right that often."""
    game, rng = make(name), Random(seed)
    scene: GameScene | None = game.begin(seed)
    found = []
    while scene is not None:
        truth = game.truth()
        found.append((scene, truth))
        right = rng.random() < careful
        scene = game.act(min(truth.best) if right else rng.choice(scene.actions))[1]
    return found


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.full] * ("long/" in name)) for name in DIGESTS],
)
def test_a_game_is_made_of_the_very_same_words_as_ever(name: str) -> None:
    words = hashlib.sha256()
    for scene, truth in played(name, 7, careful=0.5):
        for line in scene.said:
            words.update(f"{line.at:.0f} {line.speaker}: {line.text}\n".encode())
        words.update("|".join((scene.question, *scene.actions, *truth.best)).encode())
    assert words.hexdigest()[:16] == DIGESTS[name]


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 2**31), bank_name=st.sampled_from(BANKS))
def test_a_seed_and_the_actions_give_the_same_game(seed: int, bank_name: str) -> None:
    name = f"companion/short/{bank_name}".removesuffix("/scored")
    assert played(name, seed, careful=0.5) == played(name, seed, careful=0.5)


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 2**31))
def test_what_is_asked_does_not_depend_on_the_answers(seed: int) -> None:
    name = "companion/short/tuning"
    asked = [
        [
            (scene.at, scene.question, scene.actions, truth.best, truth.rests_on, truth.facts)
            for scene, truth in played(name, seed, careful=careful)
        ]
        for careful in (0.0, 1.0)
    ]
    assert asked[0] == asked[1]


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**31), bank_name=st.sampled_from(BANKS))
def test_every_scene_keeps_the_laws_of_a_game(seed: int, bank_name: str) -> None:
    name = f"companion/short/{bank_name}".removesuffix("/scored")
    told: dict[TruthFact, int] = {}
    last = -1.0
    for turn, (scene, truth) in enumerate(played(name, seed, careful=0.5)):
        assert scene.turn == turn
        assert scene.at > last
        last = scene.at
        assert len(set(scene.actions)) == len(scene.actions) == 4
        assert len(truth.best) == 1
        assert truth.best <= set(scene.actions)
        assert not truth.facts & truth.over
        for (at, place), facts in truth.teaches.items():
            assert (at, place < len(scene.said)) == (turn, True)
            told.update(dict.fromkeys(facts, turn))
        for (at, place), facts in truth.ends.items():
            assert (at, place < len(scene.said)) == (turn, True)
            assert set(facts) <= told.keys()
        assert truth.facts | truth.over == told.keys()
        assert set(truth.rests_on) <= truth.facts
        assert truth.age == (turn - min(told[f] for f in truth.rests_on) if truth.rests_on else 0)
        assert bool(truth.rests_on) == (truth.kind != "never")
        assert all(turn - told[f] > 0 for f in truth.rests_on) or _reminded(scene, truth)


def _reminded(scene: GameScene, truth: Truth) -> bool:
    """Whether a fact that decides was told again after the last answer."""
    return any(set(facts) & set(truth.rests_on) for facts in truth.teaches.values())


@pytest.mark.parametrize("bank_name", BANKS)
def test_what_is_needed_was_said_in_those_words(bank_name: str) -> None:
    name = f"companion/standard/{bank_name}".removesuffix("/scored")
    lines: set[str] = set()
    for scene, truth in played(name, 3, careful=0.7):
        lines.update(f"{line.speaker}: {line.text}" for line in scene.said)
        if truth.kind != "never":
            assert set(truth.needed) <= lines


def test_a_long_enough_game_has_every_kind_of_question_and_of_change() -> None:
    met = played("companion/standard/tuning", 1, careful=0.7)
    assert {truth.kind for _, truth in met} == {
        *("work", "home", "gift", "meal", "place", "kin", "kin's", "month", "before", "day"),
        *("outcome", "secret", "own secret", "open secret", "never"),
    }
    after = {truth.after for _, truth in met}
    assert after == {"", "announced", "hearsay", "shown", "corrected", "rumour", "put off"}


def test_a_secret_is_kept_until_it_is_none_any_more() -> None:
    met = played("companion/standard/tuning", 1, careful=1.0)
    keep = bank("tuning").lists["action"]["keep"][0]
    for _, truth in met:
        if truth.kind == "secret":
            assert truth.best == {keep}
            assert truth.rests_on[0].relation == "keeps secret"
        elif truth.kind.endswith("secret"):
            assert keep not in truth.best


def test_dinner_is_nothing_that_anybody_at_the_table_does_not_eat() -> None:
    for scene, truth in played("companion/standard/tuning", 2, careful=1.0):
        if truth.kind == "meal":
            refused = {f.object for f in truth.rests_on if f.relation == "does not eat"}
            (best,) = truth.best
            assert len(refused) == 3
            wrong = {a for a in scene.actions if any(dish in a for dish in refused)}
            assert wrong == set(scene.actions) - {best}


def test_a_rumour_teaches_nothing_and_its_denial_does() -> None:
    slot = FactSlot("Ada", "work")
    diary = ToldFacts()
    diary.hear((0, 0), CompanionTelling("Ada", "I work at the mill.", ((slot, "the mill"),)))
    diary.hear((1, 0), CompanionTelling("Bo", "They say Ada works at the inn.", rumoured=slot))
    assert diary.teaches == {(0, 0): (fact(slot, "the mill"),)}
    assert diary.news([slot]) == (None, "rumour")
    assert diary.changes == []


def test_a_new_value_ends_the_old_one_and_may_come_back() -> None:
    slot = FactSlot("Ada", "home")
    diary = ToldFacts()
    for turn, town in enumerate(("Oslo", "Rome", "Oslo")):
        diary.hear((turn, 0), CompanionTelling("Ada", town, ((slot, town),), how="announced"))
    assert diary.facts() == {fact(slot, "Oslo")}
    assert diary.over() == {fact(slot, "Rome")}
    assert diary.ends == {(1, 0): (fact(slot, "Oslo"),), (2, 0): (fact(slot, "Rome"),)}
    assert diary.news([slot]) == (2, "announced")


def test_gymnasiums_own_checker_finds_nothing() -> None:
    check_env(gymnasium.make("mags_lab.games.gym:mags/companion-short-tuning").unwrapped)
    assert GameEnv("companion/short").reset(seed=1)[1]["action_mask"].sum() == 4


@pytest.mark.parametrize(("name", "another"), list(combinations(BANKS, 2)))
def test_banks_share_no_name_and_no_sentence(name: str, another: str) -> None:
    assert bank(name).side != bank(another).side
    assert set(bank(name).moods) & set(bank(another).moods) == set()
    assert set(bank(name).roles) & set(bank(another).roles) == set()
    said = [
        {line for lists in bank(one).lists.values() for lines in lists.values() for line in lines}
        for one in (name, another)
    ]
    assert {line for line in said[0] & said[1] if len(line.split()) > 3} == set()


def test_the_embedded_reader_is_near_one_as_oracle_and_near_chance_with_nothing() -> None:
    def score(player: Oracle | Nothing) -> float:
        turns = [
            turned.reward
            for seed in (1, 2)
            for turned in play(make("companion/short/tuning"), player, seed=seed, turns=60)
        ]
        return sum(turns) / len(turns)

    assert score(Oracle(shipped_reader())) >= 0.9
    assert score(Nothing(shipped_reader())) <= 0.35


def test_a_window_is_outgrown() -> None:
    found = standings("standard", seeds=1, bank="tuning")
    assert found["chance"] == 0.25
    assert found["opening"] < found["window 10"] < found["window 100"] < 0.85
    assert found["all"] == 1.0


def test_an_action_that_is_not_offered_is_refused_and_so_is_one_after_the_end() -> None:
    game = Companion(LEVELS["short"], bank_name="tuning")
    with pytest.raises(InvalidInput, match="begin one"):
        game.truth()
    game.begin(1)
    with pytest.raises(InvalidInput, match="turn 0"):
        game.act("Whistle")


def test_an_unknown_level_or_bank_is_said_to_be_unknown() -> None:
    with pytest.raises(NotFound, match="short, standard, long"):
        level("endless")
    with pytest.raises(NotFound, match="scored, tuning, unseen"):
        bank("third")
