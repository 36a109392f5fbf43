"""What sort of action an action is, by what it was offered beside: by no word of any language.

A value of one thing stands beside other values of that thing. What stands beside values of many
things that never stand beside one another is no value: it declines to answer ("I was never told"),
and so decides how much evidence the others need. It is found once a few questions were met.
"""

from __future__ import annotations

from collections.abc import Iterable

LEAST = 6
"""Questions at which an action was offered, before anything is taken from that."""

SHARE = 0.25
"""Share of all questions so far at which it was; a value of one thing stands at few."""

ALIKE = 2
"""Questions that make a sort: their other actions hang together by some that they share."""


class Options:
    """The actions offered in one game. `declining`: those that decline to answer."""

    def __init__(self) -> None:
        self.declining: set[str] = set()
        self._questions = 0
        self._beside: dict[str, list[frozenset[str]]] = {}

    def meet(self, actions: Iterable[str]) -> None:
        """Take in what is offered at a question."""
        offered = frozenset(actions)
        self._questions += 1
        for action in offered - self.declining:
            beside = self._beside.setdefault(action, [])
            beside.append(offered - {action})
            if len(beside) >= max(LEAST, SHARE * self._questions) and _sorts(beside) > 1:
                self.declining.add(action)

    def decline(self, actions: Iterable[str]) -> bool:
        """Whether one of the actions declines to answer."""
        return not self.declining.isdisjoint(actions)


def _sorts(beside: Iterable[frozenset[str]]) -> int:
    """How many groups of sets there are of which none shares an action with another group.

    Groups of fewer than `ALIKE` sets do not count: of them nobody can tell yet.
    """
    groups: list[tuple[frozenset[str], int]] = []
    for actions in beside:
        apart = [group for group in groups if group[0].isdisjoint(actions)]
        joined = [group for group in groups if not group[0].isdisjoint(actions)]
        every = actions.union(*(held for held, _ in joined))
        groups = [*apart, (every, 1 + sum(count for _, count in joined))]
    return sum(count >= ALIKE for _, count in groups)
