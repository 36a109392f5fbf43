"""An exam judges a reply by what a memory does with it, and never sees what should be said."""

from dataclasses import replace

import pytest

from benchmarks.rl.presets import LEAN
from benchmarks.rl.world import ROLES, TAUGHT
from mags.models.grammar import read_plan
from mags_lab.training.chains.schema import Role, Sample
from mags_lab.training.chains.variety import SeenTurns
from mags_lab.training.fidelity import BlindJudge, Search, blind, found_rank, has_exam, relations_of
from mags_lab.training.generate.samples import Amount, generate

WORLD = LEAN.world


def drawn(name: str, role: Role, count: int) -> list[Sample]:
    return WORLD.samples(name, role, count, seed="test", known=SeenTurns())


@pytest.mark.parametrize("role", ROLES)
def test_an_exam_takes_the_target_out_and_right_replies_pass_it(role: Role) -> None:
    judge, worth = BlindJudge(), []
    for sample in drawn(TAUGHT, role, 12):
        task = blind(sample, WORLD.relations)
        assert (task.sample.target, task.sample.tags) == ("", ())
        right, wrong = judge([task, task], [sample.target, "nonsense"])
        assert wrong["reward"] == 0.0
        worth.append(right["fidelity"])
    assert sum(worth) / len(worth) > 0.85


def test_the_reward_without_labels_is_the_same_whatever_the_target_says() -> None:
    sample = drawn(TAUGHT, Role.WRITE, 1)[0]
    task = blind(sample, WORLD.relations)
    lied = replace(task, sample=replace(task.sample, target="<engram>\nnone\n</engram>"))
    judge = BlindJudge()
    assert judge([task], [sample.target]) == judge([lied], [sample.target])


def test_asking_for_the_past_where_it_is_not_asked_for_finds_what_was_so_before() -> None:
    found = []
    for sample in drawn(TAUGHT, Role.ASK, 12):
        plan, exam = read_plan(sample.target, ""), blind(sample, WORLD.relations).exam
        assert isinstance(exam, Search)
        other = replace(plan, past=not plan.past)
        found.append([found_rank(exam, one, at=sample.now) for one in (plan, other)])
    assert all(wrong <= right for right, wrong in found)
    assert sum(wrong < right for right, wrong in found) > len(found) / 2


def test_without_labels_silence_is_worth_more_than_a_wrong_fact_and_less_than_a_right_one() -> None:
    samples = [one for one in drawn(TAUGHT, Role.WRITE, 12) if "ADD" in one.target]
    for sample in samples:
        task = blind(sample, WORLD.relations)
        said = (
            sample.target,
            "<engram>\nnone\n</engram>",
            "<engram>\nADD | me | pet | me\n</engram>",
        )
        right, silent, wrong = (one["reward"] for one in BlindJudge()([task] * 3, said))
        assert wrong < silent < right


def test_right_replies_to_generated_samples_pass_where_there_is_an_exam() -> None:
    samples = [one for one in generate(Amount(train=60, least=1), seed=0) if has_exam(one)]
    assert {one.role for one in samples} == {Role.ASK, Role.WRITE}
    tasks = [blind(one, relations_of(samples)) for one in samples]
    worth = [one["reward"] for one in BlindJudge()(tasks, [one.target for one in samples])]
    assert sum(worth) / len(worth) > 0.9


def test_a_world_of_one_relation_has_an_exam_still() -> None:
    sample = drawn(TAUGHT, Role.ASK, 1)[0]
    (parts,) = BlindJudge()([blind(sample, relations_of([sample]))], [sample.target])
    assert parts["reward"] > 0.0


def test_notes_routes_and_questions_of_a_time_have_no_exam() -> None:
    samples = list(generate(Amount(train=200, least=1), seed=0))
    left_out = [one for one in samples if not has_exam(one)]
    assert {one.role for one in left_out} == {*Role}
    assert all("NOTE" in one.target for one in left_out if one.role is Role.WRITE)
