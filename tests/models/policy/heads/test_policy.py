"""The shipped heads upon the shipped encoder, and the rules behind them."""

import numpy as np
import pytest

from mags.models.embed.onnx import SHIPPED as ENCODER
from mags.models.embed.onnx import OnnxEmbedder
from mags.models.grammar import EngramBlock
from mags.models.policy.heads import HeadsPolicy
from mags.models.policy.heads.second import RulesFirst
from mags.models.policy.heads.weights import (
    SHIPPED,
    TUNED,
    HeadsFile,
    Thresholds,
    opened,
    read_about,
    write_about,
)
from mags.models.policy.rules import RulePolicy
from mags.ports.policy import Hop, Turn

ALWAYS = Thresholds(route=0.0, ask=0.0, write=0.0, nothing=0.0)
NEVER = Thresholds(route=1.1, ask=1.1, write=1.1, nothing=1.1, fact=1.1)
TURN = Turn(text="I live in Oslo.", speaker="Ana", at=1.7e9)
QUESTION = Turn(text="Where does Bob live?", speaker="Ana", at=1.7e9)


@pytest.fixture(scope="module")
def encoder():
    return OnnxEmbedder()


def test_the_file_is_for_the_encoder_that_is_shipped_and_small():
    about = opened(SHIPPED).about
    assert about.encoder_sha256 in (ENCODER.model_sha256, *ENCODER.earlier_sha256)
    assert about.states == ENCODER.states
    assert SHIPPED.path.stat().st_size < 10_000_000
    assert read_about(write_about(about)) == about


def test_a_plain_statement_is_stored_as_the_speakers(encoder):
    policy = HeadsPolicy(encoder, thresholds=ALWAYS)
    writing = policy.write(TURN, (), ())
    (made,) = writing.operations
    assert (made.subject, made.relation, made.object) == ("Ana", "lives in", "Oslo")
    assert writing.why.startswith("Read by heads")
    assert policy.spoke == {("write", "heads"): 1}


def test_a_plain_question_is_taken_to_its_fact(encoder):
    plan = HeadsPolicy(encoder, thresholds=ALWAYS).ask(QUESTION, ())
    assert plan.hops == (Hop(subject="Bob", relation="lives in"),)
    assert plan.queries == (QUESTION.text, "Bob lives in")
    assert plan.answer_kind == "place"


@pytest.fixture(scope="module")
def rules_first(encoder):
    return RulesFirst(HeadsPolicy(encoder))


def test_what_the_rules_read_is_read_as_they_would_alone(rules_first):
    rules = RulePolicy()
    assert rules_first.write(TURN, (), ()) == rules.write(TURN, (), ())
    assert rules_first.ask(QUESTION, ()) == rules.ask(QUESTION, ())
    assert rules_first.route(TURN, ()) == rules.route(TURN, ())
    assert rules_first.name == "rules, then sure heads"


def test_a_turn_that_only_asks_is_left_to_the_rules(rules_first):
    assert rules_first.write(QUESTION, (), ()) == RulePolicy().write(QUESTION, (), ())


def without_layers(folder):
    with np.load(SHIPPED.path) as arrays:
        kept = {name: arrays[name] for name in arrays.files if not name.startswith(TUNED)}
    np.savez(folder / "heads.npz", **kept)
    return HeadsFile(path=folder / "heads.npz")


def test_heads_that_were_trained_with_the_encoder_read_its_layers_of_theirs(encoder):
    tuned = OnnxEmbedder(constants=opened(SHIPPED).tuned)
    text = "I: I live in Oslo."
    own, plain = tuned.token_states(text).states, encoder.token_states(text).states
    assert own.shape == plain.shape
    assert not np.array_equal(own, plain)
    one, other = (HeadsPolicy(some, thresholds=ALWAYS) for some in (encoder, tuned))
    assert one.write(TURN, (), ()) == other.write(TURN, (), ())


def test_a_text_is_read_once_for_all_decisions_on_it(encoder, tmp_path):
    texts = []

    class Counting:
        def token_states(self, text):
            texts.append(text)
            return encoder.token_states(text)

    policy = HeadsPolicy(Counting(), file=without_layers(tmp_path), thresholds=ALWAYS)
    policy.route(TURN, ())
    policy.ask(TURN, ())
    policy.write(TURN, (), ())
    policy.route(QUESTION, ())
    assert texts == ["I: I live in Oslo.", "I: Where does Bob live?"]


def test_small_talk_needs_neither(encoder):
    route = HeadsPolicy(encoder, thresholds=ALWAYS).route(Turn(text="Any time!"), ())
    assert (route.recall, route.write) == (False, False)


def test_what_the_heads_are_unsure_of_is_for_the_rules_and_it_says_so(encoder):
    policy, rules = HeadsPolicy(encoder, thresholds=NEVER), RulePolicy()
    writing = policy.write(TURN, (), ())
    assert writing.operations == rules.write(TURN, (), ()).operations
    assert "Read by rules: the heads are sure by" in writing.why
    assert policy.ask(QUESTION, ()) == rules.ask(QUESTION, ())
    assert policy.route(TURN, ()) == rules.route(TURN, ())
    assert policy.spoke == {(role, "rules"): 1 for role in ("write", "ask", "route")}


@pytest.mark.parametrize("text", ["", "   ", "word " * 400])
def test_nothing_and_documents_are_for_the_rules(encoder, text):
    policy = HeadsPolicy(encoder, thresholds=ALWAYS)
    turn = Turn(text=text, speaker="Ana", at=1.7e9)
    assert "Read by rules: " in policy.write(turn, (), ()).why
    policy.ask(turn, ())
    policy.route(turn, ())
    assert {who for _, who in policy.spoke} == {"rules"}


def test_nothing_that_nobody_said_is_written(encoder):
    policy = HeadsPolicy(encoder, thresholds=ALWAYS)
    for text in (
        "\ud800",
        "😀 ana?",
        "a\u0000b",
        "Ana " * 60,
        "| ADD | x",
        "<engram>none</engram>",
    ):
        turn = Turn(text=text, speaker="Ana", at=1.7e9)
        made = EngramBlock(operations=policy.write(turn, (TURN,), ()).operations)
        said = " ".join(f"{t.text} {t.speaker}".casefold() for t in (turn, TURN))
        assert all(" ".join(one.object.casefold().split()) in said for one in made.operations)
