"""The lines of which chains are made, and where they lead; kept from one search to the next.

`Lines` holds the words and names of lines by content id, so that a forgotten text leaves no line
behind. `Leads` says how well a line leads to or from a name, by the open facts that were read from
it. An entry is valid until one of these facts changes, begins or ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mags import caches
from mags.graph.delta import Changes, Delta
from mags.graph.graph import REVERSE
from mags.graph.records import NEVER, NOBODY, ArcKind, Content, NodeKind
from mags.index.state import State
from mags.index.tokens import STOP_WORDS, fold, form_of, stem, terms
from mags.ports.policy import led_by, outcome
from mags.recall.settings import ChainSettings
from mags.recall.spread import peers_each

OWN = re.compile(r"\b(?:i|me|my|mine|myself|we|us|our|ours)\b", re.IGNORECASE)
"""Words with which people speak of themselves."""
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?|[.!?:]", re.UNICODE)

TITLE = 3
"""A word in this many names of several words is no name itself: Baker Street, Church Street ..."""

MOST = 20_000
"""Lines that are kept. If there are more, all are dropped and read again."""

FACT = int(NodeKind.FACT)
_GAVE = int(ArcKind.SOURCE) | REVERSE
_ENDS = np.array([int(ArcKind.SUBJECT) | REVERSE, int(ArcKind.OBJECT) | REVERSE])
_JOINING = [int(ArcKind.SOURCE), int(ArcKind.SUBJECT), int(ArcKind.OBJECT)]


@dataclass(frozen=True, slots=True)
class Capital:
    """A word with a capital, which may be a name: folded, its stem, and the stem's number.

    `first`: it is the first of its sentence, where any word has a capital.
    """

    word: str
    stem: str
    number: int
    first: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Line:
    """The text of one episode, taken apart.

    `terms`: its stems; `numbers`: their numbers in the lexicon, in the order of `terms`; `digits`:
    stems that are digits, by number. `own`: the speaker speaks of themselves. `outcome`: that of
    the act it reports, or None; `led_by`: ids of the episodes that led to that act.
    """

    terms: frozenset[str]
    numbers: NDArray[np.int64]
    digits: tuple[tuple[int, str], ...]
    capitals: tuple[Capital, ...]
    own: bool
    outcome: float | None
    led_by: tuple[int, ...]


_Speakers = tuple[list[int], dict[str, NDArray[np.int64]], dict[int, str]]
"""Content ids of the speakers' names, and what `Lines.speakers` returns for them."""


class Lines:
    """The lines of a memory, read when first asked for; see `State.following`."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._lines: dict[int, Line] = {}
        self._naming: dict[str, tuple[bool, bool]] = {}
        self._speakers: _Speakers = [], {}, {}
        caches.register(self)

    def clear(self) -> None:
        """Forget words that were looked up, also those of questions.

        Lines are dropped by `changed`, with their contents.
        """
        self._naming.clear()

    def of(self, rows: Sequence[int]) -> list[Line]:
        """The lines of some episodes, by row."""
        nodes, known = self._state.graph.nodes, self._lines
        contents = nodes["content"][list(rows)].tolist() if rows else []
        lacking = [row for row, content in zip(rows, contents, strict=True) if content not in known]
        if lacking:
            if len(known) + len(lacking) > MOST:
                # All of `rows` again, since those that were known are gone, too.
                known.clear()
                lacking = list(rows)
            for content in self._state.words(nodes["id"][lacking].tolist()):
                known[content.id] = self._apart(content)
        return [known[content] for content in contents]

    def _apart(self, content: Content) -> Line:
        text = content.text
        held = frozenset(terms(text))
        number = {term: self._state.lexicon.number(term) for term in held}
        attributes = dict(content.meta.get("attrs", {}))
        return Line(
            terms=held,
            numbers=np.fromiter(number.values(), np.int64, len(number)),
            digits=tuple((n, term) for term, n in number.items() if term.isdigit()),
            capitals=self.capitals(text),
            own=bool(OWN.search(text)),
            outcome=outcome(attributes),
            led_by=led_by(attributes),
        )

    def capitals(self, text: str) -> tuple[Capital, ...]:
        """The words of a text that may be names."""
        # A dict as an ordered set: the order decides which word is learned first.
        found: dict[tuple[str, bool], None] = {}
        first = True
        for token in _WORD.findall(text):
            if not token[0].isalnum():
                first = True
                continue
            word = fold(token)
            if token[0].isupper() and word not in STOP_WORDS:
                found[word, first] = None
            first = False
        number = self._state.lexicon.number
        return tuple(Capital(word, s := stem(word), number(s), first) for word, first in found)

    def names(self, capitals: Sequence[Capital]) -> list[Capital]:
        """Those that are names: within a sentence, or first in it and the name of an entity."""
        return [one for one in capitals if self._is_name(one.word)[one.first]]

    def _is_name(self, word: str) -> tuple[bool, bool]:
        """Whether a word is a name within a sentence, and whether it is one at the beginning.

        A word in many names that is not a name by itself is none: "street" in Baker Street.
        """
        found = self._naming.get(word)
        if found is None:
            names = self._state.names
            names_one = bool(names.find(word))
            found = names_one or names.within(word) < TITLE, names_one
            self._naming[word] = found
        return found

    @property
    def speakers(self) -> tuple[dict[str, NDArray[np.int64]], dict[int, str]]:
        """By stem of a speaker's name, the ids of who has it, ascending; and stems by number."""
        # A changed name has another content id, so equal ids mean that no speaker is new or
        # renamed.
        state = self._state
        known = [i for i in state.speakers if i in state.graph]
        contents: list[int] = state.graph.nodes["content"][state.graph.rows(known)].tolist()
        if contents != self._speakers[0]:
            found: dict[str, set[int]] = {}
            for content in state.words(known):
                for term in terms(content.text):
                    found.setdefault(term, set()).add(content.node)
            every = {term: np.array(sorted(ids), np.int64) for term, ids in found.items()}
            numbers = {state.lexicon.number(term): term for term in every}
            self._speakers = contents, every, numbers
        return self._speakers[1:]

    def changed(self, delta: Delta) -> None:
        """Drop lines whose words were removed or replaced, and names that may have changed."""
        nodes = delta.nodes
        if not len(nodes):
            return
        other = (nodes.had != nodes.has) | (nodes.before["content"] != nodes.after["content"])
        for content in nodes.before["content"][other & nodes.had].tolist():
            self._lines.pop(content, None)
            self._speakers = [], {}, {}
        kinds = np.concatenate([nodes.before["kind"][other], nodes.after["kind"][other]])
        if (kinds == NodeKind.ENTITY).any():
            self._naming.clear()


@dataclass(slots=True)
class Period:
    """The time for which a finding is valid if no fact changes, in seconds of event time."""

    since: float
    until: float = NEVER

    def covers(self, moment: float) -> bool:
        """Whether it is valid at a moment."""
        return self.since <= moment < self.until

    def end(self, *others: float) -> None:
        """Shorten it to the first of these times that is after its beginning."""
        self.until = min(self.until, *(at for at in others if at > self.since), NEVER)


@dataclass(frozen=True, slots=True, eq=False)
class LineFacts:
    """The facts that were read from a line.

    `worth`: by number of a word in the names at the ends of its open facts, the worth of being led
    there, in (0, 1]; empty if no open fact was read from it. `numbers`: those words. `over`: facts
    or notes were read from it, and none of them holds any more.
    """

    span: Period
    worth: Mapping[int, float]
    numbers: NDArray[np.int64]
    over: bool

    def to(self, number: int, settings: ChainSettings) -> float:
        """The worth of coming to the line by a word of a name, in (0, 1]."""
        return self.worth.get(number, settings.dropped) if self.worth else settings.unread


class Leads:
    """The facts of lines, and how well each leads to and from a name; see `State.following`.

    A line leads on best by a name that its open facts are about. A line with facts about other
    names leads on less well, and a line without facts is in between. If an entity has several
    counterparts of a kind (a club and its members), the more there are, the less a lead to one of
    them is worth, as in a random walk (Lao and Cohen, 2010). If it has one (a club and its house),
    the lead keeps its worth.
    """

    def __init__(self, state: State) -> None:
        self._state = state
        self._spread = 0.0
        self._clear()

    def _clear(self) -> None:
        self._held: dict[int, LineFacts] = {}
        self._near: dict[int, tuple[Period, Mapping[int, float]]] = {}
        """By entity, the worth of a lead to each entity that an open fact joins it to."""
        self._names: dict[int, tuple[str, list[int]]] = {}
        self._resting: dict[int, set[int]] = {}
        """By id of a node, the rows of the lines whose entry depends on it."""

    def of(self, rows: Sequence[int], moment: float, spread: float) -> list[LineFacts]:
        """The facts of lines at a moment. `spread`: of `ChainSettings`."""
        # The setting is part of every entry, so another one makes all of them wrong.
        if spread != self._spread:
            self._clear()
            self._spread = spread
        known = self._held
        lacking = [
            row for row in rows if (one := known.get(row)) is None or not one.span.covers(moment)
        ]
        if lacking:
            graph = self._state.graph
            gave = peers_each(graph, np.array(lacking), _GAVE)
            ids = graph.nodes["id"][lacking].tolist()
            for row, episode, given in zip(lacking, ids, gave, strict=True):
                known[row] = self._holding(row, episode, given, moment)
        return [known[row] for row in rows]

    def _holding(self, row: int, episode: int, given: Sequence[int], moment: float) -> LineFacts:
        """The `LineFacts` of an episode, given the rows of facts and notes read from it."""
        nodes, span = self._state.graph.nodes, Period(moment)
        self._rest(row, episode)
        found: dict[int, float] = {}
        over = len(given) > 0
        for fact in given:
            record = nodes[fact]
            ends, valid_to = (int(record["subject"]), int(record["object"])), record["valid_to"]
            self._rest(row, int(record["id"]))
            # The entry is valid only until the first of its facts ends.
            span.end(float(valid_to))
            over = over and bool(valid_to <= moment)
            if record["kind"] != FACT or valid_to <= moment or NOBODY in ends:
                continue
            for near, far in (ends, ends[::-1]):
                self._rest(row, near)
                holds, leads = self._counterparts(near, moment)
                span.end(holds.until)
                worth = leads.get(far, 1.0)
                for number in self._name(near)[1]:
                    found[number] = max(found.get(number, 0.0), worth)
        return LineFacts(span, found, np.fromiter(found, np.int64, len(found)), over)

    def _rest(self, row: int, node: int) -> None:
        self._resting.setdefault(node, set()).add(row)

    def _counterparts(self, entity: int, moment: float) -> tuple[Period, Mapping[int, float]]:
        found = self._near.get(entity)
        if found is None or not found[0].covers(moment):
            span = Period(moment)
            kinds: dict[str, list[int]] = {}
            for far in self._joined(entity, span):
                kinds.setdefault(form_of(self._name(far)[0]), []).append(far)
            worth = {
                far: float(len(alike)) ** -self._spread for alike in kinds.values() for far in alike
            }
            found = self._near[entity] = span, worth
        return found

    def _joined(self, entity: int, span: Period) -> set[int]:
        """The other ends of an entity's facts that are open when a span begins; shortens it."""
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
        """The name of an entity, and the numbers of its words."""
        found = self._names.get(entity)
        if found is None:
            state = self._state
            text = state.content(entity).text if entity in state.graph.row_of else ""
            found = self._names[entity] = text, [state.lexicon.number(t) for t in terms(text)]
        return found

    def changed(self, delta: Delta) -> None:
        """Drop entries that depend on changed facts, or all if an entity was renamed or removed."""
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
    """Ids of facts and notes that begin, end or change their ends, and of those ends."""
    other = ~nodes.had
    for name in ("valid_to", "subject", "object"):
        other |= nodes.before[name] != nodes.after[name]
    other &= nodes.after["kind"] != NodeKind.EPISODE
    found: set[int] = set()
    for records in (nodes.before[other], nodes.after[other]):
        for name in ("id", "subject", "object"):
            found.update(records[name].tolist())
    return found - {NOBODY}
