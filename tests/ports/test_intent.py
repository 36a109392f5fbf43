"""What a turn wants of the memory: told by its form, and not surely where that leaves doubt."""

import pytest

from mags.ports.intent import Intent, intent_of, names_all


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("whats my wifi password", "ask"),
        ("where do i live", "ask"),
        ("do i have a bike", "ask"),
        ("is Ana married", "ask"),
        ("when is moms birthday", "ask"),
        ("i forgot where i parked", "ask"),
        ("What did I just say?", "ask"),
        ("no wait, I meant the other company", "correct"),
        ("that\N{RIGHT SINGLE QUOTATION MARK}s wrong, it is 4200", "correct"),
        ("what do you know about me", "overview"),
        ("tell me about Ana", "overview"),
        ("thanks so much!", "small talk"),
        ("ok cool", "small talk"),
    ],
)
def test_what_has_a_form_is_sure_with_or_without_its_mark(text: str, kind: str) -> None:
    found = intent_of(text)
    assert (found.kind, found.sure) == (kind, True)


@pytest.mark.parametrize(
    "text",
    [
        "I moved to Oslo in May.",
        "What I love is sailing.",
        "when i was a kid i lived in Rome",
        "where I come from it rains",
        "don't forget the milk",
        "I forgot my keys at home",
        "forget it",
        "Forget about that.",
        "Forget the gym, I go swimming now.",
        "Do the dishes",
        "No, I never said that.",
    ],
)
def test_what_only_looks_like_it_tells_and_that_is_not_sure(text: str) -> None:
    assert intent_of(text) == Intent(kind="tell", sure=False)


@pytest.mark.parametrize(
    "text",
    [
        "I earn 65k. can you help me make a budget?",
        "How was your day? Mine was fine, I bought a bike.",
    ],
)
def test_a_question_beside_something_told_is_not_sure(text: str) -> None:
    assert (intent_of(text).kind, intent_of(text).sure) == ("ask", False)


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("forget the thing about the dentist", "dentist"),
        ("please delete what i told you about Tom", "Tom"),
        ("Forget everything about Ben, please.", "Ben"),
        ("delete m12", "m12"),
    ],
)
def test_a_command_to_forget_names_what(text: str, topic: str) -> None:
    assert intent_of(text) == Intent(kind="forget", sure=True, topic=topic)


def test_a_text_names_a_topic_by_all_its_words() -> None:
    assert names_all("the dentist in Hull", "My dentist moved to Hull.")
    assert not names_all("the dentist in Hull", "My dentist moved to York.")
    assert not names_all("the", "the end")
