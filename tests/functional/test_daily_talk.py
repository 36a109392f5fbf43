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
    (["I usually work Mondays and Thursdays"], "Which days do I work?", "Mondays and Thursdays "),
    (["I swim Fridays", "I swim Sundays now"], "Which days do I swim?", "Sundays "),
    (["Tom is my son", "Tom got engaged! Her name is Lucia"], "Who is Tom engaged to?", "Lucia "),
    (["I'm a nurse on the stroke ward at St. Luke's"], "Where do I work?", "St. Luke's "),
    (["I weigh 84 kilos", "82 now"], "How much do I weigh?", "82 kilos "),
    (["My cat weighs 6.2 kilos", "cat's down to 5.8"], "How much does my cat weigh?", "5.8 kilos "),
    (["the alarm company is Securo", "Switched alarm companies, it's Verisafe now"],
     "Which alarm company do we have?", "Alarm company is Verisafe."),
    (["the rent is 1150 a month", "The landlord put the rent up to 1200"], "How much is the rent?",
     "1200 "),
    (["I take a pill each morning and a blood thinner with supper",
      "The doctor's taken me off the pill"], "Do I still take the pill?", "No "),
    (["Tom works at Shell", "Tom gave notice"], "Does Tom still work at Shell?", "No "),
    (["I'm low on iron"], "What am I low on?", "iron "),
    (["I make about 40k a year"], "How much do I earn?", "40k a year "),
    (["The trip is 6-9 June"], "When is the trip?", "6 June 2024 to 9 June 2024 "),
    (["Martin's the eldest, he lives in Canada"], "Who is my eldest?", "Martin"),
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
