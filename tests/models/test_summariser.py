"""A theme's name and summary by a chat model."""

import pytest

from mags.errors import ModelReplyError
from mags.models.chat.scripted import ScriptedChat
from mags.models.prompts import load_prompts
from mags.models.summariser import PromptedSummariser

TEXTS = ("I started bouldering.", "Ana lent me her climbing shoes.")


def test_a_theme_is_named_and_summed_up():
    chat = ScriptedChat(["<think>hm</think>\n## Alice's climbing\nAlice took up bouldering.\n"])
    text = PromptedSummariser(chat, load_prompts())(TEXTS)
    assert text == "Alice's climbing: Alice took up bouldering."
    assert chat.asked[0].messages[-1].content == (
        "Memories:\n- I started bouldering.\n- Ana lent me her climbing shoes."
    )


def test_members_beyond_the_budget_are_left_out():
    chat = ScriptedChat(["Name\nA summary."])
    PromptedSummariser(chat, load_prompts(), budget_tokens=8)(TEXTS)
    assert chat.asked[0].messages[-1].content == "Memories:\n- I started bouldering."


@pytest.mark.parametrize(
    "reply", ["One line.", "\nNo name", "Name\n" + "x" * 900, "安娜\n安娜住在"]
)
def test_a_reply_in_another_form_is_refused(reply: str):
    with pytest.raises(ModelReplyError):
        PromptedSummariser(ScriptedChat([reply]), load_prompts())(TEXTS)
