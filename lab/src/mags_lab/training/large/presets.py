"""Presets of LoRA training, and the memory that a card needs for them, by a written formula.

No library of training is needed to read them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from mags.errors import InvalidInput

if TYPE_CHECKING:
    from transformers import PretrainedConfig


class Wording(StrEnum):
    """How much a model is told of its task."""

    COMPACT = "compact"
    FEW_SHOT = "few-shot"


GIB = 2**30
CONTEXT_BYTES = 0.8 * GIB
"""What CUDA, its libraries and a fragmented allocator hold beside the tensors; assumed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """How an adapter is trained.

    `tokens`: of a batch, padding counted; `longest`: of a sample; `samples`: at most (0: all).
    `prompts`: of a step of GRPO, each with eight replies.
    """

    name: str
    rank: int
    alpha: int
    epochs: float
    rate: float
    tokens: int = 2_048
    longest: int = 1_024
    samples: int = 0
    prompts: int = 16


FULL = Preset(name="full", rank=64, alpha=128, epochs=10, rate=2e-4)
"""The original recipe: r 64, alpha 128, ten epochs."""
QUICK = Preset(name="quick", rank=16, alpha=32, epochs=1, rate=4e-4, samples=8_000)
"""One epoch over 8,000 samples: meant to be under an hour on a GPU, and timed on none so far."""
SMOKE = Preset(
    name="smoke",
    rank=4,
    alpha=8,
    epochs=1,
    rate=5e-3,
    tokens=1_024,
    longest=512,
    samples=64,
    prompts=1,
)
"""Shows that the road holds; teaches nothing."""
PRESETS = {one.name: one for one in (QUICK, FULL, SMOKE)}


def preset(name: str) -> Preset:
    """A preset by its name; raises InvalidInput that tells the others."""
    if name not in PRESETS:
        raise InvalidInput(
            f"There is no preset {name!r} of adapters: there are {', '.join(PRESETS)}.", preset=name
        )
    return PRESETS[name]


@dataclass(frozen=True, slots=True, kw_only=True)
class DecoderShape:
    """The widths of a decoder that its memory follows from."""

    hidden: int
    layers: int
    inner: int
    heads: int
    groups: int
    head_width: int
    vocabulary: int
    tied: bool

    @classmethod
    def of(cls, config: PretrainedConfig) -> DecoderShape:
        """The shape of a model by its config."""
        text = config.get_text_config()
        heads = text.num_attention_heads
        return cls(
            hidden=text.hidden_size,
            layers=text.num_hidden_layers,
            inner=text.intermediate_size,
            heads=heads,
            groups=getattr(text, "num_key_value_heads", None) or heads,
            head_width=getattr(text, "head_dim", None) or text.hidden_size // heads,
            vocabulary=text.vocab_size,
            tied=bool(text.tie_word_embeddings),
        )

    @property
    def matrices(self) -> tuple[tuple[int, int], ...]:
        """Widths in and out of the matrices of one layer: q, k, v, o, gate, up, down."""
        queries, keys = self.heads * self.head_width, self.groups * self.head_width
        into = [(self.hidden, queries), (self.hidden, keys), (self.hidden, keys)]
        feed = [(self.hidden, self.inner), (self.hidden, self.inner), (self.inner, self.hidden)]
        return (*into, (queries, self.hidden), *feed)

    @property
    def weights(self) -> int:
        """All weights but norms and biases."""
        inside = self.layers * sum(i * o for i, o in self.matrices)
        return inside + self.vocabulary * self.hidden * (1 if self.tied else 2)

    def adapter(self, rank: int) -> int:
        """Weights of a LoRA on every matrix of the layers."""
        return self.layers * rank * sum(i + o for i, o in self.matrices)


def _shape(
    hidden: int, layers: int, inner: int, heads: str, words: int, *, tied: bool
) -> DecoderShape:
    queries, groups, width = (int(part) for part in heads.split("/"))
    return DecoderShape(
        hidden=hidden,
        layers=layers,
        inner=inner,
        heads=queries,
        groups=groups,
        head_width=width,
        vocabulary=words,
        tied=tied,
    )


KNOWN = {
    "Gemma 3 270M": _shape(640, 18, 2048, "4/1/256", 262_144, tied=True),
    "Qwen 3 0.6B": _shape(1024, 28, 3072, "16/8/128", 151_936, tied=True),
    "Gemma 3 1B": _shape(1152, 26, 6912, "4/1/256", 262_144, tied=True),
    "Llama 3.2 1B": _shape(2048, 16, 8192, "32/8/64", 128_256, tied=True),
    "Qwen 3 1.7B": _shape(2048, 28, 6144, "16/8/128", 151_936, tied=True),
    "Llama 3.2 3B": _shape(3072, 28, 8192, "24/8/128", 128_256, tied=True),
    "Qwen 3 4B": _shape(2560, 36, 9728, "32/8/128", 151_936, tied=True),
    "Llama 3.1 8B": _shape(4096, 32, 14_336, "32/8/128", 128_256, tied=False),
    "Qwen 3 8B": _shape(4096, 36, 12_288, "32/8/128", 151_936, tied=False),
}
"""Shapes of models that are often tuned (heads / groups / width of a head)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryEstimate:
    """Bytes on the card at the peak of training, part by part."""

    weights: float
    adapter: float
    activations: float
    logits: float
    cache: float

    @property
    def gib(self) -> float:
        """In GiB with `CONTEXT_BYTES`: generating and learning do not happen at once."""
        working = max(self.activations + self.logits, self.cache)
        return (self.weights + self.adapter + working + CONTEXT_BYTES) / GIB


def peak_memory(
    shape: DecoderShape, preset: Preset, *, four_bit: bool = False, rollouts: int = 0
) -> MemoryEstimate:
    """An estimate, not a measurement, of the peak; `rollouts`: completions of GRPO at once.

    - weights: 2 bytes each; in 4 bits 0.56 inside the layers (with its scales), 2 in the tables.
      Of a table with trained rows peft makes a copy, which has a gradient: 4 bytes more.
    - adapter: float32 weight, gradient and Muon's momentum, 12 bytes each.
    - activations, layers recomputed in the backward pass: 2 bytes of each layer's input, and the
      inside of one layer with its gradients (2 x 2 bytes of 6 hidden + 4 inner + 2 q).
    - logits: bfloat16, float32 and the gradients of both, 12 bytes.
    - cache: 2 x 2 bytes a layer, group and width for each token of each rollout.
    """
    tables = shape.vocabulary * shape.hidden * (1 if shape.tied else 2)
    inside = shape.weights - tables
    live = 6 * shape.hidden + 4 * shape.inner + 2 * shape.heads * shape.head_width
    return MemoryEstimate(
        weights=inside * (0.56 if four_bit else 2.0) + 6.0 * tables,
        adapter=12.0 * shape.adapter(preset.rank),
        activations=preset.tokens * (2.0 * shape.layers * shape.hidden + 4.0 * live),
        logits=12.0 * preset.tokens * shape.vocabulary,
        cache=4.0 * shape.layers * shape.groups * shape.head_width * rollouts * preset.longest,
    )
