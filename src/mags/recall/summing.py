"""Themes in recall: which of them sum up what is asked about, and which still hold."""

from __future__ import annotations

from itertools import chain

import numpy as np
from numpy.typing import NDArray

from mags.graph.graph import REVERSE, Graph
from mags.graph.records import ArcKind, NodeKind
from mags.index.state import State
from mags.plasticity.themes import over, reworded, unfit
from mags.recall.query import Reading
from mags.recall.spread import peers_each

TOLD_BY = int(ArcKind.SOURCE) | REVERSE
SUMMED_BY = int(ArcKind.MEMBER) | REVERSE


def summaries(state: State, reading: Reading) -> list[int]:
    """Rows of the themes that what an overview asks about belongs to."""
    if not reading.query.overview:
        return []
    named = state.graph.rows(reading.query.entities)
    return list(chain.from_iterable(_each(state.graph, named, SUMMED_BY)))


def outdated(graph: Graph, themes: NDArray[np.int64], moment: float) -> NDArray[np.bool_]:
    """Whether some of what each theme sums up is over, or was put in other words since; (n,).

    A fact may end by the clock alone, or while a sleep is at work: so it is looked at whenever a
    theme is to be shown, and no change of a fact has to think of its themes.
    """
    return np.array(
        [
            _outdated(graph, theme, np.array(members, np.int64), moment)
            for theme, members in zip(
                themes.tolist(), _each(graph, themes, int(ArcKind.MEMBER)), strict=True
            )
        ],
        np.bool_,
    )


def _outdated(graph: Graph, theme: int, members: NDArray[np.int64], moment: float) -> bool:
    nodes = graph.nodes
    if (unfit(nodes[members], moment) | reworded(nodes[members], nodes[theme])).any():
        return True
    said = members[graph.kinds[members] == NodeKind.EPISODE]
    told = [row for rows in _each(graph, said, TOLD_BY) for row in rows]
    return bool(over(nodes[told], moment).any())


def _each(graph: Graph, rows: NDArray[np.int64], code: int) -> list[list[int]]:
    return peers_each(graph, rows, np.full(len(rows), code))
