from dataclasses import replace

import numpy as np
import pytest

from mags.models.embed.onnx import TokenStates
from mags.models.policy.reader.network import (
    ADDRESSEE,
    MARKS,
    MOST,
    PART,
    SPEAKER,
    SPECIAL,
    Layout,
    ended_layout,
    laid_out,
    marks,
    parts,
    passage,
    rows,
)
from mags.models.policy.reader.reading import led_to, said_relation, told_at, with_titles
from mags.models.policy.rules.when import times
from mags.ports.policy import Turn

TURN = Turn(text="I'm in Oslo.", speaker="Ana")
BEFORE = (Turn(text="Hm.", speaker="Eve"), Turn(text="Where are you?", speaker="Bob"))


def test_the_last_turns_stand_before_this_one_without_names_of_speakers():
    layout = laid_out(
        TURN, (Turn(text="Old.", speaker="Bob"), Turn(text="So.", speaker="Ana"), *BEFORE)
    )
    assert layout.text == "I: So.\nyou: Hm.\nyou: Where are you?\nI: I'm in Oslo."
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


def test_a_long_turn_is_read_in_parts_of_whole_sentences_and_none_is_lost():
    said = " ".join(f"Number {n} is a sentence of eight words here." for n in range(40))
    found = parts(Turn(text=said, speaker="Ana"), BEFORE)
    assert len(found) > 3
    read = [one.text[one.offset :] for one in found]
    assert " ".join(read) == said
    assert all(sum(word.turn for word in one.words) <= PART for one in found)
    assert found[0].text.startswith("you: Hm.")
    assert found[1].text[: found[1].offset].count("I: ") == 2


def test_of_a_document_nothing_is_read():
    assert parts(Turn(text="word " * (MOST + 1), speaker="Ana")) == []


def test_what_is_held_stands_in_the_line_before_the_turn():
    found = ended_layout(TURN, BEFORE, "I live in Rome")
    assert found.text == "you: Where are you?\nyou: I live in Rome\nI: I'm in Oslo."


def test_remembered_turns_stand_after_the_question_in_the_order_they_were_said():
    asked = Turn(text="Where is Ana?", speaker="Bob")
    later, first = replace(TURN, at=2.0), Turn(text="She left.", speaker="Cy Dee", at=1.0)
    found, lines = passage(asked, [later, first])
    assert found.text == "you: Bob: Where is Ana?\nCy Dee: She left.\nAna: I'm in Oslo."
    for said, line in zip((later, first), lines, strict=True):
        words = [found.words[row - SPECIAL] for row in range(line.first, line.end)]
        own = [said.text[one.start - line.shift : one.end - line.shift] for one in words]
        assert own == [one.text for one in words]
        assert found.words[line.opens - SPECIAL].text == said.speaker.split()[0]


@pytest.mark.parametrize(
    ("text", "object", "relation"),
    [
        ("We were offered 285,000, and accepted.", "285,000", "was offered"),
        ("I finished Big Sur in 2:09:41 on Sunday.", "2:09:41", "finished Big Sur in"),
        ("I have $22,000 left on my loan.", "22,000", "has"),
        ("Yesterday I kept the parish records.", "parish records", "kept"),
        ("I'm pescatarian now.", "pescatarian", "is"),
        ("First time since I was thirty.", "thirty", ""),
        ("It took me two months.", "two months", ""),
        ("She has a Fiat.", "Fiat", ""),
        ("I could buy a boat.", "boat", ""),
        ("I don't eat fish.", "fish", ""),
        ("A cow. Eleven guppies.", "guppies", ""),
    ],
)
def test_a_relation_is_said_by_the_words_from_the_verb_of_a_plain_statement(
    text: str, object: str, relation: str
):
    assert said_relation(led_to(*_spanned(text, object)), own=True) == relation


@pytest.mark.parametrize(
    ("text", "object", "told"),
    [
        ("I found a vintage 1980s bottle.", "vintage 1980s bottle", ""),
        ("I found a bottle from the early 1990s.", "bottle", ""),
        ("I found a bottle in 1991.", "bottle", "in 1991"),
        ("I have an annual check on 20 January 2025.", "annual check", "on 20 January 2025"),
    ],
)
def test_the_year_that_a_thing_is_of_is_not_when_it_was_found(text: str, object: str, told: str):
    found = told_at(*_spanned(text, object), times(text, 1_740_000_000.0))
    assert (found.text if found else "") == told


@pytest.mark.parametrize(
    ("text", "object", "whole"),
    [
        ('I listen to "The Daily" from The New York Times.', '"The Daily', "The Daily"),
        ('I read "The Hate U Give" by Angie.', "Hate U", "The Hate U Give"),
        ('I like her novel, "The Lost City".', 'novel, "The Lost', 'novel, "The Lost City"'),
        ('I saw "Alien" and "Heat" then.', '"Alien" and "Heat', '"Alien" and "Heat"'),
        ('She said "I live in Rome now".', "Rome", "Rome"),
    ],
)
def test_an_object_has_the_whole_of_a_title(text: str, object: str, whole: str):
    assert with_titles(*_spanned(text, object)) == whole


def _spanned(text: str, object: str) -> tuple[Layout, tuple[int, int]]:
    """A turn as it is laid out, and the first and last row of an object in it."""
    (layout,) = parts(Turn(text=text, speaker="Ana"))
    start = text.index(object) + layout.offset
    rows = [
        row
        for row, word in enumerate(layout.words, start=SPECIAL)
        if start <= word.start < start + len(object)
    ]
    return layout, (rows[0], rows[-1])
