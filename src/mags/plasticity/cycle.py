"""The cycle: the order in which the rules of sleep run, and what they give together.

Sleep works on a `FrozenGraph`, so recall and writing go on beside it. `rebase` then drops the part
of its Delta that touches records which have changed since.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mags.graph.delta import Changes, Delta, same_bits
from mags.graph.graph import Graph
from mags.graph.records import ArcKind, NodeKind
from mags.plasticity.frozen import LIVE_AT, FrozenGraph
from mags.plasticity.importance import Importance
from mags.plasticity.life import Birth, Crowding
from mags.plasticity.regions import FindRegions, Regions
from mags.plasticity.rules import Capacity, Decay, LowDegree, Prune, Solidify
from mags.plasticity.themes import Consolidate, ThemeWriter
from mags.ports.pausing import pause

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
"""The rules that need only the graph, in the order they run; regions and themes follow."""

OnRule = Callable[[str, Mapping[str, int]], None]
"""Called after each rule with its name and its counts (empty if nothing changed)."""

Rule = Callable[[FrozenGraph, np.random.Generator], Delta]
"""One rule of sleep: a frozen graph and a random generator in, a Delta out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SleepSettings:
    """Every rule with its numbers; None switches a rule off.

    `live_at`: the charge from which an association is alive. Switch a rule off with
    `replace(settings, prune=None)` or `without`. Crowding, birth and importance are off by
    default; switch one on with `replace(settings, birth=Birth())`.
    """

    live_at: float = LIVE_AT
    solidify: Solidify | None = field(default_factory=Solidify)
    # Crowding, birth and importance improved no recall that was measured (docs/decisions/0008).
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
        """The same settings with those rules off."""
        return replace(self, **dict.fromkeys(rules))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True, kw_only=True)
class Census:
    """Counts of a memory's nodes and arcs at one tick."""

    nodes: int
    cold: int
    themes: int
    structure: int
    associations: int
    live: int
    solid: int
    charge: float
    """the sum of the associations' charges"""

    @classmethod
    def of(cls, frozen: FrozenGraph) -> Census:
        """Count."""
        association = frozen.arcs["kind"] == ArcKind.ASSOCIATION
        return cls(
            nodes=len(frozen.nodes),
            cold=int(np.count_nonzero(frozen.cold)),
            themes=int(np.count_nonzero(frozen.nodes["kind"] == NodeKind.THEME)),
            structure=int(np.count_nonzero(~association)),
            associations=int(np.count_nonzero(association)),
            live=int(np.count_nonzero(frozen.live)),
            solid=int(np.count_nonzero(frozen.solid)),
            charge=float(frozen.charge[association].sum()),
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
    """The result of a sleep: the Delta to apply, the report to show, the regions found."""

    delta: Delta
    report: SleepReport
    regions: Regions | None = None


class Sleep:
    """Run the rules in their order, each on the result of those before it.

    Solidify, crowding, birth, decay, prune, low degree, importance, capacity, regions,
    consolidate.
    """

    def __init__(self, settings: SleepSettings | None = None) -> None:
        self.settings = SleepSettings() if settings is None else settings

    def __call__(
        self,
        memory: Graph | FrozenGraph,
        *,
        rng: np.random.Generator,
        now_s: float,
        base: int = 0,
        scribe: ThemeWriter | None = None,
        on_rule: OnRule | None = None,
    ) -> Slept:
        """Sleep over a graph, or over a `FrozenGraph` of it that was taken at sequence `base`.

        `now_s`: record time of new themes; `scribe`: writes them (without it no theme is written);
        `on_rule` is called after each rule. The tick does not change. The same frozen graph,
        settings and seed give the same Delta.
        """
        settings = self.settings
        frozen = memory
        if isinstance(frozen, Graph):
            frozen = FrozenGraph.of(frozen, live_at=settings.live_at)
        heard = on_rule or (lambda rule, did: None)
        before = Census.of(frozen)
        deltas = []
        for name in RULES:
            pause()
            rule: Rule | None = getattr(settings, name)
            if rule is not None:
                deltas.append(rule(frozen, rng))
                frozen = frozen.after(deltas[-1])
                heard(name, _by_rule(deltas[-1].reasons).get(name, {}))
        regions = None
        if settings.regions is not None:
            regions = settings.regions(frozen)
            heard("regions", {"regions": len(regions.leaders)})
        if settings.consolidate is not None and scribe is not None:
            deltas.append(settings.consolidate(frozen, scribe=scribe, now_s=now_s, regions=regions))
            frozen = frozen.after(deltas[-1])
            heard("consolidate", _by_rule(deltas[-1].reasons).get("consolidate", {}))
        reasons = tuple(reason for delta in deltas for reason in delta.reasons)
        # Composed: one record that several rules changed is one change, and a sleep is undone by
        # one inverse.
        net = Delta.compose(deltas, "sleep")
        delta = replace(
            net,
            base=base,
            recorded_at=now_s,
            tick_before=frozen.tick,
            tick_after=frozen.tick,
            reasons=reasons,
        )
        report = SleepReport(
            tick=frozen.tick, before=before, after=Census.of(frozen), rules=_by_rule(reasons)
        )
        return Slept(delta=delta, report=report, regions=regions)


def _by_rule(reasons: Iterable[Mapping[str, Any]]) -> Mapping[str, Mapping[str, int]]:
    """The counts of each rule, from the reasons of its Delta."""
    return {r["rule"]: {k: v for k, v in r.items() if k != "rule"} for r in reasons}


def rebase(delta: Delta, graph: Graph) -> Delta:
    """The part of a Delta whose before images still equal what `graph` holds.

    A change of a record that was altered, made or removed since is dropped. So are arcs to nodes
    that are gone, member arcs of themes whose own change was dropped, and the contents of nodes
    whose change was dropped. The tick is that of `graph`.
    The caller must keep writers out from here until the Delta is applied.
    """
    frozen = FrozenGraph.of(graph)
    nodes = _unchanged(delta.nodes, frozen.nodes, frozen.places(delta.nodes.before["id"]))
    nodes &= ~_joined_since(delta, frozen)
    kept = delta.nodes.take(nodes)
    arcs = _unchanged(delta.arcs, frozen.arcs, frozen.find(delta.arcs.before))
    arcs &= _has_ends(delta.arcs, kept, frozen)
    # A theme whose new text was dropped keeps the members that its old text sums up.
    left = delta.nodes.before["id"][~nodes]
    arcs &= ~((delta.arcs.after["kind"] == ArcKind.MEMBER) & np.isin(delta.arcs.after["src"], left))
    if not (nodes.all() and arcs.all()):
        held = {int(i) for i in kept.after["content"][kept.has]}
        delta = replace(
            delta,
            nodes=kept,
            arcs=delta.arcs.take(arcs),
            contents=tuple(content for content in delta.contents if content.id in held),
            reasons=(
                *delta.reasons,
                {
                    "rule": "rebase",
                    "nodes": int(np.count_nonzero(~nodes)),
                    "arcs": int(np.count_nonzero(~arcs)),
                },
            ),
        )
    return replace(delta, tick_before=graph.tick, tick_after=graph.tick)


def _unchanged(
    changes: Changes, records: NDArray[np.void], place: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Where the before image equals the record at `place` (-1: there is none)."""
    # Bits are compared, not values: NaN equals itself, and -0.0 is not 0.0.
    matches = np.asarray((place >= 0) == changes.had)
    both = np.flatnonzero(matches & changes.had)
    matches[both] = same_bits(changes.before[both], records[place[both]])
    return matches


def _joined_since(delta: Delta, frozen: FrozenGraph) -> NDArray[np.bool_]:
    """Which changes remove a node that an arc outside this Delta leads to or from.

    Without this, applying the Delta would leave that arc with one end only.
    """
    nodes, arcs = delta.nodes, delta.arcs
    lost = nodes.had & ~nodes.has
    taken = frozen.find(arcs.removed())
    left = np.ones(len(frozen.arcs), np.bool_)
    left[taken[taken >= 0]] = False
    ends = np.concatenate([frozen.arcs["src"][left], frozen.arcs["dst"][left]])
    return np.asarray(lost & np.isin(nodes.before["id"], ends) if lost.any() else lost)


def _has_ends(arcs: Changes, nodes: Changes, frozen: FrozenGraph) -> NDArray[np.bool_]:
    there = np.union1d(frozen.ids, nodes.created()["id"])
    ends = np.isin(arcs.after["src"], there) & np.isin(arcs.after["dst"], there)
    return np.asarray(ends | ~arcs.has, np.bool_)
