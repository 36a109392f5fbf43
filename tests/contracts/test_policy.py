"""What every Policy keeps to: rules, a prompted model, and one behind the other."""

from collections.abc import Sequence

import pytest

from mags.errors import ModelUnavailable
from mags.models.chat.scripted import ScriptedChat
from mags.models.policy.fallback import FallbackPolicy
from mags.models.policy.prompted import PromptedPolicy
from mags.models.policy.rules import RulePolicy
from mags.models.prompts import load_prompts
from mags.ports.chat import Message
from mags.ports.policy import Act, Policy, Recalled, Turn

MAY_3 = 1714694400.0  # 2024-05-03 00:00 UTC
STATEMENT = Turn(text="I live in Oslo.", speaker="Alice", at=MAY_3, session="s1")
CHANGE = Turn(text="I moved to Bergen.", speaker="Alice", at=MAY_3, session="s2")
QUESTION = Turn(text="Where does Alice live?", speaker="Bob", at=MAY_3)
THANKS = Turn(text="Thanks!", speaker="Bob", at=MAY_3)
TURNS = (STATEMENT, CHANGE, QUESTION, THANKS)

REPLIES = {
    ("plan", QUESTION.text): "<recall>Alice lives in\nentities: Alice\nkind: place</recall>",
    ("keep", STATEMENT.text): "<engram>ADD | Alice | lives in | Oslo</engram>",
    ("keep", CHANGE.text): "<engram>UPDATE | Alice | lives in | Bergen</engram>",
    ("keep", QUESTION.text): "<engram>none</engram>",
    ("keep", THANKS.text): "<engram>none</engram>",
    ("decide", STATEMENT.text): "<route>engram</route>",
    ("decide", CHANGE.text): "<route>engram</route>",
    ("decide", QUESTION.text): "<route>recall</route>",
    ("decide", THANKS.text): "<route>neither</route>",
}


def clerk(messages: Sequence[Message]) -> str:
    """A model that knows these turns: the second word of its prompt is its role."""
    role = messages[0].content.split()[1]
    return next(
        reply
        for (known, text), reply in REPLIES.items()
        if known == role and messages[-1].content.endswith(text)
    )


def prompted() -> Policy:
    return PromptedPolicy(ScriptedChat([clerk] * 20), load_prompts())


def broken() -> Policy:
    return PromptedPolicy(ScriptedChat([ModelUnavailable("gone")] * 20), load_prompts())


MAKERS = {
    "rules": RulePolicy,
    "prompted": prompted,
    "fallback, first there": lambda: FallbackPolicy(prompted(), RulePolicy()),
    "fallback, first gone": lambda: FallbackPolicy(broken(), RulePolicy()),
}


@pytest.fixture(params=list(MAKERS))
def policy(request: pytest.FixtureRequest) -> Policy:
    return MAKERS[request.param]()


def test_it_has_a_name_to_show(policy: Policy):
    assert policy.name


def test_a_statement_becomes_a_fact_about_its_speaker(policy: Policy):
    writing = policy.write(STATEMENT, (), ())
    (operation,) = writing.operations
    assert operation.act in (Act.ADD, Act.UPDATE)
    assert (operation.subject, operation.relation, operation.object) == (
        "Alice",
        "lives in",
        "Oslo",
    )
    assert writing.understood
    assert not writing.is_question
    assert "Oslo" in writing.mentions


def test_a_change_is_told_from_an_addition(policy: Policy):
    known = Recalled(id=1, text="Alice lives in Oslo.", speaker="Alice", at=MAY_3)
    (operation,) = policy.write(CHANGE, (STATEMENT,), (known,)).operations
    assert (operation.subject, operation.object) == ("Alice", "Bergen")
    assert operation.act is Act.UPDATE or operation.change


def test_a_question_is_no_fact(policy: Policy):
    writing = policy.write(QUESTION, (), ())
    assert writing.operations == ()
    assert writing.is_question


def test_a_courtesy_is_no_fact(policy: Policy):
    assert policy.write(THANKS, (), ()).operations == ()


def test_a_plan_searches_for_the_question_itself_first(policy: Policy):
    plan = policy.ask(QUESTION, ())
    assert plan.queries[0] == QUESTION.text
    assert "Alice" in plan.entities
    assert plan.answer_kind == "place"
    assert not plan.past
    assert min(plan.episodic, plan.semantic) >= 0.0


def test_a_question_is_recalled_for_and_a_statement_written_down(policy: Policy):
    assert policy.route(QUESTION, ()).recall
    assert policy.route(STATEMENT, ()).write


def test_weights_are_not_negative_and_confidences_are_shares(policy: Policy):
    for turn in TURNS:
        route = policy.route(turn, ())
        assert min(route.episodic, route.semantic) >= 0.0
        for operation in policy.write(turn, (), ()).operations:
            assert 0.0 <= operation.confidence <= 1.0


def test_the_same_turn_is_written_the_same_way_twice(policy: Policy):
    first, second = (policy.write(STATEMENT, (), ()) for _ in range(2))
    assert first.operations == second.operations


def test_the_language_model_that_is_gone_is_named_where_rules_stood_in():
    policy = FallbackPolicy(broken(), RulePolicy())
    assert policy.write(STATEMENT, (), ()).warnings == ("Read by rules: gone",)
    assert policy.ask(QUESTION, ()).warnings == ("Planned by rules: gone",)
    assert policy.failures == {"write": 1, "ask": 1}
