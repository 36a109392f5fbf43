"""nano: small language models of MAGS's own, run by onnxruntime, one for each role or for all."""

from mags.models.policy.nano.model import NanoFolder, NanoModel
from mags.models.policy.nano.policy import CompactPolicy, NanoPolicy
from mags.models.policy.nano.sampler import Sampler
from mags.models.policy.nano.shipped import SHIPPED, shipped_nano

__all__ = [
    "SHIPPED",
    "CompactPolicy",
    "NanoFolder",
    "NanoModel",
    "NanoPolicy",
    "Sampler",
    "shipped_nano",
]
