"""Leads: how well a line leads to or from a name that it holds, by the open facts that it gave.

A line whose facts hold of a name leads on by it; one that has facts, but only drops the name or
tells what is over of it, does so less, and one that nobody could read lies between. Where a thing
has several counterparts of a kind (a clan and its members), a lead to one of them is worth the less
the more there are, as in a walk that takes each with the same chance (Lao and Cohen, 2010); where
it has one (a clan and its feast), the lead keeps its worth.
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
    """What lines lead to and from at a moment; each looked up once."""

    def __init__(self, state: State, moment: float, settings: ChainSettings) -> None:
        self._state, self._moment, self._settings = state, moment, settings
        self._nodes = state.graph.nodes
        self._lines: dict[int, Mapping[str, float]] = {}
        self._names: dict[int, str] = {}
        self._worth: dict[int, Mapping[int, float]] = {}

    def to(self, row: int, term: str) -> float:
        """What it is worth to come to a line by a word of a name, in (0, 1]."""
        held = self._of(row)
        return held.get(term, self._settings.dropped) if held else self._settings.unread

    def away(self, row: int, term: str) -> float:
        """What it is worth to leave a line by a word of a name, in (0, 1]."""
        held = self._of(row)
        if not held:
            return self._settings.unread
        return 1.0 if term in held else self._settings.dropped

    def tells(self, row: int) -> bool:
        """Whether a line gave facts that hold."""
        return bool(self._of(row))

    def ending(self, row: int, words: frozenset[str]) -> float:
        """What it is worth to end in a line that holds some of these words, in (0, 1]."""
        held = self._of(row)
        return 1.0 if not held or not words.isdisjoint(held) else self._settings.dropped

    def _of(self, row: int) -> Mapping[str, float]:
        """By the words of the names at the ends of its open facts, what a lead to there is worth.

        Empty where a line gave none.
        """
        found = self._lines.get(row)
        if found is None:
            found = self._lines[row] = self._held(row)
        return found

    def _held(self, row: int) -> dict[str, float]:
        found: dict[str, float] = {}
        for fact in self._open(row, _GAVE):
            ends = int(self._nodes["subject"][fact]), int(self._nodes["object"][fact])
            if NOBODY in ends:
                continue
            for near, far in (ends, ends[::-1]):
                worth = self._counterparts(near).get(far, 1.0)
                for term in terms(self._name(near)):
                    found[term] = max(found.get(term, 0.0), worth)
        return found

    def _open(self, row: int, code: int) -> list[int]:
        """Rows of the facts that hold, at the other end of such arcs."""
        facts = peers(self._state.graph, row, code)
        facts = facts[self._nodes["kind"][facts] == FACT]
        return [int(i) for i in facts[self._nodes["valid_to"][facts] > self._moment]]

    def _counterparts(self, entity: int) -> Mapping[int, float]:
        """What a lead from a thing to each of those is worth that its open facts join it to."""
        found = self._worth.get(entity)
        if found is None:
            kinds: dict[str, list[int]] = {}
            for far in self._joined(entity):
                kinds.setdefault(form_of(self._name(far)), []).append(far)
            found = self._worth[entity] = {
                far: float(len(alike)) ** -self._settings.spread
                for alike in kinds.values()
                for far in alike
            }
        return found

    def _joined(self, entity: int) -> set[int]:
        """The other ends of the open facts of a thing."""
        row = self._state.graph.row_of.get(entity)
        found: set[int] = set()
        for code, end in zip(_ENDS, ("object", "subject"), strict=True):
            if row is not None:
                found.update(self._nodes[end][self._open(row, code)].tolist())
        return found - {NOBODY, entity}

    def _name(self, entity: int) -> str:
        name = self._names.get(entity)
        if name is None:
            known = entity in self._state.graph.row_of
            name = self._names[entity] = self._state.content(entity).text if known else ""
        return name
