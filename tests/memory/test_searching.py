"""Searching: what holds the words first, then what is near; never filled up."""

import pytest

import mags
from mags.memory.memory import Memory

TOLD = (
    ("Ana lives in Oslo.", "2024-01-03"),
    ("Bo likes chess.", "2024-01-04"),
    ("Ana moved to Lima.", "2024-03-01"),
    ("Bo lives in Graz.", "2024-04-01"),
    ("We had dinner at the harbour.", "2024-04-02"),
    ("I work at Acme.", "2024-04-03"),
)


@pytest.fixture
def told(memory: Memory) -> Memory:
    for text, at in TOLD:
        memory.observe(text, speaker="Mia", at=at)
    return memory


def test_a_name_leads_to_who_bears_it_then_the_facts_then_what_was_said(told: Memory) -> None:
    found = [(one.kind, one.text) for one in told.search("Graz")]
    assert found[:3] == [
        ("entity", "Graz"),
        ("fact", "Bo lives in Graz."),
        ("episode", "Bo lives in Graz."),
    ]
    assert all("Graz" in text for _, text in found)


def test_its_own_answers_stand_behind_what_was_told(told: Memory) -> None:
    for question in ("Where does Bo live?", "Who lives in Graz?"):
        told.converse(question, speaker="Mia", at="2024-05-01")
    found = [told.get(one.id) for one in told.search("Graz")]
    own = [one.meta.get("speaker") == "mags" for one in found]
    assert any(own)
    assert own == sorted(own)
    said = [one.text for one in found if one.kind == "episode"]
    assert said[:2] == ["Bo lives in Graz.", "Who lives in Graz?"]


def test_what_has_nothing_to_do_with_the_words_is_not_found(told: Memory) -> None:
    assert told.search("xylophone") == []
    assert {one.text for one in told.search("dinner at the harbour")} == {
        "We had dinner at the harbour."
    }


def test_a_question_finds_what_answers_it(told: Memory) -> None:
    assert "Bo lives in Graz." in [one.text for one in told.search("Where does Bo live?")]


def test_what_is_over_comes_after_what_holds(told: Memory) -> None:
    facts = [one for one in told.search("Ana") if one.kind == "fact"]
    assert [(one.text, one.current) for one in facts] == [
        ("Ana moved to Lima.", True),
        ("Ana lives in Oslo.", False),
    ]


def test_a_search_looks_at_the_time_that_is_asked_for(told: Memory) -> None:
    then = told.search("Ana", as_of="2024-02-01")
    assert [one.text for one in then if one.kind == "fact"] == ["Ana lives in Oslo."]
    assert all(one.current for one in then)
    assert "Ana moved to Lima." not in [one.text for one in then]
    assert told.search("Graz", recorded_as_of="2020-01-01") == []


def test_no_more_are_found_than_wanted(told: Memory) -> None:
    assert len(told.search("Ana", 2)) == 2
    with pytest.raises(mags.InvalidInput):
        told.search("Ana", 0)
    with pytest.raises(mags.InvalidInput):
        told.search("")
