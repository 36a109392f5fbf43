"""Where a large model runs: the strongest device there is, and what speeds it up there."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass

import torch


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """A device and the type of the weights on it. `kind`: "cuda", "mps" (Metal) or "cpu"."""

    kind: str
    dtype: torch.dtype

    @property
    def is_gpu(self) -> bool:
        """Whether it is one that vLLM, Unsloth and 4-bit weights want."""
        return self.kind == "cuda"


def find_device() -> Device:
    """CUDA before Metal before the CPU; bfloat16 where a GPU has it, float32 on the CPU."""
    if torch.cuda.is_available():
        short = torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16
        return Device(kind="cuda", dtype=short)
    if torch.backends.mps.is_available():
        return Device(kind="mps", dtype=torch.bfloat16)
    return Device(kind="cpu", dtype=torch.float32)


@dataclass(frozen=True, slots=True, kw_only=True)
class Aids:
    """Libraries that are taken up: Unsloth's kernels, vLLM's rollouts, 4-bit weights.

    None of the tests has a GPU: these three are written by their libraries' documentation.
    """

    unsloth: bool = False
    vllm: bool = False
    four_bit: bool = False


NO_AIDS = Aids()


def find_aids(device: Device) -> Aids:
    """What of it is installed; nothing without a CUDA GPU."""
    if not device.is_gpu:
        return NO_AIDS

    def there(name: str) -> bool:
        return importlib.util.find_spec(name) is not None

    return Aids(unsloth=there("unsloth"), vllm=there("vllm"), four_bit=there("bitsandbytes"))
