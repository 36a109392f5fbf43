"""The halves settings are fitted on and reported on."""

from mags_lab.evaluation.protocol import split


def test_an_id_is_always_in_the_same_half():
    assert [split(f"q{n}") for n in range(6)] == ["dev", "test", "dev", "dev", "test", "dev"]


def test_the_halves_are_about_even():
    dev = sum(split(f"question-{n}") == "dev" for n in range(2000))
    assert 900 < dev < 1100
