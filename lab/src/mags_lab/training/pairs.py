"""Samples as what a causal model reads and replies."""

from __future__ import annotations

from collections.abc import Iterable

from mags.models.policy.taught import compact, shorten
from mags_lab.training.batches import Pair
from mags_lab.training.chains.schema import Role, Sample


def pair_of(sample: Sample) -> Pair:
    """The compact prompt of a sample and its target: the same words as in use."""
    return Pair(prompt=prompt_of(sample), target=sample.target)


def short_pair_of(sample: Sample) -> Pair:
    """The same with the target in short (`mags.models.policy.taught`)."""
    return Pair(prompt=prompt_of(sample), target=shorten(sample.target, sample.turn, sample.recent))


def prompt_of(sample: Sample) -> str:
    """The compact prompt of a sample."""
    return compact(sample.role.value, sample.turn, sample.recent, sample.recalled)


def of_role(samples: Iterable[Sample], *roles: Role) -> list[Sample]:
    """The samples of some roles; of all roles where none is named."""
    return [sample for sample in samples if not roles or sample.role in roles]
