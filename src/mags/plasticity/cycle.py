"""The cycle: the order in which the rules of sleep run, and what comes of them.

Sleep works on a `Still`, so nothing waits for it; its Delta says what changed against that
picture. `rebase` (in `mags.plasticity.rebase`) then leaves alone what changed meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from mags.graph.delta import Delta
from mags.graph.graph import Graph
from mags.graph.records import ArcKind, NodeKind
from mags.plasticity.cold import Capacity, LowDegree
from mags.plasticity.consolidate import Consolidate, Scribe
from mags.plasticity.decay import Decay
from mags.plasticity.importance import Importance
from mags.plasticity.life import Birth, Crowding
from mags.plasticity.prune import Prune
from mags.plasticity.regions import FindRegions, Regions
from mags.plasticity.solidify import Solidify
from mags.plasticity.still import LIVE_AT, Still

RULES = (
    "solidify",
    "crowding",
    "birth",
    "decay",
    "prune",
    "low_degree",
    "importance",
    "capacity",
)
"""The rules that need nothing but the graph, in their order; regions and themes follow."""

OnRule = Callable[[str, Mapping[str, int]], None]
"""Hears a rule that is done: its name, and what it did how often (nothing: it changed nothing)."""


class Rule(Protocol):
    """One rule of sleep: a picture and chance in, changes out."""

    def __call__(self, still: Still, rng: np.random.Generator) -> Delta:
        """What the rule would change."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SleepSettings:
    """Every rule with its numbers; None switches a rule off.

    `live_at`: charge from which an association is alive. Turn a rule off with
    `replace(settings, prune=None)`, or `without`. Crowding, birth and importance are off unless
    told, as nothing was measured that they buy: `replace(settings, birth=Birth())`.
    """

    live_at: float = LIVE_AT
    solidify: Solidify | None = field(default_factory=Solidify)
    crowding: Crowding | None = None
    birth: Birth | None = None
    decay: Decay | None = field(default_factory=Decay)
    prune: Prune | None = field(default_factory=Prune)
    consolidate: Consolidate | None = field(default_factory=Consolidate)
    low_degree: LowDegree | None = field(default_factory=LowDegree)
    importance: Importance | None = None
    capacity: Capacity | None = field(default_factory=Capacity)
    regions: FindRegions | None = field(default_factory=FindRegions)

    def without(self, *rules: str) -> SleepSettings:
        """The same with those rules off."""
        return replace(self, **dict.fromkeys(rules))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True, kw_only=True)
class Census:
    """A memory in numbers at one tick."""

    nodes: int
    cold: int
    themes: int
    structure: int
    associations: int
    live: int
    solid: int
    charge: float
    """what the associations' charges add up to"""

    @classmethod
    def of(cls, still: Still) -> Census:
        """Count."""
        association = still.arcs["kind"] == ArcKind.ASSOCIATION
        return cls(
            nodes=len(still.nodes),
            cold=int(np.count_nonzero(still.cold)),
            themes=int(np.count_nonzero(still.nodes["kind"] == NodeKind.THEME)),
            structure=int(np.count_nonzero(~association)),
            associations=int(np.count_nonzero(association)),
            live=int(np.count_nonzero(still.live)),
            solid=int(np.count_nonzero(still.solid)),
            charge=float(still.charge[association].sum()),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SleepReport:
    """What a sleep did: counts by rule, and the memory before and after it."""

    tick: int
    before: Census
    after: Census
    rules: Mapping[str, Mapping[str, int]]
    """rule -> what it did -> how often; a rule that changed nothing is left out"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slept:
    """What comes of a sleep: the Delta to apply, the report to show, the regions found."""

    delta: Delta
    report: SleepReport
    regions: Regions | None = None


class Sleep:
    """Run the rules in their order, each on what the ones before it made.

    Solidify, crowding, birth, decay, prune, low degree, importance, capacity, regions,
    consolidate.
    """

    def __init__(self, settings: SleepSettings | None = None) -> None:
        """Sleep by `settings`."""
        self.settings = SleepSettings() if settings is None else settings

    def __call__(
        self,
        memory: Graph | Still,
        *,
        rng: np.random.Generator,
        now_s: float,
        base: int = 0,
        scribe: Scribe | None = None,
        on_rule: OnRule | None = None,
    ) -> Slept:
        """Sleep over a graph, or over a `Still` of it taken before at sequence `base`.

        `now_s`: record time of new themes; `scribe`: what writes them (without it none are
        written and regions stay nameless); `on_rule` hears of each rule when it is done.
        The same picture, settings and seed give the same Delta. The clock stands still.
        """
        settings = self.settings
        still = memory
        if isinstance(still, Graph):
            still = Still.of(still, live_at=settings.live_at)
        heard = on_rule or _nobody
        before = Census.of(still)
        deltas = []
        for name in RULES:
            rule: Rule | None = getattr(settings, name)
            if rule is not None:
                deltas.append(rule(still, rng))
                still = still.after(deltas[-1])
                heard(name, _by_rule(deltas[-1].reasons).get(name, {}))
        regions = None
        if settings.regions is not None:
            regions = settings.regions(still, None if scribe is None else scribe.words)
            heard("regions", {"regions": len(regions.leaders)})
        if settings.consolidate is not None and scribe is not None:
            deltas.append(settings.consolidate(still, scribe=scribe, now_s=now_s, regions=regions))
            still = still.after(deltas[-1])
            heard("consolidate", _by_rule(deltas[-1].reasons).get("consolidate", {}))
        reasons = tuple(reason for delta in deltas for reason in delta.reasons)
        net = Delta.compose(deltas, "sleep")
        delta = replace(
            net,
            base=base,
            recorded_at=now_s,
            tick_before=still.tick,
            tick_after=still.tick,
            reasons=reasons,
        )
        report = SleepReport(
            tick=still.tick, before=before, after=Census.of(still), rules=_by_rule(reasons)
        )
        return Slept(delta=delta, report=report, regions=regions)


def _by_rule(reasons: Iterable[Mapping[str, Any]]) -> Mapping[str, Mapping[str, int]]:
    """What each rule did how often, by the reasons of its Delta."""
    return {r["rule"]: {k: v for k, v in r.items() if k != "rule"} for r in reasons}


def _nobody(rule: str, did: Mapping[str, int]) -> None:
    """Nobody hears it."""
