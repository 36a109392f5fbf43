import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags.ports.english import guess
from mags.ports.policy import Act
from tests.models.policy.cases.scoring import load, score
from tests.models.policy.reading import POLICY, turn

WORDS = """
I my we she he they Ana Bob Oslo Acme sister dog the a an of to in at and but because not n't is was
has have likes lives moved works got called named lost married said that told me born years ago
yesterday in 2019 favourite food sushi if never must no longer any more who where
's , . ! ? " ( ) - :
"""
ADDED = {"dead", "get"}
"""Words an object may have that nobody said: "Ana died" makes her dead."""


def sentences() -> st.SearchStrategy[str]:
    return st.one_of(
        st.text(max_size=120),
        st.lists(st.sampled_from(WORDS.split()), max_size=18).map(" ".join),
    )


def stems(text: str) -> set[str]:
    return {guess(word) for word in re.findall(r"[^\W_]+", text.lower())}


def is_date(text: str) -> bool:
    return re.search(r"\d{4}|\d{1,2} [A-Z][a-z]+$", text) is not None


@given(sentences(), st.lists(sentences(), max_size=2))
def test_no_text_raises_and_nothing_is_invented(text, before):
    recent = [turn(said, "Bob") for said in before]
    written = POLICY.write(turn(text), recent, ())
    said = stems(" ".join([text, *before, "Alice Bob"])) | ADDED
    for op in written.operations:
        assert op.text.strip()
        assert 0.0 <= op.confidence <= 1.0
        if op.act is not Act.NOTE:
            assert op.subject.strip()
            assert op.relation.strip()
        if not is_date(op.object):
            assert stems(op.object) <= said | stems("s"), op
    assert written.understood == (not written.why)


@given(sentences(), st.lists(sentences(), max_size=2))
def test_any_text_can_be_asked_and_routed(text, before):
    recent = [turn(said, "Bob") for said in before]
    plan = POLICY.ask(turn(text), recent)
    assert plan.queries[0] == (text.strip() or text) if text else plan.queries == ()
    assert all(hop.relation for hop in plan.hops)
    assert all(hop.subject == "" for hop in plan.hops[1:])
    POLICY.route(turn(text), recent)


@given(sentences())
def test_the_same_turn_is_read_the_same_way_twice(text):
    assert POLICY.write(turn(text), (), ()) == POLICY.write(turn(text), (), ())


@pytest.mark.parametrize(
    ("half", "precision", "recall"), [("dev", 0.93, 0.68), ("test", 0.94, 0.70)]
)
def test_hand_written_turns_are_read_as_meant(half, precision, recall):
    found = score(POLICY, load(half))
    assert found.precision >= precision
    assert found.recall >= recall
