"""Names of entities."""

from mags.index.state import Names
from mags.index.tokens import fold_name


def test_a_word_is_counted_in_the_names_of_several_words_that_hold_it():
    names = Names()
    names.add(1, ["House Orn", "the House Orn"])
    names.add(2, ["House Vell"])
    names.add(3, ["Orn"])
    assert (names.within("house"), names.within("orn"), names.within("vell")) == (2, 1, 1)
    names.drop({1})
    assert (names.within("house"), names.within("orn")) == (1, 0)
    assert names.find("Orn") == [3]


def test_a_relative_goes_by_one_name_whatever_the_word_at_home():
    names = Names()
    names.add(1, ["Ana's mother"])
    assert names.find("Ana's mum") == names.find("ana's Mommy") == [1]
    assert names.find("Ana's father") == names.find("Ben's mum") == []
    assert (fold_name("Mum"), fold_name("the dad"), fold_name("Ana's mum's car")) == (
        "mum",
        "dad",
        "ana's mum's car",
    )


def test_a_first_name_names_who_alone_has_it_and_nobody_once_two_do():
    names = Names()
    names.add(1, ["Anna Kowalska"])
    names.add(2, ["coffee shop"])
    assert names.scan("Where does Anna live?") == [1]
    assert names.scan("Where is the Coffee?") == []
    assert names.find("Anna") == []
    names.add(3, ["Anna Berg"])
    assert names.scan("Where does Anna live?") == []
    names.drop({3})
    assert names.scan("Where does Anna live?") == [1]
