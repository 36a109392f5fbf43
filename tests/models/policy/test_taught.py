"""A policy over models that were taught the compact prompts: read, guarded, counted."""

from collections.abc import Mapping

import pytest

from mags.errors import ModelReplyError
from mags.models.policy.taught import CompactPolicy, compact
from mags.ports.policy import Act, Turn

AT = 1_715_299_200.0
TOLD = Turn(text="I live in Oslo.", speaker="Alice", at=AT)
ASKED = Turn(text="Where does Alice live?", speaker="Alice", at=AT)
REPLIES = {
    "write": "<engram>\nADD | me | lives in | Oslo\n</engram>",
    "ask": "<recall>\nAlice lives in\nentities: Alice\n</recall>",
    "router": "<route> engram </route>",
}


class Says:
    """Replies by role, and keeps the prompts."""

    def __init__(self, replies: Mapping[str, str]) -> None:
        self.replies = replies
        self.prompts: list[str] = []

    def complete(self, prompt: str, role: str) -> str:
        self.prompts.append(prompt)
        return self.replies[role]


def policy(replies: Mapping[str, str] = REPLIES) -> CompactPolicy:
    return CompactPolicy("tiny", dict.fromkeys(replies, Says(replies)))


def test_it_makes_the_three_decisions() -> None:
    says = Says(REPLIES)
    taught = CompactPolicy("tiny", dict.fromkeys(REPLIES, says))
    writing = taught.write(TOLD, [], [])
    (one,) = writing.operations
    assert (one.act, one.subject, one.relation, one.object) == (
        Act.ADD, "Alice", "lives in", "Oslo",
    )  # fmt: skip
    assert one.confidence == 0.7
    assert writing.mentions == ("Alice", "Oslo")
    assert not writing.is_question
    assert taught.ask(ASKED, []).queries == (ASKED.text, "Alice lives in")
    route = taught.route(TOLD, [])
    assert (route.recall, route.write) == (False, True)
    assert says.prompts[0] == compact("write", TOLD)
    assert taught.name == "tiny"
    assert taught.failures.total() == 0


def test_what_it_invents_is_refused_and_counted() -> None:
    taught = policy()
    with pytest.raises(ModelReplyError) as refused:
        taught.write(Turn(text="Nothing much.", speaker="Bob", at=AT), [], [])
    assert refused.value.facts["reply"] == REPLIES["write"]
    assert taught.failures == {"write": 1}


def test_a_role_without_a_model_is_refused() -> None:
    with pytest.raises(ModelReplyError, match="no model for ask"):
        policy({"write": REPLIES["write"]}).ask(ASKED, [])
