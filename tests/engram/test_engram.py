"""What one turn leaves behind: nodes, structure, numbers."""

from __future__ import annotations

import numpy as np
import pytest

from mags.engram.engram import surprise
from mags.graph.records import NEVER, ArcKind, NodeFlag, NodeKind
from mags.ports.policy import Turn, Writing
from tests.engram.desk import DAY, Desk, add, note, retract


@pytest.fixture
def desk():
    return Desk()


def test_an_episode_is_kept_exactly_as_said(desk):
    text = "  I MOVED to Oslo…\n(really!) "
    done = desk.say(text, at=10, attrs={"caption": "a house"})
    content = desk.state.content(done.episode)
    assert content.text == text
    assert content.meta == {
        "speaker": "Ana", "session": "s1", "at": 10 * DAY, "attrs": {"caption": "a house"}
    }  # fmt: skip
    node = desk.node(done.episode)
    assert (node["valid_from"], node["recorded_at"]) == (10 * DAY, desk.now)
    assert node["session"] == desk.state.hash("session", "s1")


def test_episodes_of_a_session_are_chained(desk):
    one, two, other = desk.say("a"), desk.say("b"), desk.say("c", session="s2")
    assert desk.state.graph.targets(one.episode, ArcKind.NEXT) == [two.episode]
    assert desk.state.graph.origins(other.episode, ArcKind.NEXT) == []


def test_a_question_and_an_answer_are_flagged(desk):
    asked = desk.say("Where does Ana live?", is_question=True).episode
    answered = desk.say("In Oslo.", attrs={"recalled": "yes"}).episode
    assert desk.node(asked)["flags"] == NodeFlag.QUESTION
    assert desk.node(answered)["flags"] == NodeFlag.RECALLED


def test_what_memory_says_is_never_stored_again_nor_believed_the_more(desk):
    fact = desk.say("a", add("Ana", "lives in", "Oslo", confidence=0.5)).facts[0]
    done = desk.say(
        "Ana lives in Oslo and likes tea.",
        add("Ana", "lives in", "Oslo"),
        add("Ana", "likes", "tea"),
        add("Ana", "lives in", "Bergen"),
        retract("Ana", "lives in", "Oslo"),
        speaker="assistant",
        session="s2",
        attrs={"recalled": "yes"},
    )
    assert (done.facts, done.closed, done.confirmed) == ([], [], [fact])
    assert [why for _, why in done.ignored] == ["made from memory", "made from memory"]
    assert desk.node(fact)["confidence"] == 0.5
    assert desk.node(fact)["uses"] == 1


def test_a_fact_has_its_ends_its_source_and_its_words(desk):
    done = desk.say("Ana likes tea", add("Ana", "likes", "tea", qualifiers={"where": "at work"}))
    fact, graph = done.facts[0], desk.state.graph
    assert graph.targets(fact, ArcKind.SOURCE) == [done.episode]
    assert graph.targets(fact, ArcKind.SUBJECT) == desk.state.names.find("Ana")
    assert graph.targets(fact, ArcKind.OBJECT) == desk.state.names.find("tea")
    assert desk.state.content(fact).text == "Ana likes tea."
    assert desk.state.content(fact).meta == {
        "subject": "Ana", "relation": "likes", "object": "tea",
        "qualifiers": {"where": "at work"},
    }  # fmt: skip


def test_facts_that_differ_in_a_qualifier_are_two(desk):
    desk.say("a", add("Ana", "received", "a degree", qualifiers={"from": "Oslo"}))
    desk.say("b", add("Ana", "received", "a degree", qualifiers={"from": "Rome"}))
    done = desk.say("c", add("Ana", "received", "a degree"))
    assert (len(desk.open()), len(desk.facts()), len(done.confirmed)) == (1, 2, 1)


def test_a_note_is_kept_once(desk):
    rule = note("Water boils at 100 degrees.", subject="Water")
    first = desk.say("a", rule).notes
    done = desk.say("b", rule, session="s2")
    assert (done.notes, done.confirmed) == ([], first)
    assert len(desk.state.graph.targets(first[0], ArcKind.SOURCE)) == 2
    water = desk.state.names.find("water")
    assert desk.state.graph.targets(first[0], ArcKind.MENTIONS) == water


def test_notes_that_differ_in_a_digit_are_two(desk):
    desk.say("a", note("The code is 1234."))
    done = desk.say("b", note("The code is 1235."))
    assert (len(done.notes), done.confirmed) == (1, [])


def test_an_assertion_has_no_episode(desk):
    done = desk.state_fact(add("Ana", "lives in", "Oslo"), at=10)
    assert done.episode is None
    assert len(desk.state.graph.ids(NodeKind.EPISODE)) == 0
    assert desk.facts() == [("Ana", "lives in", "Oslo", 10, NEVER)]
    assert desk.state.graph.targets(done.facts[0], ArcKind.SOURCE) == []


def test_importance_is_surprise_emphasis_and_the_users_mark(desk):
    plain = desk.say("Ana likes tea").episode
    assert desk.node(plain)["importance"] == np.float32(0.3)
    again = desk.say("Ana likes tea").episode
    assert desk.node(again)["importance"] == pytest.approx(0.0, abs=1e-3)
    loud = desk.say("Ana likes tea", importance=0.8).episode
    assert desk.node(loud)["importance"] == pytest.approx(0.4, abs=1e-3)
    assert desk.node(loud)["strength"] == pytest.approx(0.6 + 0.4 * 0.4, abs=1e-3)
    marked = desk.say("Ana likes tea", attrs={"mark": "pinned"}).episode
    assert desk.node(marked)["importance"] == 1
    assert desk.node(marked)["flags"] & NodeFlag.PINNED


def test_surprise_is_one_minus_the_greatest_similarity():
    assert surprise(np.array([0.75, 0.5], np.float32)) == pytest.approx(0.25)
    assert surprise(np.zeros(0, np.float32)) == 1.0


def test_a_confirmation_recharges_what_had_faded(desk):
    fact = desk.say("a", add("Ana", "likes", "tea")).facts[0]
    before = float(desk.node(fact)["strength"])
    desk.tick += 1000
    desk.say("b", add("Ana", "likes", "tea"))
    faded = before * 2 ** (-1001 / 1000)
    assert desk.node(fact)["strength"] == pytest.approx(faded + 0.5 * (1 - faded), rel=1e-5)
    assert desk.node(fact)["strength_tick"] == desk.node(fact)["last_used_tick"] == desk.tick


def test_texts_are_those_that_are_new_once_each(desk):
    desk.say("a", add("Ana", "likes", "tea"))
    turn = Turn(text="Ana likes rum", speaker="Ana")
    operations = (add("Ana", "likes", "rum"), add("Ana", "likes", "rum"), retract("Ana", "likes"))
    writing = Writing(operations=operations, mentions=("Ana", "rum"))
    texts = desk.engram.texts(desk.state, turn, writing)
    assert texts == ["Ana likes rum", "Ana likes rum.", "rum"]


def test_nothing_touches_the_graph_before_the_delta(desk):
    before = desk.state.graph.digest()
    apply, desk.apply = desk.apply, lambda draft, kind: None
    desk.say("a", add("Ana", "likes", "tea"))
    assert desk.state.graph.digest() == before
    desk.apply = apply


def test_the_draft_of_a_turn_sees_its_own_operations(desk):
    done = desk.say("a", add("Ana", "likes", "tea"), add("Ana", "likes", "tea"))
    assert len(done.facts) == 1
    assert done.confirmed == done.facts
