"""How places lie to one another: "we went west from the Red Hall to the Blue Room".

Whoever goes west from one place and comes to another has told that the one is east of the other,
and so has who comes back: both ways of saying it give one fact, in the words of `LYING`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mags.models.policy.rules.lexicon import FUNCTION_WORDS, word_set
from mags.models.policy.rules.spans import DAYS, MONTHS
from mags.models.policy.rules.tokens import Token
from mags.ports.inflection import is_verb
from mags.ports.policy import Act, Operation

_PAIRS = (
    ("north", "south"),
    ("east", "west"),
    ("northeast", "southwest"),
    ("southeast", "northwest"),
)
OPPOSITE = dict(_PAIRS) | {there: here for here, there in _PAIRS}
LYING = {f"is {side} of": side for side, _ in _PAIRS}
"""The relations, with the side that each tells: the first of its pair."""
_EXIT = word_set("exit exits outlet outlets opening openings")
_WAY = word_set("way ways path paths passage passages door doors doorway doorways road roads")
_LEADS = word_set("out lead leads leading open opens off")
_EXITS = "{place}'s exits to the "
"""What a place's exits are called: its own, so that they tie no places that have the same."""
_LISTED = re.compile(r", | and ")
_CALENDAR = frozenset(DAYS) | frozenset(MONTHS)
_ABLE = frozenset({"can", "may"})
_GO = word_set("go leave walk head move step")
_SIDE = re.compile(r"^(north|south)?-?(east|west)?(?:ern|wards?|erly)?$")
_FROM = word_set("from of behind leaving leave left quit quitting exit exited")
_HERE = _FROM | {"", "in", "at", ","}
_TO = word_set(
    """to into reached reach reaching entered enter entering inside find found is lies towards
    toward through onto meet"""
)
_IN = frozenset({"in", "at"})
_ARRIVED = word_set("arrive arrived arriving find found end stand yourself ourselves myself now")
_DENIED = word_set("not n't never no if would could might")
_UNSURE = frozenset({"or", "may"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """A name in a sentence. `before`: the word that leads to it."""

    name: str
    at: int
    before: str


def lying(tokens: Sequence[Token]) -> tuple[Operation, ...]:
    """Return how two places lie to one another, or which exits one has; () where none is told."""
    sides = [i for i in range(len(tokens)) if _is_side(tokens, i)]
    if not sides or any(t.low in _DENIED for t in tokens):
        return ()
    places = _places(tokens)
    if len(places) == 1 and places[0].before in _HERE and _tells_exits(tokens):
        return (_exits(places[0].name, [_side(tokens[i]) for i in sides]),)
    if any(t.low in _UNSURE for t in tokens):
        return ()
    start = [p for p in places if p.before in _FROM]
    if len(sides) > 1 or len(start) != 1:
        return ()
    beside = tokens[sides[0] + 1].low == "of" if sides[0] + 1 < len(tokens) else False
    to = _TO | _IN if any(t.low in _ARRIVED for t in tokens) else _TO
    others = [p for p in places if p is not start[0] and (p.before in to or beside)]
    if len(others) != 1 or start[0].name == others[0].name:
        return ()
    return (_fact(others[0].name, _side(tokens[sides[0]]), start[0].name),)


def _tells_exits(tokens: Sequence[Token]) -> bool:
    """Say whether it is told where one can leave a place, not where somebody went."""
    words = {t.low for t in tokens}
    able = bool(words & _ABLE and words & _GO) and not words & {"i", "we"}
    return able or bool(words & _EXIT) or bool(words & _WAY and words & _LEADS)


def exits_of(place: str, thing: str) -> frozenset[str]:
    """Return the sides to which a place can be left, of a fact's object that tells its exits."""
    _, mark, sides = thing.partition(_EXITS.format(place=place))
    return frozenset(_LISTED.split(sides)) if mark else frozenset()


def _exits(place: str, sides: Sequence[str]) -> Operation:
    """Read "the Red Hall has exits to the east and south", "from the Red Hall one can go east"."""
    told = [side for side in OPPOSITE if side in sides]
    ways = " and ".join(part for part in (", ".join(told[:-1]), told[-1]) if part)
    return Operation(
        act=Act.ADD,
        subject=place,
        relation="has",
        object=_EXITS.format(place=place) + ways,
        text=f"{place} has exits to the {ways}.",
    )


def _fact(there: str, side: str, here: str) -> Operation:
    if f"is {side} of" not in LYING:
        there, side, here = here, OPPOSITE[side], there
    relation = f"is {side} of"
    return Operation(
        act=Act.ADD,
        subject=there,
        relation=relation,
        object=here,
        text=f"{there} {relation} {here}.",
        object_is_name=True,
    )


def _is_side(tokens: Sequence[Token], i: int) -> bool:
    """Say whether a word is a direction; with a capital it is one at the beginning alone."""
    return bool(_side(tokens[i])) and (i == 0 or not tokens[i].is_capital)


def _side(token: Token) -> str:
    found = _SIDE.match(token.low)
    return "".join(part or "" for part in found.groups()) if found else ""


def _places(tokens: Sequence[Token]) -> list[_Place]:
    """The names of a sentence, each with the word before it and its article."""
    found: list[_Place] = []
    i = 0
    while i < len(tokens):
        end = i
        while end < len(tokens) and _is_name(tokens, end):
            end += 1
        if end == i:
            i += 1
            continue
        if end < len(tokens) and tokens[end].low == "'s":
            i = end  # "Ana's house" is no name of a place
            continue
        led = i > 0 and tokens[i - 1].low in {"the", "a", "an"}
        start = i - 1 if led else i
        before = tokens[start - 1].low if start else ""
        found.append(_Place(name=" ".join(t.text for t in tokens[i:end]), at=start, before=before))
        i = end
    return found


def _is_name(tokens: Sequence[Token], i: int) -> bool:
    token = tokens[i]
    if not token.is_capital or _is_side(tokens, i) or token.low in FUNCTION_WORDS | _CALENDAR:
        return False
    return i > 0 or not (is_verb(token.low) or token.low in _WAY | _EXIT)
