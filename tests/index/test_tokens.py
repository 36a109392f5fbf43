"""Words of every script: by Unicode's rules where spaces part them, in pieces where none do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mags
from mags.index.tokens import QUESTION_MARKS, UNKNOWN, asks, fold, foreign, language, words
from mags.memory.memory import Memory


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I don't like 3 cats.", ["i", "don't", "like", "3", "cats"]),
        ("Café Zoë\u2019s", ["cafe", "zoe's"]),
        ("मेरी बिल्ली सोती है।", ["मेरी", "बिल्ली", "सोती", "है"]),
        ("Мой пёс", ["мой", "пес"]),
        ("كَلْبِي", ["كلبي"]),
        ("养猫3只 ok", ["养", "养猫", "猫", "3", "只", "ok"]),
        ("がか", ["がか"]),
        ("한국어", ["한국", "국어"]),
        ("แมวกิน", ["แมว", "มวก", "วกิ", "กิน"]),
    ],
)
def test_words_are_runs_of_letters_with_their_signs(text: str, found: list[str]):
    assert words(text)[: len(found)] == [fold(one) for one in found]


@given(st.text(max_size=40))
def test_words_of_a_folded_text_are_those_of_the_text(text: str):
    assert words(fold(text)) == words(text)


@given(st.text(alphabet="我你猫狗住哪里的了", min_size=2, max_size=12), st.integers(0, 10))
def test_a_part_of_a_text_without_spaces_shares_its_pieces(text: str, start: int):
    part = text[start % (len(text) - 1) :][:4]
    assert set(words(part)) <= set(words(text))


@pytest.mark.parametrize("mark", sorted(QUESTION_MARKS))
def test_a_question_mark_of_any_script_asks(mark: str):
    assert asks(f"word{mark} ")
    assert asks(f"word{mark}")


def test_a_script_without_stop_words_here_is_no_english():
    assert language("我的猫叫豆包。今年三岁了。") == UNKNOWN
    assert language("Моя собака спит дома.") == UNKNOWN


def test_words_in_other_scripts_have_the_stems_of_their_script():
    assert set(foreign("собаками")) & set(foreign("собака"))
    assert foreign("我的猫") == []


def test_a_lexicon_of_older_rules_is_made_anew_when_the_memory_is_opened(tmp_path):
    path = tmp_path / "old.mags"
    with mags.open(path) as memory:
        memory.observe("我的猫叫豆包。今年三岁了。", speaker="Ana")
        memory.observe("The train was late again.", speaker="Ana")
        _age(memory)
    with mags.open(path) as memory:
        state = memory._live.state
        assert len(state.lexicon.holding("豆包")) >= 1
        assert state.lexicon.rules == state.lexicon.packed(state.graph.where())["rules"][0]
        assert state.lexicon._total == pytest.approx(float(state.lexicon.length.sum()))


def _age(memory: Memory) -> None:
    """Leave a checkpoint as an older version would have: a clause is one word."""
    live = memory._live
    state = live.state
    rows = np.flatnonzero(state.lexicon.length[: state.lexicon.size])
    state.lexicon.drop(rows)
    state.lexicon.add(rows.tolist(), ["x"] * len(rows))
    state.lexicon.rules = 1
    live.checkpoint()
