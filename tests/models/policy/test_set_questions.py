"""Which questions are read as over a class of things, and which are left alone."""

import pytest

from mags.models.policy.rules.sets import SetQuestion, set_question
from mags.ports.policy import Turn

NOW_S = 1_780_272_000.0


def read(text: str) -> SetQuestion | None:
    return set_question(Turn(text=text, speaker="user", at=NOW_S))


@pytest.mark.parametrize(
    ("text", "owner", "asks"),
    [
        ("Which of my friends live in Norway?", "user", "which"),
        ("Who among my friends lives in Norway?", "user", "which"),
        ("Which friends of mine live in Norway?", "user", "which"),
        ("Name the friends of mine that live in Norway.", "user", "which"),
        ("Do any of my friends live in Norway?", "user", "any"),
        ("Do I have any friends who live in Norway?", "user", "any"),
        ("How many of Ana's friends live in Norway?", "Ana", "count"),
        ("Which friends does Ana have who live in Norway?", "Ana", "which"),
        ("So, do I know anyone who lives in Norway?", "user", "any"),
        ("Which people I know live in Norway now?", "user", "which"),
    ],
)
def test_a_class_is_read_however_it_is_put(text: str, owner: str, asks: str):
    found = read(text)
    assert found is not None
    assert (found.members.owner, found.asks) == (owner, asks)
    (link,) = found.members.told
    assert link.relations == {"lives in"}
    assert link.objects == ("Norway",)


@pytest.mark.parametrize(
    ("text", "names", "order", "more"),
    [
        ("Who is older, Ana or Ben?", ("Ana", "Ben"), "age", True),
        ("Who was born first, Ana or I?", ("Ana", "user"), "age", True),
        ("Who is the youngest: Ana or my sister?", ("Ana", "user's sister"), "age", False),
        ("Who earns less, Ana or Ben?", ("Ana", "Ben"), "how much", False),
        ("Who did I meet first, Ana or Ben?", ("Ana", "Ben"), "when", False),
    ],
)
def test_two_things_are_compared(text: str, names: tuple[str, ...], order: str, more: bool):
    found = read(text)
    assert found is not None
    assert (found.members.names, found.order, found.more) == (names, order, more)
    assert found.members.every


@pytest.mark.parametrize(
    "text",
    [
        "Which of my friends live abroad?",
        "Which of my friends live in Norway or Sweden?",
        "Which of my friends lived in Norway in 2019?",
        "Which of my friends used to live in Norway?",
        "Which of my friends lives near there?",
        "Do my friends speak German?",
        "Do all of my friends speak German?",
        "What do my friends like?",
        "Who are my friends?",
        "Is my brother a nurse?",
        "Who lives in Oslo?",
        "Which car did Ana buy first?",
        "Which drink does Ana have, oat or almond milk?",
        "Where do my friends live?",
        "",
        "Which of my",
        "of us",
    ],
)
def test_what_is_not_read_to_its_last_word_is_left_alone(text: str):
    assert read(text) is None


def test_what_is_not_so_is_told_by_relations_of_its_own():
    found = read("Which of my friends don't eat meat?")
    assert found is not None
    (link,) = found.members.told
    assert link.relations == {"does not eat", "can not eat", "no longer eats"}
    found = read("Which of my friends do not like cheese?")
    assert found is not None
    assert "dislikes" in found.members.told[0].relations
