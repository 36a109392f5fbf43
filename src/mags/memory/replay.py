"""What a replay applies, and what it weighs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mags.graph.delta import Changes, Delta

RECORDS_AN_ENTRY = 100
"""Changed records that weigh as much as one more entry when the journal is replayed."""


def net_of(deltas: Sequence[Delta]) -> Delta:
    """The net effect of entries, with nodes in the order in which they came.

    What was forgotten is absent in it, not removed: see `Live`.
    """
    if len(deltas) == 1:
        return deltas[0]
    net = Delta.compose(deltas, "replay")
    ids, first = np.unique(np.concatenate([d.nodes.after["id"] for d in deltas]), return_index=True)
    nodes = net.nodes
    order = np.argsort(first[np.searchsorted(ids, nodes.after["id"])], kind="stable")
    sorted_ = Changes(nodes.before[order], nodes.after[order], nodes.had[order], nodes.has[order])
    return replace(net, nodes=sorted_)


def weight_of(delta: Delta) -> float:
    """What replaying a Delta costs, in entries."""
    return 1.0 + (len(delta.nodes) + len(delta.arcs)) / RECORDS_AN_ENTRY
