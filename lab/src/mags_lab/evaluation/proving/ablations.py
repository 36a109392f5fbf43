"""Ablations: each takes out one part of the memory by a switch.

A switch changes the settings or replaces the policy. The game, the reader and the player stay as
they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from mags.errors import NotFound
from mags.plasticity.life import Birth, Crowding
from mags.plasticity.rules import Decay
from mags.ports.policy import Plan, Policy, Recalled, Route, Turn, Writing
from mags.settings import Settings

Change = Callable[[Settings], Settings]
Exchange = Callable[[Policy], Policy]


def _same_settings(settings: Settings) -> Settings:
    return settings


def _same_policy(policy: Policy) -> Policy:
    return policy


@dataclass(frozen=True, slots=True, kw_only=True)
class Switch:
    """An ablation. `says`: what the memory does without the part."""

    name: str
    says: str
    settings: Change = _same_settings
    policy: Exchange = _same_policy


class Parted:
    """A policy whose three decisions are made by different policies; None leaves one out.

    Without an ask model the question is searched for as it is. Without a write model a turn is
    kept as an episode, with the names that `names` finds in it.
    """

    def __init__(
        self, *, route: Policy | None, ask: Policy | None, write: Policy | None, names: Policy
    ) -> None:
        self._route, self._ask, self._write = route, ask, write
        self._names = names
        parts = (route, ask, write)
        self.name = " + ".join("none" if part is None else part.name for part in parts)

    def route(self, turn: Turn, recent: Sequence[Turn]) -> Route:
        """The route of a turn; everything, if there is no router."""
        return Route() if self._route is None else self._route.route(turn, recent)

    def ask(self, question: Turn, recent: Sequence[Turn]) -> Plan:
        """The plan, or the question itself."""
        if self._ask is None:
            return Plan(queries=(question.text,))
        return self._ask.ask(question, recent)

    def write(self, turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled]) -> Writing:
        """The operations, or none."""
        if self._write is not None:
            return self._write.write(turn, recent, recalled)
        # Names are kept, as an episode has its mentions without any fact.
        return replace(self._names.write(turn, recent, recalled), operations=())


def _with(place: str, **changed: object) -> Change:
    """A change of fields of one part of the settings, by its path: "memory.recall"."""

    def change(settings: Settings) -> Settings:
        parts = place.split(".")
        whole: list[Any] = [settings]
        for part in parts:
            whole.append(getattr(whole[-1], part))
        made = replace(whole.pop(), **changed)
        # Settings are frozen, so every part on the way up is made again.
        for part in reversed(parts):
            made = replace(whole.pop(), **{part: made})
        return cast(Settings, made)

    return change


def _awake(*rules: str) -> Change:
    return lambda settings: replace(settings, sleep=settings.sleep.without(*rules))


def _no_ask(policy: Policy) -> Policy:
    return Parted(route=policy, ask=None, write=policy, names=policy)


def _no_write(policy: Policy) -> Policy:
    return Parted(route=policy, ask=policy, write=None, names=policy)


def _setting(name: str, says: str, settings: Change) -> Switch:
    return Switch(name=name, says=says, settings=settings)


_ALL = (
    _setting("hebb", "nothing cited together is wired", _with("memory", hebb=False)),
    _setting("spread", "anchors only, no activation", _with("memory.recall", spread=False)),
    _setting(
        "hull",
        "anchors that span a hull, not the best k",
        _with("memory.recall", anchor_choice="hull"),
    ),
    _setting("decay", "what faded comes back in sleep", _with("sleep", decay=Decay(fades=False))),
    _setting("support", "triangles lengthen no half-life", _awake("decay")),
    _setting(
        "life", "with crowding and births", _with("sleep", crowding=Crowding(), birth=Birth())
    ),
    _setting("prune", "weak edges stay", _awake("prune")),
    _setting("consolidate", "no themes of dense cores", _awake("consolidate")),
    _setting("sleep", "never asleep", _with("memory", sleep_every=0)),
    _setting("arbiter", "append only, nothing is closed", _with("memory.engram", arbiter=False)),
    _setting(
        "conflict", "unknown relations never close", _with("memory.engram.conflict", on=False)
    ),
    _setting("novelty", "nothing is a confirmation", _with("memory.engram", novelty=False)),
    _setting(
        "attention", "nearest neighbour as first edge", _with("memory.engram.attention", on=False)
    ),
    _setting("working", "no window of last turns", _with("memory", working=False)),
    _setting("router", "both blocks weigh the same", _with("memory", router=False)),
    _setting("renewal", "score alone orders old and new", _with("memory.recall.renewal", on=False)),
    _setting("walk", "no walk over current facts", _with("memory.recall", walk=False)),
    _setting("chains", "no chains to the actions", _with("memory.recall.chains", on=False)),
    _setting("hops", "chains of a single line", _with("memory.recall.chains", hops=1)),
    _setting(
        "outcome",
        "what came of an act counts as what was said",
        _with("memory.recall.chains", reported=1.0, failed=1.0),
    ),
    _setting("bridges", "no bridges over shared names", _with("memory.recall", bridges=False)),
    Switch(name="ask", says="the question as it is", policy=_no_ask),
    Switch(name="write", says="episodes only, no facts", policy=_no_write),
)
SWITCHES: Mapping[str, Switch] = {switch.name: switch for switch in _ALL}
"""Every ablation, in the order of tables."""


def switch(name: str, more: Mapping[str, Switch] | None = None) -> Switch:
    """The switch of a name, among those here and in `more`; raises NotFound."""
    known = {**SWITCHES, **(more or {})}
    if name not in known:
        raise NotFound(f"there is no ablation {name!r}: choose among {', '.join(known)}", name=name)
    return known[name]


def model_switches(rules: Policy, reader: Policy) -> dict[str, Switch]:
    """Switches between the shipped policies: rules alone, or the reader beside them.

    If a model's output cannot be used, its own fallback decides.
    """

    def parted(name: str, says: str, *, ask: Policy, write: Policy) -> Switch:
        made = Parted(route=ask, ask=ask, write=write, names=rules)
        return Switch(name=name, says=says, policy=lambda _: made)

    found = (
        parted("rules", "rules ask and write", ask=rules, write=rules),
        parted("reader", "rules ask, the reader writes", ask=rules, write=reader),
    )
    return {one.name: one for one in found}
