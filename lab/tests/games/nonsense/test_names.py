"""Made-up names."""

from itertools import combinations
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from mags_lab.games.nonsense.bank import bank
from mags_lab.games.nonsense.world import LONGEST, SHORTEST, NameMaker, blocked, decent, syllables
from mags_lab.games.sentences import BANKS

seeds = st.integers(0, 10_000)


def test_the_banks_share_no_syllable() -> None:
    assert {bank(name).side for name in BANKS} == {0, 1, 2}
    for one, other in combinations((0, 1, 2), 2):
        assert set(syllables(one)) & set(syllables(other)) == set()
    assert min(len(syllables(side)) for side in (0, 1, 2)) > 400


@given(seeds, st.sampled_from((0, 1, 2)))
def test_names_are_new_decent_and_of_one_length(seed: int, side: int) -> None:
    names = NameMaker(Random(seed), side=side)
    made = [names.word() for _ in range(60)]
    assert len(set(made)) == 60
    assert all(SHORTEST <= len(word) <= LONGEST and decent(word) for word in made)


@given(seeds)
def test_the_same_seed_makes_the_same_names(seed: int) -> None:
    one, other = (NameMaker(Random(seed), side=0) for _ in range(2))
    assert [one.word() for _ in range(9)] == [other.word() for _ in range(9)]


def test_a_word_that_is_taken_is_no_name() -> None:
    first = NameMaker(Random(4), side=0).word()
    assert NameMaker(Random(4), side=0, taken=frozenset({first})).word() != first


def test_letters_that_offend_are_found_wherever_they_stand() -> None:
    assert len(blocked()) > 50
    assert not decent(f"Xo{blocked()[0]}al")
    assert decent("Moteldra")
