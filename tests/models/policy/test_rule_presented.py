"""Who somebody is, between commas: "Tom, my best friend, ..."; and which animals are kept."""

import pytest

from tests.models.policy.reading import facts


@pytest.mark.parametrize("said", ["Tom, my friend, I miss you.", "Tom, my friend, how are you?"])
def test_who_is_called_out_is_not_told_of(said: str) -> None:
    assert facts(said) == []


def test_a_fort_and_a_mountain_end_no_sentence() -> None:
    assert facts("I live in Ft. Worth.") == [("ADD", "Alice", "lives in", "Ft. Worth")]


@pytest.mark.parametrize("said", ["I keep forgetting my keys.", "I keep a straight face."])
def test_other_things_that_somebody_keeps_tell_nothing(said: str) -> None:
    assert facts(said) == []
