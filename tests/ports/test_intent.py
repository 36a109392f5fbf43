"""What a turn names: what is to be forgotten, and of what everything is asked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags.ports.policy import MYSELF, named, names_all, overview_of, to_forget, wants_all


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("forget the thing about the dentist", "dentist"),
        ("please delete what i told you about Tom", "tom"),
        ("Forget everything about Ben, please.", "ben"),
        ("My aunt's illness: please erase that.", "aunt's illness"),
        ("what i said bout the exam, forget it pls", "exam"),
        ("forget that Rune owes me money", "rune owes money"),
        ("delete that last message", ""),
        ("That was private. Please delete it.", ""),
    ],
)
def test_a_command_to_forget_names_what_by_its_other_words(text: str, topic: str) -> None:
    assert to_forget(text) == topic


def test_ids_are_read_where_they_are_given() -> None:
    assert named("delete m12 and m7, and m12 again") == (12, 7)
    assert named("the m4x and 12") == ()


def test_everything_is_another_command_than_the_last_thing() -> None:
    assert wants_all("forget everything I ever told you")
    assert wants_all("wipe it all")
    assert not wants_all("forget what I just said")


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("what do you know about Lena?", "Lena"),
        ("give me the lowdown on my aunt please", "my aunt"),
        ("sum up Kim for me.", "Kim"),
        ("who is Edda again", "Edda"),
        ("What have I told you about the boat so far?", "the boat"),
        ("what do you know about me by now", MYSELF),
        ("what have i told you so far", MYSELF),
        ("who am I", MYSELF),
    ],
)
def test_an_overview_names_its_topic_or_means_who_asks(text: str, topic: str) -> None:
    assert overview_of(text) == topic


def test_a_text_names_a_topic_by_all_its_words_in_any_form() -> None:
    assert names_all("the dentist in Hull", "My dentist moved to Hull.")
    assert names_all("live Hull", "User lives in Hull.")
    assert not names_all("the dentist in Hull", "My dentist moved to York.")
    assert not names_all("the", "the end")


@given(st.text())
def test_any_text_can_be_asked_what_it_names(text: str) -> None:
    assert names_all(to_forget(text), text) or not to_forget(text)
    assert overview_of(text)
