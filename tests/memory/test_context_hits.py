"""What an answerer is shown and what is cited: who said it, when, and since when it holds."""

from datetime import UTC, datetime

import pytest

from mags.memory.asking import ContextHit, context_hits, with_neighbours
from mags.memory.memory import Memory
from mags.recall.found import Found

TOLD = (
    "My sister Ana lives in Oslo. My brother Ben lives in Rome and works at Hydro. "
    "I have a dog named Rex."
)


def day(year: int, month: int, number: int) -> datetime:
    return datetime(year, month, number, tzinfo=UTC)


@pytest.fixture
def family(memory: Memory) -> Memory:
    memory.observe(TOLD, speaker="Alice", at="2024-03-01", session="a")
    memory.observe("I like hiking.", speaker="Bob", at="2024-03-02", session="b")
    return memory


def offers(memory: Memory, found: Found) -> list[ContextHit]:
    with memory._live.reading() as state:
        return context_hits(state, found, memory._live.present())


def test_a_cited_fact_says_who_said_it_and_when_and_since_when_it_holds(memory: Memory) -> None:
    memory.observe("I moved to Oslo in January 2024.", speaker="Alice", at="2024-05-03")
    reply = memory.ask("Where does Alice live?")
    (cited,) = reply.citations
    assert (cited.speaker, cited.at) == ("Alice", day(2024, 5, 3))
    assert (cited.since, cited.until) == (day(2024, 1, 1), None)
    assert reply.text.endswith(" (Alice, 3 May 2024, since 2024)")


def test_a_start_that_was_only_observed_is_not_told(memory: Memory) -> None:
    memory.observe("I live in Oslo.", speaker="Alice", at="2024-05-03")
    reply = memory.ask("Where does Alice live?")
    assert reply.citations[0].since is None
    assert reply.text.endswith("(Alice, 3 May 2024)")


def test_a_fact_said_twice_is_cited_by_who_said_it_first(memory: Memory) -> None:
    memory.observe("I work at Hydro.", speaker="Alice", at="2024-05-03")
    memory.observe("Alice works at Hydro.", speaker="Bob", at="2024-06-01")
    fact = memory.facts("Alice")[0].id
    found = memory.recall("Where does Alice work?")
    shown = {o.hit.id: o.item for o in offers(memory, found)}
    assert (shown[fact].speaker, shown[fact].at) == ("Alice", day(2024, 5, 3).timestamp())


def test_a_fact_nobody_said_has_no_speaker(memory: Memory) -> None:
    memory.assert_fact("Alice", "works at", "Hydro", at="2024-05-03")
    (cited,) = memory.ask("Where does Alice work?").citations
    assert (cited.speaker, cited.since) == ("", day(2024, 5, 3))


def test_an_ended_fact_says_until_when(memory: Memory) -> None:
    memory.observe("I live in Oslo.", speaker="Alice", at="2024-03-01", session="a")
    memory.observe("I no longer live in Oslo.", speaker="Alice", at="2024-05-01", session="b")
    (cited,) = memory.ask("Where did Alice live before?").citations
    assert (cited.speaker, cited.at, cited.until) == ("Alice", day(2024, 3, 1), day(2024, 5, 1))


def test_every_fact_of_a_unit_is_offered_once_behind_its_lead(family: Memory) -> None:
    found = family.recall("Where does Ben live?")
    shown = offers(family, found)
    ids = [offer.hit.id for offer in shown]
    assert len(ids) == len(set(ids))
    facts = {fact.id for fact in family.facts() if fact.subject != "Bob"}
    assert facts <= set(ids)
    for offer in shown:
        assert (offer.item.within is None) == any(offer.hit.id == hit.id for hit in found)
        if offer.item.within is not None:
            assert ids.index(offer.item.within) < ids.index(offer.hit.id)


@pytest.mark.parametrize(
    ("question", "head", "fact"),
    [
        ("Where does Ben live?", "Rome", "Ben lives in Rome."),
        ("Where does Ben work?", "Hydro", "Ben works at Hydro."),
        ("Where does Ana live?", "Oslo", "Ana lives in Oslo."),
        ("What is Alice's dog called?", "Rex", "Alice has a dog named Rex."),
        ("Who is Ben?", "Alice's brother is Ben.", "Alice's brother is Ben."),
        ("Who is Ana?", "Alice's sister is Ana.", "Alice's sister is Ana."),
    ],
)
def test_of_many_facts_told_at_once_the_one_that_answers_is_cited(
    family: Memory, question: str, head: str, fact: str
) -> None:
    reply = family.ask(question)
    assert reply.text.startswith(head)
    assert [(c.text, c.speaker) for c in reply.citations] == [(fact, "Alice")]


def test_a_fact_cited_from_a_unit_is_strengthened(family: Memory) -> None:
    fact = next(f.id for f in family.facts() if f.relation == "brother")
    before = family.get(fact).uses
    assert family.ask("Who is Ben?").trace.cited == (fact,)
    assert family.get(fact).uses == before + 1


def marked(memory: Memory, found: Found) -> dict[str, tuple[bool, bool]]:
    """Of each turn a language model is shown: whether it is true, and whether another led to it."""
    with memory._live.reading() as state:
        present = memory._live.present()
        shown = with_neighbours(state, context_hits(state, found, present), present)
        return {
            one.item.text: (one.item.current, one.item.beside is not None)
            for one in shown
            if one.item.kind == "episode"
        }


def test_what_answers_a_turn_stands_behind_it_and_is_as_true_as_itself(memory: Memory) -> None:
    memory.observe("I live in Oslo.", speaker="Alice", at="2024-03-01", session="a")
    memory.observe("Do you like the fjord there?", speaker="Bob", at="2024-03-01", session="a")
    memory.observe("Every morning!", speaker="Alice", at="2024-03-01", session="a")
    memory.observe("And your flat?", speaker="Bob", at="2024-04-01", session="b")
    memory.observe("I moved to Rome!", speaker="Alice", at="2024-05-01", session="b")
    shown = marked(memory, memory.recall("Oslo, the fjord", k=2))
    assert shown["I live in Oslo."] == (False, False)
    assert shown["Do you like the fjord there?"] == (True, False)
    assert shown["Every morning!"] == (True, True)


def test_a_turn_whose_time_has_passed_as_it_said_is_true_all_the_same(memory: Memory) -> None:
    memory.observe("I work at Hydro until 9 May 2024.", speaker="Alice", at="2024-05-01")
    found = memory.recall("Hydro")
    assert not any(hit.current for hit in found.hits if hit.kind == "episode")
    assert marked(memory, found) == {"I work at Hydro until 9 May 2024.": (True, False)}
