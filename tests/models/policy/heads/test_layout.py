import numpy as np

from mags.models.embed.onnx import TokenStates
from mags.models.policy.heads.layout import (
    ADDRESSEE,
    MARKS,
    SPEAKER,
    SPECIAL,
    laid_out,
    marks,
    rows,
    shown,
)
from mags.ports.policy import Turn

TURN = Turn(text="I'm in Oslo.", speaker="Ana")
BEFORE = (Turn(text="Hm.", speaker="Eve"), Turn(text="Where are you?", speaker="Bob"))


def test_the_last_two_turns_stand_before_this_one_without_names_of_speakers():
    layout = laid_out(TURN, (Turn(text="Old.", speaker="Bob"), *BEFORE))
    assert layout.text == "you: Hm.\nyou: Where are you?\nI: I'm in Oslo."
    assert layout.text[layout.offset :] == TURN.text
    assert (layout.speaker, layout.addressee) == ("Ana", "Bob")


def test_words_know_their_line_and_whether_they_open_a_sentence():
    layout = laid_out(TURN, (Turn(text="Yes. I do", speaker="Ana"),))
    told = [(word.text, word.turn, word.own, word.opens) for word in layout.words[:5]]
    assert told == [
        ("Yes", False, True, True),
        (".", False, True, False),
        ("I", False, True, True),
        ("do", False, True, False),
        ("I", True, True, True),
    ]
    assert all(layout.text[word.start : word.end] == word.text for word in layout.words)


def test_a_span_of_rows_is_as_it_was_written():
    layout = laid_out(Turn(text="She's at Lor & Sons, right?", speaker="Ana"))
    words = [word.text for word in layout.words]
    first, last = words.index("Lor") + SPECIAL, words.index("Sons") + SPECIAL
    assert layout.span(first, last) == "Lor & Sons"


def test_a_row_is_the_mean_of_its_pieces_and_the_first_two_are_the_first_token():
    layout = laid_out(Turn(text="ab c", speaker="Ana"))
    assert layout.text == "I: ab c"
    spans = np.array([(0, 0), (0, 1), (1, 2), (3, 4), (4, 5), (6, 7), (0, 0)])
    states = np.array([[9.0], [7.0], [7.0], [1.0], [3.0], [5.0], [8.0]], dtype=np.float32)
    found = rows(layout, TokenStates(states=states, spans=spans, whole=True))
    assert found[:, 0].tolist() == [9.0, 9.0, 2.0, 5.0]


def test_words_outside_of_the_window_are_not_shown():
    layout = laid_out(Turn(text="ab c", speaker="Ana"))
    spans = np.array([(0, 0), (0, 1), (1, 2), (3, 5), (0, 0)])
    seen = TokenStates(states=np.zeros((5, 1), dtype=np.float32), spans=spans, whole=False)
    assert [word.text for word in shown(layout, seen).words] == ["ab"]


def test_marks_show_capitals_and_who_is_named():
    layout = laid_out(Turn(text="my Bob, ANA 7", speaker="Ana"), BEFORE)
    found = marks(layout)
    assert found.shape == (layout.rows, MARKS)
    assert found[SPEAKER, :3].tolist() == [1, 0, 0]
    assert found[ADDRESSEE, :3].tolist() == [0, 1, 1]
    by_word = {word.text: found[row] for row, word in enumerate(layout.words, SPECIAL)}
    assert by_word["Bob"][7:9].tolist() == [1, 1]
    assert by_word["Bob"][15] == 1  # after "my"
    assert by_word["Bob"][14] == 1  # who was spoken to
    assert by_word["ANA"][13] == 1  # who speaks
    assert by_word["ANA"][9] == 1
    assert by_word["7"][11] == 1
    assert by_word[","][12] == 1
