"""Chains: what was said, line by line, from what a question names to one of some options.

Search from both ends: a line begins a chain by the words it has of the question, of its names
first of all; lines hang together by a name or a rare word, and the last one holds the option. The
best chain for an option is the one of greatest product (Viterbi, 1967), over all that was said and
still holds. So the middle links of a chain are found that neither the question nor an option names.
A line whose facts hold of a name leads on by it better than one that only drops it (`leads`).

Who says a line is part of it where the question names him and he speaks of himself ("I", or nobody
by name), and nowhere else. A line that reports what came of an act (`outcome` among its attributes)
counts less than one that states something, and not at all where the act went wrong.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from mags.graph.edge import ArcKind
from mags.graph.graph import REVERSE
from mags.graph.node import NodeKind
from mags.index.state import State
from mags.index.tokens import STOP_WORDS, fold, stem, terms
from mags.ports.policy import OUTCOME
from mags.recall.leads import Leads
from mags.recall.settings import ChainSettings
from mags.recall.spread import peers

OWN = re.compile(r"\b(?:i|me|my|mine|myself|we|us|our|ours)\b", re.IGNORECASE)
"""Words by which somebody speaks of himself."""
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?|[.!?:]", re.UNICODE)
_CALENDAR = frozenset(
    terms(
        """monday tuesday wednesday thursday friday saturday sunday january february march april
        may june july august september october november december"""
    )
)

TRIED = 12
"""Best last lines of chains of one length that are looked at for one said late enough."""

TITLE = 3
"""Names of several words from which on a word that they share is no name: House Orn, House Vell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """`option`: its place among the options; `steps`: episodes, the question's end first.

    `value` in [0, 1]: how well it hangs together. `since`: where one line says it all, the line
    said last, and later, that speaks of the same things.
    """

    option: int
    value: float
    steps: tuple[int, ...]
    since: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Ends:
    """What a chain joins. `after`: by option, a moment; a chain says nothing new but by a line then
    or later.
    """

    question: str
    options: tuple[str, ...]
    after: Mapping[int, float]


Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Hop:
    """By row the best value of a chain that ends there, and the row before it (-1: none)."""

    value: Values
    before: NDArray[np.int64]


def chains(
    state: State, ends: Ends, *, moment: float, settings: ChainSettings
) -> tuple[Chain, ...]:
    """The best chain for each option that has one, best first; at `moment`, in seconds."""
    return _Search(state, ends, moment, settings).found()


class _Search:
    """One search: what it looked up of rows and terms, each once."""

    def __init__(self, state: State, ends: Ends, moment: float, settings: ChainSettings) -> None:
        self.state, self.ends, self.settings = state, ends, settings
        self._moment = moment
        graph = state.graph
        self._size = graph.size
        self._said = np.zeros(self._size, np.bool_)
        episodes = graph.where(NodeKind.EPISODE)
        self._said[episodes] = True
        self._times = np.sort(graph.nodes["valid_from"][episodes])
        self._terms: dict[int, frozenset[str]] = {}
        self._names: set[str] = set()
        self._aside: set[int] = set()
        self._ending = np.zeros(self._size, np.bool_)
        self._worth: dict[int, float] = {}
        self._rows: dict[str, NDArray[np.int64]] = {}
        self._leads = Leads(state, moment, settings)
        self._asked: dict[str, float] = {}
        self._whole = 0.0
        self._speakers = self._spoken()

    def _spoken(self) -> dict[str, NDArray[np.int64]]:
        """By stem of a speaker's name what they said."""
        found: dict[str, set[int]] = {}
        known = [i for i in self.state.speakers if i in self.state.graph.row_of]
        for content in self.state.words(known) if known else []:
            for term in terms(content.text):
                found.setdefault(term, set()).add(content.node)
        return {term: np.array(sorted(ids), np.int64) for term, ids in found.items()}

    def found(self) -> tuple[Chain, ...]:
        """See `chains`."""
        if not len(self._times) or not self.settings.on:
            return ()
        self._names.update(self._named(self.ends.question))
        telling = self._telling()
        for words in telling:
            self._ending |= self._cover(words) >= self.settings.least
        hops = [self._first()]
        while len(hops) < self.settings.hops:
            hops.append(self._further(hops[-1]))
        found = [
            chain
            for option, words in enumerate(telling)
            if words and (chain := self._best(option, words, hops)) is not None
        ]
        return tuple(sorted(found, key=lambda chain: -chain.value))

    # -- the two ends --------------------------------------------------------------

    def _first(self) -> _Hop:
        """Lines by their share of what the question says, of its names first of all."""
        out, whole = np.zeros(self._size), 0.0
        named, names = np.zeros(self._size), 0.0
        for term in dict.fromkeys(terms(self.ends.question)):
            every = self._naming(term)
            if not len(every):
                continue
            weight = self._asked[term] = self._weight(term)
            whole += weight
            if term in self._names:
                out[every] += weight
                named[every] += weight
                names += weight
            else:
                out[self._holding(term)] += weight
        self._whole = whole
        if names:
            out *= 1.0 - self.settings.naming * (1.0 - named / names)
        return self._hop(out / whole if whole else out, np.full(self._size, -1))

    def _telling(self) -> list[frozenset[str]]:
        """The words of each option that not all of them have."""
        every = [frozenset(terms(option)) for option in self.ends.options]
        common = frozenset.intersection(*every) if len(every) > 1 else frozenset[str]()
        return [words - common for words in every]

    def _best(self, option: int, words: frozenset[str], hops: Sequence[_Hop]) -> Chain | None:
        """The best chain to lines that hold an option."""
        share = self._cover(words)
        share[share < self.settings.least] = 0.0
        for row in np.flatnonzero(share).tolist():
            share[row] *= share[row] * self._leads.ending(row, words)
        best: tuple[float, list[int]] = (0.0, [])
        for length, hop in enumerate(hops):
            values = hop.value * share
            ends = np.flatnonzero(values)
            for row in ends[np.argsort(-values[ends], kind="stable")[:TRIED]].tolist():
                rows = [row]
                for earlier in reversed(hops[1 : length + 1]):
                    rows.append(int(earlier.before[rows[-1]]))
                if self._counts(rows, self.ends.after.get(option)):
                    value = float(values[row]) * self._gain(rows)
                    best = max(best, (value, rows), key=lambda one: one[0])
                    break
        value, rows = best
        if not rows:
            return None
        ids = self.state.graph.nodes["id"][rows[::-1]].tolist()
        since = self._since(rows[0], share, hops[0]) if len(rows) == 1 else ()
        steps = tuple(dict.fromkeys(ids))
        return Chain(option=option, value=min(1.0, value), steps=steps, since=since)

    def _since(self, row: int, share: Values, first: _Hop) -> tuple[int, ...]:
        """The last line after a row that holds as much of the question, by half, and the option."""
        times = self.state.graph.nodes["valid_from"][: self._size]
        rows = np.flatnonzero(
            (times > times[row]) & (share > 0.0) & (first.value >= 0.5 * first.value[row])
        )
        if not len(rows):
            return ()
        return (int(self.state.graph.nodes["id"][rows[times[rows].argmax()]]),)

    def _counts(self, rows: Sequence[int], after: float | None) -> bool:
        """Whether the last line of a chain, or one that tells facts, was not said too early."""
        times = self.state.graph.nodes["valid_from"]
        return after is None or any(
            times[row] >= after and (row == rows[0] or self._leads.tells(row)) for row in rows
        )

    def _gain(self, rows: Sequence[int]) -> float:
        """How much more of the question a whole chain holds than its first line."""
        if not self._whole:
            return 1.0
        said = frozenset().union(*(self._terms[row] for row in rows))
        first = sum(w for t, w in self._asked.items() if t in self._terms[rows[-1]])
        every = sum(w for t, w in self._asked.items() if t in said)
        return every / first if first else 1.0

    def _cover(self, words: frozenset[str]) -> Values:
        """By row the share of some words that it holds, by their rarity; names count double."""
        out, whole = np.zeros(self._size), 0.0
        for term in words:
            weight = self._weight(term)
            out[self._holding(term)] += weight
            whole += weight
        return out / whole if whole else out

    # -- from line to line ---------------------------------------------------------

    def _further(self, hop: _Hop) -> _Hop:
        """One line on: over the best tie to a line before, a later one where they are alike."""
        ties: dict[str, tuple[float, int]] = {}
        for row in np.flatnonzero(hop.value).tolist():
            for term in self._terms[row]:
                reach = float(hop.value[row]) * self._tie(term)
                if term in self._names:
                    reach *= self._leads.away(row, term)
                if reach >= ties.get(term, (0.0, -1))[0]:
                    ties[term] = reach, row
        value, before = np.zeros(self._size), np.full(self._size, -1)
        by, words = np.zeros(self._size, np.int64), list(ties)
        for place, (term, (reach, row)) in enumerate(ties.items()):
            rows = self._holding(term)
            better = rows[(value[rows] < reach) & (rows != row)]
            value[better], before[better], by[better] = reach, row, place
        found = self._hop(self.settings.decay * value, before)
        for row in np.flatnonzero(found.value).tolist():
            if words[by[row]] in self._names:
                found.value[row] *= self._leads.to(row, words[by[row]])
        return found

    def _hop(self, value: Values, before: NDArray[np.int64]) -> _Hop:
        """The best lines only, each by what it is worth."""
        rows = np.flatnonzero(value)
        if len(rows) > self.settings.beam:
            newest = -self.state.graph.nodes["valid_from"][rows]
            best = np.lexsort((newest, ~self._ending[rows], -value[rows]))
            value[rows[best[self.settings.beam :]]] = 0.0
            rows = np.flatnonzero(value)
        self._read([row for row in rows.tolist() if row not in self._terms])
        for row in rows.tolist():
            value[row] *= self._worth[row]
        return _Hop(value=value, before=before)

    def _weight(self, term: str) -> float:
        """What a word counts of a whole: its rarity, half of it where it is no name."""
        return self._rarity(term) * (1.0 if term in self._names else 0.5)

    def _tie(self, term: str) -> float:
        """How well a word ties two lines together: a name well, any other by its rarity."""
        return 1.0 if term in self._names else self.settings.plain * self._rarity(term)

    # -- what is known of lines and words ------------------------------------------

    def _all(self, term: str) -> NDArray[np.int64]:
        """Lines that hold a word, who said them and when included."""
        rows = self.state.lexicon.holding(term)
        return rows[self._said[rows]]

    def _holding(self, term: str) -> NDArray[np.int64]:
        """Lines that hold a word in what was said, whoever said it."""
        rows = self._rows.get(term)
        if rows is None:
            rows = self._all(term)
            beside = self._beside(term, rows)
            if beside.any():
                self._read([row for row in rows[beside].tolist() if row not in self._terms])
                own = [
                    not b or term in self._terms[r]
                    for r, b in zip(rows.tolist(), beside, strict=True)
                ]
                rows = rows[own]
            self._rows[term] = rows
        return rows

    def _beside(self, term: str, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of them may hold a word only in who said them, or in the day that it was."""
        if term in _CALENDAR or term.isdigit():
            return np.ones(len(rows), np.bool_)
        speakers = self._speakers.get(term)
        if speakers is None:
            return np.zeros(len(rows), np.bool_)
        return np.isin(self.state.graph.nodes["subject"][rows], speakers)

    def _naming(self, term: str) -> NDArray[np.int64]:
        """Lines that hold a word, or whose speaker bears it as a name and speaks of himself."""
        every, holding = self._all(term), self._holding(term)
        if term not in self._speakers or len(every) == len(holding):
            return every
        return every[~np.isin(every, list(self._aside)) | np.isin(every, holding)]

    def _rarity(self, term: str) -> float:
        lines = len(self._times)
        return log(1 + lines / (len(self._holding(term)) + 0.5)) / log(1 + 2 * lines)

    def _read(self, rows: Sequence[int]) -> None:
        """The words of lines, the names in them, and what each line is worth."""
        ids = self.state.graph.nodes["id"][list(rows)].tolist()
        for row, content in zip(rows, self.state.words(ids) if ids else [], strict=True):
            self._terms[row] = frozenset(terms(content.text))
            named = self._named(content.text)
            self._names.update(named)
            if named and not OWN.search(content.text):
                self._aside.add(row)
            attributes = content.meta.get("attrs", {})
            self._worth[row] = self._value(row, dict(attributes).get(OUTCOME))

    def _value(self, row: int, outcome: str | None) -> float:
        """What a line is worth: nothing where all it told is over, more the newer it is."""
        if self._is_over(row):
            return 0.0
        settings = self.settings
        at = float(self.state.graph.nodes["valid_from"][row])
        later = len(self._times) - int(np.searchsorted(self._times, at, side="right"))
        fresh = settings.recency * 2.0 ** (-later / settings.half_life)
        worth: float = (1.0 + fresh) / (1.0 + settings.recency)
        if outcome is None:
            return worth
        return worth * (settings.failed if float(outcome) < 0.0 else settings.reported)

    def _is_over(self, row: int) -> bool:
        """Whether a line gave facts or notes, and none of them holds any longer."""
        graph = self.state.graph
        told = peers(graph, row, int(ArcKind.SOURCE) | REVERSE)
        return len(told) > 0 and bool((graph.nodes["valid_to"][told] <= self._moment).all())

    def _named(self, text: str) -> set[str]:
        """Stems of names: capitals within a sentence, and first words that name an entity."""
        found: set[str] = set()
        first = True
        for token in _WORD.findall(text):
            if not token[0].isalnum():
                first = True
                continue
            word = fold(token)
            plain = word in STOP_WORDS or not token[0].isupper() or self._is_title(word)
            if not plain and (not first or self.state.names.find(word)):
                found.add(stem(word))
            first = False
        return found

    def _is_title(self, word: str) -> bool:
        """Whether a word stands in the names of many and names nobody: House Orn, House Vell."""
        names = self.state.names
        return names.within(word) >= TITLE and not names.find(word)
