"""Themes as they stand: whose members they are, and what may not be summed up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mags.graph.records import NEVER, ArcKind, NodeFlag, NodeKind
from mags.plasticity.still import Still


def over(nodes: NDArray[np.void], moment: float) -> NDArray[np.bool_]:
    """Which nodes tell what no longer holds, or never did, or repeat what memory answered; (n,)."""
    ended = (nodes["valid_to"] <= moment) | (
        (nodes["flags"] & int(NodeFlag.RETRACTED) > 0) & (nodes["valid_to"] < NEVER)
    )
    tells = np.isin(nodes["kind"], (int(NodeKind.FACT), int(NodeKind.NOTE)))
    return np.asarray((tells & ended) | (nodes["flags"] & int(NodeFlag.RECALLED) > 0))


def unfit(nodes: NDArray[np.void], moment: float) -> NDArray[np.bool_]:
    """Which nodes no theme may hold: what is over, and guesses, which a summary cannot mark; (n,).

    The turn of a guess may be summed up, in its own words.
    """
    return np.asarray(over(nodes, moment) | (nodes["flags"] & int(NodeFlag.GUESS) > 0))


def reworded(nodes: NDArray[np.void], theme: np.void) -> NDArray[np.bool_]:
    """Which members of a theme got new words after it did; a name that is learned is none; (n,)."""
    return np.asarray(
        (nodes["kind"] != NodeKind.ENTITY) & (nodes["content"] > theme["content"]), np.bool_
    )


def not_to_tell(still: Still, moment: float) -> NDArray[np.bool_]:
    """What is `unfit`, and the turns that told what is over; (n,)."""
    found, ended = unfit(still.nodes, moment), over(still.nodes, moment)
    told = (still.arcs["kind"] == ArcKind.SOURCE) & ended[still.src]
    found[still.dst[told]] = True
    return found


class Themes:
    """The themes there are, by their positions, to be found by their members.

    `outdated`: those with a member that is `unfit` (bool by position) or got new words since.
    Members that are unfit count no more.
    """

    def __init__(self, still: Still, unfit: NDArray[np.bool_]) -> None:
        member = np.flatnonzero(still.arcs["kind"] == ArcKind.MEMBER)
        src, dst = still.src[member].astype(np.int64), still.dst[member].astype(np.int64)
        self._members: dict[int | None, NDArray[np.int64]] = {None: np.zeros(0, np.int64)}
        self._of: dict[int, list[int]] = {}
        self._leaving: dict[int, NDArray[np.int64]] = {}
        self.outdated: list[int] = []
        for group in groups(np.arange(len(src)), src):
            theme, held = int(src[group[0]]), dst[group]
            self._members[theme] = held[~unfit[held]]
            if (unfit[held] | reworded(still.nodes[held], still.nodes[theme])).any():
                self.outdated.append(theme)
                self._leaving[theme] = member[group[unfit[held]]]
            for position in self._members[theme].tolist():
                self._of.setdefault(position, []).append(theme)
        self._taken: set[int] = set()

    def members(self, theme: int | None) -> NDArray[np.int64]:
        """Positions of a theme's members, ascending."""
        return self._members[theme]

    def leaving(self, theme: int | None) -> NDArray[np.int64]:
        """Positions among the arcs of those to members that are unfit."""
        none = np.zeros(0, np.int64)
        return none if theme is None else self._leaving.get(theme, none)

    def take(self, theme: int) -> None:
        """A theme stands for one core only."""
        self._taken.add(theme)

    def taken(self, theme: int) -> bool:
        """Whether a core has it."""
        return theme in self._taken

    def nearest(self, core: NDArray[np.int64]) -> tuple[int | None, int]:
        """The theme that shares most with a core, and how much; the smaller of equals."""
        shared = Counter(
            theme
            for position in core.tolist()
            for theme in self._of.get(position, ())
            if theme not in self._taken
        )
        if not shared:
            return None, 0
        return min(shared.items(), key=lambda t: (-t[1], len(self._members[t[0]]), t[0]))


def groups(values: NDArray[np.int64], label: NDArray[Any]) -> Iterator[NDArray[np.int64]]:
    """Values of one label each, by ascending label, in the order they came in."""
    order = np.argsort(label, kind="stable")
    if len(order):
        yield from np.split(values[order], np.flatnonzero(np.diff(label[order])) + 1)
