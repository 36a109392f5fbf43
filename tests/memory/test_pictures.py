"""A memory as who draws it sees it: pictures, regions and changes."""

import pytest

from mags import Frame, inspect
from mags.errors import InvalidInput
from mags.memory.inputs import seconds
from mags.memory.memory import Memory

TOLD = (
    ("Ana lives in Oslo.", "2024-01-05"),
    ("Bo lives in Rome.", "2024-02-05"),
    ("Ana moved to Lima.", "2024-03-05"),
)


@pytest.fixture
def told(memory: Memory) -> Memory:
    for text, day in TOLD:
        memory.observe(text, speaker="Cy", at=day)
    return memory


def test_a_whole_picture_is_the_whole_graph(told: Memory):
    seen, graph = inspect.picture(told), told.to_networkx()
    assert [dot.id for dot in seen.dots] == sorted(graph.nodes)
    assert (seen.nodes, seen.arcs) == (graph.number_of_nodes(), graph.number_of_edges())
    drawn = {(arc.src, arc.dst, arc.kind): arc.weight for arc in seen.lines}
    known = {(a, b, kind): data["weight"] for a, b, kind, data in graph.edges(keys=True, data=True)}
    assert drawn == pytest.approx(known, abs=1e-4)


@pytest.mark.parametrize("most", [1, 4, 1_000])
def test_a_smaller_picture_has_no_arc_to_what_it_leaves_out(told: Memory, most: int):
    seen = inspect.picture(told, Frame(most=most))
    ids = {dot.id for dot in seen.dots}
    assert len(ids) == min(most, seen.nodes)
    assert all(arc.src in ids and arc.dst in ids for arc in seen.lines)
    assert ids <= {dot.id for dot in inspect.picture(told).dots}


def test_what_is_asked_for_first_is_in_the_smallest_picture(told: Memory):
    for dot in inspect.picture(told).dots:
        (only,) = inspect.picture(told, Frame(most=1, first=(dot.id,))).dots
        assert only == dot


def test_a_picture_of_the_past_holds_what_was_true_then(told: Memory):
    def facts(**when: float | None) -> set[str]:
        dots = inspect.picture(told, Frame(**when)).dots
        return {dot.label for dot in dots if dot.kind == "fact" and dot.current}

    assert facts() == {"Ana moved to Lima.", "Bo lives in Rome."}
    assert facts(as_of=seconds("2024-02-10")) == {"Ana lives in Oslo.", "Bo lives in Rome."}
    assert facts(as_of=seconds("2024-01-10")) == {"Ana lives in Oslo."}


def test_a_picture_of_what_was_known_then_has_nothing_of_later(told: Memory):
    first, second, _ = (change.recorded_at for change in inspect.changes(told, 0))
    for moment, facts in ((first, 1), (second, 2)):
        dots = inspect.picture(told, Frame(recorded_as_of=seconds(moment))).dots
        shown = [dot for dot in dots if dot.kind == "fact"]
        assert len(shown) == facts
        assert all(dot.current for dot in shown)


def test_changes_add_up_to_the_memory(told: Memory):
    changes = inspect.changes(told, 0)
    assert [change.seq for change in changes] == sorted({entry.seq for entry in told.log()})
    there: set[int] = set()
    arcs: set[tuple[int, int, str]] = set()
    for change in changes:
        there = (there | set(change.added)) - set(change.removed)
        arcs |= {(arc.src, arc.dst, arc.kind) for arc in change.arcs}
        arcs -= {(arc.src, arc.dst, arc.kind) for arc in change.cut}
    seen = inspect.picture(told)
    assert there == {dot.id for dot in seen.dots}
    assert arcs == {(arc.src, arc.dst, arc.kind) for arc in seen.lines}


def test_changes_tell_new_reweighted_and_gone_arcs_apart(told: Memory):
    told.snapshot("before")
    known = {
        (arc.src, arc.dst, arc.kind) for change in inspect.changes(told, 0) for arc in change.arcs
    }
    seq = told.stats().seq
    told.ask("Where does Ana live?")
    told.sleep()
    told.rollback("before")
    *worn, back = inspect.changes(told, seq)
    assert {one.kind for one in worn} >= {"ask"}
    assert any(one.reweighted for one in worn)
    for one in worn:
        assert {(arc.src, arc.dst, arc.kind) for arc in one.reweighted} <= known
        assert known.isdisjoint((arc.src, arc.dst, arc.kind) for arc in one.arcs)
        known |= {(arc.src, arc.dst, arc.kind) for arc in one.arcs}
        known -= {(arc.src, arc.dst, arc.kind) for arc in one.cut}
    assert back.reweighted
    assert back.added == ()


def test_a_change_names_what_came_and_what_ended(told: Memory):
    seq = told.stats().seq
    told.observe("Ana moved to Rome.", speaker="Bo", at="2024-08-01")
    (change,) = inspect.changes(told, seq, named=9)
    words = {one.text: one for one in change.named}
    (over,) = change.closed
    assert (words["Ana moved to Lima."].id, words["Ana moved to Lima."].current) == (over, False)
    assert {one.text for one in change.named if one.id in change.added} >= {"Ana moved to Rome."}
    assert change.named[0].id == over
    assert [one.id for one in inspect.changes(told, seq, named=1)[0].named] == [over]
    assert inspect.changes(told, seq)[0].named == ()


def test_an_edit_is_named_by_its_new_words(told: Memory):
    seq = told.stats().seq
    (fact,) = (one for one in told.facts("Bo", current=True))
    told.edit(fact.id, text="Bo lives in Graz.")
    (change,) = inspect.changes(told, seq, named=2)
    assert change.edited == (fact.id,)
    assert [one.text for one in change.named] == ["Bo lives in Graz.", "Graz"]


def test_of_what_was_forgotten_a_change_tells_the_number_and_no_word(told: Memory):
    seq, (fact,) = told.stats().seq, told.facts("Bo", current=True)
    arcs = len(told.neighbours(fact.id))
    gone = told.forget(fact.id)
    (change,) = inspect.changes(told, seq, named=9)
    assert (change.kind, change.erased_nodes) == ("forget", len(gone.ids))
    assert change.erased_arcs >= arcs
    assert (change.removed, change.cut, change.named) == ((), (), ())
    assert "Rome" not in repr(change)


def test_changes_go_on_from_any_of_them(told: Memory):
    whole = inspect.changes(told, 0)
    for n, change in enumerate(whole, start=1):
        assert inspect.changes(told, change.seq) == whole[n:]
    assert inspect.changes(told, 0, 1) == whole[:1]
    with pytest.raises(InvalidInput):
        inspect.changes(told, 0, 0)


def test_links_between_regions_are_the_charges_of_the_arcs_between_them(told: Memory):
    told.sleep()
    of = {member: view.id for view in inspect.regions(told) for member in view.members}
    wanted: dict[tuple[int, int], float] = {}
    for arc in inspect.picture(told).lines:
        a, b = sorted((of.get(arc.src, 0), of.get(arc.dst, 0)))
        if a and a != b:
            wanted[a, b] = wanted.get((a, b), 0.0) + arc.weight
    found = {(link.a, link.b): link.weight for link in inspect.region_links(told)}
    assert found == pytest.approx(wanted, abs=1e-2)
