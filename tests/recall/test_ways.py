"""Which facts lead from what a question names to a memory."""

from __future__ import annotations

from typing import Any

import pytest

import mags
from mags import inspect
from mags.errors import InvalidInput, NotFound
from mags.memory.memory import Memory
from mags.models.embed.hashing import HashEmbedder
from mags.ports.policy import Act, Operation, Plan, Writing

SAID = (
    ("Alba", "Brin"),
    ("Brin", "Cole"),
    ("Dorn", "Cole"),
    ("Cole", "Esk"),
    ("Esk", "Alba"),
    (),
)
ALBA_BRIN, BRIN_COLE, COLE_DORN, COLE_ESK, ESK_ALBA, NOWHERE = range(len(SAID))


class Roads:
    """Reads the road of every line but the last."""

    name = "roads"

    def write(self, turn, recent, recalled):
        ends = turn.text.split(" is joined to ")
        if len(ends) < 2:
            return Writing()
        road = Operation(
            act=Act.ADD,
            subject=ends[0],
            relation="is joined to",
            object=ends[1],
            subject_is_name=True,
            object_is_name=True,
            exact=True,
        )
        return Writing(operations=(road,))

    def route(self, text, recent, asked_at):
        return Plan()


@pytest.fixture
def told() -> tuple[Memory, list[int], list[int]]:
    """A memory with its episodes and, where a sentence told one, their facts (else 0)."""
    memory = mags.open(None, embedder=HashEmbedder(64), policy=Roads(), clock=lambda: 1e6)
    said = [" is joined to ".join(ends) or "Far away it rained." for ends in SAID]
    seen = [memory.observe(text, at=60.0 * i) for i, text in enumerate(said)]
    return memory, [one.episode_id for one in seen], [next(iter(one.facts), 0) for one in seen]


def test_a_way_is_made_of_the_fewest_facts_that_lead_there(told):
    memory, episodes, facts = told
    (way,) = inspect.ways(memory, "I am in Alba.", [episodes[COLE_DORN]])
    assert way in {
        (facts[ALBA_BRIN], facts[BRIN_COLE]),
        (facts[ESK_ALBA], facts[COLE_ESK]),
    }
    memory.edit(facts[ESK_ALBA], valid_to=500.0)
    assert inspect.ways(memory, "I am in Alba.", [episodes[COLE_ESK]]) == (
        (facts[ALBA_BRIN], facts[BRIN_COLE]),
    )


def test_what_is_about_a_thing_that_the_question_names_needs_no_way(told):
    memory, episodes, _ = told
    assert inspect.ways(memory, "I am in Alba.", [episodes[ALBA_BRIN]]) == ((),)


def test_nothing_leads_to_what_names_nothing_or_from_a_question_that_names_nothing(told):
    memory, episodes, _ = told
    assert inspect.ways(memory, "I am in Alba.", [episodes[NOWHERE]]) == (None,)
    assert inspect.ways(memory, "Where am I?", [episodes[COLE_DORN]]) == (None,)


def test_a_fact_that_is_over_leads_nowhere(told):
    memory, episodes, facts = told
    memory.edit(facts[ALBA_BRIN], valid_to=500.0)
    memory.edit(facts[ESK_ALBA], valid_to=500.0)
    assert inspect.ways(memory, "I am in Alba.", [episodes[COLE_DORN]]) == (None,)


def test_a_fact_has_a_way_as_an_episode_has(told):
    memory, episodes, facts = told
    by_fact, by_episode = inspect.ways(memory, "Alba", [facts[COLE_DORN], episodes[COLE_DORN]])
    assert by_fact is not None
    assert by_fact == by_episode


def test_what_is_no_id_or_an_unknown_one_is_refused(told):
    memory, _, _ = told
    name: Any = "Brin"
    with pytest.raises(InvalidInput, match="must be a node id"):
        inspect.ways(memory, "Alba", [name])
    with pytest.raises(NotFound):
        inspect.ways(memory, "Alba", [10**9])
