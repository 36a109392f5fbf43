"""The study of reinforcement: its plan, its exams, its intervals; the command in its small form."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.rl.figures import parted, smoothed
from benchmarks.rl.intervals import gain, level
from benchmarks.rl.presets import APART, LEAN, SMOKE
from benchmarks.rl.study import ALONE, BASE, HALVED, REINFORCED, SWEEP, equal_steps, half
from benchmarks.rl.world import KEPT_BACK, ROLES, TAUGHT, SmallWorld
from mags.models.grammar import read_plan
from mags_lab.training.chains.schema import Role, Sample
from mags_lab.training.chains.variety import SeenTurns
from mags_lab.training.fidelity import Search, blind, found_rank

WORLD: SmallWorld = LEAN.world


def drawn(name: str, role: Role, count: int) -> list[Sample]:
    return WORLD.samples(name, role, count, seed="test", known=SeenTurns())


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30))
def test_a_gain_is_the_difference_of_the_levels_and_lies_in_its_interval(
    pairs: list[tuple[bool, bool]],
) -> None:
    before, after = (np.array([column, column], float) for column in zip(*pairs, strict=True))
    found = gain(before, after)
    assert found.mean == pytest.approx(level(after).mean - level(before).mean)
    assert found.low - 1e-9 <= found.mean <= found.high + 1e-9
    assert found.n == 2 * len(pairs)


def test_pairs_that_differ_alike_have_an_interval_of_no_width() -> None:
    before = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    found = gain(before, before + 0.5)
    assert (found.low, found.mean, found.high) == pytest.approx((0.5, 0.5, 0.5))


def test_seeds_that_disagree_widen_the_interval() -> None:
    agreed = level(np.full((3, 50), 0.1))
    apart = level(np.repeat([[-0.2], [0.1], [0.4]], 50, axis=1))
    assert agreed.mean == pytest.approx(apart.mean)
    assert apart.low < 0.0 < 0.1 == pytest.approx(agreed.low)


def test_a_curve_is_the_mean_of_the_last_steps() -> None:
    curve = [{"cpu_s": float(i), "f1": float(i)} for i in range(4)]
    assert smoothed(curve, "f1", window=2) == ([0.0, 1.0, 2.0, 3.0], [0.0, 0.5, 1.5, 2.5])


def test_writing_is_parted_by_whether_there_is_something_to_store() -> None:
    tests = drawn("frames", Role.WRITE, 12)
    found = parted({"frames write": {"exact": [float(i) for i in range(12)], "exam": [0.5]}}, tests)
    empty = [float(i) for i, one in enumerate(tests) if "none" in one.target]
    assert found["frames nothing"]["exact"] == empty
    assert len(found["frames something"]["exact"]) == 12 - len(empty)
    assert len(found["frames nothing"]["exam"]) + len(found["frames something"]["exam"]) == 1


def test_equal_compute_counts_steps_by_what_steps_cost() -> None:
    assert equal_steps(60.0, used_s=30.0, used_steps=10) == 20
    assert equal_steps(60.0, used_s=0.0, used_steps=10) == 2


def test_every_cell_comes_after_those_it_needs() -> None:
    cells = [(cell.kind, cell.seed) for cell in LEAN.cells()]
    assert cells.count((SWEEP, 0)) == len(LEAN.critics) > 1
    for seed in LEAN.seeds:
        kinds = [kind for kind, of in cells if of == seed]
        assert list(dict.fromkeys(kinds)) == [k for k in REINFORCED if k != SWEEP or not seed]
    assert [cell.kind for cell in APART.cells()][:5] == [BASE, *ALONE.values(), *HALVED.values()]
    assert 2 * half(APART.taught[0]).steps == APART.taught[0].steps


def test_the_small_world_has_its_relations_only_and_keeps_frames_back() -> None:
    taught, back = WORLD.material(TAUGHT), WORLD.material(KEPT_BACK)
    assert {entry.name for entry in taught.entries} == {*WORLD.relations}
    assert not {*taught.frames["either"]} & {*back.frames["either"]}
    assert all(
        len(phrases) <= WORLD.phrases
        for entry in taught.entries
        for phrases in entry.phrases.values()
    )
    for role in ROLES:
        for sample in drawn(TAUGHT, role, 20):
            assert len(sample.turn.text) <= WORLD.longest
            assert not {*sample.tags} & {*WORLD.left_out}


def test_a_plan_that_follows_another_relation_finds_the_answer_later() -> None:
    ranks, others = [], []
    for sample in drawn(TAUGHT, Role.ASK, 12):
        plan, exam = read_plan(sample.target, ""), blind(sample, WORLD.relations).exam
        assert isinstance(exam, Search)
        ranks.append(found_rank(exam, plan, at=sample.now))
        hops = tuple(replace(hop, relation="owes money to") for hop in plan.hops)
        others.append(found_rank(exam, replace(plan, hops=hops, queries=("",)), at=sample.now))
    assert sum(ranks) > sum(others)


@pytest.mark.parametrize(
    ("worth", "kept"),
    [
        ([0.50, 0.52, 0.51, 0.52, 0.9], (8, 0.9)),
        ([0.50, 0.49, 0.503, 0.502], (4, 0.503)),
        ([0.50, 0.52, 0.51, 0.52], (2, 0.52)),  # of equals the first
        ([0.50, 0.49], (0, 0.50)),
    ],
)
def test_of_all_looks_at_a_model_the_best_is_kept(
    words: Any, speller: Any, worth: list[float], kept: tuple[int, float]
) -> None:
    torch = pytest.importorskip("torch", reason="needs the extra: pip install './lab[train]'")
    from benchmarks.rl.choosing import Chooser
    from lab.tests.training import tiny

    said = iter(worth)

    def judge(asked: Sequence[str], replies: Sequence[str]) -> Sequence[Mapping[str, float]]:
        return [{"exact": now} for now in [next(said)] for _ in replies]

    chooser = Chooser(
        policy=tiny.policy(words, speller), tasks=tiny.tasks(words, 2), judge=judge, part="exact",
        every=2, last=2 * len(worth) - 2,
    )  # fmt: skip
    weights = {}
    for step in range(2 * len(worth) - 1):
        with torch.no_grad():
            speller.lm_head.weight.fill_(float(step))
        weights[step] = speller.lm_head.weight.clone()
        chooser(step)
    assert chooser.best == kept
    chooser.take_best()
    assert torch.equal(speller.lm_head.weight, weights[kept[0]])


def test_the_last_step_is_looked_at_wherever_it_falls(words: Any, speller: Any) -> None:
    pytest.importorskip("torch", reason="needs the extra: pip install './lab[train]'")
    from benchmarks.rl.choosing import Chooser
    from lab.tests.training import tiny

    tasks = tiny.tasks(words, 2)
    policy = tiny.policy(words, speller)
    chooser = Chooser(
        policy=policy, tasks=tasks, judge=tiny.share_of_a, part="reward", every=2, last=3
    )
    for step in range(4):
        chooser(step)
    assert [step for step, _ in chooser.looks] == [0, 2, 3]


def test_the_command_goes_through_every_cell_and_makes_none_twice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch", reason="needs the extra: pip install './lab[train]'")
    from benchmarks.rl.__main__ import main

    asked = ["--study", SMOKE.name, "--out", str(tmp_path), "--results", str(tmp_path / "r")]
    asked += ["--pictures", str(tmp_path / "p")]
    assert main(asked) == 0
    made = {path: path.stat().st_mtime_ns for path in (tmp_path / SMOKE.name).rglob("*.json")}
    assert len(list((tmp_path / SMOKE.name / "seed-0").glob("*.json"))) == len(list(SMOKE.cells()))
    grpo = json.loads((tmp_path / SMOKE.name / "seed-0" / "grpo.json").read_text())
    assert {"format", "f1", "fidelity", "reward", "cpu_s"} <= {*grpo["curve"][0]}
    assert (tmp_path / "p" / "rl-curves.svg").is_file()
    assert len(list((tmp_path / "r").glob("rl--*.json"))) == 7
    assert main([*asked, "--dev"]) == 0
    told = capsys.readouterr().out
    assert "seed 0 base: {'ask': '" in told
    assert "ppo-sweep" not in told.splitlines()[-1]
    assert main(asked) == 0
    assert all(path.stat().st_mtime_ns == then for path, then in made.items())
