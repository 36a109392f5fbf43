"""Samples with something said before them that has nothing to do with them.

A memory mostly reads turns that follow other turns. The generator says before a turn what it needs
(a question, whom "she" names) and little else, so heads would learn that a turn which follows a
plain statement tells nothing.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace
from random import Random

from mags.ports.policy import Turn
from mags.training.chains.schema import Role, Sample

POOL = 64
"""Turns back from which what was said before is drawn."""
OWN = 0.6
"""Share of these that the speaker said."""
TWO = 0.4
"""Share of the turns that follow two others."""
TO_SOMEBODY = re.compile(r"\b(?:you|your|yours|yourself|u|ur)\b", re.IGNORECASE)


def preceded(samples: Iterable[Sample], rng: Random, *, share: float) -> Iterator[Sample]:
    """The samples, a `share` of those that stand alone after turns of others.

    Who speaks to somebody ("you") follows only themselves: who is meant would be told otherwise.
    Samples of the router stay as they are: it sees the turn alone.
    """
    pool: deque[Turn] = deque(maxlen=POOL)
    for sample in samples:
        alone = sample.role is not Role.ROUTER and not sample.recent
        if alone and pool and rng.random() < share:
            before = [rng.choice(pool) for _ in range(1 + (rng.random() < TWO))]
            yield replace(sample, recent=tuple(_as_said(one, sample, rng) for one in before))
        else:
            yield sample
        pool.append(sample.turn)


def _as_said(before: Turn, sample: Sample, rng: Random) -> Turn:
    turn = sample.turn
    own = rng.random() < OWN or TO_SOMEBODY.search(turn.text) is not None
    speaker = turn.speaker if own or before.speaker == turn.speaker else before.speaker
    return replace(before, speaker=speaker, at=turn.at)
