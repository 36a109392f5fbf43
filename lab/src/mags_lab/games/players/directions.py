"""How places lie to one another: "we went west from the Red Hall to the Blue Room".

Whoever goes west from one place and comes to another has told that the one is east of the other,
and so has who comes back: both ways of saying it give one fact, in the words of `LYING`. Talk tells
nothing of the kind (of 3,712 turns one was read so, wrongly); adventures do, so that the players of
games write with a policy that reads it besides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from mags.models.policy.rules import RulePolicy
from mags.models.policy.rules.lexicon import FUNCTION_WORDS
from mags.models.policy.rules.tokens import Token, join, sentences, tokenise
from mags.models.policy.rules.when import DAYS, MONTHS
from mags.ports.english import is_verb, word_set
from mags.ports.policy import Act, Operation, Recalled, Turn, Writing

_PAIRS = (
    ("north", "south"),
    ("east", "west"),
    ("northeast", "southwest"),
    ("southeast", "northwest"),
)
OPPOSITE = dict(_PAIRS) | {there: here for here, there in _PAIRS}
LYING = {f"is {side} of": side for side in ("north", "east", "northeast", "southeast")}
"""The relations, with the side that each tells."""
_EXITS = "{place}'s exits to the "
"""What a place's exits are called: its own, so that they tie no places that have the same."""
_LISTED = re.compile(r", | and ")
_SIDE = re.compile(r"^(north|south)?-?(east|west)?(?:ern|wards?|erly|-?bound)?$")
_EXIT = word_set("exit exits outlet outlets opening openings egress")
_DOOR = _EXIT | word_set("door doors doorway doorways archway archways hatch hatches threshold")
_WAY = _DOOR | word_set(
    """way ways path paths passage passages road roads gate gates tunnel tunnels trail trails
    corridor corridors stair stairs gap gaps arch arches track tracks lane lanes"""
)
_LEADS = word_set(
    """out lead leads leading open opens off point points head heads heading run runs running go
    goes going depart departs departing part lies lie continues continue fork forks leave leaves
    leaving away"""
)
_ABLE = word_set("can may")
_GO = word_set(
    """go leave walk head move step exit depart proceed travel left departed exited
    quit get"""
)
_WENT = word_set(
    """went goes walked walks drove drives rode rides flew flies moved moves ran runs came comes
    sailed travelled traveled headed hiked cycled left took"""
)
_SPEAKER = word_set("i we")
_FROM = word_set(
    """from of off behind leaving leave left quit quitting exit exited departing depart departed
    abandoning abandoned leaves quits departs"""
)
_HERE = _FROM | {"in", "at", ",", "for"}
_TO = word_set(
    """to into onto reached reach reaching entered enter entering inside find found is are lies lay
    lie stands stood sits towards toward through meet met gained gain hits hit upon becomes"""
)
_IN = word_set("in at on")
_PART = word_set(
    """part parts side sides end ends bank banks coast shore shores tip edge half wing wall walls
    flank corner region regions area areas suburb suburbs state states limit slope face tower
    entrance block blocks border country"""
)
_AMONG = word_set("with by about like than near and via as between")
"""A name after one of these is no end of a way."""
_ARRIVED = word_set(
    """arrive arrives arrived arriving find found end ends ended ending stand yourself ourselves
    myself now until till"""
)
_LIES = word_set("is was lies lay stands stood sits adjoins begins are") | {":"}
_DENIED = word_set(
    """not n't never no if would could might doubt doubts whether maybe perhaps wish wishes want
    wants hope hopes plan plans rumour rumoured supposed neither nor should nobody
    none nothing"""
) | {"?"}
_UNSURE = frozenset({"or", "may"})
_NEVER = FUNCTION_WORDS | frozenset(DAYS) | frozenset(MONTHS)
_ARTICLE = frozenset({"the", "a", "an"})
_JOINS = frozenset({"'s", "of"})
_NEAR = 2
"""Words after a name's "'s" within which one of its sides is told: "Leeds's old east gate"."""

Test = Callable[[Sequence[Token], int], bool]
"""Says something of the word at a place in a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NameMention:
    """A name in a sentence: `before` and `after` are the words beside it (and its article).

    `led`: it has an article. `sided`: one of its sides is told by "'s".
    """

    name: str
    before: str
    after: str
    led: bool
    sided: bool


class WayPolicy(RulePolicy):
    """The shipped rules, which read how places lie besides."""

    def write(self, turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled]) -> Writing:
        """Read the sentences that tell ways and exits as such, and the others by the rules."""
        told = {one: lying(tokenise(one)) for one in sentences(turn.text)}
        ways = [operation for found in told.values() for operation in found]
        if not ways:
            return super().write(turn, recent, recalled)
        rest = " ".join(one for one, found in told.items() if not found)
        read = super().write(replace(turn, text=rest), recent, recalled)
        names = dict.fromkeys(name for op in ways for name in (op.subject, op.object))
        return replace(
            read,
            operations=(*ways, *read.operations),
            mentions=(*read.mentions, *(name for name in names if name not in read.mentions)),
        )


def lying(tokens: Sequence[Token]) -> tuple[Operation, ...]:
    """Return how two places lie to one another, or which exits one has; () where none is told."""
    sides = [i for i in range(len(tokens)) if _is_side(tokens, i)]
    denied = tokens[0].low == "it" or any(t.low in _DENIED for t in tokens)
    if not sides or denied or any(_is_part(tokens, i) for i in sides):
        return ()
    places = places_in(tokens, _is_side, _is_no_name)
    here = _left(places) if _tells_exits(tokens, sides) else None
    if here is not None:
        return (_exits(here.name, [_side(tokens[i]) for i in sides]),)
    if len(sides) > 1 or any(t.low in _UNSURE for t in tokens):
        return ()
    return _way(_without_who_goes(places), tokens, sides[0])


def _without_who_goes(places: list[NameMention]) -> list[NameMention]:
    """Without "Ana" of "Ana drove north from Leeds to York"."""
    goes = len(places) == 3 and not places[0].before and places[0].after in _WENT
    return places[1:] if goes else places


def _way(
    places: Sequence[NameMention], tokens: Sequence[Token], side: int
) -> tuple[Operation, ...]:
    """Where a sentence names two places and no third: how they lie."""
    start = _start(places, tokens) if len(places) == 2 else None
    there = None if start is None else _end(places, start, tokens, side)
    if start is None or there is None or start.name == there.name:
        return ()
    return (_fact(there.name, _side(tokens[side]), start.name),)


def _left(places: Sequence[NameMention]) -> NameMention | None:
    """The one place of a sentence of which exits are told; a word that merely begins it is none."""
    marked = [p for p in places if p.sided or p.before in _HERE] or [
        p for p in places if p.led or not p.before
    ]
    fit = [p for p in marked if p.before not in _TO | _AMONG]
    return fit[0] if len(fit) == 1 and not _others(places, fit[0]) else None


def _others(places: Sequence[NameMention], one: NameMention) -> bool:
    """Say whether a sentence names more than one place, or somebody."""
    return any(p is not one and (p.before or p.led) for p in places)


def _start(places: Sequence[NameMention], tokens: Sequence[Token]) -> NameMention | None:
    """Where a way begins, or what another place lies beside."""
    marked = [p for p in places if p.sided or p.before in _FROM or p.after == "behind"]
    if not marked and places and (_of_the_first(tokens) or _leads_on(places, tokens)):
        marked = [places[0]]
    return marked[0] if len(marked) == 1 else None


def _leads_on(places: Sequence[NameMention], tokens: Sequence[Token]) -> bool:
    """Say whether a sentence begins with a place that leads on: "The Hall opens north into"."""
    first = places[0]
    return first.led and not first.before and any(t.low in _LEADS for t in tokens)


def _of_the_first(tokens: Sequence[Token]) -> bool:
    """Say whether a side of what a sentence begins with is told: "has it on its eastern side"."""
    return any(t.low == "its" and _is_side(tokens, i + 1) for i, t in enumerate(tokens[:-1]))


def _end(
    places: Sequence[NameMention], start: NameMention, tokens: Sequence[Token], side: int
) -> NameMention | None:
    """Where a way ends: what is reached, or what a sentence says something of."""
    beside = side + 1 < len(tokens) and tokens[side + 1].low == "of"
    to = _TO | _IN if any(t.low in _ARRIVED for t in tokens) else _TO
    others = [p for p in places if p is not start and p.before not in _AMONG | {"for"}]
    reached = [p for p in others if p.before in to]
    there = reached or [p for p in others if beside or p.led or p.after in _LIES]
    return there[0] if len(there) == 1 else None


def _tells_exits(tokens: Sequence[Token], sides: Sequence[int]) -> bool:
    """Say whether it is told where one can leave a place, not where somebody went."""
    words = {t.low for t in tokens}
    able = bool(words & _ABLE and words & _GO) and not words & _SPEAKER
    return (
        able
        or bool(words & _EXIT)
        or (bool(words & _WAY) and bool(words & _LEADS or any(_is_way(tokens, i) for i in sides)))
    )


def _is_way(tokens: Sequence[Token], side: int) -> bool:
    """Say whether a side is one of a door: "the south door", "doors east and west"."""
    beside = tokens[max(side - 2, 0) : side + 4]
    return any(t.low in _WAY for t in beside)


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
        exact=True,
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
        exact=True,  # who goes elsewhere ends none of it
    )


def _is_part(tokens: Sequence[Token], i: int) -> bool:
    """Say whether a side is that of a part of something: "in the south of Spain", "east bank".

    A door may be on that side of a place, or in that wall.
    """
    if any(t.low in _DOOR for t in tokens) or any(t.low in _WAY for t in tokens[i + 1 : i + 3]):
        return False
    inside = [t.low for t in tokens[max(i - 2, 0) : i]] == ["in", "the"]
    told_of = i + 1 < len(tokens) and tokens[i + 1].low in _PART
    return inside or told_of or tokens[i].low.endswith("ern")


def _is_side(tokens: Sequence[Token], i: int) -> bool:
    """Say whether a word is a direction; with a capital it is one at the beginning alone."""
    return bool(_side(tokens[i])) and (i == 0 or not tokens[i].is_capital)


def _side(token: Token) -> str:
    found = _SIDE.match(token.low)
    return "".join(part or "" for part in found.groups()) if found else ""


def _is_no_name(tokens: Sequence[Token], i: int) -> bool:
    """Say whether a word that is written with a capital is none of a name."""
    low = tokens[i].low
    return _is_side(tokens, i) or (i == 0 and (is_verb(low) or low in _WAY))


def places_in(tokens: Sequence[Token], is_side: Test, is_no_name: Test) -> list[NameMention]:
    """Return the names that may be of places, in order; what only owns a thing is none."""
    found: list[NameMention | None] = []
    i = 0
    while i < len(tokens):
        end = _name_end(tokens, i, is_no_name)
        if end > i:
            found.append(_place(tokens, i, end, is_side))
        i = max(end, i + 1)
    return [one for one in found if one is not None]


def _place(tokens: Sequence[Token], start: int, end: int, is_side: Test) -> NameMention | None:
    owner = end < len(tokens) and tokens[end].low == "'s"
    sides = range(end + 1, min(end + 1 + _NEAR, len(tokens)))
    sided = owner and any(is_side(tokens, i) for i in sides)
    if owner and not sided:
        return None  # "Ana's house"
    led = start > 0 and tokens[start - 1].low in _ARTICLE
    first = start - 1 if led else start
    return NameMention(
        name=join(tokens[start:end]),
        before=tokens[first - 1].low if first else "",
        after=tokens[end].low if end < len(tokens) else "",
        led=led,
        sided=sided,
    )


def _name_end(tokens: Sequence[Token], start: int, is_no_name: Test) -> int:
    """Where a name that begins here ends: "Porter's Lodge" and "Hall of Keys" are one each."""
    end = start
    while _is_name(tokens, end, is_no_name):
        end += 1
        if _is_name(tokens, end + 1, is_no_name) and tokens[end].low in _JOINS:
            end += 1
    return end


def _is_name(tokens: Sequence[Token], i: int, is_no_name: Test) -> bool:
    if i >= len(tokens) or not tokens[i].is_capital or tokens[i].low in _NEVER:
        return False
    return not is_no_name(tokens, i)
