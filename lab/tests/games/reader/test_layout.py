"""What ties a question, lines and actions together."""

import numpy as np

from mags_lab.games.reader.layout import LINE, in_order, laid_out
from mags_lab.games.reader.words import shipped_vectors

LINES = ("[2031-05-02] Zed: Brunna keeps the mill.", "[2031-04-05] Ada keeps the mill.")
ACTIONS = ("Ask Ada", "Ask Brunna")


def layout(lines=LINES, question="Who keeps the mill?", actions=ACTIONS):
    return laid_out(lines, question, actions, shipped_vectors())[0]


def tied(made):
    word = [made.words[place] for place in made.ids]
    pairs = zip(made.left, made.right, made.like, strict=True)
    return {(word[a], int(made.piece[a]), int(made.piece[b])) for a, b, like in pairs if like == 1}


def test_lines_are_put_in_order_of_their_days():
    assert [piece.line for piece in in_order(LINES)] == [1, 0]
    assert layout().line.tolist() == [-1, 1, 0, -1, -1]


def test_lines_without_days_stay_as_they_are():
    assert [piece.line for piece in in_order(("b", "a", "c"))] == [0, 1, 2]


def test_equal_words_are_tied_across_pieces_and_stop_words_are_not():
    found = tied(layout())
    assert ("mill", 0, 1) in found
    assert ("brunna", 2, 4) in found
    assert ("ada", 1, 3) in found
    assert not any(word == "the" for word, _, _ in found)
    assert not any(a == b for _, a, b in found)


def test_a_small_word_ties_where_actions_differ_by_it():
    made = layout(("Go up.",), "Where to?", ("Go up", "Go down"))
    assert ("up", 1, 2) in tied(made)


def test_each_token_is_tied_to_itself_so_that_sums_by_token_leave_none_out():
    made = layout()
    assert np.array_equal(np.unique(made.left), np.arange(len(made.ids)))
    assert np.all(np.diff(made.left) >= 0)


def test_the_newest_line_says_what_day_it_is():
    made = layout(("[2031-05-02] Until 1 May 2031 Ada keeps the mill.", "[2031-05-03] Rain."))
    first = made.features[made.starts[made.kind == LINE][0]]
    dated = made.features[[made.words[i] == "date" for i in made.ids]]
    assert first[18] > 0
    assert dated[0, 14] == 1
    assert dated[0, 15] == 0
