"""The files of the corpus of talk: what they say, and what is refused."""

import re
from collections import Counter

import pytest

from mags.errors import InvalidInput
from mags_lab.talk.corpus import Ended, dialogues, parse
from mags_lab.talk.plan import REGISTERS, plans

HEAD = "== ana-1 | friends | ana\npeople: Ana = Annie; Ben\n-- 2024-03-02\n"
TOLD = "Ana: My sister Ola is 34 and lives in Graz.\n"


def test_a_turn_stands_with_what_it_tells_and_ends():
    text = HEAD + (
        "[a] Ana: Got the keys to the flat in Bergen!\n"
        "+ s | me | lives in | Bergen | alt: flat in Bergen | topic: home | when: 2024-03\n"
        "- me | Oslo | replaced\n"
        "? value | Ben | Where does Ana live? | Bergen | no: Oslo | ev: a\n"
        "? value | Ben | Where does Ben live? | -\n"
    )
    (one,) = parse(text)
    (said,) = one.turns
    (fact,) = said.facts
    assert (fact.subjects, fact.relation, fact.objects) == (
        ("Ana",),
        "lives in",
        ("Bergen", "flat in Bergen"),
    )
    assert (fact.must, fact.kind, fact.topic, fact.when) == (True, "state", "home", "2024-03")
    assert (fact.act, fact.polarity, fact.modality, fact.source) == ("add", "yes", "actual", "self")
    assert said.ends == (Ended(subject="Ana", objects=("Oslo",), why="replaced"),)
    assert said.at.isoformat() == "2024-03-02T09:01:00+00:00"
    asked, other = one.questions
    assert (asked.evidence, asked.wrong, asked.unanswerable) == (("ana-1:1",), ("Oslo",), False)
    assert other.unanswerable
    assert one.people == {"Ana": ("Ana", "Annie"), "Ben": ("Ben",)}


def test_my_sister_is_the_speakers_and_what_is_said_of_her_is_of_a_third():
    (one,) = parse(HEAD + TOLD + "+ a | Ola / my sister | is aged | 34\n")
    (fact,) = one.turns[0].facts
    assert fact.subjects == ("Ola", "Ana's sister")
    assert fact.source == "third"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("+ s | me | lives in | Bergen", "no wording of the object stands in the turn"),
        ("+ z | me | lives in | Graz", "a kind is one of"),
        ("+ s | me | lives in | Graz | colour: red", "is none of"),
        ("+ s | me | lives in | Graz | when: last May", "when is yyyy"),
        ("- me | Oslo | bored", "why it ended"),
        ("? value | Ben | Where? | Graz", "needs ev:"),
        ("? value | Ben | Where? | Graz | ev: x", "no turn is labelled x"),
        ("Eve: Hello.", "is not among people"),
        ("what is this", "not understood"),
    ],
)
def test_a_wrong_line_is_named_with_its_number(line: str, why: str):
    with pytest.raises(InvalidInput, match=rf"talk:5: .*{re.escape(why)}"):
        parse(HEAD + TOLD + line + "\n", "talk")


def test_the_corpus_can_be_read_and_every_split_of_it_holds_dialogues():
    splits = Counter(one.split for one in dialogues())
    assert set(splits) == {"train", "dev", "test"}
    assert splits["train"] > 2 * (splits["dev"] + splits["test"]) > 0


def test_ids_are_unique_so_that_no_dialogue_stands_in_two_splits():
    count = Counter(one.id for one in dialogues())
    assert [id for id, times in count.items() if times > 1] == []


@pytest.mark.parametrize("register", sorted(REGISTERS))
def test_the_same_seed_gives_the_same_plans(register: str):
    assert list(plans(register, 3, 1)) == list(plans(register, 3, 1))
    assert list(plans(register, 3, 1)) != list(plans(register, 3, 2))
