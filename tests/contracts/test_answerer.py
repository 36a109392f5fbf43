"""What every Answerer keeps to: quoting, a model in both modes, one behind the other."""

import re
from collections.abc import Sequence

import pytest

from mags.errors import ModelUnavailable
from mags.models.answer.extractive import ExtractiveAnswerer
from mags.models.answer.llm import FallbackAnswerer, LlmAnswerer
from mags.models.chat.scripted import ScriptedChat
from mags.models.prompts import load_prompts
from mags.ports.answer import Answer, Answerer, ContextItem
from mags.ports.chat import Message
from mags.ports.policy import Turn

MAY_3 = 1714694400.0  # 2024-05-03 00:00 UTC
QUESTION = Turn(text="Where does Alice live?", speaker="Bob", at=MAY_3)
NOTHING_KNOWN = Turn(text="What is the capital of Peru?", speaker="Bob", at=MAY_3)
OSLO = ContextItem(
    id=42,
    text="I moved to Oslo in May.",
    at=MAY_3,
    speaker="Alice",
    score=9.0,
    fact=("Alice", "lives in", "Oslo"),
)
TEA = ContextItem(id=7, text="Ben likes tea.", at=MAY_3, fact=("Ben", "likes", "tea"))
ITEMS = (OSLO, TEA)


def model(messages: Sequence[Message]) -> str:
    """A model that looks once more, hides what it thinks and cites one memory it never saw."""
    if "Peru" in messages[-1].content:
        return "I don't know."
    if "Alice's home" not in "".join(message.content for message in messages):
        return "<recall>\nAlice's home\n</recall>"
    return "<think>m42 says it.</think>Alice lives in Oslo. [m42] [m99]"


def chat(*, tools: bool = False) -> ScriptedChat:
    return ScriptedChat([model] * 20, takes_tools=tools)


def gone() -> LlmAnswerer:
    return LlmAnswerer(ScriptedChat([ModelUnavailable("gone")] * 20), load_prompts())


MAKERS = {
    "extractive": ExtractiveAnswerer,
    "chat": lambda: LlmAnswerer(chat(), load_prompts()),
    "chat with tools": lambda: LlmAnswerer(chat(tools=True), load_prompts()),
    "manager": lambda: LlmAnswerer(chat(), load_prompts(), manager=True),
    "fallback, first there": lambda: FallbackAnswerer(
        LlmAnswerer(chat(), load_prompts()), ExtractiveAnswerer()
    ),
    "fallback, first gone": lambda: FallbackAnswerer(gone(), ExtractiveAnswerer()),
}


@pytest.fixture(params=list(MAKERS))
def answerer(request: pytest.FixtureRequest) -> Answerer:
    return MAKERS[request.param]()


def answered(
    answerer: Answerer, question: Turn = QUESTION, items: Sequence[ContextItem] = ITEMS
) -> Answer:
    return answerer.answer(question, items, recent=(), recall_again=lambda _: ITEMS)


def test_it_has_a_name_to_show(answerer: Answerer):
    assert answerer.name


def test_an_answer_cites_what_it_was_shown_and_nothing_else(answerer: Answerer):
    answer = answered(answerer)
    assert "Oslo" in answer.text
    assert answer.citations == (42,)
    assert re.findall(r"\[m(\d+)\]", answer.text) == ["42"]


def test_support_is_a_share_and_strong_where_a_memory_says_it(answerer: Answerer):
    assert 0.9 <= answered(answerer).support <= 1.0


def test_without_a_memory_that_says_it_nothing_is_cited(answerer: Answerer):
    for items in ((), (TEA,)):
        answer = answered(answerer, NOTHING_KNOWN, items)
        assert (answer.text, answer.citations, answer.links) == ("I don't know.", (), ())


def test_links_are_ordered_pairs_of_what_was_shown(answerer: Answerer):
    both = (OSLO, ContextItem(id=3, text="Bergen", fact=("Alice", "lives in", "Bergen"), score=9.0))
    answer = answered(answerer, items=both)
    assert all(low < high and {low, high} <= {3, 7, 42} for low, high in answer.links)


def test_what_is_streamed_are_the_words_of_the_answer_and_no_token(answerer: Answerer):
    pieces: list[str] = []
    answer = answerer.answer(
        QUESTION, ITEMS, recent=(), recall_again=lambda _: ITEMS, on_text=pieces.append
    )
    streamed = "".join(pieces)
    assert "<" not in streamed
    assert "says it" not in streamed
    assert streamed.replace(" [m99]", "").strip() == answer.text


def test_the_same_question_has_the_same_answer_twice(answerer: Answerer):
    first, second = answered(answerer), answered(answerer)
    assert (first.text, first.citations, first.support) == (
        second.text,
        second.citations,
        second.support,
    )


def test_the_model_that_is_gone_is_named_where_another_answered():
    answer = answered(FallbackAnswerer(gone(), ExtractiveAnswerer()))
    assert (answer.fallback, answer.by) == ("gone Answered by extractive instead.", "extractive")
