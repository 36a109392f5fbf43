"""A sleep changes no current answer, and what it writes is never news; over generated lives."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import mags
from mags.app import embedded
from mags.memory.memory import Memory

PEOPLE = ("Alice", "Ben", "Carla")
HOMES = ("Oslo", "Bergen", "Paris", "Lisbon", "Vienna", "Prague")
FIRMS = ("Lumen", "Brightwater", "Harrow", "Tideline")
ASIDE = (
    "I'm allergic to peanuts.",
    "My sister Ana has a dog named Rex.",
    "I play the violin.",
    "My birthday is on 4 May.",
    "I like jazz.",
    "I drive a Volvo.",
    "My favourite food is pizza.",
    "I speak French.",
    "The garden needs water twice a week.",
    "We watched the rain from the porch all evening.",
)
QUESTIONS = (
    "Where does {who} live?",
    "Where does {who} work?",
    "What is {who} allergic to?",
    "Does {who} live in {home}?",
    "What does {who} play?",
    "When is {who}'s birthday?",
    "What is the name of the dog of {who}'s sister?",
    "What does {who} drive?",
    "Where did {who} live before?",
    "Tell me about {who}'s home.",
    "How often does the garden need water?",
)
OVERVIEWS = ("What do you know about {who}?", "Tell me about {who}.", "Describe {who}.")
DAY_S = 86_400
BEGUN_S = 1_700_000_000


@dataclass(frozen=True)
class Said:
    """A turn: who says what; `moved`: who lives where from then on, as they say themselves.

    `rumoured`: of whom somebody else says it.
    """

    speaker: str
    text: str
    moved: tuple[str, str] | None = None
    rumoured: str = ""


def home(who: str, city: str, first: bool) -> Said:
    return Said(who, f"I live in {city}." if first else f"I moved to {city}.", (who, city))


@st.composite
def lives(draw: st.DrawFn) -> tuple[list[Said], list[Said]]:
    """What is said before a first sleep, and between it and a second one."""
    people = draw(st.lists(st.sampled_from(PEOPLE), min_size=1, max_size=3, unique=True))
    turns = [home(who, draw(st.sampled_from(HOMES)), first=True) for who in people]
    some_one = st.sampled_from(people)
    for _ in range(draw(st.integers(3, 12))):
        who, deed = draw(some_one), draw(st.sampled_from(("aside", "aside", "move", "job", "talk")))
        if deed == "aside":
            turns.append(Said(who, draw(st.sampled_from(ASIDE))))
        elif deed == "move":
            turns.append(home(who, draw(st.sampled_from(HOMES)), first=False))
        elif deed == "job":
            firm = draw(st.sampled_from(FIRMS))
            verb = draw(st.sampled_from(("work at", "now work for", "started working at")))
            turns.append(Said(who, f"I {verb} {firm}."))
        else:
            city = draw(st.sampled_from(HOMES))
            text = draw(st.sampled_from(("{} visited {}.", "I heard that {} likes {}.")))
            turns.append(Said("Dora", text.format(who, city)))
    later = [home(draw(some_one), draw(st.sampled_from(HOMES)), first=False)]
    for part in (turns, later):
        if draw(st.booleans()):
            who, city = draw(some_one), draw(st.sampled_from(HOMES))
            rumour = Said("Dora", f"{who} moved to {city}.", rumoured=who)
            part.insert(draw(st.integers(0, len(part))), rumour)
    return turns, later


class Life:
    """A memory of what some people say, with the home that each of them told last."""

    def __init__(self) -> None:
        self.clock = itertools.count(BEGUN_S + 400 * DAY_S)
        self.days = itertools.count()
        self.homes: dict[str, str] = {}
        self.heard: list[Said] = []
        self.marks = itertools.count()
        self.memory: Memory = mags.open(
            None, embedder=embedded(), clock=lambda: float(next(self.clock))
        )

    def hear(self, turns: Sequence[Said]) -> None:
        for turn in turns:
            at = float(BEGUN_S + DAY_S * next(self.days))
            self.memory.observe(turn.text, speaker=turn.speaker, at=at)
            self.heard.append(turn)
            if turn.moved is not None:
                self.homes[turn.moved[0]] = turn.moved[1]
            self.homes.pop(turn.rumoured, None)  # what a rumour closes is no matter of sleep

    def questions(self) -> list[str]:
        people = {turn.speaker for turn in self.heard} - {"Dora"}
        return [
            form.format(who=who, home=self.homes.get(who, HOMES[0]))
            for who in sorted(people)
            for form in QUESTIONS
        ]

    def answers(self) -> dict[str, str]:
        """What is answered to every question; the asking leaves nothing behind."""
        mark = f"mark {next(self.marks)}"
        self.memory.snapshot(mark)
        replies = {one: self.memory.ask(one, speaker="Emil").text for one in self.questions()}
        self.memory.rollback(mark)
        return replies

    def check_homes(self) -> None:
        """Everybody lives where they said last, and no overview shows a theme of a former home."""
        for who, city in self.homes.items():
            text = self.memory.ask(f"Where does {who} live?", speaker="Emil").text
            assert text.startswith(city), text
            over = [one.text for one in self.memory.facts(who) if one.valid_to is not None]
            for form in OVERVIEWS:
                for hit in self.memory.recall(form.format(who=who), k=50):
                    assert hit.kind != "theme" or not any(fact in hit.text for fact in over)


LAWS = settings(
    max_examples=2,
    suppress_health_check=[HealthCheck.too_slow],
)
MOVED = (
    [
        home("Alice", "Oslo", first=True),
        *(
            Said("Alice", text)
            for text in ("I drive a Volvo.", "I play the violin.", "I like jazz.")
        ),
        home("Alice", "Prague", first=False),
    ],
    [home("Alice", "Bergen", first=False)],
)


@LAWS
@given(lives())
@example(MOVED)
def test_a_sleep_changes_no_current_answer(life: tuple[list[Said], list[Said]]) -> None:
    told = Life()
    with told.memory:
        told.hear(life[0])
        before = told.answers()
        told.memory.snapshot("awake")
        told.memory.sleep()
        assert told.answers() == before
        told.memory.rollback("awake")
        assert told.answers() == before


@LAWS
@given(lives())
@example(MOVED)
def test_after_sleeps_and_moves_everybody_lives_where_they_said_last(
    life: tuple[list[Said], list[Said]],
) -> None:
    told = Life()
    with told.memory:
        told.hear(life[0])
        told.memory.sleep()
        told.hear(life[1])
        told.check_homes()
        awake = told.answers()
        told.memory.sleep()
        assert told.answers() == awake
        told.check_homes()


def test_a_theme_tells_of_an_overview_alone_and_only_while_all_of_it_holds(tmp_path: Path) -> None:
    told = Life()
    with told.memory:
        told.hear(MOVED[0])
        told.memory.sleep()

        def themes(question: str) -> list[str]:
            hits = told.memory.recall(question, k=50)
            assert all(hit.at == -inf for hit in hits if hit.kind == "theme")
            return [hit.text for hit in hits if hit.kind == "theme"]

        assert themes("Where does Alice live?") == []
        assert themes("Tell me about Alice's home.") == []
        (theme,) = themes("What do you know about Alice?")
        assert "Oslo" not in theme
        assert theme in [one.text for one in told.memory.search(theme)]
        told.memory.snapshot("in Prague")
        told.hear(MOVED[1])
        assert themes("What do you know about Alice?") == []
        assert "theme" not in [one.kind for one in told.memory.search(theme)]
        told.memory.sleep()
        (remade,) = themes("What do you know about Alice?")
        assert "Prague" not in remade
        told.memory.rollback("in Prague")
        assert themes("What do you know about Alice?") == [theme]


def test_a_theme_is_shown_after_an_import_unless_its_members_got_new_words(tmp_path: Path) -> None:
    told = Life()
    with told.memory:
        told.hear(MOVED[0])
        told.memory.sleep()
        assert themed(told.memory)
        assert themed(imported(told.memory, tmp_path / "a.jsonl"))
        fact = next(one for one in told.memory.facts("Alice") if one.object == "violin")
        told.memory.edit(fact.id, text="Alice plays the violin in a quartet.")
        assert not themed(told.memory)
        assert not themed(imported(told.memory, tmp_path / "b.jsonl"))
        told.memory.sleep()
        assert themed(told.memory)


def themed(memory: Memory) -> bool:
    """Whether an overview shows a theme."""
    return "theme" in [hit.kind for hit in memory.recall("What do you know about Alice?", k=50)]


def imported(memory: Memory, path: Path) -> Memory:
    memory.export(path)
    copy = mags.open(None, embedder=embedded(), clock=memory._live.clock)
    copy.import_(path)
    return copy
