"""Replies as JSON: the schema a server is given, and the block that is read."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags.errors import ModelReplyError
from mags.models.grammar import read_engram, read_plan, read_route
from mags.models.policy.prompted import SCHEMAS, as_block
from mags.ports.policy import Act, Hop, Route
from mags_lab.training.chains.schema import fault_of

NOTHING = {"turn": 2, "qualifiers": [], "when": "", "text": ""}
MOVED = {
    "turn": 1, "act": "UPDATE", "subject": "Ana", "relation": "lives in", "object": "Oslo",
    "qualifiers": [{"name": "with", "value": "Bo; Eva"}], "when": "2024-05", "text": "",
}  # fmt: skip


def test_operations_are_read_as_if_they_had_been_written_as_a_block():
    note = {"act": "NOTE", "subject": "", "relation": "", "object": "", **NOTHING, "text": "a | b"}
    reply = {"operations": [MOVED, note]}
    assert fault_of(reply, SCHEMAS["write"]) == ""
    block = read_engram(as_block("write", json.dumps(reply)))
    moved, kept = block.operations
    assert block.places == (1, 2)
    assert (moved.act, moved.subject, moved.object) == (Act.UPDATE, "Ana", "Oslo")
    assert moved.qualifiers == {"with": "Bo, Eva"}
    assert moved.valid_from is not None
    assert kept.text == "a | b"


def test_no_operation_stores_nothing():
    assert read_engram(as_block("write", '{"operations": []}')).operations == ()


def test_a_plan_and_a_route_are_read():
    reply = {
        "queries": ["work of the spouse"],
        "entities": ["Ana"],
        "hops": [
            {"subject": "Ana", "relation": "married to", "inverse": False},
            {"subject": "", "relation": "works at", "inverse": True},
        ],
        "since": "2024", "until": "", "kind": "place", "past": True,
    }  # fmt: skip
    assert fault_of(reply, SCHEMAS["ask"]) == ""
    plan = read_plan(as_block("ask", json.dumps(reply)), "Where?")
    assert plan.queries == ("Where?", "work of the spouse")
    assert plan.hops == (
        Hop(subject="Ana", relation="married to"),
        Hop(subject="", relation="works at", inverse=True),
    )
    assert (plan.answer_kind, plan.past, plan.until) == ("place", True, None)
    assert read_route(as_block("router", '{"route": "engram"}')) == Route(recall=False, write=True)


def test_a_block_stays_as_it_is():
    assert as_block("router", "<route> both </route>") == "<route> both </route>"


def test_an_operation_of_another_form_is_a_line_that_the_grammar_refuses():
    with pytest.raises(ModelReplyError, match="a line begins with"):
        read_engram(as_block("write", '{"operations": [{"act": "ADD"}]}'))


@pytest.mark.parametrize("reply", ["{", '{"operations": 3}'])
def test_json_of_another_form_is_refused(reply: str):
    with pytest.raises(ModelReplyError, match="another form"):
        as_block("write", reply)


@given(st.text(max_size=40), st.text(max_size=40), st.text(max_size=40))
def test_whatever_stands_in_a_field_is_one_operation_or_refused(
    subject: str, relation: str, thing: str
):
    one = {"act": "ADD", "subject": subject, "relation": relation, "object": thing, **NOTHING}
    block = as_block("write", json.dumps({"operations": [one]}))
    try:
        found = read_engram(block).operations
    except ModelReplyError:
        return
    assert len(found) == 1
