"""Odd turns, odd arguments: kept word for word or refused in words."""

from collections.abc import Callable

import pytest

import mags
from mags.memory.memory import Memory
from mags.recall.settings import RecallSettings

ODD = (
    "I \N{BLUE HEART} my dog \N{DOG FACE} Rex!",
    "Ich wohne seit drei Jahren in M\u00fcnchen und arbeite bei Siemens.",
    "\u6211\u4f4f\u5728\u5317\u4eac\uff0c\u6211\u6709\u4e00\u53ea\u732b\u53eb\u5c0f\u82b1\u3002",
    "def f(x):\n    return {\"a\": [1, 2], 'b': None}",
    '<script>alert(1)</script><b>Bob</b> lives in <i>Rome</i> &amp; "Paris"',
    "Robert'); DROP TABLE nodes;-- OR 1=1",
    "\x1b[31mred\x07\x08",
)


@pytest.mark.parametrize("text", ODD)
def test_an_odd_turn_is_kept_word_for_word(opened: Callable[..., Memory], text: str) -> None:
    memory = opened()
    seen = memory.observe(text, speaker="O'Neil")
    assert memory.get(seen.episode_id).text == text
    assert seen.episode_id in memory.recall(text)[0].episode_ids
    memory.ask(text)


def test_a_word_without_end_is_kept_and_the_memory_answers(opened: Callable[..., Memory]) -> None:
    memory = opened()
    memory.observe("I live in Oslo.", speaker="Ana")
    seen = memory.observe("x" * 200_000, speaker="Ana")
    assert len(memory.get(seen.episode_id).text) == 200_000
    assert memory.ask("Where does Ana live?").text.startswith("Oslo")


@pytest.mark.parametrize(
    "again", ["Alice's ", "Bob said that ", "the dog of ", "A ", "(", "!", "\u0301"]
)
def test_what_never_comes_to_an_end_is_kept_and_read(
    opened: Callable[..., Memory], again: str
) -> None:
    memory = opened()
    memory.observe("I live in Oslo.", speaker="Ana")
    text = f"{again * (8_000 // len(again))}. I have a dog named Rex."
    seen = memory.observe(text, speaker="Ana")
    memory.ask(text)
    assert memory.get(seen.episode_id).text == text
    assert memory.ask("Where does Ana live?").text.startswith("Oslo")


def test_settings_that_are_none_are_refused_in_words() -> None:
    with pytest.raises(mags.ConfigurationError, match=r"not a dict: build one"):
        mags.open(None, settings={"memory": {"window": 3}})


def test_feedback_on_what_is_no_trace_is_refused_in_words(opened: Callable[..., Memory]) -> None:
    with pytest.raises(mags.InvalidInput, match=r"takes a trace, as reply\.trace"):
        opened().feedback("the last one", reward=1.0)


@pytest.mark.parametrize("given", [{"window": 0}, {"batch": -1}, {"reminded": float("nan")}])
def test_a_number_that_nothing_can_be_done_with_is_no_setting(given: dict[str, int]) -> None:
    with pytest.raises(mags.ConfigurationError, match="must be a whole number"):
        mags.MemorySettings(**given)


@pytest.mark.parametrize(
    "given",
    [{"candidates": -1}, {"max_nodes": 0}, {"alpha": 0.0}, {"eps": float("nan")}, {"hops": 1.5}],
)
def test_a_number_that_no_recall_can_use_is_no_setting(given: dict[str, float]) -> None:
    with pytest.raises(mags.ConfigurationError, match=rf"\[recall\] {next(iter(given))} must be"):
        RecallSettings(**given)  # type: ignore[arg-type]
