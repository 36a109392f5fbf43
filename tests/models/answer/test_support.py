"""What speaks for and against a memory as an answer."""

import pytest

from mags.models.answer.question import content, read_question
from mags.models.answer.support import (
    CONTRARY_FACTOR,
    WRONG_TIME_FACTOR,
    Comparison,
    SupportFeatures,
    SupportWeights,
    fits,
    name_share,
    rare_share,
    support_features,
)
from mags.models.answer.support import weighed as weighed_all
from mags.ports.answer import ContextItem
from mags.ports.policy import Turn


def read(text: str):
    return read_question(Turn(text=text, speaker="user"))


def weighed(text: str, item: ContextItem) -> SupportFeatures:
    question = read(text)
    rarity = dict.fromkeys(question.words, 1.0)
    return support_features(question, item, Comparison(ahead=0.0, rarity=rarity))


def fact(subject: str, relation: str, obj: str, **more: object) -> ContextItem:
    words = {"id": 1, "text": f"{subject} {relation} {obj}.", **more}
    return ContextItem(fact=(subject, relation, obj), **words)


def said(text: str, speaker: str = "", **more: object) -> ContextItem:
    return ContextItem(id=1, text=text, speaker=speaker, **more)


@pytest.mark.parametrize(
    ("question", "item", "factor"),
    [
        # None of the names asked about.
        ("What is Marco allergic to?", said("I'm allergic to dogs.", "Lena"), CONTRARY_FACTOR),
        ("How old is Marco?", fact("Emil", "age", "7"), CONTRARY_FACTOR),
        # None of the other words asked about.
        ("Who is Felix married to?", fact("Felix", "lives in", "Berlin"), CONTRARY_FACTOR),
        # Nothing but questions.
        (
            "When is Lena's birthday?",
            said("Do I get a cake on my birthday? Presents?", "Lena"),
            CONTRARY_FACTOR,
        ),
        # A "why" without a reason.
        ("Why did Marco sell the Vespa?", said("I sold the Vespa.", "Marco"), CONTRARY_FACTOR),
        # What is over, asked for as it is now; an episode whose facts are all over, too.
        (
            "Where does Lena live?",
            fact("Lena", "lives in", "Turin", current=False),
            CONTRARY_FACTOR,
        ),
        ("Where does Lena live?", said("I live in Turin.", "Lena", current=False), CONTRARY_FACTOR),
        ("Where does Marco work?", fact("Marco", "worked at", "Acme"), CONTRARY_FACTOR),
        # What still holds, where the past is asked for.
        ("Where did Lena live before?", fact("Lena", "lives in", "Turin"), CONTRARY_FACTOR),
        ("Where did Lena live before?", fact("Lena", "lives in", "Bonn", current=False), 1.0),
        ("Where did Marco work before?", fact("Marco", "worked at", "Acme"), 1.0),
        # A question in the past tense may mean either.
        ("Where did Marco work?", fact("Marco", "worked at", "Acme"), 1.0),
        (
            "Where did Lena live?",
            fact("Lena", "lives in", "Bonn", current=False),
            WRONG_TIME_FACTOR,
        ),
    ],
)
def test_what_speaks_against_a_memory_halves_it(question, item, factor):
    assert weighed(question, item).factor == factor


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
    ],
)
def test_a_fact_that_fits_covers_all_that_is_asked(question, item):
    assert weighed(question, item).covered == 1.0


@pytest.mark.parametrize(
    ("question", "item"),
    [
        ("What sport does Marco play?", fact("Marco", "plays", "trumpet")),
        ("Where did Marco work?", fact("Marco", "worked as", "nurse")),
        ("Who is Chiara?", fact("Chiara", "is married to", "Sofia")),
    ],
)
def test_a_fact_of_another_kind_does_not_cover_it(question, item):
    assert weighed(question, item).covered != 1.0


def test_a_fact_that_fits_weighs_nine_tenths_at_least():
    weights = SupportWeights()
    none = SupportFeatures(words=0.0, names=0.0, kind=0.0, ahead=0.0, covered=1.0, factor=1.0)
    assert none.weigh(weights) == pytest.approx(0.9)
    full = SupportFeatures(words=1.0, names=1.0, kind=1.0, ahead=1.0, covered=1.0, factor=1.0)
    assert full.weigh(weights) == pytest.approx(1.0)


def test_irregular_pasts_count_as_their_verb():
    assert content("Ida broke it") == content("Ida break")
    assert content("Marco sold it") == content("Marco sell")


def test_who_somebody_is_differs_from_who_does_something():
    assert read("Who is Chiara?").identity
    assert read("Who's Ana Sol?").identity
    assert not read("Who is Chiara married to?").identity
    assert not read("Who is the boss?").identity


@pytest.mark.parametrize(
    ("item", "share"),
    [
        (said("I moved to Berlin.", "Felix"), 1.0),
        (said("Our cat is grey.", "Felix"), 1.0),
        (said("Chiara moved to Turin.", "Felix"), 0.0),
        (fact("Chiara", "lives in", "Turin", speaker="Felix"), 0.0),
        (fact("Felix", "lives in", "Berlin", speaker="Chiara"), 1.0),
    ],
)
def test_who_speaks_is_named_only_by_what_they_say_of_themselves(item, share):
    assert name_share(read("Where does Felix live?"), item) == share


@pytest.mark.parametrize(
    ("item", "fit"),
    [
        (fact("Chiara", "is a", "nurse"), True),
        (fact("Felix", "sister", "Chiara"), True),
        (fact("Felix", "is married to", "Chiara"), True),
        (fact("Chiara", "plays", "cello"), True),
        (fact("Felix", "likes", "Chiara"), False),
        (fact("Felix", "sister", "Lena", speaker="Chiara"), False),
    ],
)
def test_who_somebody_is_is_told_by_their_own_facts_and_by_whose_they_are(item, fit):
    assert fits(read("Who is Chiara?"), item) is fit


def test_a_fact_of_a_unit_counts_only_where_it_fits():
    lead = fact("Felix", "works at", "Hydro", id=1, score=3.0)
    sister = fact("Felix", "sister", "Chiara", id=2, score=3.0, within=1)
    home = fact("Felix", "lives in", "Berlin", id=3, score=3.0, within=1)
    judged = weighed_all(read("Who is Chiara?"), (lead, sister, home))
    assert [item.id for item, _ in judged] == [1, 2]
    assert judged[1][1].covered == 1.0
    assert judged[1][1].ahead == 0.0


def test_words_that_stand_in_one_sentence_weigh_more_than_words_apart():
    rarity = {"replac": 1.0, "lamp": 1.0}
    together = said("I replaced the lamp. It rained.")
    apart = said("I replaced the tyre. The lamp is fine.")
    asked = said("Who replaced the lamp? I saw it.")
    assert rare_share(together, rarity) == 1.0
    assert rare_share(apart, rarity) == 0.75
    assert rare_share(asked, rarity) == 0.5
