"""Teaching an adapter: LoRA by PEFT, supervised and then by preference, both by TRL.

The adapter is an activated one (aLoRA, Greenewald et al. 2025): it works from "Recite." on, and
whatever else is asked of the model is answered as if it were not there. First the recitals (SFT on
replies alone). Then pairs (DPO): the value rather than "unknown" where it was taught, "unknown"
rather than a value where it was not. Stops when wordings that are held out of the set are no longer
answered better.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import torch
from datasets import Dataset
from peft import LoraConfig, get_peft_model
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LambdaLR
from transformers import (
    PreTrainedTokenizerBase,
    PrinterCallback,
    TrainerCallback,
    TrainerControl,
    TrainerState,
    TrainingArguments,
)
from transformers.trainer_utils import get_last_checkpoint
from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer

from mags.ports.weights import BAR, RECITE, UNKNOWN
from mags_lab.training.optimisers import Muon, quick, schedule
from mags_lab.training.semantic.chat import Student, replies
from mags_lab.training.semantic.world import Lesson

LOOK = 50
"""Steps between two looks at wordings that are held out."""
SMALL = 8
"""Lessons of a step, at least."""
BEGUN = 0.5
"""Share of held-out wordings that are answered rightly from where no gain may stop it: of a
thousand slots none is for many hundred steps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How an adapter is taught.

    `batch`: lessons of a step, fewer of a small set; `epochs`: at most, or what makes `least`
    steps.
    `patience`: looks without gain before it stops, once half is right; `pairs`: of the preference
    step, 0 for none.
    """

    rank: int = 16
    alpha: int = 32
    rate: float = 4e-3
    batch: int = 64
    epochs: int = 6
    least: int = 150
    patience: int = 4
    pairs: int = 512
    preference_rate: float = 2e-4
    beta: float = 0.1
    seed: int = 0


def with_adapter(student: Student, recipe: Recipe) -> Student:
    """The same with a fresh adapter on every matrix of the layers."""
    torch.manual_seed(recipe.seed)
    config = LoraConfig(
        r=recipe.rank,
        lora_alpha=recipe.alpha,
        lora_dropout=0.0,
        target_modules="all-linear",
        task_type="CAUSAL_LM",
        alora_invocation_tokens=invocation(student.tokenizer),
    )
    return replace(student, model=get_peft_model(student.model, config))


def invocation(tokenizer: PreTrainedTokenizerBase) -> list[int]:
    """The tokens from which on the adapter works: how a message that asks to recite begins.

    With the one before them, the end of the user's mark, so that the word in talk is not meant.
    """
    said = [{"role": "user", "content": RECITE}]
    text = tokenizer.apply_chat_template(said, tokenize=False)
    begin = text.index(RECITE)
    end = begin + len(RECITE.rstrip("."))  # the full stop may be one token with what follows
    read = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
    spans = read["offset_mapping"]
    first = next(i for i, (_, stop) in enumerate(spans) if stop > begin)
    last = next(i for i, (_, stop) in enumerate(spans) if stop >= end)
    return list(read["input_ids"][max(0, first - 1) : last + 1])


def conversation(lesson: Lesson) -> dict[str, list[dict[str, str]]]:
    """A lesson as TRL takes it."""
    return {
        "prompt": [{"role": "user", "content": lesson.prompt}],
        "completion": [{"role": "assistant", "content": lesson.reply}],
    }


def instruct(
    student: Student,
    lessons: Sequence[Lesson],
    recipe: Recipe,
    folder: Path,
    *,
    callbacks: Sequence[TrainerCallback] = (),
) -> None:
    """SFT on the replies; a folder in which it was stopped is taken up where it was."""
    batch = min(recipe.batch, max(SMALL, len(lessons) // 32))
    epoch = -(-len(lessons) // batch)
    epochs = max(recipe.epochs, -(-recipe.least // epoch))
    trainer = SFTTrainer(
        model=student.model,
        args=SFTConfig(
            output_dir=str(folder),
            per_device_train_batch_size=batch,
            num_train_epochs=epochs,
            max_length=512,
            train_sampling_strategy="group_by_length",
            **_common(student, recipe),
        ),
        train_dataset=Dataset.from_list([conversation(one) for one in lessons]),
        processing_class=student.tokenizer,
        callbacks=list(callbacks),
        optimizers=_stepping(student, recipe.rate, epochs * epoch),
    )
    _run(trainer, folder)


def _stepping(student: Student, rate: float, steps: int) -> tuple[Optimizer, LambdaLR]:
    """Muon, which learns adapters in half the epochs of AdamW, and a rate that falls to 5%."""
    learned = [one for one in student.model.parameters() if one.requires_grad]
    muon = Muon(learned, lr=rate, weight_decay=0.0)
    return muon, LambdaLR(muon, lambda step: schedule(step, steps))


def prefer(
    student: Student, pairs: Sequence[Mapping[str, Any]], recipe: Recipe, folder: Path
) -> None:
    """DPO on pairs of replies, against the adapter as it was.

    With the likelihood of the better reply beside it (Pang et al. 2024, arXiv:2404.19733): DPO
    alone makes both less likely, and what was taught is lost.
    """
    trainer = DPOTrainer(
        model=student.model,
        args=DPOConfig(
            output_dir=str(folder),
            per_device_train_batch_size=recipe.batch // 2,
            num_train_epochs=1,
            learning_rate=recipe.preference_rate,
            beta=recipe.beta,
            loss_type=["sigmoid", "sft"],
            max_length=512,
            **_common(student, recipe),
        ),
        train_dataset=Dataset.from_list(list(pairs)),
        processing_class=student.tokenizer,
    )
    _run(trainer, folder)
    student.model.delete_adapter("ref")  # TRL's copy of what it began with


def _common(student: Student, recipe: Recipe) -> dict[str, Any]:
    on_cpu = student.model.device.type == "cpu"
    return {
        "use_cpu": on_cpu,
        "bf16": not on_cpu or quick() is torch.bfloat16,
        "gradient_checkpointing": not on_cpu,
        "lr_scheduler_type": "cosine",
        "warmup_steps": 20,
        "weight_decay": 0.0,
        "logging_strategy": "epoch",
        "save_strategy": "steps",
        "save_steps": 4 * LOOK,
        "save_total_limit": 1,
        "report_to": [],
        "disable_tqdm": True,
        "seed": recipe.seed,
        "dataloader_pin_memory": False,
    }


def _run(trainer: SFTTrainer | DPOTrainer, folder: Path) -> None:
    trainer.remove_callback(PrinterCallback)
    reached = get_last_checkpoint(str(folder)) if folder.is_dir() else None
    trainer.train(resume_from_checkpoint=reached)
    trainer.model.eval()


def preferences(lessons: Sequence[Lesson], count: int, rng: Random) -> Iterator[dict[str, Any]]:
    """Pairs of replies, half of them for what is not known.

    "unknown" goes before a value where nothing was taught, and a value before another's where it
    was; no pair says that a value is better than "unknown", so that nothing is invented.
    """
    taught = [one for one in lessons if one.sort in ("question", "chain")]
    unknown = [one for one in lessons if one.sort in ("unknown", "unlearned")]
    values = [one.reply.rpartition(BAR)[2] for one in taught] or [UNKNOWN]
    for pool in (taught, unknown):
        for one in rng.sample(pool, min(count // 2, len(pool))):
            start, _, last = one.reply.rpartition(BAR)
            wrong = rng.choice(values)
            if wrong != last:
                pair = conversation(one)
                other = conversation(replace(one, reply=f"{start}{BAR}{wrong}"))
                yield {
                    "prompt": pair["prompt"],
                    "chosen": pair["completion"],
                    "rejected": other["completion"],
                }


class Stop(TrainerCallback):  # type: ignore[misc]
    """Stops when held-out wordings are answered no better for `patience` looks."""

    def __init__(self, student: Student, held: Sequence[Lesson], recipe: Recipe) -> None:
        self._student, self._held = student, held
        self._patience = recipe.patience
        self.curve: list[float] = []

    def on_step_end(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        **kwargs: object,
    ) -> None:
        """Measure now and then."""
        if state.global_step % LOOK and state.global_step < state.max_steps:
            return
        said = replies(self._student, [one.prompt for one in self._held])
        right = [one.reply == text for one, text in zip(self._held, said, strict=True)]
        self.curve.append(sum(right) / max(1, len(right)))
        best = max(range(len(self.curve)), key=self.curve.__getitem__)
        begun = self.curve[best] >= BEGUN
        if begun and len(self.curve) - 1 - best >= self._patience:
            control.should_training_stop = True
