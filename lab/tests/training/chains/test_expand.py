import json
from random import Random

import pytest

from mags.errors import InvalidInput
from mags.models.chat.openai import OpenAIChat
from mags.ports.chat import ChatSettings
from mags.ports.policy import Turn
from mags_lab.training.chains.expand import expand, prompt
from mags_lab.training.chains.schema import Role, Sample, Split
from tests.models.chat.endpoint import Server, Step, serving

SEED = Sample(
    id="seed",
    role=Role.WRITE,
    split=Split.TRAIN,
    turn=Turn(text="I live in Oslo.", speaker="Ana", at=1e9),
    target="<engram>\nADD | Ana | lives in | Oslo\n</engram>",
)
GOOD = (
    "Tom",
    "My flat is in Lyon, by the river.",
    "<engram>\nADD | Tom | lives in | Lyon\n</engram>",
)


def reply(*examples: tuple[str, str, str]) -> Step:
    written = [dict(zip(("speaker", "turn", "reply"), one, strict=True)) for one in examples]
    return Step(text=json.dumps({"examples": written}))


def chat(server: Server) -> OpenAIChat:
    return OpenAIChat(ChatSettings(url=server.url, model="tiny"))


def test_what_passes_becomes_samples_and_what_does_not_is_counted():
    with serving() as server:
        server.steps = [
            reply(
                GOOD,
                ("Tom", GOOD[1].upper(), GOOD[2]),
                ("Ida", "I live in Rome.", "<engram>ADD | Ida</engram>"),
                ("Ida", "I live in Rome.", "<engram>\nADD | Ida | lives in | Paris\n</engram>"),
                ("Ida", "I hate Rome.", "<engram>\nADD | Ida | dislikes | Rome\n</engram>"),
            ),
            Step(text="Sure! Here you go."),
            reply(
                ("Ida", "Rome's where I live.", "<engram>\nADD | Ida | lives in | Rome\n</engram>")
            ),
        ]
        taken: list[int] = []
        found = expand(chat(server), [SEED], 2, rng=Random(0), on_taken=taken.append)
        asked = server.requests[0]["messages"][-1]["content"]
    assert [s.turn.text for s in found.samples] == [GOOD[1], "Rome's where I live."]
    assert found.samples[0].target == GOOD[2]
    assert {(s.split, s.role, s.tags) for s in found.samples} == {
        (Split.TRAIN, Role.WRITE, ("expanded",))
    }
    assert found.samples[0].source.startswith("tiny at 127.0.0.1")
    assert found.refused == {
        "duplicate": 1,
        "grammar": 1,
        "guardrails": 1,
        "relation": 1,
        "no JSON": 1,
    }
    assert taken == [1, 2]
    assert "I live in Oslo." in asked


def test_it_gives_up_on_a_model_that_writes_nothing_usable():
    with serving() as server:
        server.steps = [Step(text='{"examples": 3}') for _ in range(4)]
        found = expand(chat(server), [SEED], 1, rng=Random(0))
        assert server.steps == []
    assert found.samples == ()
    assert found.refused == {"form": 4}


def test_it_asks_for_no_more_than_is_wanted():
    with serving() as server:
        server.steps = [reply(GOOD, ("Ida", "Rome it is.", GOOD[2]))]
        assert len(expand(chat(server), [SEED], 1, rng=Random(0)).samples) == 1


def test_a_plan_may_not_name_who_was_not_named():
    seed = Sample(
        id="s",
        role=Role.ASK,
        split=Split.TRAIN,
        turn=Turn(text="Where does Bob live?", speaker="Ana"),
        target="<recall>\nentities: Bob\nhop: Bob | lives in\n</recall>",
    )
    strange = "<recall>\nentities: Eve\nhop: Eve | lives in\n</recall>"
    with serving() as server:
        server.steps = [reply(("Ana", "And where is Ted?", strange)) for _ in range(4)]
        found = expand(chat(server), [seed], 1, rng=Random(0))
    assert found.refused == {"guardrails": 4}


def test_there_must_be_something_to_show():
    with serving() as server, pytest.raises(InvalidInput, match="no training sample"):
        expand(chat(server), [], 1, rng=Random(0))


def test_the_prompt_names_its_slots():
    assert prompt().version == 1
    told = prompt().messages({"examples": "EXAMPLES", "count": "8"})[-1].content
    assert "EXAMPLES" in told
    assert "8 new ones" in told
