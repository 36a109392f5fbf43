"""Bygone: what is over comes after what holds now, where a question asks for one slot.

"Where does Ana live?" asks for the slot (Ana, lives in). Where a fact of it is found, what told of
a home before ("lived in"), and turns all of whose facts are over, are put right behind it. A
question about the past, or one that names a time, is left as it is; nothing is taken out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mags.graph.records import NodeKind
from mags.index.state import State
from mags.ports.policy import Hop
from mags.ports.relations import Relation, canonical
from mags.recall.query import Reading

MARGIN = 0.01


def behind(
    state: State,
    reading: Reading,
    rows: NDArray[np.int64],
    scores: NDArray[np.float32],
    stale: NDArray[np.float32],
) -> NDArray[np.float32]:
    """What is added to each score so that what is over comes after, shape (n,).

    `rows`: ascending or not, of the candidates; `stale`: the share of a turn's facts that are over.
    """
    added = np.zeros(len(scores), np.float32)
    plan = reading.query.plan
    timed = plan.since is not None or plan.until is not None
    if plan.past or timed or len(plan.hops) != 1 or not len(scores):
        return added
    hop = plan.hops[0]
    asked = canonical(hop.relation)
    if asked is None or hop.inverse:
        return added
    nodes = state.graph.nodes
    kind, subject, slot = (nodes[name][rows] for name in ("kind", "subject", "slot"))
    about = np.zeros(len(rows), np.bool_)
    for named in state.names.find(hop.subject):
        about |= subject == named
    about &= kind == NodeKind.FACT
    holds = about & (slot == np.uint64(_slot(state, asked, hop)))
    if not holds.any():
        return added
    over = (kind == NodeKind.EPISODE) & (stale >= 1.0)
    if asked.past:
        over |= about & (slot == np.uint64(state.hash("slot", asked.past, "")))
    best = scores[holds].max() - MARGIN
    late = over & (scores > best)
    added[late] = best - scores[late]
    return added


def _slot(state: State, asked: Relation, hop: Hop) -> int:
    kind = hop.relation.partition(" ")[2] if asked.kinds else ""
    return state.hash("slot", asked.name, kind)
