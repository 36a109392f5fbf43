"""The nano that comes with MAGS: trained by `mags train all --preset nano`."""

from __future__ import annotations

from mags.models.embed.onnx import DATA
from mags.models.policy.nano.model import NanoFolder

SHIPPED = DATA / "nano"
CARD_SHA256 = "8506f5940c6b6bee1ce1b8d961515ec6f6ff5b2bfc64e7374e344a4d55270002"
"""Of `nano.json`, which holds those of the other files."""


def shipped_nano() -> NanoFolder:
    """Read its card; raises ConfigurationError where it was left out, CorruptFile else."""
    return NanoFolder.read(SHIPPED, sha256=CARD_SHA256)
