"""What a rule is, and how the answer of a decision follows from rules.

A rule fills a *slot* - (relation, subject, topic) - with one value: "(clan, Orvane)" with "the
Vesk clan". Whoever looks has a view, a mapping from slots to values: the world itself, or what one
who has listened to every word believes. The same walk over two views tells whether a decision can
be known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from mags.caches import cached
from mags_lab.games.turns import TruthFact


class RuleSlot(NamedTuple):
    """What one rule is about. `topic`: an act for "law", the other custom for "before"."""

    relation: str
    subject: str
    topic: str = ""


class NonsenseDecision(NamedTuple):
    """Something to decide. `kind`: one of `KINDS`; `subject`, `topic`: as of its first slot."""

    kind: str
    subject: str
    topic: str = ""


class Path(NamedTuple):
    """How a decision comes out: the rules that it rests on, in order, and the answer."""

    links: tuple[tuple[RuleSlot, str], ...]
    answer: str


View = Mapping[RuleSlot, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of decision. `of`: what its subject is; `route`: relations from there to the answer;
    `answer`: what the actions name; `family`: the bank's words for doing it.
    """

    of: str
    route: tuple[str, ...]
    answer: str
    family: str


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "feed": Kind(of="creature", route=("species", "food"), answer="food", family="feed"),
        "gift_creature": Kind(
            of="creature", route=("clan", "feast", "gift"), answer="object", family="give"
        ),
        "gift_clan": Kind(of="clan", route=("feast", "gift"), answer="object", family="give"),
        "gift_feast": Kind(of="feast", route=("gift",), answer="object", family="bring"),
        "gift_place": Kind(
            of="place", route=("guardian", "clan", "feast", "gift"), answer="object", family="give"
        ),
        "greet_clan": Kind(of="clan", route=("greeting",), answer="greeting", family="greet"),
        "greet_creature": Kind(
            of="creature", route=("clan", "greeting"), answer="greeting", family="greet"
        ),
        "greet_place": Kind(
            of="place", route=("guardian", "clan", "greeting"), answer="greeting", family="greet"
        ),
        "toll_place": Kind(of="place", route=("guardian", "toll"), answer="toll", family="toll"),
        "toll_guardian": Kind(of="guardian", route=("toll",), answer="toll", family="toll"),
        "enter": Kind(of="place", route=("key",), answer="place", family="enter"),
        "rite_place": Kind(of="place", route=("custom", "act"), answer="act", family="rite"),
        "rite_custom": Kind(of="custom", route=("act",), answer="act", family="keep"),
        "clash": Kind(of="custom", route=("before", "act"), answer="act", family="keep"),
        "allowed": Kind(of="place", route=("law",), answer="law", family="allowed"),
        "elder_creature": Kind(
            of="creature", route=("clan", "elder"), answer="person", family="ask"
        ),
        "elder_clan": Kind(of="clan", route=("elder",), answer="person", family="ask"),
        "sage": Kind(of="lore", route=("sage",), answer="person", family="ask"),
        "believe": Kind(of="person", route=("honesty",), answer="person", family="believe"),
        "relic": Kind(of="relic", route=("relic",), answer="place", family="relic"),
        "password": Kind(of="place", route=("password",), answer="word", family="password"),
        "debt": Kind(of="person", route=("debt",), answer="object", family="debt"),
    }
)
OWN: Mapping[tuple[str, ...], str] = MappingProxyType(
    {("clan", "feast", "gift"): "own gift", ("species", "food"): "own food"}
)
"""The exceptions: a creature's own rule goes before what it would have by its clan or species."""
VALUES: Mapping[str, str] = MappingProxyType(
    {
        "clan": "clan",
        "feast": "feast",
        "gift": "object",
        "own gift": "object",
        "species": "species",
        "food": "food",
        "own food": "food",
        "greeting": "greeting",
        "elder": "person",
        "guardian": "guardian",
        "toll": "toll",
        "key": "object",
        "custom": "custom",
        "act": "act",
        "before": "custom",
        "law": "law",
        "sage": "person",
        "honesty": "honesty",
        "relic": "place",
        "password": "word",
        "debt": "object",
    }
)
"""What the values of each relation are."""
SUBJECTS: Mapping[str, str] = MappingProxyType(
    {
        "clan": "creature",
        "species": "creature",
        "feast": "clan",
        "gift": "feast",
        "own gift": "creature",
        "food": "species",
        "own food": "creature",
        "greeting": "clan",
        "elder": "clan",
        "guardian": "place",
        "toll": "guardian",
        "key": "place",
        "custom": "place",
        "act": "custom",
        "before": "custom",
        "law": "place",
        "sage": "lore",
        "honesty": "person",
        "relic": "relic",
        "password": "place",
        "debt": "person",
    }
)
"""What each relation is said of."""
EVENTS = frozenset({"relic", "password", "debt"})
"""Relations that are told once, as something that happens, and never change."""


@cached(1 << 16)
def fact(slot: RuleSlot, value: str) -> TruthFact:
    """A rule as the game's ground truth has it."""
    if slot.relation == "before":
        other = slot.topic if value == slot.subject else slot.subject
        return TruthFact(subject=value, relation="goes before", object=other)
    relation = f"law on {slot.topic}" if slot.relation == "law" else slot.relation
    return TruthFact(subject=slot.subject, relation=relation, object=value)


def before(one: str, other: str) -> RuleSlot:
    """The slot that says which of two customs goes before; the same whichever comes first."""
    return RuleSlot("before", min(one, other), max(one, other))


def path(view: View, decision: NonsenseDecision, honest: str) -> Path | None:
    """How a decision comes out in a view; None where the view lacks a rule for it.

    `honest`: the bank's word for one who tells the truth. Whom to believe and which gate to take
    are asked the other way round: the answer is the subject, if the rule is as the question has it
    (for a gate `decision.topic` is what is carried).
    """
    if decision.kind == "enter":
        return _inverse(view, RuleSlot("key", decision.subject), decision.topic)
    if decision.kind == "believe":
        return _inverse(view, RuleSlot("honesty", decision.subject), honest)
    route = KINDS[decision.kind].route
    if decision.kind == "allowed":
        return _follow(view, RuleSlot("law", decision.subject, decision.topic), ())
    if decision.kind == "clash":
        return _follow(view, before(decision.subject, decision.topic), route[1:])
    own = OWN.get(route)
    if own is not None and (found := _follow(view, RuleSlot(own, decision.subject), ())):
        return found
    return _follow(view, RuleSlot(route[0], decision.subject), route[1:])


def _inverse(view: View, slot: RuleSlot, wanted: str) -> Path | None:
    if view.get(slot) != wanted:
        return None
    return Path(((slot, wanted),), slot.subject)


def _follow(view: View, slot: RuleSlot, route: tuple[str, ...]) -> Path | None:
    links = []
    while True:
        value = view.get(slot)
        if value is None:
            return None
        links.append((slot, value))
        if not route:
            return Path(tuple(links), value)
        own = OWN.get(route)
        if own is not None and (mine := view.get(RuleSlot(own, value))) is not None:
            links.append((RuleSlot(own, value), mine))
            return Path(tuple(links), mine)
        slot, route = RuleSlot(route[0], value), route[1:]
