"""Turns, memories and dates as a language model is shown them."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from mags.models import rendering
from mags.models.rendering import MARKUP
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
    assert rendering.memory(moved) == "[m42] (Alice, Friday 3 May 2024) I moved. (no longer true)"
    rain = Recalled(id=7, text="Rain.")
    assert rendering.memory(rain) == "[m7] Rain."
    assert rendering.memory(replace(rain, tentative=True)) == "[m7] Rain. (a guess)"


def test_a_turn_is_told_by_who_said_it_and_a_fact_with_all_that_is_to_be_known_of_it():
    turn = ContextItem(id=7, text="I moved to Oslo.", speaker="Alice", at=MAY_3)
    assert rendering.memory_line(turn) == "[m7] Alice: I moved to Oslo."
    assert rendering.memory_line(replace(turn, current=False)).endswith("Oslo. (no longer true)")
    fact = replace(
        turn,
        kind="fact",
        text="Alice works at Hydro.",
        fact=("Alice", "works at", "Hydro"),
        qualifiers=(("with", "Ana"), ("kind", "Hydro")),
        valid_from=MAY_3,
        disputed=True,
    )
    assert rendering.memory_line(fact) == (
        "[m7] Alice works at Hydro. (with: Ana; since Friday 3 May 2024; told by Alice) (disputed)"
    )
    over = replace(fact, qualifiers=(), valid_from=None, valid_to=MAY_3, current=False)
    assert "(told by Alice; no longer true since Friday 3 May 2024)" in rendering.memory_line(over)
    in_may = replace(over, valid_to=MAY_3 - 2 * 86_400.0, qualifiers=(("when", "2024-05"),))
    assert "(told by Alice; no longer true since May 2024)" in rendering.memory_line(in_may)


def test_what_was_just_said_is_of_the_session_or_of_the_last_hour():
    now = Turn(text="Where?", at=MAY_3, session="a")
    same = Turn(text="one", at=MAY_3 - 90_000.0, session="a")
    fresh = Turn(text="two", at=MAY_3 - 600.0, session="b")
    older = Turn(text="three", at=MAY_3 - 4_000.0, session="b")
    assert rendering.just_said(now, [same, older, fresh]) == [same, fresh]
    assert rendering.just_said(replace(now, session=""), [replace(same, session="")]) == []


def test_turns_said_before_stand_below_their_day():
    turns = [Turn(text=text, speaker="Bob", at=MAY_3) for text in ("Hi.", "Well?")]
    assert rendering.said_before(turns) == "(Friday 3 May 2024)\nBob: Hi.\nBob: Well?"
    assert rendering.numbered(turns) == "(Friday 3 May 2024)\n1. Bob: Hi.\n2. Bob: Well?"
    assert rendering.said_before([]) == "(nothing)"


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
