"""LoRA adapters: put on a base, taught, saved, merged into it.

Supervised training is MAGS's own loop (`mags_lab.training.sft`) over what peft leaves trainable,
not TRL's SFTTrainer: it has the small loss on prompts, batches by tokens, the same checkpoints,
seed and progress as any other training, and needs no data set on disk. TRL does what is hard: GRPO
(`large.grpo`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from peft import LoraConfig, PeftModel, get_peft_model, prepare_model_for_kbit_training

from mags.errors import ConfigurationError
from mags_lab.training.batches import Encoded, batches
from mags_lab.training.chains.schema import Sample
from mags_lab.training.large.loading import Device, Loaded, load
from mags_lab.training.large.presets import Preset, Wording
from mags_lab.training.runs import Watch
from mags_lab.training.sft import SftConfig, fine_tune

CARD = "mags.json"
SAVED = 200
"""Steps between checkpoints, at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapted:
    """A base with an adapter on it; `model` is peft's, whose base is `loaded.model`."""

    loaded: Loaded
    model: PeftModel


def put_adapter(loaded: Loaded, preset: Preset, *, seed: int = 0) -> Adapted:
    """A fresh LoRA on every matrix of the layers, and trainable rows for the memory tokens."""
    torch.manual_seed(seed)
    base = loaded.model
    if getattr(base, "is_loaded_in_4bit", False):
        base = prepare_model_for_kbit_training(base, use_gradient_checkpointing=False)
    config = LoraConfig(
        r=preset.rank,
        lora_alpha=preset.alpha,
        lora_dropout=0.0,
        target_modules="all-linear",
        trainable_token_indices=_rows(loaded),
        task_type="CAUSAL_LM",
    )
    model = get_peft_model(base, config)
    if loaded.device.is_gpu:
        base.config.use_cache = False
        base.gradient_checkpointing_enable({"use_reentrant": False})
    return Adapted(loaded=loaded, model=model)


def take_up(loaded: Loaded, folder: Path) -> Adapted:
    """A saved adapter on its base, to be trained further."""
    model = PeftModel.from_pretrained(loaded.model, str(folder), is_trainable=True)
    return Adapted(loaded=loaded, model=model)


def _rows(loaded: Loaded) -> dict[str, list[int]]:
    """The rows of memory tokens in each table that is not tied to the other."""
    rows = {"embed_tokens": list(loaded.tokens)}
    if not loaded.model.config.get_text_config().tie_word_embeddings:
        rows["lm_head"] = list(loaded.tokens)
    return rows


@dataclass(frozen=True, slots=True, kw_only=True)
class EncodedLesson:
    """Samples as the model reads them, and how it is taught them: `config.steps` in all."""

    encoded: Sequence[Encoded]
    config: SftConfig


def prepare_lesson(
    adapted: Adapted, samples: Sequence[Sample], preset: Preset, *, seed: int = 0
) -> EncodedLesson:
    """What `teach` takes: the samples encoded, and as many steps as make the preset's epochs."""
    kept = samples[: preset.samples or None]
    encoded = adapted.loaded.speech.encode(kept, longest=preset.longest)
    pad = int(adapted.loaded.tokenizer.pad_token_id)
    epoch = sum(
        1 for _ in batches(encoded, tokens=preset.tokens, pad=pad, prompt_weight=0.0, seed=0)
    )
    config = SftConfig(
        steps=round(preset.epochs * epoch),
        rate=preset.rate,
        tokens=preset.tokens,
        seed=seed,
        save_every=min(epoch, SAVED),
    )
    return EncodedLesson(encoded=encoded, config=config)


def teach(
    adapted: Adapted,
    lesson: EncodedLesson,
    *,
    watch: Watch | None = None,
    folder: Path | None = None,
) -> None:
    """Fine-tune the adapter (in place); checkpoints of what it trains go to `folder`.

    A folder that has some already is taken up where they end.
    """
    fine_tune(adapted.model, lesson.encoded, lesson.config, watch=watch, folder=folder)


def save_adapter(adapted: Adapted, folder: Path, *, base: str | Path) -> Path:
    """Write the adapter alone (safetensors), and a card that says how it is spoken to."""
    adapted.model.save_pretrained(str(folder), save_embedding_layers=False)
    card = {"base": str(base), "wording": adapted.loaded.speech.wording.value}
    (folder / CARD).write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
    return folder


def wording_of(folder: Path) -> Wording:
    """The wording that an adapter was taught with; raises ConfigurationError."""
    return Wording(_card(folder)["wording"])


def base_of(folder: Path) -> str:
    """The folder or name of the base that an adapter was taught on; raises ConfigurationError."""
    return _card(folder)["base"]


def _card(folder: Path) -> Mapping[str, str]:
    card = folder / CARD
    if not card.is_file():
        raise ConfigurationError(
            f"{folder} holds no adapter of MAGS ({CARD} is missing): train one with "
            "`mags train lora`.",
            path=str(folder),
        )
    read: Mapping[str, str] = json.loads(card.read_text(encoding="utf-8"))
    return read


def merge_adapter(
    source: str | Path, adapter: Path, out: Path, *, device: Device | None = None
) -> Path:
    """Base and adapter as one model in a folder: safetensors, tokenizer, chat template."""
    loaded = load(source, wording=wording_of(adapter), device=device)
    merged = PeftModel.from_pretrained(loaded.model, str(adapter)).merge_and_unload()
    merged.save_pretrained(str(out))
    loaded.tokenizer.save_pretrained(str(out))
    return out
