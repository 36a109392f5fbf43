"""Lines taken apart: the words and names of what was said, kept from one search to the next.

By content, so that they go with it: a text that is forgotten is in no line any more.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mags import caches
from mags.graph.delta import Delta
from mags.graph.records import Content, NodeKind
from mags.index.state import State
from mags.index.tokens import STOP_WORDS, fold, stem, terms
from mags.ports.policy import led_by, outcome

OWN = re.compile(r"\b(?:i|me|my|mine|myself|we|us|our|ours)\b", re.IGNORECASE)
"""Words by which somebody speaks of himself."""
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?|[.!?:]", re.UNICODE)

TITLE = 3
"""Names of several words from which on a word that they share is no name: House Orn, House Vell."""

MOST = 20_000
"""Lines that are kept; with more, all are taken apart anew."""


@dataclass(frozen=True, slots=True)
class Capital:
    """A word with a capital that may be a name: folded, its stem, and that one's number.

    `first`: it stands first in its sentence, where a capital tells nothing.
    """

    word: str
    stem: str
    number: int
    first: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Line:
    """`terms`: its stems; `numbers`: theirs in the lexicon, in the order of `terms`; `digits`: of
    those that are digits, by number. `own`: somebody speaks of himself. `outcome`: of the act that
    it reports, where it is a number; `led_by`: ids of the episodes that led to that act.
    """

    terms: frozenset[str]
    numbers: NDArray[np.int64]
    digits: tuple[tuple[int, str], ...]
    capitals: tuple[Capital, ...]
    own: bool
    outcome: float | None
    led_by: tuple[int, ...]


_Speakers = tuple[list[int], dict[str, NDArray[np.int64]], dict[int, str]]
"""Contents of the speakers' names, and what `Lines.speakers` makes of them."""


class Lines:
    """What was said, line by line; see `State.following`."""

    def __init__(self, state: State) -> None:
        """Nothing is taken apart yet."""
        self._state = state
        self._lines: dict[int, Line] = {}
        self._naming: dict[str, tuple[bool, bool]] = {}
        self._speakers: _Speakers = [], {}, {}
        caches.register(self)

    def clear(self) -> None:
        """Let go of words looked up, those of questions too: lines go with what they say."""
        self._naming.clear()

    def of(self, rows: Sequence[int]) -> list[Line]:
        """Lines of episodes, taken apart."""
        nodes, known = self._state.graph.nodes, self._lines
        contents = nodes["content"][list(rows)].tolist() if rows else []
        lacking = [row for row, content in zip(rows, contents, strict=True) if content not in known]
        if lacking:
            if len(known) + len(lacking) > MOST:
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
        """The words of a text that are names or may be."""
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
        """Those that are names: capitals within a sentence, and first words that name an entity."""
        return [one for one in capitals if self._is_name(one.word)[one.first]]

    def _is_name(self, word: str) -> tuple[bool, bool]:
        """Whether a word is a name within a sentence, and where it stands first.

        A word that stands in the names of many and names nobody is none: House Orn, House Vell.
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
        """By stem of a speaker's name who bears it, ids in ascending order; stems by number."""
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
        """Let go of words that are gone or others now, and of who is called what."""
        nodes = delta.nodes
        if not len(nodes):
            return
        other = (nodes.had != nodes.has) | (nodes.before["content"] != nodes.after["content"])
        for content in nodes.before["content"][other & nodes.had].tolist():
            self._lines.pop(content, None)
            self._speakers = [], {}, {}
        if (nodes.after["kind"][other] == NodeKind.ENTITY).any() or (
            nodes.before["kind"][other] == NodeKind.ENTITY
        ).any():
            self._naming.clear()
