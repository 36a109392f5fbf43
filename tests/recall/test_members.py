"""Of a class of things, those of whom something is told, against a search through all facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

import mags
from mags.memory.memory import Memory
from mags.models.embed.hashing import HashEmbedder
from mags.models.policy.rules import RulePolicy
from mags.ports.policy import Act, Operation, Recalled, Turn, Writing
from mags.recall.found import Found

NOW_S = 1_780_272_000.0  # June 2026
PEOPLE = ("Ana", "Ben", "Carla", "Dora", "Emil")
TOWNS = ("Oslo", "Bergen")
LANGUAGES = ("German", "Danish")
TIES = {"friend": "is friends with", "brother": "brother", "colleague": "colleague"}

Fact = tuple[str, str, str]


class Guessing(RulePolicy):
    """What is told after "Perhaps" is only a guess."""

    def write(self, turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled]) -> Writing:
        if not turn.text.startswith("Perhaps "):
            return super().write(turn, recent, recalled)
        subject, _, town = turn.text.removeprefix("Perhaps ").rstrip(".").partition(" lives in ")
        guess = Operation(
            act=Act.ADD, subject=subject, relation="lives in", object=town, tentative=True
        )
        return Writing(operations=(guess,))


def small() -> Memory:
    return mags.open(
        None, embedder=HashEmbedder(64), policy=Guessing(), clock=lambda: NOW_S, seed=0
    )


def told(*lines: str, speaker: str = "user") -> Memory:
    memory = small()
    for place, line in enumerate(lines):
        who, said, text = line.rpartition(": ")
        memory.observe(text, speaker=who if said else speaker, at=NOW_S - 9_000 + 60 * place)
    return memory


def members(memory: Memory, found: Found) -> dict[str, tuple[str, ...]]:
    """The members that a recall found, by name, each with what shows it."""
    return {
        memory.get(one).text: tuple(memory.get(fact).text for fact in facts)
        for one, *facts in found.trace.members
    }


def asked(memory: Memory, question: str, speaker: str = "user") -> dict[str, tuple[str, ...]]:
    return members(memory, memory.recall(question, speaker=speaker))


# -- against a search through all facts -----------------------------------------------------

ends = st.sampled_from(PEOPLE)
facts = st.one_of(
    st.tuples(st.sampled_from(("user", "Ana")), st.sampled_from(tuple(TIES.values())), ends),
    st.tuples(ends, st.just("lives in"), st.sampled_from(TOWNS)),
    st.tuples(ends, st.just("speaks"), st.sampled_from(LANGUAGES)),
)
conditions = st.one_of(
    st.tuples(st.just("lives in"), st.sampled_from(TOWNS)),
    st.tuples(st.just("speaks"), st.sampled_from(LANGUAGES)),
)


def held(given_: Sequence[Fact]) -> set[Fact]:
    """What is so in the end: of where somebody lives only what was told last."""
    open_facts: dict[tuple[str, ...], Fact] = {}
    for fact in given_:
        open_facts[fact[:2] if fact[1] == "lives in" else fact] = fact
    return set(open_facts.values())


@given(
    st.lists(facts.filter(lambda fact: fact[0] != fact[2]), min_size=3, max_size=18),
    st.sampled_from(("user", "Ana")),
    st.sampled_from(tuple(TIES)),
    conditions,
)
def test_those_are_named_of_whom_both_the_class_and_the_rest_are_held(
    told_facts: list[Fact], owner: str, noun: str, condition: tuple[str, str]
):
    with small() as memory:
        for fact in told_facts:
            memory.assert_fact(*fact)
        relation, thing = condition
        verb = {"lives in": "live in", "speaks": "speak"}[relation]
        whose = "my" if owner == "user" else f"{owner}'s"
        found = asked(memory, f"Which of {whose} {noun}s {verb} {thing}?")
    so = held(told_facts)
    tied = {c for a, r, c in so if (a, r) == (owner, TIES[noun])}
    if noun == "friend":
        tied |= {a for a, r, c in so if (r, c) == (TIES[noun], owner)}
    assert set(found) == {one for one in tied - {owner} if (one, relation, thing) in so}
    for shown in found.values():
        assert len(shown) >= 2  # what ties the member to the class, and what is told of it


homes = st.tuples(ends, st.just("lives in"), st.sampled_from(TOWNS))


@given(st.lists(homes, min_size=2, max_size=10), ends)
def test_who_lives_in_the_same_town_shares_an_open_fact(told_facts: list[Fact], like: str):
    with small() as memory:
        for fact in told_facts:
            memory.assert_fact(*fact)
        found = asked(memory, f"Who lives in the same town as {like}?")
    home = {a: c for a, _, c in held(told_facts)}
    assert set(found) == {a for a, town in home.items() if a != like and town == home.get(like)}


# -- by hand ----------------------------------------------------------------------------------


def test_every_member_comes_with_all_that_shows_it():
    memory = told("My friend Ana lives in Oslo.", "My friend Ben lives in Oslo.", "Carla is ill.")
    assert asked(memory, "Which of my friends live in Oslo?") == {
        "Ana": ("User's friend is Ana.", "Ana lives in Oslo."),
        "Ben": ("User's friend is Ben.", "Ben lives in Oslo."),
    }


def test_what_ended_no_longer_counts():
    memory = told("My friend Ana lives in Oslo.", "Ana moved to Bergen.")
    assert asked(memory, "Which of my friends live in Oslo?") == {}
    assert set(asked(memory, "Which of my friends live in Bergen?")) == {"Ana"}


def test_a_guess_and_what_somebody_tells_otherwise_of_themself_do_not_count():
    memory = told(
        "My friend Ana speaks German.", "My friend Ben is ill.", "Perhaps Ben lives in Oslo."
    )
    assert asked(memory, "Which of my friends live in Oslo?") == {}
    memory = told("Ana: I live in Bergen.", "Ben: My friend Ana lives in Oslo.")
    assert asked(memory, "Which of my friends live in Oslo?", "Ben") == {}
    assert set(asked(memory, "Which of my friends live in Bergen?", "Ben")) == {"Ana"}


def test_of_what_is_not_told_nothing_follows():
    memory = told("My friend Ana doesn't eat meat.", "My friend Ben likes tea.")
    assert set(asked(memory, "Which of my friends don't eat meat?")) == {"Ana"}
    memory = told("My colleague Gita has no children.", "My colleague Hugo has two children.")
    assert set(asked(memory, "Which of my colleagues have children?")) == {"Hugo"}


def test_a_kind_of_thing_is_met_by_what_is_one():
    memory = told("Alice: I play the violin.", "Bob: I play chess.", "Bob: I have a dog named Rex.")
    assert set(asked(memory, "Who of us plays an instrument?", "Alice")) == {"Alice"}
    assert set(asked(memory, "Which of us has a pet?", "Alice")) == {"Bob"}


def test_a_class_is_shown_whole_however_few_hits_are_asked_for():
    names = [f"{first}{last}" for first in "ABCD" for last in ("lba", "rno", "nka")]
    memory = told(*(f"My friend {name} lives in Oslo." for name in names))
    reply = memory.ask("How many of my friends live in Oslo?", k=3)
    assert reply.text.startswith("12 (")
    assert len(reply.found.hits) == 3
    assert {c.text for c in reply.citations} >= {f"{name} lives in Oslo." for name in names}


def test_what_is_compared_has_to_be_told_of_all():
    memory = told("My brother Ben is 31.", "My brother Carl is 28.")
    assert set(asked(memory, "Which of my brothers is the oldest?")) == {"Ben", "Carl"}
    memory.observe("I have another brother, Dan.", at=NOW_S - 60)
    assert asked(memory, "Which of my brothers is the oldest?") == {}


def test_without_a_member_recall_is_as_without_the_class():
    memory = told("My friend Ana lives in Oslo.", "Ben lives in Rome.")
    question = Turn(text="Which of my friends live in Rome?", at=NOW_S)
    plan = RulePolicy().ask(question, ())
    assert plan.members is not None
    found, without = memory.recall(plan), memory.recall(replace(plan, members=None))
    assert (found.hits, found.trace.members) == (without.hits, ())


def test_a_trace_with_members_comes_back_from_json():
    memory = told("My friend Ana lives in Oslo.")
    trace = memory.recall("Which of my friends live in Oslo?").trace
    assert trace.members
    assert type(trace).from_dict(trace.as_dict()).members == trace.members
