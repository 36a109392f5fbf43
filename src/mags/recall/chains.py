"""Chains: what was said, line by line, from what a question names to one of some options.

Search from both ends: a line begins a chain by the words it has of the question, of its names
first of all; lines hang together by a name or a rare word, and the last one holds the option. The
best chain for an option is the one of greatest product (Viterbi, 1967), over all that was said
and still holds. So the middle links of a chain are found that neither the question nor an option
names. A line whose facts hold of a name leads on by it better than one that only drops it
(`lines.Leads`).

The speaker's name counts as part of a line only where the question names him and he speaks of
himself ("I", or nobody by name). A line that reports what came of an act (`outcome` among its
attributes) counts less than a statement. It counts nothing where the act went wrong, or where what
led to it (`led_by`) is over; ids in `led_by` that were forgotten are passed over.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import islice
from math import log

import numpy as np
from numpy.typing import NDArray

from mags.graph.records import NodeKind
from mags.index.state import State
from mags.index.tokens import terms
from mags.recall.kernels import counted, reached, strongest
from mags.recall.lines import Capital, Leads, Line, LineFacts, Lines
from mags.recall.settings import ChainSettings

TRIED = 12
"""Best last lines of chains of one length that are looked at for one said late enough."""

NO_NAME = 2**62
"""The step from which on a word is a name, where it is none."""

_CALENDAR = frozenset(
    terms(
        """monday tuesday wednesday thursday friday saturday sunday january february march april
        may june july august september october november december"""
    )
)

Values = NDArray[np.float64]
Rows = NDArray[np.int64]


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


def chains(
    state: State, ends: Ends, *, moment: float, settings: ChainSettings
) -> tuple[Chain, ...]:
    """The best chain for each option that has one, best first; at `moment`, in seconds."""
    return _Search(state, ends, moment, settings).found()


def latest(
    state: State, things: Iterable[str], *, most: int, moment: float, settings: ChainSettings
) -> tuple[tuple[int, ...], ...]:
    """By thing at most so many episodes that hold all its words in what was said, newest first.

    Those that told nothing but what is over at `moment`, in seconds, are left out.
    """
    known = Known(state, moment, settings)
    nodes = state.graph.nodes

    def of(thing: str) -> tuple[int, ...]:
        holding = [known.holding(word) for word in sorted(set(terms(thing)))]
        rows = reduce(np.intersect1d, holding) if holding else np.zeros(0, np.int64)
        order = np.lexsort((nodes["id"][rows], nodes["valid_from"][rows]))[::-1]
        standing = (row for row in rows[order].tolist() if not known.held([row])[0].over)
        return tuple(int(nodes["id"][row]) for row in islice(standing, most))

    return tuple(of(thing) for thing in things)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Hop:
    """By row the best value of a chain that ends there, and the row before it (-1: none)."""

    value: Values
    before: Rows


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Words:
    """The words of lines, in the order in which they come. `numbers`: in the lexicon; `first`: at
    which step of all lines end to end each comes first; `place`: by step its place among them;
    `ends`: by line the step after it. `apart`: by place those that may stand in who said a line or
    when, too.
    """

    numbers: Rows
    first: Rows
    place: Rows
    ends: Rows
    apart: Mapping[int, str]


class _Search:
    """One search: what it looked up of rows and terms, each once."""

    def __init__(self, state: State, ends: Ends, moment: float, settings: ChainSettings) -> None:
        self.state, self.ends, self.settings = state, ends, settings
        self._size = state.graph.size
        self._known = Known(state, moment, settings)
        self._ending = np.zeros(self._size, np.bool_)
        self._asked: dict[str, float] = {}
        self._whole = 0.0

    def found(self) -> tuple[Chain, ...]:
        """See `chains`."""
        if not len(self._known.times) or not self.settings.on:
            return ()
        self._known.ask(self.ends.question)
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
            every = self._known.naming(term)
            if not len(every):
                continue
            weight = self._asked[term] = self._known.weight(term)
            whole += weight
            if term in self._known.names:
                out[every] += weight
                named[every] += weight
                names += weight
            else:
                out[self._known.holding(term)] += weight
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
        share = self._cover(words)
        share[share < self.settings.least] = 0.0
        rows = np.flatnonzero(share)
        share[rows] *= share[rows] * self._ends_in(rows, words)
        best: tuple[float, list[int]] = (0.0, [])
        for length, hop in enumerate(hops):
            values = hop.value * share
            ends = np.flatnonzero(values)
            for row in ends[np.argsort(-values[ends], kind="stable")[:TRIED]].tolist():
                chain = [row]
                for earlier in reversed(hops[1 : length + 1]):
                    chain.append(int(earlier.before[chain[-1]]))
                if self._is_new(chain, self.ends.after.get(option)):
                    value = float(values[row]) * self._gain(chain)
                    best = max(best, (value, chain), key=lambda one: one[0])
                    break
        value, chain = best
        if not chain:
            return None
        ids = self.state.graph.nodes["id"][chain[::-1]].tolist()
        since = self._after(chain[0], share, hops[0]) if len(chain) == 1 else ()
        steps = tuple(dict.fromkeys(ids))
        return Chain(option=option, value=min(1.0, value), steps=steps, since=since)

    def _ends_in(self, rows: Rows, words: frozenset[str]) -> Values:
        """What it is worth to end in lines that hold some of these words, in (0, 1]."""
        numbers = {self.state.lexicon.number(term) for term in words}
        dropped = self.settings.dropped
        held = self._known.held(rows)
        worth = (1.0 if not h.worth or not numbers.isdisjoint(h.worth) else dropped for h in held)
        return np.fromiter(worth, np.float64, len(rows))

    def _after(self, row: int, share: Values, first: _Hop) -> tuple[int, ...]:
        """The last line after a row that holds as much of the question, by half, and the option."""
        times = self.state.graph.nodes["valid_from"][: self._size]
        rows = np.flatnonzero(
            (times > times[row]) & (share > 0.0) & (first.value >= 0.5 * first.value[row])
        )
        if not len(rows):
            return ()
        return (int(self.state.graph.nodes["id"][rows[times[rows].argmax()]]),)

    def _is_new(self, rows: Sequence[int], after: float | None) -> bool:
        """Whether the last line of a chain, or one that tells facts, was not said too early."""
        if after is None:
            return True
        late = self.state.graph.nodes["valid_from"][list(rows)] >= after
        tells = [
            row == rows[0] or bool(h.worth)
            for row, h in zip(rows, self._known.held(rows), strict=True)
        ]
        return bool((late & tells).any())

    def _gain(self, rows: Sequence[int]) -> float:
        """How much more of the question a whole chain holds than its first line."""
        if not self._whole:
            return 1.0
        said = frozenset().union(*(self._known.lines[row].terms for row in rows))
        begun = self._known.lines[rows[-1]].terms
        first = sum(w for t, w in self._asked.items() if t in begun)
        every = sum(w for t, w in self._asked.items() if t in said)
        return every / first if first else 1.0

    def _cover(self, words: frozenset[str]) -> Values:
        """By row the share of some words that it holds, by their rarity; names count double."""
        out, whole = np.zeros(self._size), 0.0
        for term in words:
            weight = self._known.weight(term)
            out[self._known.holding(term)] += weight
            whole += weight
        return out / whole if whole else out

    # -- from line to line ---------------------------------------------------------

    def _further(self, hop: _Hop) -> _Hop:
        """One line on: over the best tie to a line before, a later one where they are alike."""
        value, before = np.zeros(self._size), np.full(self._size, -1)
        rows = np.flatnonzero(hop.value)
        if not len(rows):
            return _Hop(value=value, before=before)
        words = self._words(rows)
        reach, source = self._reach(words, rows, hop.value[rows])
        by = np.zeros(self._size, np.int64)
        postings = self.state.lexicon.postings
        own = self._own_rows(words)
        reached(words.numbers, reach, source, postings, own, self._known.said, value, before, by)
        found = self._hop(self.settings.decay * value, before)
        rows = np.flatnonzero(found.value)
        numbers = words.numbers[by[rows]].tolist()
        for row, number, held in zip(rows.tolist(), numbers, self._known.held(rows), strict=True):
            if self._known.since[number] < NO_NAME:
                found.value[row] *= held.to(number, self.settings)
        return found

    def _words(self, rows: Rows) -> _Words:
        lines = [self._known.lines[row] for row in rows.tolist()]
        every, ends = _end_to_end([line.numbers for line in lines])
        numbers, first, place = np.unique(every, return_index=True, return_inverse=True)
        order = np.argsort(first)
        new_place = np.empty(len(order), np.int64)
        new_place[order] = np.arange(len(order))
        apart = {n: term for line in lines for n, term in line.digits} | self._known.apart
        numbers = numbers[order]
        return _Words(
            numbers=numbers,
            first=first[order],
            place=new_place[place],
            ends=ends,
            apart={i: apart[n] for i, n in enumerate(numbers.tolist()) if n in apart},
        )

    def _reach(self, words: _Words, rows: Rows, value: Values) -> tuple[Values, Rows]:
        """How far each word reaches from the line that it leaves best, and that line's row.

        What is known as a name while this is reckoned counts as one from there on.
        """
        for i, term in words.apart.items():
            step = 2 * int(words.first[i])
            if self._known.since[words.numbers[i]] > step:
                self._known.holding(term, step=step + 1)
        tie = self.settings.plain * self._known.rarities(words.numbers, words.apart)
        held, last = _end_to_end([one.numbers for one in self._known.held(rows)])
        less = self.settings.dropped, self.settings.unread
        best, source = np.zeros(len(tie)), np.zeros(len(tie), np.int64)
        lines = words.numbers, words.place, words.ends
        strongest(value, lines, (held, last), tie, self._known.since, less, best, source)
        self._known.since[self._known.since < NO_NAME] = 0
        return best, rows[source]

    def _own_rows(self, words: _Words) -> tuple[Rows, Rows, Rows]:
        """The lines of words that others may hold in who said them: where they start (-1: of other
        words), how many they are, and all of them.
        """
        first, many = np.full(len(words.numbers), -1), np.zeros(len(words.numbers), np.int64)
        every = [self._known.holding(term) for term in words.apart.values()]
        places = list(words.apart)
        many[places] = [len(rows) for rows in every]
        first[places] = np.cumsum(many[places]) - many[places]
        return first, many, np.concatenate(every) if every else np.zeros(0, np.int64)

    def _hop(self, value: Values, before: Rows) -> _Hop:
        """The best lines only, each by what it is worth."""
        rows = np.flatnonzero(value)
        beam = self.settings.beam
        if len(rows) > beam:
            own = value[rows]
            near = rows[own >= np.partition(own, len(own) - beam)[len(own) - beam]]
            newest = -self.state.graph.nodes["valid_from"][near]
            best = near[np.lexsort((newest, ~self._ending[near], -value[near]))[:beam]]
            kept = value[best]
            value[rows] = 0.0
            value[best] = kept
            rows = np.sort(best)
        self._known.read(rows[np.isnan(self._known.worth[rows])])
        value[rows] *= self._known.worth[rows]
        return _Hop(value=value, before=before)


def _end_to_end(parts: Sequence[NDArray[np.int64]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Arrays as one, and where each ends."""
    return np.concatenate(parts), np.cumsum([len(part) for part in parts])


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
        self.said, self.times = state.kept(("chains", "said"), lambda: _said(state))
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
        for row, age, line, one in zip(places, ages, lines, held, strict=True):
            self.lines[row] = line
            named = self._kept.names(line.capitals)
            self._learn(named, step)
            if named and not line.own:
                self._aside.add(row)
            over = one.over or self._groundless(line)
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

    def held(self, rows: Rows | Sequence[int]) -> list[LineFacts]:
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


def _said(state: State) -> tuple[NDArray[np.bool_], Values]:
    """Which rows are lines, by row, and the times of all lines, in order."""
    graph = state.graph
    mask = np.zeros(graph.size, np.bool_)
    episodes = graph.where(NodeKind.EPISODE)
    mask[episodes] = True
    return mask, np.sort(graph.nodes["valid_from"][episodes])
