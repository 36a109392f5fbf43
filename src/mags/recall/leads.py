"""Leads: how well a line leads to or from a name that it holds, by the open facts that it gave.

A line whose facts hold of a name leads on by it; one that has facts, but only drops the name or
tells what is over of it, does so less, and one that nobody could read lies between. Where a thing
has several counterparts of a kind (a clan and its members), a lead to one of them is worth the less
the more there are, as in a walk that takes each with the same chance (Lao and Cohen, 2010); where
it has one (a clan and its feast), the lead keeps its worth.

What is found is kept until a fact of it changes, or begins or ends with time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mags.graph.delta import Changes, Delta
from mags.graph.graph import REVERSE
from mags.graph.records import NEVER, NOBODY, ArcKind, NodeKind
from mags.index.names import form_of
from mags.index.state import State
from mags.index.tokens import terms
from mags.recall.settings import ChainSettings
from mags.recall.spread import peers_each

FACT = int(NodeKind.FACT)
_GAVE = int(ArcKind.SOURCE) | REVERSE
_ENDS = np.array([int(ArcKind.SUBJECT) | REVERSE, int(ArcKind.OBJECT) | REVERSE])
_JOINING = [int(ArcKind.SOURCE), int(ArcKind.SUBJECT), int(ArcKind.OBJECT)]


@dataclass(slots=True)
class Span:
    """From when on and until when something that was found holds, if nothing changes."""

    since: float
    until: float = NEVER

    def covers(self, moment: float) -> bool:
        """Whether it holds at a moment."""
        return self.since <= moment < self.until

    def end(self, *others: float) -> None:
        """It ends with the first of these that is to come."""
        self.until = min(self.until, *(at for at in others if at > self.since), NEVER)


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """What a line tells of. `worth`: by number of a word in the names at the ends of its open facts
    what a lead to there is worth, in (0, 1]; empty where it gave none. `numbers`: those words.
    `over`: it gave facts or notes, and none of them holds any longer.
    """

    span: Span
    worth: Mapping[int, float]
    numbers: NDArray[np.int64]
    over: bool

    def to(self, number: int, settings: ChainSettings) -> float:
        """What it is worth to come to the line by a word of a name, in (0, 1]."""
        return self.worth.get(number, settings.dropped) if self.worth else settings.unread


@dataclass(frozen=True, slots=True, eq=False)
class _Near:
    """What a lead from a thing to each of those is worth that its open facts join it to."""

    span: Span
    worth: Mapping[int, float]


class Leads:
    """What lines lead to and from; see `State.following`."""

    def __init__(self, state: State) -> None:
        """Nothing is looked up yet."""
        self._state = state
        self._spread = 0.0
        self._clear()

    def _clear(self) -> None:
        self._held: dict[int, Held] = {}
        self._near: dict[int, _Near] = {}
        self._names: dict[int, tuple[str, list[int]]] = {}
        self._resting: dict[int, set[int]] = {}
        """By id of a node the rows of the lines that rest on it."""

    def of(self, rows: Sequence[int], moment: float, spread: float) -> list[Held]:
        """What lines tell of at a moment. `spread`: of `ChainSettings`."""
        if spread != self._spread:
            self._clear()
            self._spread = spread
        known = self._held
        lacking = [
            row for row in rows if (one := known.get(row)) is None or not one.span.covers(moment)
        ]
        if lacking:
            self._look_up(lacking, moment)
        return [known[row] for row in rows]

    def _look_up(self, rows: Sequence[int], moment: float) -> None:
        graph = self._state.graph
        gave = peers_each(graph, np.array(rows), np.full(len(rows), _GAVE))
        ids = graph.nodes["id"][list(rows)].tolist()
        for row, episode, given in zip(rows, ids, gave, strict=True):
            self._held[row] = self._holding(row, episode, given, moment)

    def _holding(self, row: int, episode: int, given: Sequence[int], moment: float) -> Held:
        """What the line of an episode holds that gave these rows of facts and notes."""
        nodes, span = self._state.graph.nodes, Span(moment)
        self._rest(row, episode)
        found: dict[int, float] = {}
        over = len(given) > 0
        for told in given:
            record = nodes[told]
            ends, valid_to = (int(record["subject"]), int(record["object"])), record["valid_to"]
            self._rest(row, int(record["id"]))
            span.end(float(valid_to))
            over = over and bool(valid_to <= moment)
            if record["kind"] != FACT or valid_to <= moment or NOBODY in ends:
                continue
            for near, far in (ends, ends[::-1]):
                self._rest(row, near)
                joined = self._counterparts(near, moment)
                span.end(joined.span.until)
                worth = joined.worth.get(far, 1.0)
                for number in self._name(near)[1]:
                    found[number] = max(found.get(number, 0.0), worth)
        return Held(span, found, np.fromiter(found, np.int64, len(found)), over)

    def _rest(self, row: int, node: int) -> None:
        self._resting.setdefault(node, set()).add(row)

    def _counterparts(self, entity: int, moment: float) -> _Near:
        found = self._near.get(entity)
        if found is None or not found.span.covers(moment):
            span = Span(moment)
            kinds: dict[str, list[int]] = {}
            for far in self._joined(entity, span):
                kinds.setdefault(form_of(self._name(far)[0]), []).append(far)
            worth = {
                far: float(len(alike)) ** -self._spread for alike in kinds.values() for far in alike
            }
            found = self._near[entity] = _Near(span, worth)
        return found

    def _joined(self, entity: int, span: Span) -> set[int]:
        """The other ends of the facts of a thing that are open where a span begins."""
        graph = self._state.graph
        row = graph.row_of.get(entity)
        if row is None:
            return set()
        found: set[int] = set()
        both = peers_each(graph, np.array([row, row]), _ENDS)
        for facts, end in zip(both, ("object", "subject"), strict=True):
            records = graph.nodes[facts]
            records = records[records["kind"] == FACT]
            span.end(*records["valid_to"].tolist())
            found.update(records[end][records["valid_to"] > span.since].tolist())
        return found - {NOBODY, entity}

    def _name(self, entity: int) -> tuple[str, list[int]]:
        """The name of a thing, and the numbers of its words."""
        found = self._names.get(entity)
        if found is None:
            state = self._state
            text = state.content(entity).text if entity in state.graph.row_of else ""
            found = self._names[entity] = text, [state.lexicon.number(t) for t in terms(text)]
        return found

    def changed(self, delta: Delta) -> None:
        """Let go of what rests on facts that are others now; of all where a thing is."""
        nodes, arcs = delta.nodes, delta.arcs
        if len(nodes):
            renamed = nodes.had & (nodes.before["content"] != nodes.after["content"])
            if (nodes.had & ~nodes.has).any() or renamed.any():
                self._clear()
                return
            self._drop(_concerned(nodes))
        if len(arcs):
            joining = np.isin(arcs.after["kind"], _JOINING)
            self._drop(arcs.after["src"][joining].tolist())
            self._drop(arcs.after["dst"][joining].tolist())

    def _drop(self, ids: Iterable[int]) -> None:
        for node in ids:
            self._near.pop(node, None)
            for row in self._resting.pop(node, ()):
                self._held.pop(row, None)


def _concerned(nodes: Changes) -> set[int]:
    """Facts and notes that begin, end or change their ends, and what they join."""
    other = ~nodes.had
    for name in ("valid_to", "subject", "object"):
        other |= nodes.before[name] != nodes.after[name]
    other &= nodes.after["kind"] != NodeKind.EPISODE
    found: set[int] = set()
    for records in (nodes.before[other], nodes.after[other]):
        for name in ("id", "subject", "object"):
            found.update(records[name].tolist())
    return found - {NOBODY}
