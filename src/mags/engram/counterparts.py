"""Counterparts: what kind a thing is of, and whether one of a kind goes with one of another.

A gate has one toll, a clan has many members: nobody says so, but what is remembered shows it.
Where each of several things has had one counterpart of a kind at a time, a second one takes the
place of the first (a functional dependency, found in the data).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from mags.engram.view import GUESS, View
from mags.graph.records import NEVER, NOBODY, NodeKind
from mags.index.names import form_of
from mags.index.tokens import words

THING = "thing"
COMMON = frozenset({"name", THING})
"""Kinds that tell nothing: a bare name may be anybody's, and a thing anything."""
TITLE = 3
"""Names of several words that hold a word, from which on it is the word of a kind."""
MOST = 256
"""Facts that are looked at, the newest."""
LEAST = 4
"""Things that must have a counterpart before anything follows from their number."""
FAR = 3
"""Different counterparts that they must have together: two speakers say nothing of a rule."""
ODD = 8
"""Of so many things one may have two counterparts: a change that nobody told."""


def kind_of(view: View, entity: int) -> str:
    """The kind that a name tells: "clan", "custom of"; "house" where several are "House X"."""
    name = view.words(entity).text
    form = form_of(name)
    if form != "name":
        return form
    parts = words(name)
    ends = dict.fromkeys((parts[0], parts[-1])) if len(parts) > 1 else ()
    titles = (word for word in ends if view.state.names.within(word) >= TITLE)
    return next(titles, form)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """How many things of a kind have a counterpart, several ones, and how many these are."""

    held: int
    several: int
    others: int

    @property
    def is_one(self) -> bool:
        """Whether each has one, as far as enough of them show."""
        shown = self.held >= LEAST and self.others >= FAR
        return shown and self.several * ODD <= self.held


NOTHING = Counted(held=0, several=0, others=0)


def counted(view: View, near: int, far: int, slots: Collection[int]) -> Counted:
    """Count what things of the kind of the first have of the kind of the second, but it.

    `slots`: of the relations that count; those of any where the second is of a kind of its own.
    """
    kinds = (kind_of(view, near), kind_of(view, far))
    if kinds[0] == THING != kinds[1]:
        return NOTHING  # tin may be the toll of many gates
    held = _held(view, kinds, slots if kinds[1] in COMMON else (), but=near)
    return Counted(
        held=len(held),
        several=sum(len(others) > 1 for others in held.values()),
        others=len({one for found in held.values() for one in found}),
    )


def _held(
    view: View, kinds: tuple[str, str], slots: Collection[int], *, but: int
) -> dict[int, set[int]]:
    """By thing of the first kind, what it is joined to of the second; without one thing."""
    graph = view.draft.graph
    nodes, facts = graph.nodes, graph.where(NodeKind.FACT)
    facts = facts[(nodes["valid_to"][facts] == NEVER) & (nodes["object"][facts] != NOBODY)]
    facts = facts[(nodes["flags"][facts] & GUESS) == 0]
    if slots:
        facts = facts[np.isin(nodes["slot"][facts], list(slots))]
    rows = facts[-MOST:]
    pairs = list(zip(nodes["subject"][rows].tolist(), nodes["object"][rows].tolist(), strict=True))
    view.fetch({end for pair in pairs for end in pair})
    kind = {end: kind_of(view, end) for end in {end for pair in pairs for end in pair}}
    found: dict[int, set[int]] = defaultdict(set)
    for pair in pairs:
        for one, other in (pair, pair[::-1]):
            if one != but and (kind[one], kind[other]) == kinds:
                found[one].add(other)
    return found
