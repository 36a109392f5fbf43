"""Numba kernels of renewal: which episode says anew what another said."""

from __future__ import annotations

import numpy as np

from mags.compiling import kernel
from mags.graph.graph import REVERSE
from mags.graph.records import ArcKind, NodeFlag

SOURCE = int(ArcKind.SOURCE)
SOURCE_OF = SOURCE | REVERSE
SUPERSEDED_BY = int(ArcKind.SUPERSEDES) | REVERSE
QUESTION = int(NodeFlag.QUESTION)
STEP = 1e-4
"""How much higher than the older the newer is put."""


@kernel
def promote(chosen, nodes, pool, moment, limits, scores, added):
    """Put the newer right before the older and what came from it, into `added`.

    chosen: (rows of all candidates, places of the episodes looked at from the oldest on,
    the cosines of these, their words as bits, the words' shares); nodes: (alive, then
    `renewal.FIELDS`); pool: (start, length, peer, kind); limits: (alike, lost, margin).
    """
    rows, best, cosines, bits, idf = chosen
    alive, flags, subject, valid_from, valid_to = nodes
    whole = np.empty(len(best), np.float32)
    best_of_all(rows, best, pool, scores, whole)
    for a in range(len(best)):
        old = rows[best[a]]
        for b in range(a + 1, len(best)):
            # Scores may have risen: those older than `old` have been looked at.
            own = scores[best[b]] + added[best[b]]
            gap = scores[best[a]] + added[best[a]] - own
            new = rows[best[b]]
            if max(gap, whole[a] - whole[b]) < 0 or valid_from[new] < valid_from[old]:
                continue
            if lost_words(bits[a], bits[b], idf) > limits[1]:
                continue
            alike = gap <= limits[2] and cosines[a, b] >= limits[0]
            alike = alike and subject[old] == subject[new]
            alike = alike and not (flags[old] | flags[new]) & QUESTION
            if alike or is_heir(old, new, alive, valid_to, moment, pool):
                added[best[b]] += max(whole[a], own + gap) + STEP - own
                whole[b] = scores[best[b]] + added[best[b]]


@kernel
def best_of_all(rows, best, pool, scores, out):
    """The greatest score of each episode and of what came from it, into `out`."""
    start, length, peer, code = pool
    for a in range(len(best)):
        row = rows[best[a]]
        out[a] = scores[best[a]]
        for e in range(start[row], start[row] + length[row]):
            if code[e] != SOURCE_OF:
                continue
            for i in range(len(rows)):
                if rows[i] == peer[e]:
                    out[a] = max(out[a], scores[i])
                    break


@kernel
def lost_words(old, new, idf):
    """Share of the question's idf that the older holds and the newer does not."""
    lost = 0.0
    for j in range(len(idf)):
        if ((old & ~new) >> np.uint64(j)) & np.uint64(1):
            lost += idf[j]
    return lost


@kernel
def is_heir(old, new, alive, valid_to, moment, pool):
    """Whether an episode superseded what came from another, itself or by what came from it."""
    start, length, peer, code = pool
    for e in range(start[old], start[old] + length[old]):
        fact = peer[e]
        if code[e] != SOURCE_OF or valid_to[fact] > moment or not alive[fact]:
            continue
        for f in range(start[fact], start[fact] + length[fact]):
            heir = peer[f]
            if code[f] != SUPERSEDED_BY or not alive[heir]:
                continue
            if heir == new:
                return True
            for g in range(start[heir], start[heir] + length[heir]):
                if code[g] == SOURCE and peer[g] == new:
                    return True
    return False
