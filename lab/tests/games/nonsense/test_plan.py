"""What happens in a game whatever is done: its world, its changes and its questions."""

from collections import defaultdict
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mags_lab.games.nonsense.bank import bank
from mags_lab.games.nonsense.changes import AFTER, DAY, ChangingPlan
from mags_lab.games.nonsense.levels import LEVELS, level
from mags_lab.games.nonsense.rules import KINDS, SUBJECTS, VALUES, RuleSlot, fact
from mags_lab.games.nonsense.world import counts, make_world
from mags_lab.games.registry import make
from mags_lab.games.turns import GameScene

seeds = st.integers(0, 10_000)


def planned(name: str, seed: int) -> ChangingPlan:
    rng, words = Random(seed), bank("tuning")
    return ChangingPlan(level(name), make_world(level(name).rules, words, rng), words, rng)


@given(seeds, st.integers(20, 400).filter(lambda n: n < 70 or n >= 80))
def test_a_world_has_as_many_rules_as_it_should(seed: int, rules: int) -> None:
    world = make_world(rules, bank("tuning"), Random(seed))
    assert len(world.rules) == sum(counts(rules).values()) == rules
    for slot, value in world.rules.items():
        assert slot.subject in world.pools[SUBJECTS[slot.relation]]
        assert value in world.pool(slot.relation)


def test_every_relation_is_of_some_use() -> None:
    used = {r for kind in KINDS.values() for r in kind.route} | {"own gift", "own food"}
    assert used == set(VALUES) == set(SUBJECTS)
    assert {slot.relation for slot in make_world(120, bank("tuning"), Random(0)).rules} == used


@pytest.mark.parametrize("name", LEVELS)
def test_about_half_of_the_rules_are_told_in_the_opening(name: str) -> None:
    plan = planned(name, 1)
    for step in plan:
        if step.turn == level(name).opening:
            break
    told = len(plan.ledger.known) / level(name).rules
    assert told == pytest.approx(0.5, abs=0.06)


@given(seeds)
@settings(max_examples=5)
def test_the_old_answer_is_among_the_actions_after_a_change(seed: int) -> None:
    plan = planned("standard", seed)
    old: dict[RuleSlot, str] = {}
    world = dict(plan.world.rules)
    found = 0
    for step in plan:
        for change in step.changes:
            old[change.slot] = world[change.slot]
            world[change.slot] = change.value
        if step.decision.kind == "enter":
            continue
        answer = plan.ledger.answer(step.decision)
        for slot, _ in answer.links:
            former = (
                plan.decisions.would_be(step.decision, slot, old[slot]) if slot in old else None
            )
            if former is not None:
                assert former in [value for _, value in step.choices]
                found += former != answer.answer
    assert found > 20


@given(seeds)
@settings(max_examples=5)
def test_what_holds_for_a_while_holds_so_long_and_reverts(seed: int) -> None:
    plan = planned("standard", seed)
    value = dict(plan.world.rules)
    passing: dict[RuleSlot, tuple[str, float, int]] = {}
    reverted = 0
    for step in plan:
        for change in step.changes:
            if change.how == "temporary":
                assert change.slot not in passing
                passing[change.slot] = value[change.slot], step.at, step.turn
            elif change.how == "reverted":
                before, at, turn = passing.pop(change.slot)
                reverted += 1
                assert change.value == before != value[change.slot]
                assert step.at - at >= 2 * DAY or step.turn - turn >= 12
                assert fact(change.slot, value[change.slot]) in plan.ledger.over()
                assert fact(change.slot, before) in plan.ledger.facts()
            else:
                assert change.slot not in passing
            value[change.slot] = change.value
    assert reverted + len(passing) == 2


@given(seeds)
@settings(max_examples=5)
def test_a_lie_is_never_among_the_facts_and_never_so(seed: int) -> None:
    plan = planned("standard", seed)
    lies = 0
    for step in plan:
        for telling in step.tellings:
            if telling.lie:
                lies += 1
                assert telling.slot is not None
                assert fact(telling.slot, telling.value) not in plan.ledger.facts()
                assert plan.ledger.world[telling.slot] != telling.value
                honesty = RuleSlot("honesty", telling.speaker)
                assert plan.ledger.known[honesty] == bank("tuning").lying
            else:
                assert plan.ledger.world.get(RuleSlot("honesty", telling.speaker)) != (
                    bank("tuning").lying
                )
    assert lies == 2


@given(seeds)
@example(320)  # an honest one who would turn liar, and whom nobody could then be asked about
@example(47)  # a change to a guardian of whom nothing is known
@example(125)  # a change only to be felt, to a custom whose act is unknown
@settings(max_examples=5)
def test_questions_come_soon_after_a_change_and_again(seed: int) -> None:
    asked: dict[RuleSlot, list[int]] = defaultdict(list)
    changed: list[tuple[int, RuleSlot]] = []
    plan = planned("standard", seed)
    for step in plan:
        changed += [(step.turn, c.slot) for c in step.changes if c.how in ("announced", "felt")]
        for slot, _ in plan.ledger.answer(step.decision).links:
            asked[slot].append(step.turn)
    for turn, slot in changed:
        if turn + AFTER[6] < 300:
            after = [t - turn for t in asked[slot] if t > turn]
            assert after[0] <= 4
            assert len([t for t in after if t <= AFTER[6] + 8]) >= 5


@given(seeds)
@example(5)
@settings(max_examples=5)
def test_whatever_changes_is_asked_about_within_four_turns(seed: int) -> None:
    plan = planned("standard", seed)
    waiting: dict[RuleSlot, int] = {}
    for step in plan:
        assert all(step.turn - since <= 4 for since in waiting.values())
        for slot, _ in plan.ledger.answer(step.decision).links:
            if waiting.get(slot, step.turn) < step.turn:
                del waiting[slot]
        if step.turn + AFTER[6] < level("standard").turns:
            waiting |= {change.slot: step.turn for change in step.changes}


def ages(name: str, share: float) -> list[int]:
    """How old the lines are that questions take, after that share of the turns."""
    game = make(name)
    scene: GameScene | None = game.begin(0)
    found: list[int] = []
    while scene is not None:
        truth = game.truth()
        if scene.turn > share * level(name.split("/")[1]).turns and truth.knowable:
            found.append(truth.age)
        scene = game.act(min(truth.best))[1]
    return found


def test_questions_rest_on_lines_of_every_age() -> None:
    found = ages("nonsense/hard/tuning", 0.5)
    for low, high in ((0, 10), (10, 30), (30, 100), (100, 300), (300, 1000)):
        assert sum(low <= age < high for age in found) > 15


@pytest.mark.full
def test_in_the_longest_game_too() -> None:
    found = ages("nonsense/vast/tuning", 0.7)
    for low, high in ((0, 30), (30, 300), (300, 3000), (3000, 10_000)):
        assert sum(low <= age < high for age in found) > 200


def test_a_thousand_turns_of_the_largest_world_are_planned_one_after_another() -> None:
    plan = iter(planned("vast", 0))
    assert [next(plan).turn for _ in range(1000)] == list(range(1000))


def test_fillers_are_a_good_part_of_the_lines() -> None:
    said = [telling for step in planned("hard", 2) for telling in step.tellings]
    fillers = sum(telling.slot is None for telling in said)
    assert 0.3 < fillers / (len(said) + level("hard").turns) < 0.5
