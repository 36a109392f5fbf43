"""Which lines the player shows its reader, of those that lead to actions: rules of no one game.

A chain that never touches what the question names is about something else. Where one line says it,
what others say as directly for another action is shown beside it, and what was said later of the
same. A line under a condition counts where the condition was met last.

`Options` finds actions that decline to answer ("I was never told"), by no word of any language: a
value of one thing stands beside other values of that thing. What stands beside values of many
things that never stand beside one another is no value. It decides how much evidence the others
need.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, replace

from mags.index.tokens import terms
from mags.recall.chains import Chain
from mags.recall.lines import OWN
from mags_lab.games.players.notes import Note, in_order, named, telling

LEAST = 6
"""Questions at which an action was offered, before anything is taken from that."""

SHARE = 0.25
"""Share of all questions so far at which it was; a value of one thing stands at few."""

ALIKE = 2
"""Questions that make a sort: their other actions hang together by some that they share."""


class Options:
    """The actions offered in one game. `declining`: those that decline to answer."""

    def __init__(self) -> None:
        self.declining: set[str] = set()
        self._questions = 0
        self._beside: dict[str, list[frozenset[str]]] = {}

    def meet(self, actions: Iterable[str]) -> None:
        """Take in what is offered at a question."""
        offered = frozenset(actions)
        self._questions += 1
        for action in offered - self.declining:
            beside = self._beside.setdefault(action, [])
            beside.append(offered - {action})
            if len(beside) >= max(LEAST, SHARE * self._questions) and _sorts(beside) > 1:
                self.declining.add(action)

    def decline(self, actions: Iterable[str]) -> bool:
        """Whether one of the actions declines to answer."""
        return not self.declining.isdisjoint(actions)


def _sorts(beside: Iterable[frozenset[str]]) -> int:
    """How many groups of sets there are of which none shares an action with another group.

    Groups of fewer than `ALIKE` sets do not count: of them nobody can tell yet.
    """
    groups: list[tuple[frozenset[str], int]] = []
    for actions in beside:
        apart = [group for group in groups if group[0].isdisjoint(actions)]
        joined = [group for group in groups if not group[0].isdisjoint(actions)]
        every = actions.union(*(held for held, _ in joined))
        groups = [*apart, (every, 1 + sum(count for _, count in joined))]
    return sum(count >= ALIKE for _, count in groups)


UNTOLD = "Nobody has said anything of this."
"""The memory's own words where nothing it holds leads from what is asked to any action."""

RIVAL = 0.5
LESS = 0.3
"""Worth, of the best line's, from which a line for another action is shown beside it; and where
both say it under a condition."""

_CONDITION = re.compile(
    r"\b(?:when|whenever|if|while|as long as|as soon as|once|being|unless)\b[^,.;:]*", re.IGNORECASE
)
_DENIED = re.compile(
    r"\b(?:not|instead of|no longer|rather than)((?:\s+(?:at|in|on|to|with|about|by|the|an?))*"
    r"(?:\s+[\w'-]+){1,3})",
    re.IGNORECASE,
)
Line = Callable[[int], Note | None]
"""The line that an episode is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionEvidence:
    """`notes`: lines to be shown; `conditions`: words of which one decides among them."""

    notes: tuple[Note, ...]
    conditions: frozenset[str] = frozenset()


def spoken(note: Note) -> frozenset[str]:
    """The words of a line, with who said it where he speaks of himself."""
    own = OWN.search(note.line.text)
    return frozenset(terms(note.shown if own else note.line.text))


def sound(chains: Sequence[Chain], question: str, line: Line, *, wary: bool) -> list[Chain]:
    """The chains that may decide. All, but where one may decline to answer (`wary`):

    then those that touch what the question names, and over several lines those that begin with
    more of the question than a name, which any small talk may drop.
    """
    names = named(question)
    if not names or not wary:
        return list(chains)
    other = frozenset(terms(question)) - names

    def holds(chain: Chain) -> bool:
        said = [note for step in chain.steps if (note := line(step)) is not None]
        if all(names.isdisjoint(spoken(note)) for note in said):
            return False
        return len(chain.steps) == 1 or not other.isdisjoint(terms(said[0].line.text))

    return [chain for chain in chains if holds(chain)]


def meanwhile(
    chains: Sequence[Chain], question: str, line: Line, passing: Container[int]
) -> list[Chain]:
    """The chains with what holds for a while before what holds else.

    That is the first that parts from the best by a line of `passing`, is worth half of it or more,
    and, where they part at once, holds all of the question there that the best one does.
    """
    if not chains:
        return []
    best, asked = chains[0], frozenset(terms(question))

    def instead(one: Chain) -> bool:
        if one.value < RIVAL * best.value:
            return False
        parts = [
            (i, a, b) for i, (a, b) in enumerate(zip(best.steps, one.steps, strict=False)) if a != b
        ]
        if not parts:
            return False
        place, was, now = parts[0]
        if was in passing or now not in passing:
            return False
        first, second = line(was), line(now)
        if first is None or second is None:
            return False
        return place > 0 or asked & spoken(first) <= spoken(second)

    first = next((one for one in chains[1:] if instead(one)), best)
    return [first, *(one for one in chains if one is not first)]


def beside(
    chains: Sequence[Chain],
    question: str,
    line: Line,
    *,
    most: int = 1,
    close: float = 1.0,
    passing: Container[int] = (),
) -> list[Chain]:
    """The best chains; where the best is one line, the lines that say as much of other actions.

    As much: they hold every word of the question that it holds, names apart. Under a condition it
    takes less: what else is said under one may be what holds now. Beside a line of `passing`, which
    holds for a while, stands none.
    """
    if not chains:
        return []
    best = chains[0]
    if len(best.steps) > 1:
        return [one for one in chains[:most] if one.value >= close * best.value]
    if best.steps[0] in passing:
        return [best]
    under = _conditional(best, line)
    asked = frozenset(terms(question)) - named(question)
    held = asked & _words(best, line)

    def rivals(one: Chain) -> bool:
        if len(one.steps) > 1:
            return False
        if under and _conditional(one, line):
            return one.value >= LESS * best.value
        return one.value >= RIVAL * best.value and held <= _words(one, line)

    return [one for one in chains if rivals(one)]


def _words(chain: Chain, line: Line) -> frozenset[str]:
    note = line(chain.steps[-1])
    return frozenset() if note is None else frozenset(terms(note.line.text))


def shortened(chain: Chain, asked: frozenset[str], line: Line) -> Chain:
    """A chain from its last line alone, where that names all that is asked about."""
    last = line(chain.steps[-1])
    if not asked or last is None or not asked <= spoken(last):
        return chain
    return replace(chain, steps=chain.steps[-1:])


def _conditional(chain: Chain, line: Line) -> bool:
    note = line(chain.steps[-1])
    return note is not None and bool(condition(note))


def weighed(chains: Sequence[Chain], actions: Sequence[str], line: Line) -> DecisionEvidence:
    """The lines of chains, what was said since, and the words that conditions in them are about."""
    steps = [step for one in chains for step in (*one.steps, *one.since)]
    notes = in_order(note for step in steps if (note := line(step)) is not None)
    options = frozenset().union(*telling(actions))
    first = chains[0].steps if chains else ()
    under = len(first) == 1 and _conditional(chains[0], line)
    conditions = frozenset().union(*(condition(note) for note in notes if under)) - options
    return DecisionEvidence(notes=tuple(notes), conditions=conditions)


def denied(notes: Sequence[Note], actions: Sequence[str]) -> frozenset[int]:
    """The actions that lines deny which speak for the one said last: "not red, but blue"."""
    every = telling(actions)
    last: set[int] = set()
    found: set[int] = set()
    for note in reversed(notes):
        said = frozenset(terms(note.line.text))
        held = {i for i, words in enumerate(every) if words and words <= said}
        parts = [frozenset(terms(part)) for part in _DENIED.findall(note.line.text)]
        off = {i for i in held if any(every[i] <= part for part in parts)}
        last = last or held - off
        if last & held - off:
            found |= off
    return frozenset(found - last)


def condition(note: Note) -> frozenset[str]:
    """The words of a condition under which a line says what it says."""
    names = named(note.line.text)
    found = _CONDITION.findall(note.line.text)
    return frozenset(term for part in found for term in terms(part)) - names


def settled(
    evidence: DecisionEvidence, found: Iterable[Note], about: frozenset[str]
) -> tuple[Note, ...]:
    """The lines whose condition was met last, with the line that says so; all where none was.

    Where no line has that condition, those that have none.

    `found`: lines that may say so; `about`: names of which it has to be said, or by whom.
    """
    conditions = evidence.conditions
    met = [
        note
        for note in found
        if not conditions.isdisjoint(terms(note.line.text))
        and not condition(note) & conditions
        and about <= frozenset(terms(note.shown))
    ]
    last = max(met, key=lambda note: note.said, default=None)
    if last is None:
        return evidence.notes
    words = conditions & frozenset(terms(last.line.text))
    kept = [note for note in evidence.notes if condition(note) & words]
    kept = kept or [note for note in evidence.notes if not condition(note)]
    return tuple(in_order([last, *kept]))
