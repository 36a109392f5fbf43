"""Reward functions for TRL, presets and their memory, against numbers worked out by hand."""

from dataclasses import replace
from typing import Any

import pytest

for library in ("torch", "peft", "trl"):
    pytest.importorskip(library, reason="needs the extra: pip install './lab[train]'")

import torch  # noqa: E402

from lab.tests.training.large.families import samples  # noqa: E402
from mags.errors import InvalidInput  # noqa: E402
from mags_lab.training.fidelity import BlindJudge, blind  # noqa: E402
from mags_lab.training.large.loading import NO_AIDS, Device, find_aids, find_device  # noqa: E402
from mags_lab.training.large.presets import FULL, GIB, KNOWN, QUICK, DecoderShape, peak_memory  # noqa: E402
from mags_lab.training.large.rewards import reward_parts, rewarded  # noqa: E402
from mags_lab.training.reward import GoldJudge, Reward, RewardWeights  # noqa: E402

QWEN3_8B, LLAMA_32_1B = KNOWN["Qwen 3 8B"], KNOWN["Llama 3.2 1B"]


@pytest.mark.parametrize("with_fidelity", [False, True])
def test_the_weighted_sum_of_the_parts_is_the_reward_of_the_judge(with_fidelity: bool) -> None:
    told = samples()
    asked = [told[0], told[0], told[-1], told[-1]]
    replies = [told[0].target, "<engram>\nADD | Zora | likes | Oslo\n</engram>", "none", "Hm."]
    weights = RewardWeights(format=0.2, f1=0.8, fidelity=0.5 if with_fidelity else 0.0)
    judge = GoldJudge(weights=weights, fidelity=lambda *_: 0.25)
    parts = reward_parts(told, judge)
    places = [told.index(one) for one in asked]
    said = [[{"role": "assistant", "content": reply}] for reply in replies]
    columns = [part(said, place=places) for part in parts]
    sums = [
        sum(p.weight * column[i] for p, column in zip(parts, columns, strict=True))
        for i in range(len(asked))
    ]
    assert sums == pytest.approx([one["reward"] for one in judge(asked, replies)])
    assert [p.__name__ for p in parts if p.weight == 0.0] == ["grounded"]


def test_the_reward_of_the_store_is_that_of_the_blind_judge_and_knows_no_target() -> None:
    told, parts = rewarded(samples(), Reward.STORE)
    replies = [
        told[0].target,
        "<engram>\nADD | Zora | likes | Oslo\n</engram>",
        "<engram>\nnone\n</engram>",
        "Hm.",
    ]
    sums = [0.0] * len(replies)
    for part in parts:
        said = [[{"role": "assistant", "content": reply}] for reply in replies]
        worth = part(said, place=[0] * len(replies))
        sums = [so_far + part.weight * one for so_far, one in zip(sums, worth, strict=True)]
        assert all(one.sample.target == "" for one in part.known)
    tasks = [blind(told[0], ())] * len(replies)
    assert sums == pytest.approx([one["reward"] for one in BlindJudge()(tasks, replies)])
    assert sums[0] > 0.8
    assert sums[1:] == [0.0, 0.15, 0.0], "wrong, silent, malformed"


def test_a_batch_is_judged_once_though_every_part_asks() -> None:
    asked: list[int] = []

    class Counted(GoldJudge):
        def __call__(self, tasks: Any, replies: Any) -> Any:
            asked.append(len(replies))
            return super().__call__(tasks, replies)

    parts = reward_parts(samples(), Counted())
    said = [[{"role": "assistant", "content": reply}] for reply in ("none", "Hm.")]
    for part in parts:
        part(said, place=[0, 1])
    parts[0](said[:1], place=[0])
    assert asked == [2, 1]


def test_samples_that_no_exam_can_follow_are_not_reinforced_by_the_store() -> None:
    noted = replace(samples()[0], target="<engram>\nNOTE | Zora sings.\n</engram>")
    told, parts = rewarded([noted, samples()[1]], Reward.STORE)
    assert [one.id for one in told] == [samples()[1].id]
    assert {len(part.known) for part in parts} == {1}
    with pytest.raises(InvalidInput, match="has an exam"):
        rewarded([noted], Reward.STORE)


def test_the_shapes_of_known_models_give_their_known_sizes() -> None:
    billions = {name: shape.weights / 1e9 for name, shape in KNOWN.items()}
    assert billions == pytest.approx(
        {
            "Gemma 3 270M": 0.268,
            "Qwen 3 0.6B": 0.596,
            "Gemma 3 1B": 1.0,
            "Llama 3.2 1B": 1.236,
            "Qwen 3 1.7B": 1.72,
            "Llama 3.2 3B": 3.213,
            "Qwen 3 4B": 4.022,
            "Llama 3.1 8B": 8.03,
            "Qwen 3 8B": 8.19,
        },
        rel=0.005,
    )


def test_the_peak_is_the_sum_of_its_parts() -> None:
    shape = DecoderShape(
        hidden=8, layers=2, inner=16, heads=2, groups=1, head_width=4, vocabulary=100, tied=True
    )
    # q 64, k 32, v 32, o 64, gate, up and down 128 each: 576 a layer; the table 800.
    assert shape.weights == 2 * 576 + 800
    # r 1: 16 + 12 + 12 + 16 + 3 x 24 a layer.
    assert shape.adapter(1) == 2 * 128
    need = peak_memory(shape, replace(QUICK, rank=1, tokens=10, longest=5), rollouts=3)
    assert need.weights == 2 * 1152 + 6 * 800
    assert need.adapter == 12 * 256
    assert need.activations == 10 * (2 * 2 * 8 + 4 * (48 + 64 + 16))
    assert need.logits == 12 * 10 * 100
    assert need.cache == 4 * 2 * 1 * 4 * 3 * 5


def test_generating_and_learning_do_not_happen_at_once() -> None:
    learning = peak_memory(QWEN3_8B, QUICK)
    assert peak_memory(QWEN3_8B, QUICK, rollouts=1).gib == learning.gib
    many = peak_memory(QWEN3_8B, QUICK, rollouts=1_000)
    parts = many.weights + many.adapter + many.cache
    assert many.gib == pytest.approx(parts / GIB + 0.8)


def test_presets_fit_the_cards_they_are_said_to_fit() -> None:
    assert peak_memory(LLAMA_32_1B, FULL).gib < 16
    assert peak_memory(QWEN3_8B, QUICK).gib > 16
    assert peak_memory(QWEN3_8B, FULL, four_bit=True).gib < 24
    assert (FULL.rank, FULL.alpha, FULL.epochs) == (64, 128, 10)
    assert peak_memory(LLAMA_32_1B, FULL).weights < 5 * GIB


def test_a_cpu_has_no_aids() -> None:
    assert find_aids(Device(kind="cpu", dtype=torch.float32)) == NO_AIDS
    found = find_device()
    assert found.is_gpu == torch.cuda.is_available()
