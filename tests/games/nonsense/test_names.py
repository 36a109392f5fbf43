"""Made-up names."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from mags.games.nonsense.bank import BANKS, bank
from mags.games.nonsense.names import LONGEST, SHORTEST, Names, blocked, decent, syllables

seeds = st.integers(0, 10_000)


def test_the_banks_share_no_syllable() -> None:
    assert {bank(name).side for name in BANKS} == {0, 1}
    assert set(syllables(0)) & set(syllables(1)) == set()
    assert min(len(syllables(0)), len(syllables(1))) > 400


@given(seeds, st.sampled_from((0, 1)))
def test_names_are_new_decent_and_of_one_length(seed: int, side: int) -> None:
    names = Names(Random(seed), side=side)
    made = [names.word() for _ in range(60)]
    assert len(set(made)) == 60
    assert all(SHORTEST <= len(word) <= LONGEST and decent(word) for word in made)


@given(seeds)
def test_the_same_seed_makes_the_same_names(seed: int) -> None:
    one, other = (Names(Random(seed), side=0) for _ in range(2))
    assert [one.word() for _ in range(9)] == [other.word() for _ in range(9)]


def test_a_word_that_is_taken_is_no_name() -> None:
    first = Names(Random(4), side=0).word()
    assert Names(Random(4), side=0, taken=frozenset({first})).word() != first


def test_letters_that_offend_are_found_wherever_they_stand() -> None:
    assert len(blocked()) > 50
    assert not decent(f"Xo{blocked()[0]}al")
    assert decent("Moteldra")
