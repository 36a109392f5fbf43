"""What a turn does to associations: Hebb's rule, competition for a limited sum, and credit.

What was cited together is associated; a reward strengthens or weakens what led to it. These changes
go into the turn's `Draft`, beside the engram's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np

from mags.errors import InvalidInput
from mags.graph.charge import arc_charge, node_charge, stored
from mags.graph.delta import Draft
from mags.graph.records import ArcFlag, ArcKind, NodeFlag

DAYS_MOST = int(np.iinfo(np.uint16).max)

MOST = 8.0
"""What a node's outgoing associations may add up to (W_max)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnClock:
    """When a turn happens, for plasticity: the clock, and the day or session, as a number."""

    tick: int
    day: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Hebb:
    """Wire every two of the cited nodes, both ways: dw = eta a_i a_j (1 - w) from w = 0.

    eta = `rate` (1 + importance), so that salient events bind faster. With `anchors` on,
    recalled anchors that were not cited wire with each other and with the cited at
    eta x `anchor_share` (an ablation: it costs recall). Then each source's outgoing
    associations compete for `most`.
    """

    rate: float = 0.1
    anchors: bool = False
    anchor_share: float = 0.05
    most: float = MOST

    def __call__(
        self,
        draft: Draft,
        cited: Mapping[int, float],
        *,
        moment: TurnClock,
        importance: float = 0.0,
        uncited: Mapping[int, float] | None = None,
    ) -> None:
        """Wire `cited` (and `uncited` anchors, where switched on) into the draft.

        `cited`, `uncited`: node id -> activation in [0, 1]; `importance`: of the event, in
        [0, 1]. Raises InvalidInput, NotFound.
        """
        active = dict(uncited or {}) if self.anchors else {}
        active.update(cited)
        _check(active, "activation")
        _check({0: importance}, "importance")
        wired: dict[int, list[int]] = {}
        for src, dst in permutations(active, 2):
            eta = self.rate * (1.0 + importance) * active[src] * active[dst]
            if src not in cited or dst not in cited:
                eta *= self.anchor_share
            if eta > 0.0:
                draft.peek(dst)
                _strengthen(draft, (src, dst), eta, moment)
                wired.setdefault(src, []).append(dst)
        for src, targets in wired.items():
            compete(draft, src, also=targets, tick=moment.tick, most=self.most)
        if wired:
            draft.reason("hebb", nodes=len(wired), arcs=sum(map(len, wired.values())))


def _strengthen(draft: Draft, ends: tuple[int, int], eta: float, moment: TurnClock) -> None:
    arc = draft.add_arc(*ends, ArcKind.ASSOCIATION, w=0.0, t0=moment.tick)
    now = arc_charge(arc, moment.tick)
    arc["w"] = stored(np.minimum(now + eta * (1.0 - now), 1.0))
    arc["t0"] = moment.tick
    if arc["uses"][0] == 0 or arc["last_day"][0] != moment.day:
        arc["days"] = min(int(arc["days"][0]) + 1, DAYS_MOST)
    arc["uses"] += 1
    arc["last_day"] = moment.day


def compete(
    draft: Draft, src: int, *, also: Iterable[int] = (), tick: int, most: float = MOST
) -> None:
    """Take what a node's outgoing associations sum to beyond `most`, from the weakest.

    `also`: targets of associations from `src` that this draft makes, which the graph does
    not hold yet. Solid associations give last. An association brought to 0 is pruned by the
    next sleep.
    """
    targets = dict.fromkeys(also)
    if src in draft.graph:
        held = draft.graph.arcs_from(src, ArcKind.ASSOCIATION)
        if float(held["w"].sum()) + len(targets) <= most:
            return
        targets.update(dict.fromkeys(held["dst"].tolist()))
    arcs = [arc for dst in targets if (arc := draft.arc(src, dst, ArcKind.ASSOCIATION)) is not None]
    charges = [float(arc_charge(arc, tick)[0]) for arc in arcs]
    excess = sum(charges) - most
    order = sorted(
        range(len(arcs)),
        key=lambda i: (
            bool(arcs[i]["flags"][0] & ArcFlag.SOLID),
            charges[i],
            int(arcs[i]["dst"][0]),
        ),
    )
    for i in order:
        if excess <= 0.0:
            return
        taken = min(excess, charges[i])
        arcs[i]["w"] = stored(charges[i] - taken)
        arcs[i]["t0"] = tick
        excess -= taken


def recharge(draft: Draft, used: Iterable[int], *, tick: int, share: float = 0.5) -> None:
    """Count a use of each node: strength regains `share` of what it lacks, cold ones warm.

    Raises NotFound.
    """
    for node_id in used:
        node = draft.node(node_id)
        now = node_charge(node, tick)
        node["strength"] = stored(now + share * (1.0 - now))
        node["strength_tick"] = tick
        node["last_used_tick"] = tick
        node["uses"] += 1
        node["flags"] &= ~np.uint16(NodeFlag.COLD)


def _check(values: Mapping[Any, float], what: str) -> None:
    for key, value in values.items():
        if not 0.0 <= value <= 1.0:
            raise InvalidInput(f"{what} {value} is not in [0, 1]", key=key, value=value)


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
