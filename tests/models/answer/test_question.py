"""Questions in other words than what was told, as of a time, and about who did what."""

import pytest

from mags.models.answer.extractive import ExtractiveAnswerer
from mags.models.answer.question import then_of
from mags.models.policy.rules.questions import plainer
from mags.ports.answer import ContextItem
from mags.ports.policy import Turn

LEFT_OPEN = ("I don't know.", "I am not sure.")

JANUARY, JUNE, DECEMBER = 1672531200.0, 1685577600.0, 1701388800.0  # 2023, 00:00 UTC
MAY_2024 = 1714521600.0


def fact(id: int, subject: str, relation: str, obj: str, **more: object) -> ContextItem:
    words = {"text": f"{subject} {relation} {obj}.", "speaker": "Ana", "at": JANUARY, **more}
    return ContextItem(id=id, fact=(subject, relation, obj), **words)


def ask(text: str, *items: ContextItem) -> str:
    question = Turn(text=text, speaker="Ana", at=MAY_2024)
    answer = ExtractiveAnswerer().answer(question, items, recent=(), recall_again=lambda _: ())
    return answer.text.split(" \N{EM DASH} ")[0]


BONN = fact(1, "Ana", "lives in", "Bonn", current=False, valid_to=JUNE)
LUND = fact(2, "Ana", "lives in", "Lund", at=JUNE, valid_from=JUNE)


def test_a_question_as_of_a_time_is_answered_by_what_held_then():
    assert ask("Where did I live in March 2023?", BONN, LUND) == "Bonn (no longer true)"
    assert ask("Where did I live in December 2023?", BONN, LUND) == "Lund"
    assert ask("Where do I live?", BONN, LUND) == "Lund"


def test_what_was_said_later_does_not_answer_for_before():
    assert ask("Where did I live in March 2022?", LUND).startswith(LEFT_OPEN)


def test_a_time_ahead_or_two_times_leave_a_question_as_it_is():
    for text in ("Where will I be on 3 June 2030?", "Was it in May 2022 or in May 2023?"):
        assert then_of(text, MAY_2024) == (text, None)


def test_things_of_one_slot_are_counted():
    cats = [fact(i, "Ana", "cat", name) for i, name in enumerate(("Misty", "Ash", "Pip"), 1)]
    assert ask("How many cats do I have?", *cats) == "3 (Misty, Ash, Pip)"


def test_a_pet_that_died_is_neither_named_nor_counted():
    cats = [fact(i, "Ana", "cat", name) for i, name in enumerate(("Misty", "Ash", "Pip"), 1)]
    dead = fact(9, "Ash", "died on", "2 May 2024")
    assert ask("How many cats do I have?", *cats, dead) == "2 (Misty, Pip)"
    assert ask("What are my cats called?", *cats, dead) == "Misty, Pip"


def test_who_gave_is_not_who_was_given_to():
    given = fact(1, "Ben", "gave Ana", "tickets"), fact(2, "Ana", "gave Ben", "a watch")
    assert ask("What did Ben give me?", *given) == "tickets"
    assert ask("What did I give Ben?", *given) == "a watch"


def test_who_was_a_husband_is_none():
    past = ContextItem(id=1, text="My ex-husband lives in Rome.", speaker="Ana", score=1.0)
    assert ask("Who is my husband?", past).startswith(LEFT_OPEN)


def test_what_somebody_said_is_answered_only_by_their_words():
    jazz = ContextItem(id=1, text="Tom is fond of jazz.", speaker="Ana", score=1.0)
    assert ask("What did Tom say?", jazz).startswith(LEFT_OPEN)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("Which film do I like best?", "what is my favourite film?"),
        ("Who is my closest friend?", "Who is my best friend?"),
        ("do I have any siblings?", "what siblings do I have?"),
        ("Where does Ana live?", "Where does Ana live?"),
    ],
)
def test_a_question_is_put_in_the_words_that_facts_are_told_in(asked, told):
    assert plainer(asked) == told


@pytest.mark.parametrize(
    ("asked", "item", "answer"),
    [
        ("What car do I have?", fact(1, "Ana", "drives", "Fiat"), "Fiat"),
        ("What allergies do I have?", fact(1, "Ana", "is allergic to", "nuts"), "nuts"),
        ("Who is my partner?", fact(1, "Ana", "is married to", "Kim"), "Kim"),
        ("Which food do I hate?", fact(1, "Ana", "dislikes", "olives"), "olives"),
        ("Which medicine do I take?", fact(1, "Ana", "takes", "iron"), "iron"),
        ("When was I born?", fact(1, "Ana", "birthday", "3 May"), "3 May"),
        ("What is my mother's name?", fact(1, "Ana", "mum", "Ida"), "Ida"),
    ],
)
def test_a_noun_of_a_question_stands_for_the_relations_it_may_mean(asked, item, answer):
    assert ask(asked, item) == answer
