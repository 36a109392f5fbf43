"""The game of nonsense, as whoever plays it meets it."""

from collections.abc import Callable
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mags.errors import InvalidInput, NotFound
from mags_lab.games.nonsense.bank import bank
from mags_lab.games.nonsense.levels import LEVELS, level
from mags_lab.games.nonsense.plan import FEWEST, MOST
from mags_lab.games.registry import make
from mags_lab.games.sentences import BANKS
from mags_lab.games.turns import GameScene, Outcome, Truth

seeds = st.integers(0, 10_000)
Policy = Callable[[GameScene, Truth], str]
Met = list[tuple[GameScene, Truth, Outcome]]


def best(_scene: GameScene, truth: Truth) -> str:
    return min(truth.best)


def worst(scene: GameScene, truth: Truth) -> str:
    return next(action for action in scene.actions if action not in truth.best)


def by_chance(seed: int) -> Policy:
    rng = Random(seed)
    return lambda scene, _truth: rng.choice(scene.actions)


def played(name: str, seed: int, policy: Policy) -> Met:
    game = make(name)
    scene: GameScene | None = game.begin(seed)
    met: Met = []
    while scene is not None:
        truth = game.truth()
        outcome, following = game.act(policy(scene, truth))
        met.append((scene, truth, outcome))
        scene = following
    return met


def share(met: Met) -> float:
    scored = [outcome.reward for _, truth, outcome in met if truth.knowable]
    return sum(scored) / len(scored)


@given(seeds, seeds)
@settings(max_examples=5)
def test_a_seed_and_the_actions_decide_everything(seed: int, chance: int) -> None:
    one = played("nonsense/tiny", seed, by_chance(chance))
    assert one == played("nonsense/tiny", seed, by_chance(chance))
    assert len(one) == 50


@given(seeds)
@settings(max_examples=5)
def test_whatever_is_done_the_questions_are_the_same(seed: int) -> None:
    right = played("nonsense/easy/tuning", seed, best)
    wrong = played("nonsense/easy/tuning", seed, worst)
    assert [(s.at, s.question, s.actions) for s, *_ in right] == [
        (s.at, s.question, s.actions) for s, *_ in wrong
    ]


def test_nothing_is_left_of_the_game_before() -> None:
    game = make("nonsense/tiny")
    scene = game.begin(1)
    for _ in range(20):
        scene = game.act(scene.actions[0])[1] or scene
    assert game.begin(2) == make("nonsense/tiny").begin(2)
    assert game.truth() == _first_truth(2)


def _first_truth(seed: int) -> Truth:
    game = make("nonsense/tiny")
    game.begin(seed)
    return game.truth()


@pytest.mark.parametrize("bank_name", BANKS)
def test_the_oracle_is_always_right_and_chance_seldom(bank_name: str) -> None:
    name = "nonsense/easy" + ("" if bank_name == "scored" else f"/{bank_name}")
    games = [played(name, seed, by_chance(seed)) for seed in range(6)]
    mean = sum(map(share, games)) / len(games)
    counts = [len(s.actions) for met in games for s, *_ in met]
    expected = sum(1 / n for n in counts) / len(counts)
    assert mean == pytest.approx(expected, abs=0.04)
    assert expected < 0.2
    assert [share(played(name, seed, best)) for seed in range(6)] == [1.0] * 6


@given(seeds)
@settings(max_examples=6)
def test_every_scene_keeps_the_form(seed: int) -> None:
    met = played("nonsense/easy", seed, by_chance(seed))
    clock = -1.0
    for turn, (scene, truth, _) in enumerate(met):
        assert scene.turn == turn
        assert scene.at > clock
        clock = scene.at
        assert FEWEST <= len(set(scene.actions)) == len(scene.actions) <= MOST
        assert len(truth.best & set(scene.actions)) == len(truth.best) == 1
        assert all(line.text and line.speaker and line.at <= scene.at for line in scene.said)
        assert not any("{" in text for text in (scene.question, *scene.actions))
        assert not any("{" in line.text for line in scene.said)


@given(seeds)
@settings(max_examples=6)
def test_what_is_needed_was_said_where_it_can_be_known(seed: int) -> None:
    heard: set[str] = set()
    for scene, truth, _ in played("nonsense/easy", seed, by_chance(seed)):
        heard |= {line.text for line in scene.said}
        assert len(truth.needed) == len(truth.rests_on) >= 1
        if truth.knowable:
            assert set(truth.needed) <= heard
            assert set(truth.rests_on) <= truth.facts
            assert truth.age >= 0
        else:
            assert not set(truth.rests_on) <= truth.facts or truth.kind in ("gift_creature", "feed")
            assert truth.age == 0


@given(seeds)
@settings(max_examples=6)
def test_what_holds_and_what_is_over_was_taught_by_a_line(seed: int) -> None:
    told = {}
    for scene, truth, _ in played("nonsense/easy/tuning", seed, by_chance(seed)):
        assert {turn for turn, _ in (*truth.teaches, *truth.ends)} <= {scene.turn}
        told |= {fact: scene.turn for facts in truth.teaches.values() for fact in facts}
        assert truth.facts | truth.over <= told.keys()
        assert not truth.facts & truth.over
        assert {fact for facts in truth.ends.values() for fact in facts} <= told.keys()
        if truth.knowable and len(truth.rests_on) == 1:
            assert truth.age == scene.turn - told[truth.rests_on[0]]


@given(seeds)
@settings(max_examples=6)
def test_every_line_that_teaches_names_what_it_teaches(seed: int) -> None:
    for scene, truth, _ in played("nonsense/easy/tuning", seed, by_chance(seed)):
        for (_, place), (fact,) in truth.teaches.items():
            whole = scene.said[place].text.casefold()
            assert fact.subject.casefold() in whole
            assert fact.object.casefold() in whole or fact.relation == "honesty"


@given(seeds)
@settings(max_examples=6)
def test_one_who_is_known_to_lie_teaches_nothing(seed: int) -> None:
    lying = bank("scored").lying
    for scene, truth, _ in played("nonsense/easy", seed, by_chance(seed)):
        liars = {f.subject for f in truth.facts if (f.relation, f.object) == ("honesty", lying)}
        for place, line in enumerate(scene.said):
            if line.speaker in liars:
                assert (scene.turn, place) not in truth.teaches


def test_liars_do_lie_and_rules_do_change() -> None:
    met = [m for seed in range(4) for m in played("nonsense/standard", seed, best)]
    sorts = {truth.after for _, truth, _ in met}
    assert sorts == {"", "announced", "hearsay", "felt", "temporary", "reverted", "lie"}
    for _, truth, _ in met:
        assert truth.changed is None or truth.changed in truth.changes


def test_a_change_that_is_only_felt_cannot_be_known_at_first_and_is_later_by_anybody() -> None:
    felt = 0
    for seed in range(8):
        changed: dict[int, list[Truth]] = {}
        for _, truth, _ in played("nonsense/standard", seed, worst):
            if truth.after == "felt" and truth.changed is not None:
                changed.setdefault(truth.changed, []).append(truth)
        for met in changed.values():
            felt += 1
            assert not met[0].knowable
            new = set.intersection(*(set(truth.rests_on) for truth in met))
            assert all(new <= truth.facts for truth in met[3:])
            assert sum(truth.knowable for truth in met[3:]) >= len(met[3:]) - 2
    assert felt >= 8


def test_who_does_what_was_right_before_is_told_that_it_is_over() -> None:
    def stubborn(scene: GameScene, truth: Truth) -> str:
        known = {f.object for f in truth.over} | {f.object for f in before[0]}
        old = [a for a in scene.actions if a not in truth.best and any(o in a for o in known)]
        return old[0] if old and not truth.knowable else min(truth.best)

    ended = []
    for seed in range(12):
        before = [frozenset()]
        met = []
        game = make("nonsense/easy/tuning")
        scene: GameScene | None = game.begin(seed)
        while scene is not None:
            truth = game.truth()
            outcome, following = game.act(stubborn(scene, truth))
            before[0] = truth.facts
            met.append((scene, truth, outcome))
            scene = following
        for (_, one, _), (later, two, _) in pairwise(met):
            if one.after == "felt" and not one.knowable and (later.turn, 0) in two.ends:
                ended.append(two.ends[later.turn, 0][0] in two.over)
    assert ended
    assert all(ended)


def test_only_an_action_of_the_scene_can_be_done() -> None:
    game = make("nonsense/tiny")
    with pytest.raises(InvalidInput, match="begin"):
        game.truth()
    game.begin(0)
    with pytest.raises(InvalidInput, match="turn 0"):
        game.act("Sing")


def test_after_the_end_there_is_nothing_to_do() -> None:
    game = make("nonsense/tiny")
    scene: GameScene | None = game.begin(0)
    while scene is not None:
        action = scene.actions[0]
        outcome, scene = game.act(action)
    assert outcome.over
    with pytest.raises(InvalidInput, match="begin"):
        game.act(action)


def test_levels_grow_and_an_unknown_one_is_said_to_be_unknown() -> None:
    sizes = [(one.rules, one.turns) for one in LEVELS.values()]
    assert sizes == sorted(sizes)
    assert sizes[0] == (20, 50)
    assert sizes[-1] == (2000, 10_000)
    with pytest.raises(NotFound, match="tiny, easy, standard, hard, vast"):
        level("huge")
