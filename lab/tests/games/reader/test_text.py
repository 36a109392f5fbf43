"""Lines taken apart: days, speakers, words."""

from datetime import date

import pytest

from mags_lab.games.reader.layout import DATE, LONGEST, pieces


def words(text, near=None):
    return [token.word for piece in pieces(text, near) for token in piece.tokens]


def day(*ymd):
    return date(*ymd).toordinal()


def test_a_line_bears_a_day_and_a_speaker_in_front():
    (piece,) = pieces("[2031-04-05] Old Zed: The mill is red.")
    assert piece.day == day(2031, 4, 5)
    assert [t.word for t in piece.tokens if t.said] == ["old", "zed"]
    assert [t.word for t in piece.tokens if not t.said] == [":", "the", "mill", "is", "red", "."]


def test_a_line_may_be_plain_text():
    (piece,) = pieces("The mill is red")
    assert piece.day is None
    assert [t.word for t in piece.tokens] == ["the", "mill", "is", "red"]
    assert not any(t.said for t in piece.tokens)


@pytest.mark.parametrize(
    "said",
    ["until 5 May 2031", "until May 5, 2031", "until 2031-05-05", "until the 5th of May 2031"],
)
def test_a_day_in_a_text_is_one_word(said):
    (piece,) = pieces(said)
    assert [t.word for t in piece.tokens] == ["until", DATE]
    assert list(piece.days) == [day(2031, 5, 5)]


def test_a_day_without_a_year_is_the_nearest():
    (piece,) = pieces("[2031-12-28] until 3 January")
    assert list(piece.days) == [day(2032, 1, 3)]


def test_days_may_be_counted():
    (piece,) = pieces("[day 12] until day 20")
    assert piece.day == 12
    assert list(piece.days) == [20]


def test_a_span_ends_on_a_day():
    (piece,) = pieces("[2031-04-05] For three weeks the mill is closed")
    assert list(piece.days) == [day(2031, 4, 26)]
    assert words("For three weeks the mill is closed")[:3] == ["for", "three", "weeks"]


def test_forms_of_a_word_have_one_term():
    terms = {
        t.term for text in ("grells", "the Grell's", "a grell") for t in pieces(text)[0].tokens
    }
    assert terms == {"grell", ""}


def test_a_long_line_is_cut_at_the_end_of_a_sentence():
    cut = pieces("One two three four five. " * 20)
    assert len(cut) == 4
    assert all(len(piece.tokens) <= LONGEST and piece.tokens[-1].word == "." for piece in cut)


def test_nothing_is_one_empty_piece():
    assert [piece.tokens for piece in pieces("")] == [()]
