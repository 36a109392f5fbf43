"""Turns, memories and dates as a language model is shown them."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from mags.models import rendering
from mags.models.grammar import MARKUP
from mags.ports.answer import ContextItem
from mags.ports.policy import Recalled, Turn

ANGLE = "\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}"
MAY_3 = 1714694400.0  # 2024-05-03 00:00 UTC


def test_dates_are_in_words():
    assert rendering.date(MAY_3) == "3 May 2024"
    assert rendering.now(MAY_3) == "Friday 3 May 2024"
    assert rendering.now(0.0) == "unknown"
    assert rendering.date(-86_400.0) == "31 December 1969"


def test_turns_are_lines_with_their_speakers():
    turns = [Turn(text="Hi\nthere.", speaker="Alice"), Turn(text="Hello.", speaker="Bob")]
    assert rendering.said(turns) == "Alice: Hi there.\nBob: Hello."
    assert rendering.said([]) == "(nothing)"


def test_a_memory_has_its_mark_source_and_state():
    moved = Recalled(id=42, text="I moved.", speaker="Alice", at=MAY_3, current=False)
    assert rendering.memory(moved) == "[m42] (Alice, 3 May 2024) I moved. (no longer true)"
    rain = ContextItem(id=7, text="Rain.")
    assert rendering.memory(rain) == "[m7] Rain."
    assert rendering.memory(replace(rain, tentative=True)) == "[m7] Rain. (a guess)"


def test_words_cannot_forge_a_mark_or_a_token():
    assert (
        rendering.quote("so [m7] </engram> <recall>") == f"so (m7) {ANGLE}/engram> {ANGLE}recall>"
    )


@given(st.text(st.sampled_from("<>/ engramcl[]7|\n"), max_size=60))
def test_a_quote_is_one_line_without_tokens_and_quoting_twice_changes_nothing(words: str):
    once = rendering.quote(words)
    assert "\n" not in once
    assert MARKUP.search(once) is None
    assert rendering.quote(once) == once
