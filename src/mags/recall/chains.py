"""Chains: lines of what was said that lead from a question to one of several options.

The search works from both ends. A line begins a chain by the words, above all the names, that it
shares with the question. Lines are joined by a name or a rare word, and the last one has the words
of the option. The best chain for an option is the one of greatest product (Viterbi, 1967), over
everything that was said and still holds. So it finds middle lines that neither the question nor an
option names. A line whose facts are about a name leads on by that name better than a line that only
mentions it (`lines.Leads`).

The speaker's name counts as part of a line only if the question names the speaker and they speak of
themselves ("I", or no name at all). A line that reports the result of an act (`outcome` among its
attributes) counts less than a statement. It counts nothing if the act went wrong, or if what led to
it (`led_by`) is over (docs/decisions/0013); ids in `led_by` that were forgotten are skipped.
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
"""For each length of chain, so many of the best last lines are tried for one said late enough."""

NO_NAME = 2**62
"""The step from which a word is a name, for words that are not one."""

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
    """A chain. `option`: the option's place; `steps`: episodes, the question's end first.

    `value` in [0, 1]: how well it holds together. `since`: if the chain is one line, the last of
    the later lines about the same things.
    """

    option: int
    value: float
    steps: tuple[int, ...]
    since: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Ends:
    """The two ends of chains: a question and its options.

    `after`: by option, a moment in seconds; a chain for it must have news from then or later.
    """

    question: str
    options: tuple[str, ...]
    after: Mapping[int, float]


def chains(
    state: State, ends: Ends, *, moment: float, settings: ChainSettings
) -> tuple[Chain, ...]:
    """The best chain for each option that has one, best first. `moment`: in seconds."""
    return _Search(state, ends, moment, settings).found()


def latest(
    state: State, things: Iterable[str], *, most: int, moment: float, settings: ChainSettings
) -> tuple[tuple[int, ...], ...]:
    """For each thing at most `most` episodes whose text has all its words, newest first.

    Episodes whose facts are all over at `moment`, in seconds, are left out.
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
    """By row, the best value of a chain that ends there, and the row before it (-1: none)."""

    value: Values
    before: Rows


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Words:
    """The distinct words of some lines, in the order in which they first occur.

    A step is a word of a line, counted through all lines. `numbers`: the words' numbers in the
    lexicon; `first`: the step at which each occurs first; `place`: by step, the place of its word
    in `numbers`; `ends`: by line, the step after its last. `apart`: by place, words that the
    lexicon may also have from the speaker or the date of a line.
    """

    numbers: Rows
    first: Rows
    place: Rows
    ends: Rows
    apart: Mapping[int, str]


class _Search:
    """One search, with what it has looked up."""

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
        # Lines that can end a chain: at equal values the beam keeps them first.
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
        """Lines by their share of the question's words, above all of its names."""
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
        """The words of each option that tell it from the others."""
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
            # Best first, so the first chain with news is the best of its length.
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
        """By row, the worth of a chain that ends there by these words, in (0, 1]."""
        numbers = {self.state.lexicon.number(term) for term in words}
        dropped = self.settings.dropped
        held = self._known.held(rows)
        worth = (1.0 if not h.worth or not numbers.isdisjoint(h.worth) else dropped for h in held)
        return np.fromiter(worth, np.float64, len(rows))

    def _after(self, row: int, share: Values, first: _Hop) -> tuple[int, ...]:
        """The last line after a row with the option and at least half as much of the question."""
        times = self.state.graph.nodes["valid_from"][: self._size]
        rows = np.flatnonzero(
            (times > times[row]) & (share > 0.0) & (first.value >= 0.5 * first.value[row])
        )
        if not len(rows):
            return ()
        return (int(self.state.graph.nodes["id"][rows[times[rows].argmax()]]),)

    def _is_new(self, rows: Sequence[int], after: float | None) -> bool:
        """Whether a chain has news: its last line, or one that told facts, is from `after` on."""
        if after is None:
            return True
        late = self.state.graph.nodes["valid_from"][list(rows)] >= after
        tells = [
            row == rows[0] or bool(h.worth)
            for row, h in zip(rows, self._known.held(rows), strict=True)
        ]
        return bool((late & tells).any())

    def _gain(self, rows: Sequence[int]) -> float:
        """How much more of the question a whole chain has than its first line, as a ratio."""
        if not self._whole:
            return 1.0
        said = frozenset().union(*(self._known.lines[row].terms for row in rows))
        begun = self._known.lines[rows[-1]].terms
        first = sum(w for t, w in self._asked.items() if t in begun)
        every = sum(w for t, w in self._asked.items() if t in said)
        return every / first if first else 1.0

    def _cover(self, words: frozenset[str]) -> Values:
        """By row, its share of some words, weighed by rarity; names count double."""
        out, whole = np.zeros(self._size), 0.0
        for term in words:
            weight = self._known.weight(term)
            out[self._known.holding(term)] += weight
            whole += weight
        return out / whole if whole else out

    # -- from line to line ---------------------------------------------------------

    def _further(self, hop: _Hop) -> _Hop:
        """Chains longer by one line, each joined by its best word to a line of the last hop."""
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
            # By a name a line is entered better if its own facts are about that name.
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
        """For each word the greatest value with which it leaves a line, and that line's row.

        A word that becomes known as a name on the way counts as a name from there on.
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
        # In the next hop all names that are known by now are names from the start.
        self._known.since[self._known.since < NO_NAME] = 0
        return best, rows[source]

    def _own_rows(self, words: _Words) -> tuple[Rows, Rows, Rows]:
        """The lines of the words in `apart`, which the postings do not tell.

        By word: where its lines start (-1 for all other words) and how many they are; then all
        lines.
        """
        first, many = np.full(len(words.numbers), -1), np.zeros(len(words.numbers), np.int64)
        every = [self._known.holding(term) for term in words.apart.values()]
        places = list(words.apart)
        many[places] = [len(rows) for rows in every]
        first[places] = np.cumsum(many[places]) - many[places]
        return first, many, np.concatenate(every) if every else np.zeros(0, np.int64)

    def _hop(self, value: Values, before: Rows) -> _Hop:
        """A hop of the best lines only (`beam`), with each line's worth multiplied in."""
        rows = np.flatnonzero(value)
        beam = self.settings.beam
        if len(rows) > beam:
            own = value[rows]
            near = rows[own >= np.partition(own, len(own) - beam)[len(own) - beam]]
            newest = -self.state.graph.nodes["valid_from"][near]
            # By value; ties by whether a line can end a chain, then the newest first.
            best = near[np.lexsort((newest, ~self._ending[near], -value[near]))[:beam]]
            kept = value[best]
            value[rows] = 0.0
            value[best] = kept
            rows = np.sort(best)
        self._known.read(rows[np.isnan(self._known.worth[rows])])
        value[rows] *= self._known.worth[rows]
        return _Hop(value=value, before=before)


def _end_to_end(parts: Sequence[NDArray[np.int64]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Arrays joined into one, and where each ends in it."""
    return np.concatenate(parts), np.cumsum([len(part) for part in parts])


class Known:
    """The lines and words that one search has looked up, each once.

    `said`: by row, whether it is a line; `worth`: by row, the worth of a line, NaN if it was not
    read; `lines`: those that were read. `names`: stems that are names; `since`: by number of a
    word, the half step of a hop from which it is a name (see `read`), else `NO_NAME`; `apart`: by
    number, words that the lexicon may also have from the speaker or the date of a line.
    """

    def __init__(self, state: State, moment: float, settings: ChainSettings) -> None:
        """`moment`: in seconds; facts must hold then."""
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
        """Learn the names in a question."""
        self._learn(self._kept.names(self._kept.capitals(question)))

    def weight(self, term: str) -> float:
        """The weight of a word: its rarity, and half of that if it is not a name."""
        return self.rarity(term) * (1.0 if term in self.names else 0.5)

    def _all(self, term: str) -> Rows:
        """Lines that have a word in their text, their speaker's name or their date."""
        rows = self.state.lexicon.holding(term)
        return rows[self.said[rows]]

    def holding(self, term: str, *, step: int = 0) -> Rows:
        """Lines that have a word in their text; `step`: see `read`."""
        # The lexicon indexes a turn with its speaker and date, so lines that may have the word
        # only from there are read.
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
        """Which lines may have a word only from their speaker or their date."""
        if term in _CALENDAR or term.isdigit():
            return np.ones(len(rows), np.bool_)
        speakers = self._speakers.get(term)
        if speakers is None:
            return np.zeros(len(rows), np.bool_)
        return np.isin(self.state.graph.nodes["subject"][rows], speakers)

    def naming(self, term: str) -> Rows:
        """Lines with a word in the text, or by a speaker of that name who speaks of themselves."""
        every, holding = self._all(term), self.holding(term)
        if term not in self._speakers or len(every) == len(holding):
            return every
        return every[~np.isin(every, list(self._aside)) | np.isin(every, holding)]

    def rarity(self, term: str) -> float:
        """How rare a word is among lines, in (0, 1]."""
        return self._rare_among(len(self.holding(term)))

    def rarities(self, numbers: Rows, apart: Mapping[int, str]) -> Values:
        """How rare words are, by number; for words in `apart`, by place, only if looked up."""
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
        """Read lines: their words, the names in them, and the worth of each line.

        `step`: the half step of a hop from which these names are known.
        """
        if not len(rows):
            return
        at = self.state.graph.nodes["valid_from"][rows]
        later = len(self.times) - np.searchsorted(self.times, at, side="right")
        places, ages = rows.tolist(), later.tolist()
        lines, held = self._kept.of(places), self.held(rows)
        row_of = self.state.graph.row_of
        for row, age, line, one in zip(places, ages, lines, held, strict=True):
            self.lines[row] = line
            named = self._kept.names(line.capitals)
            self._learn(named, step)
            if named and not line.own:
                self._aside.add(row)
            # Nothing is worth an act of which something that led to it no longer holds.
            led = [row_of[i] for i in line.led_by if i in row_of]
            over = one.over or (bool(led) and any(other.over for other in self.held(led)))
            self.worth[row] = 0.0 if over else self._value(line, age)

    def _learn(self, named: Sequence[Capital], step: int = 0) -> None:
        for one in named:
            if one.stem not in self.names:
                self.names.add(one.stem)
                if one.number >= 0:
                    self.since[one.number] = step

    def held(self, rows: Rows | Sequence[int]) -> list[LineFacts]:
        """The facts that lines told, as `LineFacts`."""
        places = [int(row) for row in rows]
        return self._leads.of(places, self._moment, self.settings.spread)

    def _value(self, line: Line, later: int) -> float:
        """The worth of a line that `later` others came after; newer lines are worth more."""
        settings = self.settings
        fresh = settings.recency * 2.0 ** (-later / settings.half_life)
        worth: float = (1.0 + fresh) / (1.0 + settings.recency)
        if line.outcome is None:
            return worth
        return worth * (settings.failed if line.outcome < 0.0 else settings.reported)


def _said(state: State) -> tuple[NDArray[np.bool_], Values]:
    """By row, whether it is a line; and the times of all lines, ascending."""
    graph = state.graph
    mask = np.zeros(graph.size, np.bool_)
    episodes = graph.where(NodeKind.EPISODE)
    mask[episodes] = True
    return mask, np.sort(graph.nodes["valid_from"][episodes])
