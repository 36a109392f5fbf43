"""Near misses: a memory that shares the words of a question and is of something else."""

import pytest

import mags
from mags.memory.memory import Memory
from mags.models.answer.cues import AGE, MONEY, NAMED, cue_of, kin_of, opposed, other_kin
from mags.models.answer.question import content, of_another_thing
from mags.settings import PolicySettings, Settings

LEFT_OPEN = ("I don't know.", "I am not sure.")

SAID = (
    "My flight to Lima is on 3 June at 10:20. My sister Eva lives in Kyiv.",
    "My brother Tom works at Bosch. My cat is called Socks.",
    "The bakery on the corner opens at 7.",
    "My daughter's birthday is on 9 May. I'm allergic to nuts.",
)


@pytest.fixture(scope="module")
def memory() -> Memory:
    made = mags.open(None, settings=Settings(policy=PolicySettings(kind="rules")))
    for day, text in enumerate(SAID, start=1):
        made.observe(text, speaker="Ana", at=f"2024-05-0{day}")
    return made


@pytest.mark.parametrize(
    "question",
    [
        "When is my flight to Quito?",
        "Where does my brother live?",
        "When does the bakery close?",
        "When is my son's birthday?",
        "When is my birthday?",
        "How old is my daughter?",
        "What is my daughter called?",
        "What time do I get up?",
        "How much did my flight cost?",
    ],
)
def test_what_was_never_told_is_not_known(memory, question):
    assert memory.ask(question, speaker="Ana").text.startswith(LEFT_OPEN)


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("When is my flight to Lima?", "3 June"),
        ("When does the bakery open?", "7"),
        ("When is my daughter's birthday?", "9 May"),
        ("What is my cat called?", "Socks"),
        ("Where does my sister live?", "Kyiv"),
    ],
)
def test_what_was_told_is_known(memory, question, right):
    assert right in memory.ask(question, speaker="Ana").text


KEYS = ("I have the key to the shed", "Lou has the key to the van", "Ben wrote the report on rust")


@pytest.mark.parametrize(
    ("question", "text", "other"),
    [
        ("Who has the key to the van?", KEYS[0], True),
        ("Who has the key to the van?", KEYS[1], False),
        ("Who has the key to the safe?", "She has the key", True),  # of no safe is told
        ("Who has the key to the van?", "She has the key", False),
        ("Who wrote the report on the dam?", KEYS[2], True),
        ("Who has the van?", KEYS[0], False),
    ],
)
def test_what_tells_another_thing_of_the_same_name_is_of_another_thing(question, text, other):
    asked = "Who has the key to the safe?"
    assert of_another_thing(question, text, (*KEYS, asked, text)) is other


@pytest.mark.parametrize(
    ("asked", "told", "stranger"),
    [
        ("my son's birthday", "my daughter's birthday", True),
        ("my kids", "my daughter Ida", False),
        ("my daughter", "my child", False),
        ("my mother", "my mum", False),
        ("my dog", "my cat", True),
        ("my dog", "the flat", False),
        ("the flat", "my cat", False),
    ],
)
def test_a_son_is_no_daughter_and_either_is_a_child(asked, told, stranger):
    assert other_kin(kin_of(asked), kin_of(told)) is stranger


def test_opening_is_the_opposite_of_closing_unless_both_are_told():
    asked = content("When does the shop close?")
    assert opposed(asked, content("The shop opens at 7."))
    assert not opposed(asked, content("The shop opens at 7 and closes at 9."))
    assert not opposed(asked, content("The shop is in Oslo."))


@pytest.mark.parametrize(
    ("cue", "holding", "lacking"),
    [
        (AGE, ["Nina is five.", "she's 34", "Ida turned 8", "10 years old"], ["is on 9 May"]),
        (MONEY, ["It was $3.", "45 euros", "I paid 300."], ["on 3 June at 10:20"]),
        (NAMED, ["my cat is Socks", "a dog called rex"], ["It is on Monday, in May"]),
    ],
)
def test_a_cue_is_what_an_answer_must_hold(cue, holding, lacking):
    assert all(cue.search(text) for text in holding)
    assert not any(cue.search(text) for text in lacking)


def test_most_questions_ask_for_no_cue():
    assert cue_of("How old is Ida?") is AGE
    assert cue_of("What is my dog called?") is NAMED
    assert cue_of("How much is my rent?") is MONEY
    assert cue_of("How much sleep do I get?") is None
    assert cue_of("Where do I live?") is None
