"""Which verbs are read by rules of their own."""

from __future__ import annotations

from collections.abc import Mapping

from mags.models.policy.rules.case import Case, Special
from mags.models.policy.rules.changes import (
    bearing,
    becoming,
    breaking,
    calling,
    dismissed,
    dying,
    finding,
    going,
    leaving,
    moving,
    promoted,
    starting,
    stopping,
    switching,
    turning,
)
from mags.models.policy.rules.events import rising, timed
from mags.models.policy.rules.giving import GIVING, giving
from mags.models.policy.rules.habits import HABITS, doing, finishing, habit
from mags.models.policy.rules.possessions import getting, having, selling
from mags.models.policy.rules.values import CHANGING
from mags.ports.policy import Operation


def _or(first: Special, then: Special | None) -> Special:
    """Read a verb one way and, where that reads nothing, another."""

    def both(case: Case) -> list[Operation] | None:
        found = first(case)
        return found if found is not None or then is None else then(case)

    return both


_PLAIN: Mapping[str, Special] = {
    **CHANGING,
    **dict.fromkeys(HABITS, habit),
    "do": doing,
    "go": going,
    "finish": finishing,
    "have": having,
    "fire": dismissed,
    "promote": promoted,
    "lay": dismissed,
    "get": getting,
    "adopt": getting,
    "rescue": getting,
    "start": starting,
    "begin": starting,
    "stop": stopping,
    "give": stopping,
    "quit": leaving,
    "leave": leaving,
    "lose": leaving,
    "find": finding,
    "move": moving,
    "sell": selling,
    "turn": turning,
    "die": dying,
    "pass": dying,
    "bear": bearing,
    "call": calling,
    "name": calling,
    "switch": switching,
    "break": breaking,
    "split": breaking,
    "become": becoming,
}
_TIMED = ("leave", "start", "begin", "open", "close", "end", "finish", "arrive", "depart", "expire")
SPECIAL: Mapping[str, Special] = {
    **_PLAIN,
    "wake": rising,
    "go": _or(rising, _PLAIN.get("go")),
    **{verb: _or(giving, _PLAIN.get(verb)) for verb in GIVING},
    **{verb: _or(timed, _PLAIN.get(verb)) for verb in _TIMED if verb not in GIVING},
    "leave": _or(timed, _or(giving, _PLAIN.get("leave"))),
}
"""The verbs that are read by rules of their own, each with its reading."""
