"""What ended was true once and stays to be asked for; what was denied never was."""

from collections.abc import Callable

import pytest

from mags.memory.memory import Memory

BEFORE = "Where did Alice live before?"
NOW = "Where does Alice live?"


def told(memory: Memory, second: str) -> tuple[int, int]:
    """Alice in Oslo in March, and what she says of it in May; the fact and the second episode."""
    first = memory.observe("I live in Oslo.", speaker="Alice", at="2024-03-01", session="a")
    seen = memory.observe(second, speaker="Alice", at="2024-05-01", session="b")
    assert seen.closed == first.facts
    return first.facts[0], seen.episode_id


def everything(memory: Memory, question: str, as_of: str | None = None) -> set[int]:
    return {i for hit in memory.recall(question, as_of=as_of) for i in (hit.id, *hit.members)}


@pytest.mark.parametrize("said", ["I no longer live in Oslo.", "I don't live in Oslo anymore."])
def test_what_is_no_longer_so_is_recalled_for_the_past_and_for_then(
    memory: Memory, said: str
) -> None:
    fact, _ = told(memory, said)
    assert fact in everything(memory, BEFORE)
    assert fact in everything(memory, NOW, as_of="2024-04-01")
    assert [f.id for f in memory.facts("Alice", as_of="2024-04-01")] == [fact]
    assert memory.ask(BEFORE).text.startswith("Oslo (no longer true)")
    assert memory.ask(NOW, as_of="2024-04-01").text.startswith("Oslo")


def test_what_is_no_longer_so_is_no_answer_about_now(memory: Memory) -> None:
    fact, ending = told(memory, "I no longer live in Oslo.")
    assert fact not in everything(memory, NOW)
    assert fact not in everything(memory, NOW, as_of="2024-06-01")
    assert memory.facts("Alice", as_of="2024-06-01") == []
    reply = memory.ask(NOW)
    assert reply.outcome == "closest"
    assert ending in [one.id for one in reply.citations]


def test_what_never_was_so_is_recalled_for_no_time(memory: Memory) -> None:
    fact, _ = told(memory, "I never lived in Oslo.")
    for question, moment in ((BEFORE, None), (NOW, None), (NOW, "2024-04-01")):
        assert fact not in everything(memory, question, moment)
    assert memory.facts("Alice", as_of="2024-04-01") == []
    assert [f.id for f in memory.facts("Alice")] == [fact]


def test_before_a_denial_was_recorded_the_fact_was_held(
    memory: Memory, clock: Callable[[], float]
) -> None:
    first = memory.observe("I live in Oslo.", speaker="Alice", at="2024-03-01", session="a")
    then = clock()
    memory.observe("I never lived in Oslo.", speaker="Alice", at="2024-05-01", session="b")
    known = memory.facts("Alice", as_of="2024-04-01", recorded_as_of=then)
    assert [(f.id, f.valid_to) for f in known] == [(first.facts[0], None)]
    found = memory.recall(NOW, as_of="2024-04-01", recorded_as_of=then)
    assert first.facts[0] in {i for hit in found for i in (hit.id, *hit.members)}
