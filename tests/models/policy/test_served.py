"""A trained model behind an endpoint: compact prompts, and the guardrails of any policy."""

import pytest

from mags.errors import ModelReplyError
from mags.models.chat.scripted import ScriptedChat
from mags.models.policy.taught import served_policy
from mags.ports.policy import Turn

GERMAN = "<engram>\nNOTE | Ana und ihre Schwester sind mit dem Hund auf der Insel\n</engram>"
TURN = Turn(text="Ana und ihre Schwester sind mit dem Hund auf der Insel.", speaker="Ana", at=0.0)


def test_what_is_written_is_in_the_language_of_the_memory():
    written = served_policy(ScriptedChat([GERMAN]), language="de").write(TURN, (), ())
    assert len(written.operations) == 1
    refused = served_policy(ScriptedChat([GERMAN]))
    with pytest.raises(ModelReplyError, match="reads as 'de'"):
        refused.write(TURN, (), ())
    assert refused.failures == {"write": 1}
