"""`python -m mags_lab.training.heads.latency`: what a decision of heads costs, encoder included.

Beside it what it adds where the encoder has just read the same text: a turn is routed, asked of and
written of one after the other.
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path

from mags.models.embed.onnx import OnnxEmbedder
from mags.models.policy.heads.policy import HeadsPolicy
from mags.models.policy.heads.weights import SHIPPED, HeadsFile, Thresholds
from mags_lab.training.chains.schema import Role, Sample, Split
from mags_lab.training.chains.variety import SeenTurns
from mags_lab.training.generate.samples import of_split


def main() -> None:
    """Print the median and the 95th percentile of each role, in CPU milliseconds, then the rest."""
    parser = argparse.ArgumentParser(prog="python -m mags_lab.training.heads.latency")
    parser.add_argument("--file", type=Path, default=None, help="of heads; default the shipped")
    parser.add_argument("--samples", type=int, default=300)
    given = parser.parse_args()
    file = SHIPPED if given.file is None else HeadsFile(path=given.file)
    alone = Thresholds(route=0.0, ask=0.0, write=0.0, nothing=0.0)
    policy = HeadsPolicy(OnnxEmbedder(), file=file, thresholds=alone)
    samples = tuple(of_split(Split.PHRASINGS, given.samples, 1, SeenTurns()))
    decided(policy, samples[0])
    encoder = OnnxEmbedder()
    for role in Role:
        own = [one for one in samples if one.role is role]
        pairs = [(decided(policy, one), decided(policy, one)) for one in own]
        taken, added = (sorted(1e3 * t for t in times) for times in zip(*pairs, strict=True))
        read = statistics.median(1e3 * embedded(encoder, one) for one in own)
        last, median = taken[int(0.95 * len(taken))], statistics.median(taken)
        print(  # noqa: T201
            f"{role.value}: p50 {median:.2f} ms, p95 {last:.2f} ms, n {len(taken)}; "
            f"read already {statistics.median(added):.2f}, embedding the turn alone {read:.2f}"
        )


def embedded(encoder: OnnxEmbedder, sample: Sample) -> float:
    """CPU seconds of embedding the turn, as recall does anyway."""
    began = time.process_time()
    encoder.embed([sample.turn.text])
    return time.process_time() - began


def decided(policy: HeadsPolicy, sample: Sample) -> float:
    """CPU seconds of one decision."""
    began = time.process_time()
    if sample.role is Role.ASK:
        policy.ask(sample.turn, sample.recent)
    elif sample.role is Role.ROUTER:
        policy.route(sample.turn, sample.recent)
    else:
        policy.write(sample.turn, sample.recent, sample.recalled)
    return time.process_time() - began


if __name__ == "__main__":
    main()
