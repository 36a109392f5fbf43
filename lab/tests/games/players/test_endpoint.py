"""An endpoint as the reader: strict about replies, one more try, the prompt in a file."""

from pathlib import Path

import pytest

from lab.tests.games.players.tiny import Towns
from mags.errors import ConfigurationError, ModelReplyError
from mags.models.chat.scripted import ScriptedChat
from mags_lab.games.matches import play
from mags_lab.games.players.baselines import WindowPlayer
from mags_lab.games.players.endpoint import SCHEMA, EndpointReader, act_prompt, choice_of, numbered
from mags_lab.games.turns import Choice

ACTIONS = ("the red pier", "the old pier")
GOOD = '{"action": 2, "cited": [3, 1, 3], "sure": 0.5}'


def test_a_reply_becomes_a_choice():
    chosen = Choice(action="the old pier", sure=0.5, cited=(2, 0))
    assert choice_of(GOOD, 3, ACTIONS) == chosen


@pytest.mark.parametrize(
    "said",
    [
        "the old pier",
        "[2]",
        '{"action": 2}',
        '{"action": 3, "cited": [], "sure": 1}',
        '{"action": 0, "cited": [], "sure": 1}',
        '{"action": true, "cited": [], "sure": 1}',
        '{"action": 1, "cited": [4], "sure": 1}',
        '{"action": 1, "cited": "1", "sure": 1}',
        '{"action": 1, "cited": [], "sure": 2}',
        '{"action": 1, "cited": [], "sure": true}',
    ],
)
def test_what_is_not_in_the_agreed_form_is_refused(said: str):
    with pytest.raises(ValueError):  # noqa: PT011 - JSON's own failures are among them
        choice_of(said, 3, ACTIONS)


def test_a_bad_reply_is_asked_for_once_more():
    chat = ScriptedChat(["hm", GOOD])
    chosen = EndpointReader(chat).choose(("a", "b", "c"), "Where from?", ACTIONS)
    assert chosen.action == "the old pier"
    assert len(chat.asked) == 2
    assert chat.asked[0].schema == SCHEMA
    assert chat.asked[0].messages[-1].content.endswith("1. the red pier\n2. the old pier")
    assert "1. a\n2. b\n3. c" in chat.asked[0].messages[-1].content


def test_two_bad_replies_are_an_error_that_says_why():
    with pytest.raises(ModelReplyError, match="did not name an action"):
        EndpointReader(ScriptedChat(["hm", "hm"])).choose((), "Where from?", ACTIONS)


def test_the_prompt_can_be_replaced(tmp_path: Path):
    own = tmp_path / "act.md"
    own.write_text(
        "---\nversion: 1\n---\n## system\nPlay.\n## user\n{{lines}} {{question}} {{actions}}\n"
    )
    chat = ScriptedChat([GOOD])
    EndpointReader(chat, prompt=own).choose(("a", "b", "c"), "Where from?", ACTIONS)
    assert chat.asked[0].messages[0].content == "Play."
    own.write_text("Play.")
    with pytest.raises(ConfigurationError, match="must begin with"):
        act_prompt(own)


def test_no_lines_are_said_to_be_none():
    assert numbered(()) == "(none)"


def test_a_game_is_played_over_an_endpoint():
    replies = ['{"action": 1, "cited": [1], "sure": 1}'] * 3
    turns = play(Towns(), WindowPlayer(EndpointReader(ScriptedChat(replies))), seed=1, turns=3)
    assert [turn.cited for turn in turns] == [(0,), (0,), (0,)]
