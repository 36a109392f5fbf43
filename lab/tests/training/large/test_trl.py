"""Our GRPO loss is TRL's `dr_grpo` on the same batch (needs the extra `train`)."""

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs the extra: pip install './lab[train]'")
trl = pytest.importorskip("trl", reason="needs the extra: pip install './lab[train]'")
datasets = pytest.importorskip("datasets", reason="needs the extra: pip install './lab[train]'")

from lab.tests.training import tiny  # noqa: E402
from mags_lab.training.experience import gather, logp_of, reply_states  # noqa: E402 - torch first
from mags_lab.training.grpo import group_advantages, grpo_loss  # noqa: E402


def trainer(words: Any, model: Any, folder: Path, limit: int) -> Any:
    config = trl.GRPOConfig(
        output_dir=str(folder),
        loss_type="dr_grpo",
        beta=0.0,
        epsilon=0.2,
        scale_rewards="none",
        max_completion_length=limit,
        num_generations=4,
        per_device_train_batch_size=8,
        gradient_checkpointing=False,
        use_cpu=True,
        bf16=False,
        report_to=[],
    )
    return trl.GRPOTrainer(
        model=model,
        processing_class=words,
        reward_funcs=lambda completions, **_: [0.0] * len(completions),
        args=config,
        train_dataset=datasets.Dataset.from_dict({"prompt": ["say 1: "] * 8}),
    )


@pytest.mark.filterwarnings("ignore")
def test_the_loss_is_that_of_trl(words: Any, speller: Any, tmp_path: Path) -> None:
    policy = tiny.policy(words, speller)
    asked = [task for task in tiny.tasks(words, 2) for _ in range(4)]
    seen = gather(policy, asked, tiny.share_of_a, generator=torch.Generator().manual_seed(0))
    # A policy that has moved, so that some ratios are clipped and some are not.
    old = seen.old_logp + torch.linspace(-0.5, 0.5, seen.old_logp.shape[1]) * seen.mask
    advantages = group_advantages(seen.rewards, 4)
    length = seen.mask.shape[1]
    logits, _ = reply_states(speller, seen)
    limit = policy.sampling.limit
    ours = grpo_loss(logp_of(logits, seen), old, advantages, seen.mask, clip=0.2, length=limit)
    theirs = trainer(words, speller, tmp_path, limit)
    with torch.no_grad():
        loss = theirs._compute_loss(
            speller,
            {
                "prompt_ids": seen.tokens[:, :-length],
                "prompt_mask": seen.attention[:, :-length],
                "completion_ids": seen.tokens[:, -length:],
                "completion_mask": seen.mask.long(),
                "advantages": advantages,
                "old_per_token_logps": old,
            },
        )
    assert advantages.abs().sum() > 0
    assert loss.item() == pytest.approx(ours.item(), rel=1e-4)
