"""What people say in passing and ask for later, by their own words: no model, real parts."""

import pytest

import mags
from mags.memory.memory import Memory
from mags.settings import PolicySettings, Settings

DAY = 86_400.0
START = 1714521600.0
"""1 May 2024, 00:00 UTC."""
LEFT_OPEN = ("I don't know.", "I am not sure.")
ANSWERED = (
    (["The trip is 6-9 June"], "When is the trip?", "6 June 2024 to 9 June 2024 "),
)  # fmt: skip
OPEN = (
    (["The neighbour got a puppy, her name is Bella"], "What is my puppy called?"),
    (["We need a designer, Sam"], "What is Sam's job?"),
    (["Tom said the rent is 900"], "How much is my rent?"),
    (["I love Mondays"], "Which days do I work?"),
    (["I work on Mondays"], "Where do I work?"),
    (["Karl is the teacher at Mia's school"], "Who is my teacher?"),
)


def heard(said: list[str]) -> Memory:
    """A memory read by the rules alone that heard Ana, a day a turn."""
    memory = mags.open(None, settings=Settings(policy=PolicySettings(kind="rules")))
    for n, text in enumerate(said):
        memory.observe(text, speaker="Ana", at=START + n * DAY)
    return memory


@pytest.mark.parametrize(("said", "question", "start"), ANSWERED)
def test_what_was_said_in_passing_is_answered(said: list[str], question: str, start: str) -> None:
    with heard(said) as memory:
        assert memory.ask(question, speaker="Ana").text.startswith(start)


@pytest.mark.parametrize(("said", "question"), OPEN)
def test_what_was_not_told_of_oneself_stays_open(said: list[str], question: str) -> None:
    with heard(said) as memory:
        assert memory.ask(question, speaker="Ana").text.startswith(LEFT_OPEN)
