"""Leads: how what a line tells of one thing leads on to another, by the facts that it gave.

A line that only drops a name leads nowhere in particular; one whose facts hold of that name leads
to their other end. Where a thing has several counterparts of a kind (a clan and its members), a
lead to one of them is worth the less the more there are, as in a walk that takes each with the
same chance (Lao and Cohen, 2010).
"""

from __future__ import annotations

from collections.abc import Mapping

from mags.graph.edge import ArcKind
from mags.graph.graph import REVERSE
from mags.graph.node import NOBODY, NodeKind
from mags.index.names import form_of
from mags.index.state import State
from mags.index.tokens import terms
from mags.recall.spread import peers

FACT = int(NodeKind.FACT)
_GAVE = int(ArcKind.SOURCE) | REVERSE
_ENDS = (int(ArcKind.SUBJECT) | REVERSE, int(ArcKind.OBJECT) | REVERSE)


class Leads:
    """What the open facts of lines lead from; each looked up once."""

    def __init__(self, state: State, moment: float, spread: float) -> None:
        """`spread`: 0 where the number of counterparts does not matter, 1 where it divides."""
        self._state, self._moment, self._spread = state, moment, spread
        self._nodes = state.graph.nodes
        self._lines: dict[int, Mapping[str, float]] = {}
        self._names: dict[int, str] = {}
        self._worth: dict[int, Mapping[int, float]] = {}

    def of(self, row: int) -> Mapping[str, float]:
        """By the words of the names at the ends of its open facts, what a lead from there is worth.

        In (0, 1]; empty where a line gave none.
        """
        found = self._lines.get(row)
        if found is None:
            found = self._lines[row] = self._of(row)
        return found

    def _of(self, row: int) -> dict[str, float]:
        found: dict[str, float] = {}
        for fact in self.told(row):
            ends = int(self._nodes["subject"][fact]), int(self._nodes["object"][fact])
            if NOBODY in ends:
                continue
            for near, far in (ends, ends[::-1]):
                worth = self._counterparts(near).get(far, 1.0)
                for term in terms(self._name(near)):
                    found[term] = max(found.get(term, 0.0), worth)
        return found

    def told(self, row: int) -> list[int]:
        """Rows of the facts that a line gave and that hold."""
        given = peers(self._state.graph, row, _GAVE)
        facts = given[self._nodes["kind"][given] == FACT]
        return [int(i) for i in facts[self._nodes["valid_to"][facts] > self._moment]]

    def _counterparts(self, entity: int) -> Mapping[int, float]:
        """What a lead from a thing to each of those is worth that its open facts join it to."""
        found = self._worth.get(entity)
        if found is None:
            kinds: dict[str, list[int]] = {}
            for far in self._joined(entity):
                kinds.setdefault(form_of(self._name(far)), []).append(far)
            found = self._worth[entity] = {
                far: float(len(alike)) ** -self._spread for alike in kinds.values() for far in alike
            }
        return found

    def _joined(self, entity: int) -> set[int]:
        """The other ends of the open facts of a thing."""
        graph = self._state.graph
        row = graph.row_of.get(entity)
        found: set[int] = set()
        for code, end in zip(_ENDS, ("object", "subject"), strict=True):
            if row is not None:
                facts = peers(graph, row, code)
                facts = facts[self._nodes["valid_to"][facts] > self._moment]
                found.update(self._nodes[end][facts].tolist())
        return found - {NOBODY, entity}

    def _name(self, entity: int) -> str:
        name = self._names.get(entity)
        if name is None:
            known = entity in self._state.graph.row_of
            name = self._names[entity] = self._state.content(entity).text if known else ""
        return name
