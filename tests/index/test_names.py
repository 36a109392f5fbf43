"""Names of entities."""

from mags.index.names import Names


def test_a_word_is_counted_in_the_names_of_several_words_that_hold_it():
    names = Names()
    names.add(1, ["House Orn", "the House Orn"])
    names.add(2, ["House Vell"])
    names.add(3, ["Orn"])
    assert (names.within("house"), names.within("orn"), names.within("vell")) == (2, 1, 1)
    names.drop({1})
    assert (names.within("house"), names.within("orn")) == (1, 0)
    assert names.find("Orn") == [3]
