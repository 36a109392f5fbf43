"""Editing a fact: its text and its triple never tell two things."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mags
from mags import inspect
from mags.graph.records import ArcKind
from mags.memory.memory import Memory
from mags.models.embed.hashing import HashEmbedder
from mags.models.policy.rules.policy import RulePolicy
from mags.ports.policy import Act, Operation, Plan, Route, Writing


def fact(memory: Memory, text: str = "Ana lives in Oslo.", speaker: str = "Bo") -> int:
    (made,) = memory.observe(text, speaker=speaker, at="2024-01-03").facts
    return made


def triple(memory: Memory, node: int) -> tuple[str, str, str]:
    found = memory.get(node).fact
    assert found is not None
    return found.subject, found.relation, found.object


def ends(memory: Memory, node: int) -> set[tuple[str, str]]:
    """What a fact is joined to as subject and object, in words."""
    return {
        (one.arc, one.text)
        for one in memory.neighbours(node)
        if one.outgoing and one.arc in ("subject", "object")
    }


def images(memory: Memory) -> tuple[bytes, bytes]:
    """Every node and arc, to the bit, in an order of their own."""
    graph = memory._live.state.graph
    nodes, arcs = graph.nodes[graph.where()], graph.arcs()
    arcs = arcs[np.lexsort([arcs["kind"], arcs["dst"], arcs["src"]])]
    return nodes[np.argsort(nodes["id"])].tobytes(), arcs.tobytes()


def test_a_fact_says_what_its_new_text_says_to_whoever_asks(memory: Memory) -> None:
    node = fact(memory)
    memory.snapshot("before")
    assert memory.edit(node, text="Ana lives in Rome.").text == "Ana lives in Rome."
    assert triple(memory, node) == ("Ana", "lives in", "Rome")
    assert ends(memory, node) == {("subject", "Ana"), ("object", "Rome")}
    assert [one.object for one in memory.profile("Ana").facts] == ["Rome"]
    assert [one.id for one in memory.profile("Rome").about] == [node]
    assert memory.profile("Oslo").about == ()
    assert [(f.subject, f.object) for f in memory.facts("Ana")] == [("Ana", "Rome")]
    answer = memory.ask("Where does Ana live?").text
    assert "Rome" in answer
    assert "Oslo" not in answer
    diff = memory.diff("before")
    assert [one.text for one in diff.added if one.kind == "entity"] == ["Rome"]
    assert node in [one.id for one in diff.changed]


def test_an_edit_is_one_change_and_a_rollback_takes_it_back_to_the_bit(memory: Memory) -> None:
    node = fact(memory)
    memory.snapshot("before")
    was, seq = images(memory), memory.stats().seq
    memory.edit(node, text="Bo works at Acme.")
    assert [one.kind for one in inspect.changes(memory, seq)] == ["edit"]
    assert triple(memory, node) == ("Bo", "works at", "Acme")
    memory.rollback("before")
    assert triple(memory, node) == ("Ana", "lives in", "Oslo")
    assert ends(memory, node) == {("subject", "Ana"), ("object", "Oslo")}
    assert images(memory) == was
    assert "Oslo" in memory.ask("Where does Ana live?").text


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("I live in Oslo.", "I live in Rome.", ("Bo", "lives in", "Rome")),
        (
            "The capital of France is Paris.",
            "France's capital is Lyon.",
            ("France", "capital", "Lyon"),
        ),
        ("Ana lives in Oslo.", "Ana moved to Rome.", ("Ana", "lives in", "Rome")),
        ("Ana lives in Oslo.", "Ana resides in Oslo.", ("Ana", "lives in", "Oslo")),
        ("Ana likes tea.", "Ana is allergic to nuts.", ("Ana", "is allergic to", "nuts")),
    ],
)
def test_what_a_text_says_is_read_as_a_turn_is(
    memory: Memory, old: str, new: str, says: tuple[str, str, str]
) -> None:
    node = fact(memory, old)
    memory.edit(node, text=new)
    assert triple(memory, node) == says


def test_a_text_that_cannot_stand_alone_is_kept_as_it_was_read(memory: Memory) -> None:
    node = fact(memory, "I live in Oslo.")
    assert memory.edit(node, text="I live in Rome.").text == "Bo lives in Rome."


def test_words_of_its_own_are_read_by_their_likeness_to_the_old_text(memory: Memory) -> None:
    (node,) = memory.assert_fact("the mill", "zorbs", "Rex").facts
    memory.edit(node, text="the mill zorbs Tom Bo.")
    assert triple(memory, node) == ("the mill", "zorbs", "Tom Bo")


def test_times_and_qualifiers_follow_the_text(memory: Memory) -> None:
    node = fact(memory)
    view = memory.edit(node, text="Ana lives in Rome since 2020.")
    assert view.valid_from is not None
    assert view.valid_from.year == 2020
    assert view.fact is not None
    assert dict(view.fact.qualifiers) == {"when": "2020"}
    view = memory.edit(node, text="Ana lived in Rome until 2019.")
    assert view.valid_to is not None
    assert view.valid_to.year == 2019


def test_what_the_old_text_did_not_tell_stays(memory: Memory) -> None:
    made = memory.assert_fact("Ana", "lives in", "Oslo", qualifiers={"reason": "work"})
    view = memory.edit(made.facts[0], text="Ana lives in Rome.")
    assert view.fact is not None
    assert dict(view.fact.qualifiers) == {"reason": "work"}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Something or other.", "could not be read as a fact"),
        ("Does Ana live in Rome?", "could not be read as a fact"),
        ("Ana no longer lives in Oslo.", "valid_to"),
        ("Ana lives in Rome and works at Acme.", "2 things"),
        ("Ana's home is where her hat is, and not Oslo.", "subject, relation and object"),
    ],
)
def test_a_text_that_is_no_one_fact_is_refused_and_changes_nothing(
    memory: Memory, text: str, why: str
) -> None:
    node = fact(memory)
    seq = memory.stats().seq
    with pytest.raises(mags.InvalidInput, match=why):
        memory.edit(node, text=text)
    assert memory.get(node).text == "Ana lives in Oslo."
    assert memory.stats().seq == seq


def test_a_triple_given_with_the_text_needs_no_reading(memory: Memory) -> None:
    node = fact(memory)
    said = {"subject": "Ana", "relation": "rests in", "object": "Rome"}
    view = memory.edit(node, text="Ana found her rest, at last, beyond Rome.", meta=said)
    assert triple(memory, node) == ("Ana", "rests in", "Rome")
    assert view.text == "Ana found her rest, at last, beyond Rome."
    with pytest.raises(mags.InvalidInput, match="does not name the object 'Bergen'"):
        memory.edit(node, text="Ana is in Rome.", meta={**said, "object": "Bergen"})


def test_a_triple_given_without_a_text_makes_one(memory: Memory) -> None:
    node = fact(memory)
    assert memory.edit(node, meta={"object": "Rome"}).text == "Ana lives in Rome."
    assert memory.edit(node, meta={"relation": "works in"}).text == "Ana works in Rome."
    assert memory.edit(node, meta={"checked": "by Bo"}).text == "Ana works in Rome."
    assert memory.get(node).meta["checked"] == "by Bo"
    assert ends(memory, node) == {("subject", "Ana"), ("object", "Rome")}


def test_no_edit_puts_two_open_facts_where_there_is_room_for_one(memory: Memory) -> None:
    node, other = fact(memory), fact(memory, "Bo lives in Paris.")
    with pytest.raises(mags.InvalidInput, match=f"m{other} says otherwise"):
        memory.edit(node, text="Bo lives in Rome.")
    with pytest.raises(mags.InvalidInput, match=f"m{other} says this already"):
        memory.edit(node, text="Bo lives in Paris.")
    memory.edit(other, valid_to="2024-02-01")
    memory.edit(node, text="Bo lives in Rome.")
    assert [one.object for one in memory.profile("Bo").facts] == ["Rome"]


def test_the_next_turn_replaces_what_an_edit_left(memory: Memory) -> None:
    node = fact(memory)
    memory.edit(node, text="Ana works at Acme.")
    seen = memory.observe("Ana works at Globex now.", speaker="Bo", at="2024-05-01")
    assert seen.closed == (node,)
    assert [one.object for one in memory.profile("Ana").facts] == ["Globex"]


def test_the_policy_that_a_memory_has_reads_the_text(opened: Callable[..., Memory]) -> None:
    class Reader:
        """Reads whatever is said as what it was made to read."""

        name = "reads one thing"

        def __init__(self) -> None:
            self.read: list[str] = []

        def write(self, turn, recent, recalled):
            self.read.append(turn.text)
            said = Operation(act=Act.ADD, subject="Ana", relation="likes", object="Rome")
            return Writing(operations=(said,))

        def ask(self, question, recent):
            return Plan(queries=(question.text,))

        def route(self, turn, recent):
            return Route()

    policy = Reader()
    memory = opened(policy=policy)
    (node,) = memory.assert_fact("Ana", "lives in", "Oslo").facts
    memory.edit(node, text="To Rome, to Rome she goes.")
    assert policy.read == ["To Rome, to Rome she goes."]
    assert triple(memory, node) == ("Ana", "likes", "Rome")
    assert memory.get(node).text == "Ana likes Rome."


PEOPLE = st.sampled_from(["Ana", "Bo", "Chi", "I"])
SAID = st.sampled_from(
    ["lives in", "works at", "likes", "is", "no longer lives in", "zorbs", "'s boss is", "met"]
)
THINGS = st.sampled_from(["Oslo", "Rome", "Acme", "tea and coffee", "a doctor", "nobody", ""])


@given(edits=st.lists(st.tuples(PEOPLE, SAID, THINGS), min_size=1, max_size=5))
def test_text_and_triple_never_tell_two_things(edits: list[tuple[str, str, str]]) -> None:
    with mags.open(None, embedder=HashEmbedder(64), policy=RulePolicy()) as memory:
        node = fact(memory)
        for person, relation, thing in edits:
            text = f"{person} {relation} {thing}".replace(" '", "'") + "."
            before = memory.get(node)
            try:
                memory.edit(node, text=text)
            except mags.InvalidInput:
                assert memory.get(node) == before
                continue
            view = memory.get(node)
            subject, relation, object_ = triple(memory, node)
            assert subject.casefold() in view.text.casefold()
            assert object_.casefold() in view.text.casefold()
            assert ends(memory, node) == {
                (arc, memory.get(int(memory._live.state.graph.node(node)[arc][0])).text)
                for arc in ("subject", "object")
            }
            named = dict(ends(memory, node))
            assert named["subject"].casefold() == subject.casefold()
            assert named["object"].casefold() == object_.casefold()
            assert len(memory._live.state.graph.targets(node, ArcKind.OBJECT)) == 1
