"""How two things hang together: the facts between them come first, whichever way they were told."""

import pytest

import mags
from mags.memory.inputs import prose
from mags.models.embed.hashing import HashEmbedder
from mags.models.policy.rules import RulePolicy
from mags.ports.english import asks_connection
from mags.ports.policy import Turn, tells
from mags.recall.candidates import between

LINE = [("Ana", "parent of", "Ben"), ("Cleo", "child of", "Ben"), ("Cleo", "parent of", "Dan")]


@pytest.fixture
def memory():
    with mags.open(None, embedder=HashEmbedder(64), policy=RulePolicy()) as made:
        for subject, relation, thing in LINE:
            made.assert_fact(subject, relation, thing)
        for i in range(20):
            made.assert_fact(f"Nora{i}", "parent of", f"Otto{i}")
        yield made


def test_the_chain_between_two_named_things_comes_first(memory):
    found = memory.recall("How are Ana and Dan related?", k=3)
    assert {(h.fact.subject, h.fact.object) for h in found.hits} == {
        (subject, thing) for subject, _, thing in LINE
    }
    assert len(found.trace.chain) == len(LINE)


def test_a_path_goes_over_facts_that_were_told_either_way(memory):
    path = memory.connect("Ana", "Dan")
    assert path.texts[0] == "Ana"
    assert path.texts[-1] == "Dan"
    assert set(path.arcs) == {"subject", "object"}


def test_a_chain_has_no_more_facts_than_it_may_and_none_where_nothing_leads():
    sides = {n: [(10 * n, n + 1)] for n in range(9)}
    of = lambda one: sides.get(one, [])  # noqa: E731
    assert [fact for _, fact, _ in between([0], [3], of, 12)] == [0, 10, 20]
    assert between([0], [3], of, 2) == ()
    assert between([3], [0], of, 12) == ()


@pytest.mark.parametrize("text", ["How are Ana and Ben related?", "What links Rome with Ana?"])
def test_a_question_for_a_connection_is_known(text: str):
    assert asks_connection(text)
    assert not asks_connection("Where does Ana live?")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I can't sleep lately.", True),
        ("I'm going to Rome tomorrow", True),
        ("我最近睡不着。", True),
        ("Where do I sleep?", False),
        ("Ana's job in Oslo", False),
        ("我住哪里\uff1f", False),
        ("what is my wifi password", False),
    ],
)
def test_what_tells_is_no_question_and_no_list_of_words(text: str, told: bool):
    assert tells(text) is told


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("I moved to Oslo; it is nice.", "I moved to Oslo; it is nice."),
        ("Look:\n```python\nuser = query\n```\nI like tea.", "Look:\n\nI like tea."),
        ("users = User.query.filter(x)\nI work at Acme.", "I work at Acme."),
        ("| name | town |\n| Ana | Rome |\nI have a dog.", "I have a dog."),
        ("2024-01-02 10:11:12 ERROR: Ana is down\nSo it is.", "So it is."),
    ],
)
def test_code_logs_and_tables_are_not_read(text: str, kept: str):
    assert prose(Turn(text=text, speaker="Ana", at=0.0)).text == kept


def test_code_is_kept_and_found_though_no_fact(memory):
    told = "```\nRex is the dog of Ana.\n```"
    seen = memory.observe(told, speaker="Ben")
    assert not seen.facts
    assert memory.recall("Rex dog", k=3).hits[0].text == told


def test_all_steps_from_what_is_named_come_before_what_is_only_like_the_question():
    names = [
        a + b for a in ("Bel", "Cor", "Dun", "Fen", "Gar", "Hol") for b in ("an", "ick", "use")
    ]

    def steps(place: int) -> list[tuple[str, str, str]]:
        car, firm, man, land, town = (names[(place + n) % len(names)] for n in (0, 3, 7, 11, 13))
        return [
            (f"{car} Four", "is produced by", f"{firm} Motors"),
            (f"{firm} Motors", "was founded by", f"Sela {man}"),
            (f"Sela {man}", "is a citizen of", f"{land}ia"),
            (f"{land}ia", "capital", f"Port {town}"),
        ]

    with mags.open(None, policy=RulePolicy()) as made:
        for place in range(len(names)):
            for fact in steps(place):
                made.assert_fact(*fact)
        for place, name in enumerate(names):
            asked = f"In what city was the founder of the manufacturer of {name} Four a citizen of?"
            found = {(hit.fact.subject, hit.fact.object) for hit in made.recall(asked, k=10).hits}
            assert found >= {(subject, thing) for subject, _, thing in steps(place)}


def test_steps_between_two_things_are_not_looked_at_word_by_word():
    with mags.open(None, policy=RulePolicy()) as made:
        for subject, relation, thing in LINE:
            made.observe(f"{subject} is the {relation} {thing}.")
            made.assert_fact(subject, relation, thing)
        asked = made.recall("How are Ana and Dan related?", k=5).trace
        other = made.recall("Who is a parent of Ben?", k=5).trace
        assert not any(hit.shares.get("look") for hit in asked.hits)
        assert any(hit.shares.get("look") for hit in other.hits)
