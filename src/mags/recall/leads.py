"""Leads: how what a line tells of one thing leads on to another, by the facts that it gave.

A line that only drops a name leads nowhere in particular; one whose facts hold of that name leads
to their other end. Where a thing has several counterparts of a kind (a clan and its members), a
lead to one of them is worth the less the more there are, as in a walk that takes each with the
same chance (Lao and Cohen, 2010); and what was told of it last goes before what was told earlier.
"""

from __future__ import annotations

from collections.abc import Mapping

from mags.graph.edge import ArcKind
from mags.graph.graph import REVERSE
from mags.graph.node import NOBODY, NodeKind
from mags.index.names import form_of
from mags.index.state import State
from mags.index.tokens import terms
from mags.recall.settings import ChainSettings
from mags.recall.spread import peers

FACT = int(NodeKind.FACT)
_GAVE = int(ArcKind.SOURCE) | REVERSE
_ENDS = (int(ArcKind.SUBJECT) | REVERSE, int(ArcKind.OBJECT) | REVERSE)


class Leads:
    """What the open facts of lines lead from; each looked up once."""

    def __init__(self, state: State, moment: float, settings: ChainSettings) -> None:
        """At `moment`, in seconds."""
        self._state, self._moment, self._settings = state, moment, settings
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
        """What a lead from a thing to each of those is worth that its open facts join it to.

        Of those of one kind all lose where there are several, and the older more.
        """
        found = self._worth.get(entity)
        if found is None:
            kinds: dict[str, list[tuple[float, int]]] = {}
            for far, told in self._joined(entity).items():
                kinds.setdefault(form_of(self._name(far)), []).append((-told, far))
            found = self._worth[entity] = {
                far: float(len(alike)) ** -self._settings.spread * self._settings.older**place
                for alike in kinds.values()
                for place, (_, far) in enumerate(sorted(alike))
            }
        return found

    def _joined(self, entity: int) -> dict[int, float]:
        """The other ends of the open facts of a thing, and when each was told last."""
        graph = self._state.graph
        row = graph.row_of.get(entity)
        found: dict[int, float] = {}
        if row is None:
            return found
        for code, end in zip(_ENDS, ("object", "subject"), strict=True):
            facts = peers(graph, row, code)
            for fact in facts[self._nodes["valid_to"][facts] > self._moment].tolist():
                far = int(self._nodes[end][fact])
                if far in (NOBODY, entity):
                    continue
                said = peers(graph, fact, int(ArcKind.SOURCE))
                told = float(self._nodes["valid_from"][[fact, *said.tolist()]].max())
                found[far] = max(found.get(far, told), told)
        return found

    def _name(self, entity: int) -> str:
        name = self._names.get(entity)
        if name is None:
            known = entity in self._state.graph.row_of
            name = self._names[entity] = self._state.content(entity).text if known else ""
        return name
