"""Ablations: one switch each, and what the memory loses or gains by it.

A switch changes the settings, or puts a policy in the place of the one in use; the game, the
reader and the player's habits stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

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
    """A part taken out: `says` what stands in its place."""

    name: str
    says: str
    settings: Change = _same_settings
    policy: Exchange = _same_policy


class Parted:
    """A policy whose three decisions are made by different ones; None leaves a decision out.

    Without an ask model the question is searched for as it is; without a write model a turn
    stays an episode with the names that `names` sees in it.
    """

    def __init__(
        self, *, route: Policy | None, ask: Policy | None, write: Policy | None, names: Policy
    ) -> None:
        self._route, self._ask, self._write = route, ask, write
        self._names = names
        parts = (route, ask, write)
        self.name = " + ".join("none" if part is None else part.name for part in parts)

    def route(self, turn: Turn, recent: Sequence[Turn]) -> Route:
        """What a turn needs: everything, where nobody decides."""
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
        return replace(self._names.write(turn, recent, recalled), operations=())


def _memory(**changed: Any) -> Change:
    def change(settings: Settings) -> Settings:
        return replace(settings, memory=replace(settings.memory, **changed))

    return change


def _recall(**changed: Any) -> Change:
    def change(settings: Settings) -> Settings:
        recall = replace(settings.memory.recall, **changed)
        return replace(settings, memory=replace(settings.memory, recall=recall))

    return change


def _engram(**changed: Any) -> Change:
    def change(settings: Settings) -> Settings:
        engram = replace(settings.memory.engram, **changed)
        return replace(settings, memory=replace(settings.memory, engram=engram))

    return change


def _awake(*rules: str) -> Change:
    def change(settings: Settings) -> Settings:
        return replace(settings, sleep=settings.sleep.without(*rules))

    return change


def _lively(settings: Settings) -> Settings:
    return replace(settings, sleep=replace(settings.sleep, crowding=Crowding(), birth=Birth()))


def _no_renewal(settings: Settings) -> Settings:
    renewal = replace(settings.memory.recall.renewal, on=False)
    return _recall(renewal=renewal)(settings)


def _nearest(settings: Settings) -> Settings:
    attention = replace(settings.memory.engram.attention, on=False)
    return _engram(attention=attention)(settings)


def _no_conflict(settings: Settings) -> Settings:
    conflict = replace(settings.memory.engram.conflict, on=False)
    return _engram(conflict=conflict)(settings)


def _no_decay(settings: Settings) -> Settings:
    return replace(settings, sleep=replace(settings.sleep, decay=Decay(fades=False)))


def _chains(**changed: Any) -> Change:
    def change(settings: Settings) -> Settings:
        return _recall(chains=replace(settings.memory.recall.chains, **changed))(settings)

    return change


def _no_sleep(settings: Settings) -> Settings:
    return _memory(sleep_every=0)(settings)


def _no_ask(policy: Policy) -> Policy:
    return Parted(route=policy, ask=None, write=policy, names=policy)


def _no_write(policy: Policy) -> Policy:
    return Parted(route=policy, ask=policy, write=None, names=policy)


_ALL = (
    Switch(name="hebb", says="nothing cited together is wired", settings=_memory(hebb=False)),
    Switch(name="spread", says="anchors only, no activation", settings=_recall(spread=False)),
    Switch(
        name="hull",
        says="anchors that span a hull, not the best k",
        settings=_recall(anchor_choice="hull"),
    ),
    Switch(name="decay", says="what faded comes back in sleep", settings=_no_decay),
    Switch(name="support", says="triangles lengthen no half-life", settings=_awake("decay")),
    Switch(name="life", says="with crowding and births", settings=_lively),
    Switch(name="prune", says="weak edges stay", settings=_awake("prune")),
    Switch(name="consolidate", says="no themes of dense cores", settings=_awake("consolidate")),
    Switch(name="sleep", says="never asleep", settings=_no_sleep),
    Switch(name="arbiter", says="append only, nothing is closed", settings=_engram(arbiter=False)),
    Switch(name="conflict", says="unknown relations never close", settings=_no_conflict),
    Switch(name="novelty", says="nothing is a confirmation", settings=_engram(novelty=False)),
    Switch(name="attention", says="nearest neighbour as first edge", settings=_nearest),
    Switch(name="working", says="no window of last turns", settings=_memory(working=False)),
    Switch(name="router", says="both blocks weigh the same", settings=_memory(router=False)),
    Switch(name="renewal", says="score alone orders old and new", settings=_no_renewal),
    Switch(name="walk", says="no walk over current facts", settings=_recall(walk=False)),
    Switch(name="chains", says="no chains to the actions", settings=_chains(on=False)),
    Switch(name="hops", says="chains of a single line", settings=_chains(hops=1)),
    Switch(
        name="outcome",
        says="what came of an act counts as what was said",
        settings=_chains(reported=1.0, failed=1.0),
    ),
    Switch(name="bridges", says="no bridges over shared names", settings=_recall(bridges=False)),
    Switch(name="ask", says="the question as it is", policy=_no_ask),
    Switch(name="write", says="episodes only, no facts", policy=_no_write),
)
SWITCHES: Mapping[str, Switch] = {switch.name: switch for switch in _ALL}
"""Every ablation, in the order of tables."""


def switch(name: str, more: Mapping[str, Switch] | None = None) -> Switch:
    """The switch of that name, of those here and `more`; raises NotFound."""
    known = {**SWITCHES, **(more or {})}
    if name not in known:
        raise NotFound(f"there is no ablation {name!r}: choose among {', '.join(known)}", name=name)
    return known[name]


def model_switches(rules: Policy, heads: Policy) -> dict[str, Switch]:
    """Switches between the policies that are shipped: one model, two, or none, by decision.

    Where a model has nothing to say that can be read, its own fallback speaks.
    """

    def parted(name: str, says: str, *, ask: Policy, write: Policy) -> Switch:
        made = Parted(route=ask, ask=ask, write=write, names=rules)
        return Switch(name=name, says=says, policy=lambda _: made)

    found = (
        parted("rules", "rules ask and write", ask=rules, write=rules),
        parted("heads", "one model asks and writes", ask=heads, write=heads),
        parted("heads ask", "a model asks, rules write", ask=heads, write=rules),
        parted("heads write", "rules ask, a model writes", ask=rules, write=heads),
    )
    return {one.name: one for one in found}
