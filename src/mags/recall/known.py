"""What a search for chains knows: which lines hold a word, how rare it is, what is a name.

Who says a line is part of it where the question names him and he speaks of himself ("I", or nobody
by name), and nowhere else. A line that reports what came of an act (`outcome` among its attributes)
counts less than one that states something, and not at all where the act went wrong, or where what
led to it (`led_by`) is over. What is forgotten of that speaks neither way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from mags.graph.records import NodeKind
from mags.index.state import State
from mags.index.tokens import terms
from mags.recall.leads import Held, Leads
from mags.recall.lines import Capital, Line, Lines
from mags.recall.links.kernels import counted
from mags.recall.settings import ChainSettings

_CALENDAR = frozenset(
    terms(
        """monday tuesday wednesday thursday friday saturday sunday january february march april
        may june july august september october november december"""
    )
)

NO_NAME = 2**62
"""The step from which on a word is a name, where it is none."""


Values = NDArray[np.float64]
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Said:
    """Which rows are lines, by row, and the times of all lines, in order."""

    mask: NDArray[np.bool_]
    times: Values


def _said(state: State) -> _Said:
    graph = state.graph
    mask = np.zeros(graph.size, np.bool_)
    episodes = graph.where(NodeKind.EPISODE)
    mask[episodes] = True
    return _Said(mask=mask, times=np.sort(graph.nodes["valid_from"][episodes]))


class Known:
    """What one search looked up of lines and words, each once.

    `said`: whether a row is a line, by row; `worth`: by row what a line is worth, NaN where it was
    not read; `lines`: those that were. `names`: stems that are names; `since`: by number of a word
    from which half step of a hop on it is one (see `read`), `NO_NAME` where it is none; `apart`: by
    number the words that may stand in who said a line or when, too.
    """

    def __init__(self, state: State, moment: float, settings: ChainSettings) -> None:
        """At a moment, in seconds."""
        self.state, self.settings = state, settings
        self._moment = moment
        found = state.kept(("chains", "said"), lambda: _said(state))
        self.said, self.times = found.mask, found.times
        self._kept, self._leads = state.following(Lines), state.following(Leads)
        self.lines: dict[int, Line] = {}
        self.worth = np.full(state.graph.size, np.nan)
        self._aside: set[int] = set()
        self._rows: dict[str, Rows] = {}
        self._counts: dict[int, float] = {}
        self._speakers, numbers = self._kept.speakers
        words = len(state.lexicon.postings[0])
        self.names: set[str] = set()
        self.since = np.full(words, NO_NAME, np.int64)
        self._rare = np.full(words, np.nan)
        self.apart = {state.lexicon.number(term): term for term in _CALENDAR} | numbers

    def ask(self, question: str) -> None:
        """Take in the names of a question."""
        self._learn(self._kept.names(self._kept.capitals(question)))

    def weight(self, term: str) -> float:
        """What a word counts of a whole: its rarity, half of it where it is no name."""
        return self.rarity(term) * (1.0 if term in self.names else 0.5)

    def _all(self, term: str) -> Rows:
        """Lines that hold a word, who said them and when included."""
        rows = self.state.lexicon.holding(term)
        return rows[self.said[rows]]

    def holding(self, term: str, *, step: int = 0) -> Rows:
        """Lines that hold a word in what was said, whoever said it; `step`: see `read`."""
        rows = self._rows.get(term)
        if rows is None:
            rows = self._all(term)
            beside = self._beside(term, rows)
            if beside.any():
                lacking = rows[beside]
                self.read(lacking[np.isnan(self.worth[lacking])], step=step)
                own = [
                    not b or term in self.lines[r].terms
                    for r, b in zip(rows.tolist(), beside, strict=True)
                ]
                rows = rows[own]
            self._rows[term] = rows
        return rows

    def _beside(self, term: str, rows: Rows) -> NDArray[np.bool_]:
        """Which of them may hold a word only in who said them, or in the day that it was."""
        if term in _CALENDAR or term.isdigit():
            return np.ones(len(rows), np.bool_)
        speakers = self._speakers.get(term)
        if speakers is None:
            return np.zeros(len(rows), np.bool_)
        return np.isin(self.state.graph.nodes["subject"][rows], speakers)

    def naming(self, term: str) -> Rows:
        """Lines that hold a word, or whose speaker bears it as a name and speaks of himself."""
        every, holding = self._all(term), self.holding(term)
        if term not in self._speakers or len(every) == len(holding):
            return every
        return every[~np.isin(every, list(self._aside)) | np.isin(every, holding)]

    def rarity(self, term: str) -> float:
        """How rare a word is among lines."""
        return self._rare_among(len(self.holding(term)))

    def rarities(self, numbers: Rows, apart: Mapping[int, str]) -> Values:
        """How rare words are, by number; of those `apart`, by place, where it was looked up."""
        unknown = np.flatnonzero(np.isnan(self._rare[numbers]))
        wanted = numbers[unknown]
        counts = np.zeros(len(wanted), np.int64)
        counted(wanted, self.state.lexicon.postings, self.said, counts)
        for i, number, count in zip(
            unknown.tolist(), wanted.tolist(), counts.tolist(), strict=True
        ):
            term = apart.get(i)
            if term is None:
                self._rare[number] = self._rare_among(count)
            elif term in self._rows:
                self._rare[number] = self.rarity(term)
        return self._rare[numbers]

    def _rare_among(self, count: int) -> float:
        """How rare a word is that so many lines hold."""
        found = self._counts.get(count)
        if found is None:
            lines = len(self.times)
            found = self._counts[count] = log(1 + lines / (count + 0.5)) / log(1 + 2 * lines)
        return found

    def read(self, rows: Rows, *, step: int = 0) -> None:
        """The words of lines, the names in them, and what each line is worth.

        `step`: from which half step of a hop on the names are known.
        """
        if not len(rows):
            return
        at = self.state.graph.nodes["valid_from"][rows]
        later = len(self.times) - np.searchsorted(self.times, at, side="right")
        places, ages = rows.tolist(), later.tolist()
        lines, held = self._kept.of(places), self.held(rows)
        for row, age, line, told in zip(places, ages, lines, held, strict=True):
            self.lines[row] = line
            named = self._kept.names(line.capitals)
            self._learn(named, step)
            if named and not line.own:
                self._aside.add(row)
            over = told.over or self._groundless(line)
            self.worth[row] = 0.0 if over else self._value(line, age)

    def _groundless(self, line: Line) -> bool:
        """Whether something that led to the act which a line reports holds no longer."""
        row_of = self.state.graph.row_of
        rows = [row for one in line.led_by if (row := row_of.get(one)) is not None]
        return bool(rows) and any(one.over for one in self.held(rows))

    def _learn(self, named: Sequence[Capital], step: int = 0) -> None:
        for one in named:
            if one.stem not in self.names:
                self.names.add(one.stem)
                if one.number >= 0:
                    self.since[one.number] = step

    def held(self, rows: Rows | Sequence[int]) -> list[Held]:
        """What lines tell of."""
        places = [int(row) for row in rows]
        return self._leads.of(places, self._moment, self.settings.spread)

    def _value(self, line: Line, later: int) -> float:
        """What a line is worth that so many others came after: more the newer it is."""
        settings = self.settings
        fresh = settings.recency * 2.0 ** (-later / settings.half_life)
        worth: float = (1.0 + fresh) / (1.0 + settings.recency)
        if line.outcome is None:
            return worth
        return worth * (settings.failed if line.outcome < 0.0 else settings.reported)
