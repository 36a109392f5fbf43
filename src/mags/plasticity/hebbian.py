"""How a turn changes associations: Hebb's rule, competition for a limited sum, and credit.

Nodes that are cited together become associated. A reward strengthens or weakens the associations
that led to an answer. These changes go into the turn's `Draft`, together with the engram's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from mags.errors import InvalidInput
from mags.graph.delta import Draft
from mags.graph.records import ArcFlag, ArcKind, NodeFlag, arc_charge, node_charge, stored

DAYS_MOST = int(np.iinfo(np.uint16).max)

MOST = 8.0
"""The greatest sum of a node's outgoing associations (W_max)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hebb:
    """Associate every two cited nodes, both ways: dw = `rate` a_i a_j (1 - w) from w = 0.

    Then each source's outgoing associations compete for `most`. (To wire recalled anchors that were
    not cited costs recall.)
    """

    rate: float = 0.1
    most: float = MOST

    def __call__(
        self,
        draft: Draft,
        cited: Mapping[int, float],
        *,
        tick: int,
        day: int,
    ) -> None:
        """Put associations between `cited` nodes into the draft.

        `cited`: node id -> activation in [0, 1]; `day`: that of the turn, or its session, as a
        number. Raises InvalidInput, NotFound.
        """
        for node_id, value in cited.items():
            if not 0.0 <= value <= 1.0:
                raise InvalidInput(f"activation {value} is not in [0, 1]", key=node_id, value=value)
        wired: dict[int, list[int]] = {}
        for src, dst in permutations(cited, 2):
            eta = self.rate * cited[src] * cited[dst]
            if eta > 0.0:
                # Raises NotFound. `add_arc` does not check its ends, and every cited node is a
                # `dst` at some point.
                draft.peek(dst)
                _strengthen(draft, (src, dst), eta, tick=tick, day=day)
                wired.setdefault(src, []).append(dst)
        for src, targets in wired.items():
            compete(draft, src, also=targets, tick=tick, most=self.most)
        if wired:
            draft.reason("hebb", nodes=len(wired), arcs=sum(map(len, wired.values())))


def _strengthen(draft: Draft, ends: tuple[int, int], eta: float, *, tick: int, day: int) -> None:
    arc = draft.add_arc(*ends, ArcKind.ASSOCIATION, w=0.0, t0=tick)
    # Learning starts from the charge of now, not from the stored weight, which has decayed.
    now = arc_charge(arc, tick)
    arc["w"] = stored(np.minimum(now + eta * (1.0 - now), 1.0))
    arc["t0"] = tick
    if arc["uses"][0] == 0 or arc["last_day"][0] != day:
        arc["days"] = min(int(arc["days"][0]) + 1, DAYS_MOST)
    arc["uses"] += 1
    arc["last_day"] = day


def compete(
    draft: Draft, src: int, *, also: Iterable[int] = (), tick: int, most: float = MOST
) -> None:
    """Weaken a node's outgoing associations, the weakest first, until they sum to `most`.

    `also`: targets of associations from `src` that this draft makes and the graph does not hold
    yet. Solid associations are weakened last. The next sleep prunes an association that is at 0.
    """
    targets = dict.fromkeys(also)
    if src in draft.graph:
        held = draft.graph.arcs_from(src, ArcKind.ASSOCIATION)
        # An upper bound without computing a charge: a charge is never above the stored weight,
        # and an association that the draft touches is at most 1.
        if float(held["w"].sum()) + len(targets) <= most:
            return
        targets.update(dict.fromkeys(held["dst"].tolist()))
    arcs = [arc for dst in targets if (arc := draft.arc(src, dst, ArcKind.ASSOCIATION)) is not None]
    charges = [float(arc_charge(arc, tick)[0]) for arc in arcs]
    excess = sum(charges) - most
    # By the target's id where all else is equal, so that the same turn gives the same Delta.
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
    """Count a use of each node: strength regains `share` of what it lacks; a cold node warms.

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
        """Credit associations in the draft. The caller makes sure it is once for each trace.

        `shares`: (source id, target id) -> share c in [0, 1] of the cited hits' paths, from the
        trace. Structure, whose weights do not change, and associations that no longer exist are
        skipped. `reward`: in [-1, 1]. Raises InvalidInput.
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
            # Both forms keep w in [0, 1]: up by a part of what is lacking, down by a part of it.
            after = now + step * (1.0 - now) if step > 0.0 else now * (1.0 + step)
            arc["w"] = stored(np.clip(after, 0.0, 1.0))
            arc["t0"] = tick
            credited += 1
        if credited:
            draft.reason("credit", reward=reward, arcs=credited)
