"""The nano that comes with MAGS: trained by `mags train all --preset nano`."""

from __future__ import annotations

from mags.models.embed.onnx import DATA
from mags.models.policy.nano.model import NanoFolder

SHIPPED = DATA / "nano"
CARD_SHA256 = "6ee7ed774a15f1a018def7d3e91a6a84b463ba527ae032fbf58c1e51ade249d4"
"""Of `nano.json`, which holds those of the other files."""


def shipped_nano() -> NanoFolder:
    """Read its card; raises ConfigurationError where it was left out, CorruptFile else."""
    return NanoFolder.read(SHIPPED, sha256=CARD_SHA256)
