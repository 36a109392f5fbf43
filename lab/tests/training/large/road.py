"""The road of an adapter in small: load, fine-tune, save, merge."""

from dataclasses import dataclass
from pathlib import Path

from lab.tests.training.large.families import folder, samples
from mags_lab.training.large.adapters import (
    Adapted,
    merge_adapter,
    prepare_lesson,
    put_adapter,
    save_adapter,
    teach,
)
from mags_lab.training.large.loading import load
from mags_lab.training.large.presets import Preset
from mags_lab.training.rollout import Sampling, complete
from mags_lab.training.sft import SftConfig, fine_tune


@dataclass(frozen=True, slots=True, kw_only=True)
class Walked:
    """Where everything lies, and the loss of each step of fine-tuning."""

    path: Path
    adapted: Adapted
    losses: tuple[float, ...]

    @property
    def base(self) -> Path:
        return self.path / "base"

    @property
    def adapter(self) -> Path:
        return self.path / "adapter"

    @property
    def merged(self) -> Path:
        return self.path / "merged"


def preset(epochs: float) -> Preset:
    return Preset(
        name="tiny", rank=16, alpha=32, epochs=epochs, rate=1e-2, tokens=1_024, longest=512
    )


def educate(path: Path, *, steps: int) -> None:
    """All weights of a base taught, so that an adapter has something to turn."""
    loaded = load(path)
    config = SftConfig(steps=steps, rate=1e-2, tokens=1_024)
    fine_tune(loaded.model, loaded.speech.encode(samples() * 4, longest=512), config)
    loaded.model.save_pretrained(path)
    loaded.tokenizer.save_pretrained(path)


def walk(family: str, path: Path, *, epochs: float, educated: int = 0) -> Walked:
    """The whole road; `educated`: steps that the base was taught before it."""
    folder(family, path / "base")
    if educated:
        educate(path / "base", steps=educated)
    adapted = put_adapter(load(path / "base"), preset(epochs))
    losses: list[float] = []
    lesson = prepare_lesson(adapted, samples() * 4, preset(epochs))
    teach(adapted, lesson, watch=lambda _, scalars: losses.append(scalars["loss"]))
    walked = Walked(path=path, adapted=adapted, losses=tuple(losses))
    save_adapter(adapted, walked.adapter, base=walked.base)
    merge_adapter(walked.base, walked.adapter, walked.merged)
    return walked


def replies(adapted: Adapted, *, limit: int = 32) -> list[list[int]]:
    """Greedy replies to all samples, as token ids."""
    speech = adapted.loaded.speech
    pad = adapted.loaded.tokenizer.pad_token_id
    how = Sampling(pad=pad, end=speech.end, limit=limit, temperature=0.0)
    prompts = [speech.ids(speech.messages(one)) for one in samples()]
    done = complete(adapted.model, prompts, how)
    rows = zip(done.tokens.tolist(), done.mask.tolist(), strict=True)
    return [[t for t, m in zip(tokens, mask, strict=True) if m] for tokens, mask in rows]
