"""Credit: a reward strengthens or weakens the associations that led to what was cited."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mags.errors import InvalidInput
from mags.graph.charge import arc_charge, stored
from mags.graph.delta import Draft
from mags.graph.records import ArcKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Credit:
    """w += eta r c (1 - w) for a reward r > 0, w *= 1 + eta r c for r < 0; eta = `rate`."""

    rate: float = 0.1

    def __call__(
        self,
        draft: Draft,
        shares: Mapping[tuple[int, int], float],
        *,
        reward: float,
        tick: int,
    ) -> None:
        """Credit associations in the draft; once for each trace (the caller's to see to).

        `shares`: (source id, target id) -> share c in [0, 1] of the cited hits' paths, as the
        trace has them. Structure has no weight to change and associations that are gone stay
        gone: both are passed over. `reward` in [-1, 1]. Raises InvalidInput.
        """
        if not -1.0 <= reward <= 1.0:
            raise InvalidInput(f"a reward lies in [-1, 1], not {reward}", reward=reward)
        credited = 0
        for (src, dst), share in shares.items():
            if not 0.0 <= share <= 1.0:
                raise InvalidInput(f"a share lies in [0, 1], not {share}", src=src, dst=dst)
            step = self.rate * reward * share
            arc = draft.arc(src, dst, ArcKind.ASSOCIATION) if step else None
            if arc is None:
                continue
            now = arc_charge(arc, tick)
            after = now + step * (1.0 - now) if step > 0.0 else now * (1.0 + step)
            arc["w"] = stored(np.clip(after, 0.0, 1.0))
            arc["t0"] = tick
            credited += 1
        if credited:
            draft.reason("credit", reward=reward, arcs=credited)
