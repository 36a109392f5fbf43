"""Themes and regions."""

from itertools import pairwise

import numpy as np

from mags.graph.delta import Draft
from mags.graph.graph import Graph
from mags.graph.records import ArcKind, Content, NodeFlag, NodeKind
from mags.plasticity.cycle import rebase
from mags.plasticity.frozen import FrozenGraph, created
from mags.plasticity.regions import NOWHERE, FindRegions
from mags.plasticity.themes import LONGEST, Consolidate, Member, central_summary
from tests.plasticity.worlds import Words, both_ways, clique, world


def consolidated(graph: Graph, words: Words, rule: Consolidate | None = None):
    frozen = FrozenGraph.of(graph)
    delta = (rule or Consolidate())(frozen, scribe=words.scribe(), now_s=5.0)
    graph.apply(delta)
    return delta


def themes(graph: Graph) -> dict[int, set[int]]:
    return {int(i): set(graph.targets(int(i), ArcKind.MEMBER)) for i in graph.ids(NodeKind.THEME)}


def two_cliques() -> Graph:
    return world(9, [*clique([1, 2, 3, 4, 5], w=0.6), *clique([6, 7, 8, 9], w=0.6)], tick=20)


def test_each_dense_core_becomes_a_theme_of_its_members():
    graph, words = two_cliques(), Words()
    delta = consolidated(graph, words)
    assert themes(graph) == {1000: {1, 2, 3, 4, 5}, 1002: {6, 7, 8, 9}}
    theme = graph.node(1000)
    assert theme[["content", "recorded_at", "strength_tick"]].tolist() == [(1001, 5.0, 20)]
    content = delta.contents[0]
    assert (content.id, content.node, content.meta) == (1001, 1000, {"members": [1, 2, 3, 4, 5]})
    assert content.vector is not None
    assert content.vector.dtype == np.float16
    assert delta.reasons == ({"rule": "consolidate", "themes": 2, "updated": 0},)


def test_a_thin_or_dying_neighbourhood_becomes_no_theme():
    ring = world(6, both_ways(*pairwise([1, 2, 3, 4, 5, 6, 1]), w=0.9))
    assert len(consolidated(ring, Words()).nodes) == 0
    dying = world(5, clique([1, 2, 3, 4, 5], w=0.19))
    assert len(consolidated(dying, Words()).nodes) == 0


def test_a_second_sleep_makes_no_second_theme():
    graph, words = two_cliques(), Words()
    consolidated(graph, words)
    before = graph.digest()
    assert len(consolidated(graph, words).nodes) == 0
    assert graph.digest() == before


def test_a_theme_whose_members_mostly_stay_is_updated():
    words = Words()
    graph = world(7, clique([1, 2, 3, 4, 5], w=0.6))
    consolidated(graph, words)
    grown = world(7, clique([1, 2, 3, 4, 5, 6], w=0.6))
    _add_theme(grown, graph)
    delta = consolidated(grown, words)
    assert themes(grown) == {1000: {1, 2, 3, 4, 5, 6}}
    assert grown.node(1000)["content"][0] == 1002
    assert delta.contents[0].meta == {"members": [1, 2, 3, 4, 5, 6]}
    assert delta.reasons == ({"rule": "consolidate", "themes": 0, "updated": 1},)


def test_members_that_leave_stay_members_and_the_text_is_kept():
    words = Words()
    graph = world(6, clique([1, 2, 3, 4, 5, 6], w=0.6))
    consolidated(graph, words)
    shrunk = world(6, clique([1, 2, 3, 4], w=0.6))
    _add_theme(shrunk, graph)
    assert len(consolidated(shrunk, words).nodes) == 0
    assert themes(shrunk) == {1000: {1, 2, 3, 4, 5, 6}}


def test_a_few_new_members_of_a_large_core_do_not_rewrite_its_theme():
    words = Words()
    graph = world(12, clique(range(1, 12), w=0.6))
    consolidated(graph, words)
    grown = world(12, clique(range(1, 13), w=0.6))
    _add_theme(grown, graph)
    assert len(consolidated(grown, words).nodes) == 0
    assert len(consolidated(grown, words, Consolidate(news=0.0)).nodes) == 1


def test_another_core_makes_another_theme():
    words = Words()
    graph = world(9, clique([1, 2, 3, 4, 5], w=0.6))
    consolidated(graph, words)
    other = world(9, clique([4, 5, 6, 7, 8, 9], w=0.6))
    _add_theme(other, graph)
    consolidated(other, words)
    assert themes(other) == {1000: {1, 2, 3, 4, 5}, 1002: {4, 5, 6, 7, 8, 9}}


# -- what no longer holds -----------------------------------------------------------------


def close(graph: Graph, node_id: int, at: float = 1.0) -> None:
    graph.nodes["valid_to"][graph.row(node_id)] = at


def test_what_is_over_and_the_turns_that_told_it_are_in_no_theme():
    nodes = {i: {} for i in range(1, 9)}
    nodes[2] = {"valid_to": 4.0}
    nodes[3] = nodes[4] = {"kind": NodeKind.EPISODE}
    nodes[5] = {"kind": NodeKind.EPISODE, "flags": int(NodeFlag.RECALLED)}
    nodes[6] = {"valid_to": 6.0}  # the theme is written at 5
    told = [(2, 3, ArcKind.SOURCE), (1, 4, ArcKind.SOURCE)]
    graph = world(nodes, clique(range(1, 9), w=0.6), told, tick=20)
    consolidated(graph, Words())
    assert themes(graph) == {1000: {1, 4, 6, 7, 8}}


def test_a_guess_is_in_no_theme_though_the_turn_that_told_it_may_be():
    nodes = {i: {} for i in range(1, 7)}
    nodes[2] = {"flags": int(NodeFlag.GUESS)}
    nodes[3] = {"kind": NodeKind.EPISODE}
    graph = world(nodes, clique(range(1, 7), w=0.6), [(2, 3, ArcKind.SOURCE)], tick=20)
    consolidated(graph, Words())
    assert themes(graph) == {1000: {1, 3, 4, 5, 6}}


def test_what_the_newest_turn_finds_ended_is_over_though_the_clock_is_behind():
    nodes = {i: {} for i in range(1, 7)}
    nodes[1] = {"kind": NodeKind.EPISODE, "valid_from": 9.0}
    nodes[2] = {"valid_to": 9.0}
    graph = world(nodes, clique(range(1, 7), w=0.6), tick=20)
    consolidated(graph, Words())
    assert themes(graph) == {1000: {1, 3, 4, 5, 6}}


def test_a_theme_is_written_anew_without_the_member_that_ended():
    words = Words()
    graph = world(6, clique(range(1, 7), w=0.6))
    consolidated(graph, words)
    close(graph, 3)
    delta = consolidated(graph, words)
    assert themes(graph) == {1000: {1, 2, 4, 5, 6}}
    assert delta.contents[0].meta == {"members": [1, 2, 4, 5, 6]}
    assert delta.reasons == ({"rule": "consolidate", "themes": 0, "updated": 1},)
    assert len(consolidated(graph, words).nodes) == 0


def test_a_theme_that_no_core_holds_together_any_more_still_loses_what_ended():
    words = Words()
    graph = world(6, clique(range(1, 7), w=0.6))
    consolidated(graph, words)
    faded = world(6)
    _add_theme(faded, graph)
    close(faded, 3)
    consolidated(faded, words)
    assert themes(faded) == {1000: {1, 2, 4, 5, 6}}


def test_a_theme_of_too_few_members_that_hold_goes_and_comes_back_by_the_inverse():
    words = Words()
    graph = world(5, clique(range(1, 6), w=0.6))
    consolidated(graph, words)
    close(graph, 1)
    close(graph, 2)
    before = graph.digest()
    delta = consolidated(graph, words)
    assert themes(graph) == {}
    assert delta.reasons == ({"rule": "consolidate", "themes": 0, "updated": 0, "removed": 1},)
    graph.apply(delta.inverse())
    assert graph.digest() == before


def test_a_theme_is_as_new_as_the_newest_of_its_members():
    nodes = {i: {"valid_from": float(i)} for i in range(1, 5)}
    nodes[5] = {"kind": NodeKind.ENTITY}
    graph = world(nodes, clique(range(1, 6), w=0.6))
    consolidated(graph, Words())
    assert graph.node(1000)["valid_from"][0] == 4.0


def test_a_theme_used_meanwhile_keeps_its_members_with_its_text():
    words = Words()
    graph = world(6, clique(range(1, 7), w=0.6))
    consolidated(graph, words)
    close(graph, 3)
    delta = Consolidate()(FrozenGraph.of(graph), scribe=words.scribe(), now_s=5.0)
    graph.nodes["uses"][graph.row(1000)] += 1
    kept = rebase(delta, graph)
    assert (len(kept.nodes), len(kept.arcs), kept.contents) == (0, 0, ())


def test_a_theme_that_something_was_joined_to_meanwhile_does_not_go():
    words = Words()
    graph = world(5, clique(range(1, 6), w=0.6))
    consolidated(graph, words)
    close(graph, 1)
    close(graph, 2)
    delta = Consolidate()(FrozenGraph.of(graph), scribe=words.scribe(), now_s=5.0)
    draft = Draft(graph)
    draft.add_arc(1000, 3, ArcKind.ASSOCIATION, w=0.5)
    graph.apply(draft.delta("import"))
    kept = rebase(delta, graph)
    assert (len(kept.nodes), len(kept.arcs)) == (0, 0)


def _add_theme(graph: Graph, source: Graph) -> None:
    """The themes of `source`, as they are there."""
    frozen = FrozenGraph.of(source)
    theme = frozen.nodes["kind"] == NodeKind.THEME
    member = frozen.arcs["kind"] == ArcKind.MEMBER
    made = created(frozen.nodes[theme]), created(frozen.arcs[member])
    graph.apply(frozen.delta("import", nodes=made[0], arcs=made[1]))


def test_an_updated_theme_is_warm_again():
    words = Words()
    graph = world(7, clique([1, 2, 3, 4, 5], w=0.6))
    consolidated(graph, words)
    grown = world(7, clique([1, 2, 3, 4, 5, 6], w=0.6))
    graph.nodes["flags"][graph.row(1000)] |= int(NodeFlag.COLD)
    _add_theme(grown, graph)
    consolidated(grown, words)
    assert grown.node(1000)["flags"][0] == 0


def test_a_core_that_is_too_large_is_cut_along_its_communities():
    # Two cliques of 5 joined so that they are one connected 4-core.
    arcs = [*clique([1, 2, 3, 4, 5], w=0.9), *clique([6, 7, 8, 9, 10], w=0.9)]
    graph = world(10, [*arcs, *both_ways((5, 6), w=0.3)])
    assert len(set(FrozenGraph.of(graph).net.inner.tolist())) == 1
    consolidated(graph, Words(), Consolidate(most=6))
    assert sorted(map(sorted, themes(graph).values())) == [[1, 2, 3, 4, 5], [6, 7, 8, 9, 10]]


def test_at_most_a_batch_of_themes_is_written_a_sleep_the_densest_first():
    graph, words = two_cliques(), Words()
    consolidated(graph, words, Consolidate(batch=1))
    assert list(themes(graph).values()) == [{1, 2, 3, 4, 5}]
    consolidated(graph, words, Consolidate(batch=1))
    assert list(themes(graph).values()) == [{1, 2, 3, 4, 5}, {6, 7, 8, 9}]


# -- the text ---------------------------------------------------------------------------


def member(kind: NodeKind, text: str, angle: float) -> Member:
    vector = np.array([np.cos(angle), np.sin(angle)], np.float32)
    return Member(kind=kind, content=Content(id=1, node=1, text=text), vector=vector)


def test_a_summary_names_the_central_names_and_sentences():
    members = [
        member(NodeKind.FACT, "Ana lives in Oslo.", 0.0),
        member(NodeKind.ENTITY, "Ana", 0.1),
        member(NodeKind.ENTITY, "Oslo", -0.1),
        member(NodeKind.FACT, "The flat looks over the harbour.", 0.2),
        member(NodeKind.EPISODE, "Something about Rome.", 2.0),
        member(NodeKind.EPISODE, "Far away.", -2.0),
        member(NodeKind.ENTITY, "Ana", 0.15),
    ]
    expected = "Ana, Oslo: Ana lives in Oslo. The flat looks over the harbour."
    assert central_summary(members) == expected


def test_a_summary_of_names_alone_or_sentences_alone_is_just_those():
    assert central_summary([member(NodeKind.ENTITY, "Ana", 0.0)]) == "Ana"
    assert central_summary([member(NodeKind.FACT, "It rains.", 0.0)]) == "It rains."


def test_long_texts_are_cut_at_a_sentence_or_a_word():
    sentence = "One two three four five six seven."
    long = central_summary([member(NodeKind.EPISODE, " ".join([sentence] * 20), 0.0)])
    assert long == " ".join([sentence] * 6)
    words = central_summary([member(NodeKind.EPISODE, "word " * 100, 0.0)])
    assert words == "word " * 47 + "word ..."
    assert len(words) <= LONGEST + 4


# -- regions ----------------------------------------------------------------------------


def test_regions_are_communities_led_by_their_best_connected_names():
    nodes = {i: {} for i in range(1, 12)}
    nodes[2] = nodes[8] = {"kind": NodeKind.ENTITY}
    arcs = [*clique([1, 2, 3, 4, 5], w=0.6), *clique([6, 7, 8, 9], w=0.6), (5, 6, {"w": 0.3})]
    frozen = FrozenGraph.of(world(nodes, arcs))
    regions = FindRegions(leaders=1)(frozen)
    region_of = dict(zip(regions.ids.tolist(), regions.label.tolist(), strict=True))
    assert [region_of[i] for i in (1, 5, 6, 9)] == [0, 0, 1, 1]
    assert region_of[10] == NOWHERE  # has no associations
    assert regions.members(1).tolist() == [6, 7, 8, 9]
    assert regions.leaders == ((2,), (8,))
