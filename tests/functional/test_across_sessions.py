"""Stories of several talks: told in one, changed in the next without a name, asked in a third."""

from dataclasses import dataclass

import pytest

import mags
from mags.memory.memory import Memory
from mags.settings import PolicySettings, Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """What was said in each talk; what is asked after them, what is right, what is no longer."""

    talks: tuple[str, ...]
    asked: str
    right: str
    stale: str


def story(*talks: str, asked: str, right: str, stale: str) -> Story:
    """A story."""
    return Story(talks=talks, asked=asked, right=right, stale=stale)


STORIES = (
    story("My sister Greta lives in Graz.", "She moved to Trieste last weekend!",
          asked="Where does my sister live?", right="Trieste", stale="Graz"),
    story("My cousin Tobias works at a sawmill in Linz.",
          "He got a job at a brewery called Halder.",
          asked="Where does Tobias work?", right="Halder", stale="sawmill"),
    story("The book club meeting is on 14 February.", "They moved it to 21 February.",
          asked="When is the book club meeting?", right="21 February", stale="14 February"),
    story("Our choir rehearsal is on Wednesday 17 January at 7 pm.",
          "The rehearsal got pushed to 24 January.",
          asked="When is the choir rehearsal?", right="24 January", stale="17 January"),
    story("My eye test is on 5 March at 10 am.", "Actually, it's on 7 March now.",
          asked="When is my eye test?", right="7 March", stale="5 March"),
    story("I work as a florist at Petal & Stem.", "I quit on Friday.",
          asked="Do I still work at Petal & Stem?", right="No", stale="Yes"),
    story("I have a hamster called Pickle.", "He died last night, I'm so sad.",
          asked="Do I have a hamster?", right="No", stale="Yes"),
    story("Our cat is called Biscuit.", "We had to put the cat to sleep.",
          asked="Is Biscuit alive?", right="No", stale="Yes"),
    story("I'm dating a guy named Ruben.", "We broke up.",
          asked="Am I still dating Ruben?", right="No", stale="Yes"),
    story("I'm dating Ansel, it's going well.", "Ansel dumped me by text.",
          asked="Who am I dating?", right="no longer", stale="Ansel \N{EM DASH}"),
    story("I drive a Volvo.", "I swapped my Volvo for a Tesla.",
          asked="What car do I drive?", right="Tesla", stale="Volvo"),
    story("I drive a rusty Corsa.", "I traded it in for a Kia Rio.",
          asked="What do I drive?", right="Kia Rio", stale="Corsa"),
    story("I drive a green Fiat Panda.", "I sold the car.",
          asked="Do I have a car?", right="sold", stale="Yes"),
    story("I bought a Peugeot bike in January.", "It got stolen.",
          asked="What happened to my bike?", right="stolen", stale="don't know"),
    story("My laptop is a Lenovo.", "It broke. I got a MacBook instead.",
          asked="What laptop do I have?", right="MacBook", stale="Lenovo"),
    story("The gate code is 5523.", "They changed it to 8817.",
          asked="What is the gate code?", right="8817", stale="5523"),
    story("Could you remember that my locker code is 4471?",
          "they changed the locker code, it's 9032 now",
          asked="What's my locker code?", right="9032", stale="4471"),
    story("My student number is 77120.", "New student number: 90431.",
          asked="What is my student number?", right="90431", stale="77120"),
    story("My rent is 640 euros.", "It went up to 700 euros.",
          asked="How much is my rent?", right="700", stale="640"),
    story("My daughter Wilma is 4.", "She's five now.",
          asked="How old is Wilma?", right="5", stale="4"),
    story("My nephew Casper goes to Oakfield school.", "He goes to Redhill school now.",
          asked="Which school does Casper go to?", right="Redhill", stale="Oakfield"),
    story("I'm learning the accordion.", "I gave it up, my fingers hurt.",
          asked="Am I learning the accordion?", right="No", stale="Yes"),
    story("I'm taking swimming lessons with a coach called Bente.",
          "I stopped going, it was too expensive.",
          asked="Do I still take swimming lessons?", right="No", stale="Yes"),
    story("I'm writing my thesis on peat bogs.", "I handed it in yesterday!!",
          asked="Am I still writing my thesis?", right="No", stale="Yes"),
    story("My parents live in Split.", "They moved to Zadar.",
          asked="Where do my parents live?", right="Zadar", stale="Split"),
    story("I live in a flat in Bergamo.", "I don't live there anymore, I moved to Verona.",
          asked="Where do I live?", right="Verona", stale="Bergamo"),
    story("I lost my passport.", "I found it behind the sofa.",
          asked="Is my passport still lost?", right="No", stale="Yes"),
    story("My mum is in hospital with pneumonia.", "She's home again, thank God.",
          asked="Is my mum in hospital?", right="No", stale="Yes"),
    story("My colleague Ferris is on parental leave.", "Ferris is back at work since Monday.",
          asked="Is Ferris on parental leave?", right="No", stale="Yes"),
    story("My husband Olek is out of work.", "He found a job at the airport!",
          asked="Where does Olek work?", right="airport", stale="out of work"),
    story("My boss is called Petra.", "She retired, my new boss is Kofi.",
          asked="Who is my boss?", right="Kofi", stale="Petra"),
)  # fmt: skip


def heard(talks: tuple[str, ...], kind: str) -> Memory:
    """A memory that heard Ana once a month, each time in a talk of its own."""
    memory = mags.open(None, settings=Settings(policy=PolicySettings(kind=kind)))
    for month, text in enumerate(talks, start=1):
        memory.observe(text, speaker="Ana", at=f"2024-0{month}-05", session=f"talk {month}")
    return memory


@pytest.mark.parametrize("told", STORIES, ids=lambda told: told.asked)
def test_what_only_the_first_talk_told_is_closed_by_nothing_else(told: Story) -> None:
    talks = (told.talks[0], "Lovely weather today.", "I had soup for lunch.")
    with heard(talks, "rules") as memory:
        assert all(fact.valid_to is None for fact in memory.facts() if not fact.stated)
