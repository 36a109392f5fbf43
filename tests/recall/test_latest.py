"""What was said last of each of some things."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mags
from mags import inspect
from mags.errors import InvalidInput
from mags.memory.memory import Memory
from mags.models.embed.hashing import HashEmbedder

SAID = (
    ("guide", "Brukin had it right."),
    ("guide", "Brukin and Alwyn were seen by the harbour."),
    ("Brukin", "The goat? Over by the ford."),
    ("guide", "Alwyn led us astray."),
    ("guide", "It rained."),
)
WORDS = ("brukin", "alwyn", "ford", "rain")


def told(*said: tuple[str, str]) -> tuple[Memory, list[int]]:
    memory = mags.open(None, embedder=HashEmbedder(64), clock=lambda: 1e6)
    turns = [
        memory.observe(text, speaker=speaker, at=60.0 * i) for i, (speaker, text) in enumerate(said)
    ]
    return memory, [turn.episode_id for turn in turns]


def test_of_each_thing_the_newest_comes_first_and_no_more_than_asked_for():
    memory, ids = told(*SAID)
    assert inspect.latest(memory, ["Brukin", "Alwyn"]) == ((ids[1], ids[0]), (ids[3], ids[1]))
    assert inspect.latest(memory, ["Alwyn", "nobody"], most=1) == ((ids[3],), ())


def test_who_said_it_is_not_what_was_said():
    memory, ids = told(*SAID)
    assert ids[2] not in inspect.latest(memory, ["Brukin"], most=10)[0]


def test_all_words_of_a_thing_have_to_be_there():
    memory, ids = told(*SAID)
    assert inspect.latest(memory, ["Alwyn harbour", "Alwyn ford", "the", ""]) == (
        (ids[1],),
        (),
        (),
        (),
    )


def test_what_is_over_or_forgotten_is_not_said_any_more():
    memory, ids = told(("guide", "Nora lives in Lima."), ("guide", "Nora lives in Oslo now."))
    assert inspect.latest(memory, ["Nora"], most=9)[0] == (ids[1],)
    memory.forget(ids[1])
    assert ids[1] not in inspect.latest(memory, ["Nora"], most=9)[0]


def test_an_empty_memory_and_no_things_have_nothing():
    memory, _ = told()
    assert inspect.latest(memory, ["Brukin"]) == ((),)
    assert inspect.latest(memory, []) == ()


@pytest.mark.parametrize("most", [0, -1, True, 1.5])
def test_how_many_is_a_count(most: int):
    memory, _ = told(*SAID)
    with pytest.raises(InvalidInput, match="most"):
        inspect.latest(memory, ["Brukin"], most=most)


def test_one_text_is_no_list_of_things():
    memory, _ = told(*SAID)
    with pytest.raises(InvalidInput, match="things"):
        inspect.latest(memory, "Brukin")


@settings(max_examples=20)
@given(
    st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3), max_size=8),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=2, unique=True),
    st.integers(1, 4),
)
def test_what_is_found_is_what_a_look_at_every_line_finds(
    lines: list[list[str]], thing: list[str], most: int
):
    memory, ids = told(*(("guide", " ".join(line)) for line in lines))
    holding = [id_ for id_, line in zip(ids, lines, strict=True) if set(thing) <= set(line)]
    assert inspect.latest(memory, [" ".join(thing)], most=most) == (tuple(holding[::-1][:most]),)
