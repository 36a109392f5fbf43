"""What others say of somebody is told beside what they say themselves, and changes no answer."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

import mags
from benchmarks.poison import ATTEMPTS, tried
from mags.memory.asking import context_hits
from mags.memory.inputs import SKEW_S
from mags.models.embed.hashing import HashEmbedder
from mags.ports.policy import CLAIMED

NOW = 1_767_258_000.0


@pytest.fixture
def memory():
    with mags.open(embedder=HashEmbedder(64), clock=lambda: NOW) as memory:
        memory.observe("I live in Oslo.", speaker="Ana", at="2025-05-01")
        yield memory


def test_an_answer_gives_the_own_word_first_and_then_who_said_otherwise_and_when(memory):
    memory.observe("Ana moved to Rome.", speaker="Bob", at="2025-06-03")
    reply = memory.ask("Where does Ana live?")
    first, second = reply.text.split("\n")
    assert first.startswith("Oslo")
    assert second.startswith("Bob said otherwise on 3 June 2025: \u201cAna moved to Rome.\u201d [m")
    (other,) = reply.otherwise
    assert (other.speaker, other.disputed) == ("Bob", True)
    assert other.at == datetime(2025, 6, 3, tzinfo=UTC)


def test_what_a_speaker_says_is_told_where_the_question_names_them(memory):
    memory.observe("Ana moved to Rome.", speaker="Bob", at="2025-06-03")
    found = memory.recall("Where does Bob say that Ana lives?")
    with memory._live.reading() as state:
        plain = [one.item.text for one in context_hits(state, found, NOW)]
        named = context_hits(state, found, NOW, frozenset({"bob"}))
    assert not any("Rome" in text for text in plain)
    assert any("Rome" in one.item.text and one.item.disputed for one in named)


def test_an_answer_of_the_past_knows_nothing_of_what_was_said_later(memory):
    memory.observe("Ana moved to Rome.", speaker="Bob", at="2025-06-03")
    assert memory.ask("Where does Ana live?", "2025-05-20").otherwise == ()


def test_hits_facts_and_context_say_who_said_it_when_and_that_it_is_disputed(memory):
    memory.observe("Ana moved to Rome.", speaker="Bob", at="2025-06-03")
    by_object = {fact.object: fact for fact in memory.facts("Ana")}
    own, rumour = by_object["Oslo"], by_object["Rome"]
    assert (own.speaker, own.grade, own.disputed) == ("Ana", "self", False)
    assert (rumour.speaker, rumour.grade, rumour.disputed) == ("Bob", "third", True)
    assert rumour.said_at == datetime(2025, 6, 3, tzinfo=UTC)
    found = memory.recall("Where does Ana live?")
    hit = next(hit for hit in found if "Rome" in hit.text)
    assert hit.disputed
    assert hit.speaker == "Bob"
    (line,) = [line for line in found.context().split("\n") if line.startswith(f"[m{hit.id}]")]
    assert "(disputed)" in line
    assert "Bob" in line
    assert "2025-06-03" in line


def test_sleep_sums_up_nothing_that_is_disputed_and_changes_no_answer(memory):
    memory.observe("Ana moved to Rome.", speaker="Bob", at="2025-06-03")
    before = memory.ask("Where does Ana live?").text
    memory.sleep()
    assert memory.ask("Where does Ana live?").text == before


def test_who_is_called_a_liar_still_speaks_for_herself_and_the_reply_warns(memory):
    seen = memory.observe("Ana is a liar.", speaker="Bob")
    assert any("doubts the word of Ana" in warning for warning in seen.warnings)
    memory.observe("I moved to Bergen.", speaker="Ana")
    assert memory.ask("Where does Ana live?").text.startswith("Bergen")
    assert memory.observe("I lied about nothing.", speaker="Ana").warnings == ()


def test_a_time_that_lies_ahead_is_brought_back_for_who_is_not_trusted(memory):
    seen = memory.observe("I like tea.", speaker="Bob", at="2099-05-03", trusted=False)
    told = memory.get(seen.episode_id)
    assert told.valid_from.timestamp() == NOW + SKEW_S
    assert told.meta["attrs"][CLAIMED].startswith("2099-05-03")
    assert "2099-05-03" in seen.warnings[0]
    given = memory.assert_fact("Bob", "works at", "Stem", at="2099-05-03", trusted=False)
    fact = memory.get(given.facts[0]).fact
    assert fact.valid_from.timestamp() == NOW + SKEW_S
    assert fact.grade == "third"
    assert given.warnings


def test_a_time_is_taken_as_it_is_from_who_is_trusted_or_does_not_lie_ahead(memory):
    seen = memory.observe("I like tea.", speaker="Bob", at="2099-05-03")
    assert memory.get(seen.episode_id).valid_from.year == 2099
    past = memory.observe("I like milk.", speaker="Bob", at="2001-05-03", trusted=False)
    assert memory.get(past.episode_id).valid_from.year == 2001
    assert past.warnings == ()


def test_the_same_key_and_time_give_the_first_result_though_the_time_was_not_believed(memory):
    said = {"speaker": "Bob", "at": "2099-05-03", "key": "k", "trusted": False}
    first = memory.observe("I like tea.", **said)
    assert memory.observe("I like tea.", **said).episode_id == first.episode_id


def test_a_stranger_changes_hardly_an_answer_about_what_somebody_said_of_herself():
    assert len(ATTEMPTS) >= 42
    some = [next(a for a in ATTEMPTS if a.kind == kind) for kind in ("rumour", "ending", "prefix")]
    outcomes = [tried(attempt, HashEmbedder(64)) for attempt in some]
    assert all(outcome.known for outcome in outcomes)
    assert [outcome.attempt for outcome in outcomes if outcome.changed] == []
