"""Which verbs are read by rules of their own."""

from __future__ import annotations

from collections.abc import Mapping

from mags.models.policy.rules.case import Special
from mags.models.policy.rules.changes import (
    bearing,
    becoming,
    breaking,
    calling,
    dismissed,
    dying,
    finding,
    finishing,
    going,
    leaving,
    moving,
    promoted,
    starting,
    stopping,
    switching,
    turning,
)
from mags.models.policy.rules.possessions import getting, having, selling
from mags.models.policy.rules.values import CHANGING

SPECIAL: Mapping[str, Special] = {
    **CHANGING,
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
