import json

import pytest

from mags.errors import InvalidInput
from mags_lab.training.chains.hand import read_chain, samples
from mags_lab.training.chains.schema import Role, Split
from mags_lab.training.chains.splits import held_out

CHAIN = {
    "id": "h1",
    "tags": ["update"],
    "now": "2024-05-10",
    "recent": [{"speaker": "Bob", "text": "How was your week?"}],
    "turn": {"speaker": "Ana", "text": "I moved to Oslo. Where did I live before, again?"},
    "route": "both",
    "think": "She moved; [m7] tells from where.",
    "recall": "<recall>Ana lives in\nentities: Ana</recall>",
    "memories": [
        {
            "id": 7,
            "text": "Ana lives in Bergen.",
            "speaker": "Ana",
            "at": "2023-03-02",
            "current": True,
        }
    ],
    "answer": "In Bergen. [m7]",
    "engram": "<engram>UPDATE | Ana | lives in | Oslo</engram>",
}


def changed(**parts: object) -> str:
    return json.dumps({**CHAIN, **parts})


def test_a_chain_gives_a_sample_for_each_policy():
    made = {s.role: s for s in samples([read_chain(changed(), where="x")])}
    assert made[Role.ROUTER].target == "<route> both </route>"
    assert made[Role.ASK].target == "<recall>\nAna lives in\nentities: Ana\n</recall>"
    assert made[Role.WRITE].target == "<engram>\nUPDATE | Ana | lives in | Oslo\n</engram>"
    assert [s.recalled != () for s in made.values()] == [False, False, True]


def test_a_chain_that_recalls_nothing_has_no_sample_for_ask():
    line = changed(route="engram", recall="", answer="Nice!")
    assert {s.role for s in samples([read_chain(line, where="x")])} == {Role.ROUTER, Role.WRITE}


def test_a_chain_that_names_a_held_out_relation_is_not_for_training():
    def split_of(engram: str) -> set[Split]:
        line = changed(id="h2", engram=engram)
        return {s.split for s in samples([read_chain(line, where="x")])}

    assert not held_out("h2", kind="hand")
    assert split_of("<engram>ADD | Ana | allergic to | Oslo</engram>") == {Split.DEV}
    assert split_of("<engram>ADD | Ana | lives in | Oslo</engram>") == {Split.TRAIN}


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ({"answer": "In Bergen. [m8]"}, "it cites m8"),
        ({"engram": "<engram>LINK | m7 | m9</engram>"}, "it cites m9"),
        ({"engram": "<engram>ADD | Ana | lives in | Paris</engram>"}, "invented: Paris"),
        ({"engram": "<engram>ADD | Ana</engram>"}, "an operation is"),
        ({"recall": "<recall>hop: ^ | x</recall>"}, "the first hop needs a subject"),
        ({"route": "recall"}, "its engram stores something"),
        ({"route": "engram"}, "but recall is there"),
        ({"route": "neither", "recall": ""}, "its engram stores something"),
        ({"memories": CHAIN["memories"] * 2}, "two memories have the same id"),
        ({"route": "maybe"}, "route is 'maybe'"),
        ({"extra": 1}, "has extra, which nothing reads"),
    ],
)
def test_a_wrong_chain_says_what_is_wrong(parts: dict[str, object], told: str):
    with pytest.raises(InvalidInput) as caught:
        read_chain(changed(**parts), where="some.jsonl:4")
    assert told in str(caught.value)
    assert "some.jsonl:4" in str(caught.value)
