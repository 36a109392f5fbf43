"""Turns that come together are read as turns that come one by one: `observe_many`."""

import itertools
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import mags
from mags.memory.memory import Memory
from mags.memory.settings import MemorySettings
from mags.models.embed.hashing import HashEmbedder
from mags.models.policy.reader.policy import ReaderPolicy
from mags.models.policy.rules.policy import RulePolicy
from mags.ports.policy import Policy, Recalled, Turn, Writing
from mags.settings import PolicySettings, Settings

START_S = 1_700_000_000.0
BATCH = 5
"""Turns a batch here, so that a talk is several."""


class Noting:
    """A policy that keeps what it made of each turn, by its time."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self.made: dict[float, list[Writing]] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._policy, name)

    def wants(self, turn: Turn, recent: Sequence[Turn]) -> tuple[str, ...]:
        return self._policy.wants(turn, recent)

    def write(self, turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled]) -> Writing:
        made = self._policy.write(turn, recent, recalled)
        self.made.setdefault(turn.at, []).append(made)
        return made


def small(**given: Any) -> Settings:
    return Settings(memory=MemorySettings(batch=BATCH, sleep_every=0, **given))


def said(lines: Sequence[str | tuple[str, str]], sessions: int = 1) -> list[Turn]:
    """Turns a day apart; each session as long as the others."""
    pairs = [("Ana", line) if isinstance(line, str) else line for line in lines]
    long = -(-len(pairs) // sessions)
    return [
        Turn(text=text, speaker=who, at=START_S + 86_400.0 * i, session=f"s{i // long}")
        for i, (who, text) in enumerate(pairs)
    ]


def left(memory: Memory, seen: Sequence[mags.Seen]) -> list[dict[str, Any]]:
    """What each turn left; the number of a slot is another in every memory."""
    return [
        {
            "text": memory.get(one.episode_id).text,
            "facts": one.facts,
            "notes": one.notes,
            "closed": one.closed,
            "confirmed": one.confirmed,
            "reasons": [
                {name: value for name, value in reason.items() if name != "slot"}
                for reason in one.delta.reasons
            ],
            "understood": one.understood,
            "why": one.why,
        }
        for one in seen
    ]


def held(memory: Memory) -> list[tuple[Any, ...]]:
    """Every fact; how sure it is and what its node is marked with are part of it."""
    nodes = {f.id: memory._live.state.graph.node(f.id)[0] for f in memory.facts()}
    return [
        (
            *(f.id, f.subject, f.relation, f.object, f.text, dict(f.qualifiers)),
            *(f.valid_from, f.valid_to, *(nodes[f.id][name] for name in ("flags", "confidence"))),
        )
        for f in memory.facts()
    ]


def assert_read_alike(one: Memory, many: Memory, turns: Sequence[Turn]) -> None:
    single = [
        one.observe(t.text, speaker=t.speaker, at=t.at, session=t.session, key=t.key, attrs=t.attrs)
        for t in turns
    ]
    together = many.observe_many(turns)
    assert left(many, together) == left(one, single)
    assert held(many) == held(one)
    policies: list[Noting] = [one._parts.policy, many._parts.policy]
    assert policies[0].made == policies[1].made
    assert all(len(made) == 1 for made in policies[1].made.values()), "a turn was read twice"


TALKS: dict[str, list[str | tuple[str, str]]] = {
    "a car that is sold": [
        "I drive a blue Fiat.",
        ("Bob", "My dentist appointment is on Monday."),
        "I live in Bergen.",
        "I sold it last week.",
        ("Bob", "They moved it to Friday."),
        "I moved to Oslo.",
        ("Bob", "I like tea."),
    ],
    "a sister who moves on": [
        "My sister Greta lives in Graz.",
        "She works at Norda as an engineer.",
        ("Bob", "Greta is dating Paul."),
        "She quit her job.",
        ("Bob", "They broke up."),
        "My sister moved to Linz.",
        "Actually, she moved to Wels.",
        "She no longer lives there.",
    ],
    "a job, a course and a plan": [
        ("Bob", "I work at Helix."),
        ("Bob", "I'm taking a pottery class."),
        "I plan to visit Rome in June.",
        ("Bob", "I quit."),
        ("Bob", "The class is over."),
        "The trip is off.",
        ("Bob", "I got a new job at Pendo."),
        ("Bob", "No, I mean at Quarta."),
        "What did Bob say about it?",
    ],
    "a pet that is lost and found": [
        "I have a dog named Rex.",
        "He lost his collar.",
        ("Bob", "My cat is called Mia."),
        "Rex died.",
        ("Bob", "Mia is ill."),
        ("Bob", "She is fine again."),
    ],
    "a friend in hospital": [
        "My friend Carol is in hospital.",
        ("Bob", "Carol is married to Erik."),
        "She is back home.",
        ("Bob", "They divorced."),
        "Erik has moved out.",
    ],
}


@pytest.fixture(params=["ram", "file"])
def pair(
    request: pytest.FixtureRequest, opened: Callable[..., Memory], tmp_path: Path
) -> Callable[..., tuple[Memory, Memory]]:
    """Two new memories with policies of their own."""

    def make(policy: Callable[[], Policy], **given: Any) -> tuple[Memory, Memory]:
        places = [None if request.param == "ram" else tmp_path / f"{n}.mags" for n in "ab"]
        first, second = (
            opened(place, policy=Noting(policy()), settings=small(**given)) for place in places
        )
        return first, second

    return make


@pytest.mark.parametrize("talk", TALKS)
def test_a_talk_told_in_bulk_leaves_what_it_leaves_turn_by_turn(
    pair: Callable[..., tuple[Memory, Memory]], talk: str
) -> None:
    one, many = pair(RulePolicy)
    assert_read_alike(one, many, said(TALKS[talk], sessions=2))
    assert one.facts()


def test_several_talks_in_bulk_leave_what_they_leave_turn_by_turn_with_the_default_policy(
    pair: Callable[..., tuple[Memory, Memory]], opened: Callable[..., Memory]
) -> None:
    default = opened(settings=Settings(policy=PolicySettings(kind="reader")))._parts.policy
    assert isinstance(default, ReaderPolicy)
    one, many = pair(lambda: default)
    talks = itertools.zip_longest(*TALKS.values())
    lines = [line for some in talks for line in some if line is not None]
    assert_read_alike(one, many, said(lines, sessions=3))
    assert sum(fact.valid_to is not None for fact in one.facts()) >= 4


WHO = ("Ana", "Bob", "Carol")
TOWNS, FIRMS, PETS = ("Oslo", "Rome", "Graz"), ("Norda", "Helix"), ("Rex", "Mia")
FORMS = (
    "I live in {town}.", "I moved to {town}.", "Actually, I moved to {town}.",
    "My sister {who} lives in {town}.", "She moved to {town}.", "He moved there.",
    "I work at {firm}.", "I quit.", "I no longer work at {firm}.", "She works at {firm} now.",
    "I have a dog named {pet}.", "{pet} died.", "I drive a Fiat.", "I sold it.", "It was stolen.",
    "I am dating {who}.", "We broke up.", "{who} likes tea.", "{who} no longer likes tea.",
    "My dentist appointment is on Monday.", "They moved it to Friday.", "It is off.",
    "I plan to visit {town}.", "The trip is off.", "No, {town}.", "Where is it now?",
    "I am {who}'s neighbour.", "{who} told me that she is ill.", "She is fine again.",
)  # fmt: skip


@st.composite
def talks(draw: st.DrawFn) -> list[Turn]:
    lines = []
    for _ in range(draw(st.integers(2, 16))):
        words = {"town": TOWNS, "firm": FIRMS, "pet": PETS, "who": WHO}
        line = draw(st.sampled_from(FORMS))
        parts = {name: draw(st.sampled_from(some)) for name, some in words.items() if name in line}
        lines.append((draw(st.sampled_from(WHO)), line.format(**parts)))
    return said(lines, sessions=draw(st.integers(1, 3)))


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(turns=talks(), kept=st.booleans())
def test_any_talk_in_bulk_leaves_what_it_leaves_turn_by_turn(turns: list[Turn], kept: bool) -> None:
    clock = itertools.count(START_S + 1e8).__next__
    with tempfile.TemporaryDirectory() as folder:
        places = [Path(folder) / f"{n}.mags" if kept else None for n in "ab"]
        one, many = (
            mags.open(
                place,
                embedder=HashEmbedder(32),
                policy=Noting(RulePolicy()),
                settings=small(),
                clock=clock,
            )
            for place in places
        )
        with one, many:
            assert_read_alike(one, many, turns)


def test_turns_that_are_sent_again_do_not_stand_twice_before_those_that_follow(
    pair: Callable[..., tuple[Memory, Memory]],
) -> None:
    lines = ["I drive a blue Fiat.", ("Bob", "I like tea."), "I live in Bergen.", "I sold it."]
    turns = [
        Turn(text=t.text, speaker=t.speaker, at=t.at, session=t.session, key=f"k{i}")
        for i, t in enumerate(said(lines))
    ]
    one, many = pair(RulePolicy, window=2)
    one.observe_many(turns[:2])
    many.observe_many(turns[:2])
    assert_read_alike(one, many, [*turns[:3], turns[2], turns[3]])


class Counting(HashEmbedder):
    """Keeps how many texts each call had."""

    def __init__(self) -> None:
        super().__init__(64)
        self.sizes: list[int] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.sizes.append(len(texts))
        return super().embed(texts)


def test_turns_in_bulk_are_embedded_together(opened: Callable[..., Memory]) -> None:
    embedder = Counting()
    memory = opened(embedder=embedder)
    memory.observe("Hello.", speaker="Bob")
    embedder.sizes.clear()
    memory.observe_many([("Bob", f"{word} to you.") for word in ("Hey", "Bye", "Hi")])
    assert [size for size in embedder.sizes if size] == [3]


class Changing(Counting):
    """Has the memory embedded anew right after it embedded something."""

    def __init__(self) -> None:
        super().__init__()
        self.then: list[Callable[[], object]] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        made = super().embed(texts)
        if self.then:
            self.then.pop()()
        return made


def test_vectors_of_the_embedder_before_are_not_kept(opened: Callable[..., Memory]) -> None:
    embedder, other = Changing(), HashEmbedder(96)
    memory = opened(embedder=embedder)
    embedder.then.append(lambda: memory.reembed(other))
    said = ["One day.", "Two days.", "Three days."]
    seen = memory.observe_many(said)
    state = memory._live.state
    rows = np.array([state.graph.row_of[one.episode_id] for one in seen])
    np.testing.assert_allclose(state.vectors.get(rows), other.embed(said), atol=2e-3)


def test_turns_kept_already_are_neither_read_nor_embedded_again(
    opened: Callable[..., Memory],
) -> None:
    embedder, policy = Counting(), Noting(RulePolicy())
    memory = opened(embedder=embedder, policy=policy)
    said = [{"speaker": "Bob", "text": f"Line {i} it is.", "key": f"k{i}"} for i in range(3)]
    first = memory.observe_many(said)
    embedder.sizes.clear()
    policy.made.clear()
    again = memory.observe_many(said)
    assert [one.episode_id for one in again] == [one.episode_id for one in first]
    assert all(one.repeated for one in again)
    assert not any(embedder.sizes)
    assert not policy.made


class Watching(RulePolicy):
    """Keeps which facts it was shown with each turn."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: dict[str, list[str]] = {}

    def wants(self, turn: Turn, recent: Sequence[Turn]) -> tuple[str, ...]:
        return (turn.speaker, *(word for one in recent for word in one.text.split()[:1]))

    def write(self, turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled]) -> Writing:
        self.shown[turn.text] = [one.text for one in recalled]
        return super().write(turn, recent, recalled)


@pytest.mark.parametrize("asked", [0, 3])
def test_the_write_model_is_shown_in_bulk_what_was_told_right_before(
    opened: Callable[..., Memory], asked: int
) -> None:
    policy = Watching()
    memory = opened(policy=policy, settings=small(recalled_for_write=asked))
    memory.observe_many(["Ana lives in Bergen.", "Bob likes tea.", "She moved to Oslo."])
    assert "Ana lives in Bergen." in policy.shown["She moved to Oslo."]
