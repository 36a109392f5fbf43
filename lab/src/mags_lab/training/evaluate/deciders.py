"""Whoever can be evaluated: a policy of any kind, asked as a memory would ask it."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mags.errors import ModelError
from mags.models.grammar import EngramBlock
from mags.ports.chat import counting
from mags.ports.policy import Policy
from mags_lab.training.chains.schema import Role, Sample
from mags_lab.training.reward import Reading

BLOCKS = {Role.ASK: "recall", Role.WRITE: "engram", Role.ROUTER: "route"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What was decided for one sample.

    `reading` None: the reply was refused, `why` says for what. `mixed`: it held the memory tokens
    of another function. `seconds`, `tokens`: what it cost, None where that was not measured.
    """

    reading: Reading | None
    why: str = ""
    mixed: bool = False
    seconds: float | None = None
    tokens: int | None = None


class Decider(Protocol):
    """Decides samples."""

    @property
    def name(self) -> str:
        """What the tables call it."""
        ...

    @property
    def roles(self) -> Collection[Role]:
        """Those that it decides; only samples of these come to it."""
        ...

    def decide(self, samples: Sequence[Sample]) -> Sequence[Decision]:
        """One decision a sample, in their order."""
        ...

    def sample(self, samples: Sequence[Sample], count: int) -> Sequence[Sequence[Decision]]:
        """`count` decisions sampled for each sample; empty where always the same one is made."""
        ...


class PolicyDecider:
    """A `Policy`, one sample at a time.

    `sampled`: who is asked again, and may answer otherwise (the policy itself, or it with replies
    that are sampled); None where the same is always decided. `spent`: tokens used since it was last
    called, of a model that is not metered. `roles`: those that it decides. `clock`: seconds.
    """

    def __init__(
        self,
        policy: Policy,
        *,
        name: str = "",
        spent: Callable[[], int] | None = None,
        roles: Collection[Role] = tuple(Role),
        sampled: Policy | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.name = name or policy.name
        self.roles = roles
        self._policy = policy
        self._spent = spent
        self._sampled = sampled
        self._clock = clock

    def decide(self, samples: Sequence[Sample]) -> Sequence[Decision]:
        """One decision a sample; a reply that a guardrail refuses is a decision without reading."""
        return [self._decide(self._policy, sample) for sample in samples]

    def sample(self, samples: Sequence[Sample], count: int) -> Sequence[Sequence[Decision]]:
        """Whoever samples, asked `count` times for each."""
        if self._sampled is None:
            return []
        return [[self._decide(self._sampled, sample) for _ in range(count)] for sample in samples]

    def _decide(self, policy: Policy, sample: Sample) -> Decision:
        begin = self._clock()
        with counting() as used:
            made = _decided(policy, sample)
        seconds = self._clock() - begin
        tokens = used().prompt_tokens + used().completion_tokens if used().calls else None
        if self._spent is not None:
            tokens = self._spent()
        return replace(made, seconds=seconds, tokens=tokens)


def _decided(policy: Policy, sample: Sample) -> Decision:
    try:
        return Decision(reading=asked(policy, sample))
    except ModelError as refused:
        why = str(refused.facts.get("reason", refused))
        reply = str(refused.facts.get("reply", ""))
        return Decision(reading=None, why=why, mixed=mixes(sample.role, reply))


def mixes(role: Role, reply: str) -> bool:
    """Whether a reply holds the memory tokens of another function."""
    return any(f"<{name}>" in reply for one, name in BLOCKS.items() if one is not role)


def asked(policy: Policy, sample: Sample) -> Reading:
    """What a policy decides for a sample; raises ModelError."""
    if sample.role is Role.ASK:
        return policy.ask(sample.turn, sample.recent)
    if sample.role is Role.WRITE:
        writing = policy.write(sample.turn, sample.recent, sample.recalled)
        return EngramBlock(operations=writing.operations)
    return policy.route(sample.turn, sample.recent)


class Sampler:
    """Samples one piece after another; the same seed and logits bring the same pieces.

    `temperature`: what logits are divided by before their softmax; 0 takes the likeliest. For one
    thread at a time. Raises ValueError where it is negative.
    """

    def __init__(self, temperature: float, *, seed: int) -> None:
        if temperature < 0.0:
            raise ValueError(f"a temperature is not negative: {temperature}")
        self._temperature = temperature
        self._rng = np.random.default_rng(seed)

    def piece(self, logits: NDArray[np.float32]) -> int:
        """The id of a piece, by logits (pieces,); one of -inf is never sampled, another may be."""
        if self._temperature == 0.0:
            return int(logits.argmax())
        scaled = logits.astype(np.float64) / self._temperature
        weights = np.exp(scaled - scaled.max())
        return int(self._rng.choice(len(weights), p=weights / weights.sum()))
