"""The cycle: each rule has an effect, which its switch takes away."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pytest

from mags.graph.graph import Graph
from mags.graph.records import ArcFlag, ArcKind, NodeFlag, NodeKind, arc_charge
from mags.plasticity.cycle import RULES, Census, Sleep, SleepSettings, Slept
from mags.plasticity.frozen import FrozenGraph
from mags.plasticity.importance import Importance
from mags.plasticity.life import Birth, Crowding
from mags.plasticity.rules import Capacity, Decay
from tests.plasticity.worlds import Words, both_ways, clique, world

PROVEN = {"w": 1.0, "t0": 1000, "uses": 40, "days": 9}


def busy() -> Graph:
    """A memory at tick 1,000 in which every rule has something to do."""
    crowd = [(1, i, {"w": 0.5, "t0": 900, "uses": 9}) for i in range(10, 36)]
    core = clique([40, 41, 42, 43, 44], w=0.9, t0=900)
    strangers = both_ways(*[(a, b) for a in (50, 51) for b in (52, 53, 54)], w=0.8, t0=900)
    lone = [(60, 61, {"w": 0.03}), (60, 62, PROVEN), *clique([63, 64, 65], w=0.8, t0=1000)]
    nodes = {i: {"kind": NodeKind.EPISODE if i % 2 else NodeKind.FACT} for i in range(1, 66)}
    structure = [(60, 1, ArcKind.SOURCE), (2, 3, ArcKind.NEXT)]
    return world(nodes, [*crowd, *core, *strangers, *lone], structure, tick=1000)


def slept(graph: Graph, settings: SleepSettings) -> Slept:
    rng = np.random.default_rng(0)
    done = Sleep(settings)(graph, rng=rng, now_s=3.0, base=8, scribe=Words().scribe())
    graph.apply(done.delta)
    return done


def crowded_out(graph: Graph) -> bool:
    return bool((graph.arcs_from(1)["t0"] == 1000).any())


def born(graph: Graph) -> bool:
    return graph.find_arc(50, 51, ArcKind.ASSOCIATION) is not None


def supported(graph: Graph) -> bool:
    return bool((graph.arcs_from(40)["support"] == 3).all())


def pruned(graph: Graph) -> bool:
    return graph.find_arc(60, 61, ArcKind.ASSOCIATION) is None


def solidified(graph: Graph) -> bool:
    return bool((graph.arcs()["flags"] & ArcFlag.SOLID).any())


def themed(graph: Graph) -> bool:
    return len(graph.ids(NodeKind.THEME)) > 0


def loosened(graph: Graph) -> bool:
    return bool(graph.node(61)["low_degree_since_tick"][0] == 1000)


def raised(graph: Graph) -> bool:
    return bool((graph.nodes["importance"][: graph.size] > 0.0).any())


def cooled(graph: Graph) -> bool:
    return bool((graph.nodes["flags"][: graph.size] & NodeFlag.COLD).any())


EFFECTS: dict[str, Callable[[Graph], bool]] = {
    "solidify": solidified,
    "crowding": crowded_out,
    "birth": born,
    "decay": supported,
    "prune": pruned,
    "low_degree": loosened,
    "importance": raised,
    "capacity": cooled,
    "consolidate": themed,
}
EVERY = SleepSettings(crowding=Crowding(), birth=Birth(), importance=Importance())
"""What is off unless told is on, too."""

ON = replace(EVERY, capacity=Capacity(max_nodes=60))


@pytest.mark.parametrize("rule", EFFECTS)
def test_each_rule_has_an_effect_and_its_switch_takes_just_that_away(rule: str):
    graph = busy()
    report = slept(graph, ON).report
    assert [name for name, effect in EFFECTS.items() if not effect(graph)] == []
    assert set(report.rules) == set(EFFECTS)
    graph = busy()
    report = slept(graph, ON.without(rule)).report
    assert [name for name, effect in EFFECTS.items() if not effect(graph)] == [rule]
    assert set(report.rules) == set(EFFECTS) - {rule}


def test_regions_are_found_unless_switched_off():
    assert slept(busy(), ON).regions is not None
    assert slept(busy(), ON.without("regions")).regions is None


def test_loneliness_is_a_switch_of_its_own():
    graph = busy()
    slept(graph, ON)
    assert set(graph.arcs_from(63)["support"].tolist()) == {0}
    graph = busy()
    slept(graph, replace(EVERY, decay=Decay(lonely_under=0)))
    assert set(graph.arcs_from(63)["support"].tolist()) == {1}


def test_a_sleep_with_every_rule_off_changes_nothing():
    graph = busy()
    before = graph.digest()
    done = slept(graph, SleepSettings().without(*EFFECTS, "regions"))
    assert graph.digest() == before
    assert done.report.before == done.report.after
    assert done.report.rules == {}


def test_the_report_says_what_was_done_before_and_after():
    graph = busy()
    done = slept(graph, EVERY)
    assert done.report.tick == 1000
    assert done.report.before == Census.of(FrozenGraph.of(busy()))
    assert done.report.after == Census.of(FrozenGraph.of(graph))
    assert done.report.rules["prune"] == {"pruned": 1}
    assert done.report.rules["birth"] == {"pairs": 1}
    assert done.report.rules["solidify"] == {"solid": 1}
    assert done.report.rules["crowding"] == {"weakened": 2}
    assert done.report.rules["consolidate"] == {"themes": 1, "updated": 0}
    assert done.report.before.associations == 26 + 20 + 12 + 2 + 6
    assert done.report.after.associations == done.report.before.associations - 1 + 2
    assert (done.report.before.structure, done.report.after.structure) == (2, 7)


def test_the_delta_carries_its_base_its_time_and_its_reasons():
    delta = slept(busy(), EVERY).delta
    assert (delta.kind, delta.base, delta.recorded_at) == ("sleep", 8, 3.0)
    assert (delta.tick_before, delta.tick_after) == (1000, 1000)
    rules = [reason["rule"] for reason in delta.reasons]
    assert rules == [*(name for name in RULES if name != "capacity"), "consolidate"]


def test_every_rule_is_heard_in_its_order_with_what_it_did():
    heard: dict[str, dict[str, int]] = {}
    rng = np.random.default_rng(0)
    scribe = Words().scribe()

    def hear(rule: str, did: Mapping[str, int]) -> None:
        heard[rule] = dict(did)

    done = Sleep(EVERY)(busy(), rng=rng, now_s=0.0, scribe=scribe, on_rule=hear)
    assert list(heard) == [*RULES, "regions", "consolidate"]
    assert heard.pop("regions") == {"regions": len(done.regions.leaders)}
    assert {rule: did for rule, did in heard.items() if did} == done.report.rules
    assert heard["capacity"] == {}  # it changed nothing


def test_crowding_births_and_importance_are_off_unless_told():
    report = slept(busy(), replace(ON, crowding=None, birth=None, importance=None)).report
    assert report == slept(busy(), SleepSettings(capacity=Capacity(max_nodes=60))).report
    assert set(report.rules) == set(EFFECTS) - {"crowding", "birth", "importance"}


def test_without_a_scribe_no_theme_is_written():
    graph = busy()
    done = Sleep()(graph, rng=np.random.default_rng(0), now_s=0.0)
    graph.apply(done.delta)
    assert not themed(graph)


def test_a_sleep_works_on_a_picture_and_leaves_the_graph_to_others():
    graph = busy()
    frozen = FrozenGraph.of(graph)
    before = graph.digest()
    rng = np.random.default_rng(0)
    first = Sleep()(frozen, rng=rng, now_s=0.0).delta
    assert graph.digest() == before
    graph.apply(first)
    again = Sleep()(frozen, rng=np.random.default_rng(0), now_s=0.0).delta
    assert (again.nodes, again.arcs) == (first.nodes, first.arcs)


def test_over_many_sleeps_the_unused_fades_and_the_solid_stays():
    graph = busy()
    for _ in range(60):
        slept(graph, EVERY.without("birth"))
        graph.tick += 1000
    left = {(int(a["src"]), int(a["dst"])) for a in graph.arcs(ArcKind.ASSOCIATION)}
    assert left == {(60, 62)}
    assert arc_charge(graph.arcs(ArcKind.ASSOCIATION), graph.tick)[0] == 1.0
    assert len(graph.ids(NodeKind.EPISODE, NodeKind.FACT)) == 65


def test_an_empty_memory_sleeps():
    done = Sleep()(Graph(), rng=np.random.default_rng(0), now_s=0.0, scribe=Words().scribe())
    assert len(done.delta.nodes) == len(done.delta.arcs) == 0


def test_a_memory_at_rest_sleeps_itself_still():
    graph = busy()
    slept(graph, EVERY)
    slept(graph, EVERY)  # the new theme's low degree
    done = slept(graph, EVERY)
    assert done.report.rules == {}
    assert len(done.delta.nodes) == len(done.delta.arcs) == 0
