"""What speaks for and against a memory as an answer."""

import pytest

from mags.models.answer.question import content, read_question
from mags.models.answer.support import CONTRARY_FACTOR as NOT_THEN
from mags.models.answer.support import LEAST, rare_share, support
from mags.models.answer.support import WRONG_TIME_FACTOR as WRONG_TIME
from mags.ports.answer import ContextItem
from mags.ports.policy import Turn


def read(text: str):
    return read_question(Turn(text=text, speaker="user"))


def fact(subject: str, relation: str, obj: str, **more: object) -> ContextItem:
    words = {"id": 1, "text": f"{subject} {relation} {obj}.", **more}
    return ContextItem(fact=(subject, relation, obj), **words)


def said(text: str, speaker: str = "", **more: object) -> ContextItem:
    return ContextItem(id=1, text=text, speaker=speaker, **more)


@pytest.mark.parametrize(
    ("question", "item", "left"),
    [
        # Another name, or another relation.
        ("How old is Marco?", fact("Emil", "age", "7"), 0.0),
        ("Who is Felix married to?", fact("Felix", "lives in", "Berlin"), 0.0),
        # What is over, asked for as it is now.
        ("Where does Lena live?", fact("Lena", "lives in", "Turin", current=False), NOT_THEN),
        ("Where does Marco work?", fact("Marco", "worked at", "Acme"), NOT_THEN),
        # What still holds, where the past is asked for.
        ("Where did Lena live before?", fact("Lena", "lives in", "Turin"), NOT_THEN),
        ("Where did Lena live before?", fact("Lena", "lives in", "Bonn", current=False), 1.0),
        ("Where did Marco work before?", fact("Marco", "worked at", "Acme"), 1.0),
        # A question in the past tense may mean either.
        ("Where did Marco work?", fact("Marco", "worked at", "Acme"), 1.0),
        ("Where did Lena live?", fact("Lena", "lives in", "Bonn", current=False), WRONG_TIME),
    ],
)
def test_what_speaks_against_a_fact_leaves_less_of_it(question, item, left):
    assert support(read(question), item) == left


@pytest.mark.parametrize(
    ("question", "item"),
    [
        ("Which languages does Lena speak?", fact("Lena", "speaks", "English")),
        ("What instrument does Marco play?", fact("Marco", "plays", "trumpet")),
        ("What does Jonas do?", fact("Jonas", "works as", "luthier")),
        ("What does Lena do for a living?", fact("Lena", "works as", "archivist")),
        ("Which city does Lena live in?", fact("Lena", "lives in", "Turin")),
        ("What is Marco's dog called?", fact("Marco", "dog", "Pepe")),
        ("Is Marco vegetarian?", fact("Marco", "is", "vegetarian")),
        ("Does Jonas like mushrooms?", fact("Jonas", "dislikes", "mushrooms")),
        ("What did Ida break?", fact("Ida", "broke", "arm")),
        ("Who is Chiara?", fact("Chiara", "is a", "nurse")),
        ("Who is Chiara?", fact("Felix", "sister", "Chiara")),
        ("Who is Chiara?", fact("Felix", "is married to", "Chiara")),
    ],
)
def test_a_fact_that_has_all_that_is_asked_answers(question, item):
    assert support(read(question), item) == 1.0


@pytest.mark.parametrize(
    ("question", "item"),
    [
        ("What sport does Marco play?", fact("Marco", "plays", "trumpet")),
        ("Where did Marco work?", fact("Marco", "worked as", "nurse")),
        ("Who is Chiara?", fact("Felix", "likes", "Chiara")),
        ("What colour is my bike?", fact("Paula's bike", "is", "red", speaker="user")),
    ],
)
def test_a_fact_of_something_else_does_not(question, item):
    assert support(read(question), item) < LEAST


def test_irregular_pasts_count_as_their_verb():
    assert content("Ida broke it") == content("Ida break")
    assert content("Marco sold it") == content("Marco sell")


def test_who_somebody_is_differs_from_who_does_something():
    assert read("Who is Chiara?").identity
    assert read("Who's Ana Sol?").identity
    assert not read("Who is Chiara married to?").identity
    assert not read("Who is the boss?").identity


def test_words_that_stand_in_one_sentence_weigh_more_than_words_apart():
    rarity = {"replac": 1.0, "lamp": 1.0}
    together = said("I replaced the lamp. It rained.")
    apart = said("I replaced the tyre. The lamp is fine.")
    asked = said("Who replaced the lamp? I saw it.")
    assert rare_share(together, rarity) == 1.0
    assert rare_share(apart, rarity) == 0.75
    assert rare_share(asked, rarity) == 0.5
