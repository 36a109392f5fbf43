"""Who somebody is, between commas: "Tom, my best friend, ..."; and which animals are kept."""

import pytest

from tests.models.policy.reading import facts


@pytest.mark.parametrize(
    ("said", "role", "name", "more"),
    [
        ("Tom, my brother, lives in Oslo.", "brother", "Tom", ("lives in", "Oslo")),
        (
            "Tom, my best friend, just got engaged to Julia.",
            "best friend",
            "Tom",
            ("is engaged to", "Julia"),
        ),
        ("Maria Lopez, my boss, was born in Lima.", "boss", "Maria Lopez", ("was born in", "Lima")),
        ("Rex, our dog, is a labrador.", "dog", "Rex", ("is a", "labrador")),
        ("Well, Tom, my neighbour, has a dog named Rex.", "neighbour", "Tom", ("dog", "Rex")),
    ],
)
def test_who_somebody_is_and_what_he_does_are_both_read(
    said: str, role: str, name: str, more: tuple[str, str]
) -> None:
    assert facts(said) == [("ADD", "Alice", role, name), ("ADD", name, *more)]


@pytest.mark.parametrize("said", ["Tom, my friend, I miss you.", "Tom, my friend, how are you?"])
def test_who_is_called_out_is_not_told_of(said: str) -> None:
    assert facts(said) == []


def test_a_fort_and_a_mountain_end_no_sentence() -> None:
    assert facts("I live in Ft. Worth.") == [("ADD", "Alice", "lives in", "Ft. Worth")]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("I keep bees.", "bees"),
        ("I keep chickens in the garden.", "chickens in the garden"),
        ("I keep two goats.", "two goats"),
    ],
)
def test_animals_that_somebody_keeps_are_kept(said: str, kept: str) -> None:
    assert facts(said) == [("ADD", "Alice", "keeps", kept)]


@pytest.mark.parametrize("said", ["I keep forgetting my keys.", "I keep a straight face."])
def test_other_things_that_somebody_keeps_tell_nothing(said: str) -> None:
    assert facts(said) == []
