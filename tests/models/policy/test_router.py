"""The router: turns are taken as what they want, and as what tells where that is in doubt."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags.app import encoder
from mags.errors import CorruptFile
from mags.models.policy.router import SHIPPED, SIGNS, TrainedRouter, opened, rows
from mags.ports.policy import Intent

KINDS = ("tell", "ask", "tell and ask", "correct", "forget", "overview", "small talk")
SAID = {
    "ask": ["whats my wifi password", "do i have a bike", "is Ana married", "What did I just say?"],
    "forget": ["forget the thing about the dentist", "please delete what i told you about Tom"],
    "correct": ["that\N{RIGHT SINGLE QUOTATION MARK}s wrong, it is 4200", "no wait, I meant Rome"],
    "overview": ["what do you know about me", "tell me about Ana"],
    "small talk": ["thanks so much!", "ok cool", "forget it, let us talk about football"],
}
TELLS = [
    "I moved to Oslo in May.",
    "I forgot my keys",
    "I forgot my keys at home",
    "don't forget the milk",
    "when i was a kid i lived in Rome",
    "where I come from it rains",
    "Forget the gym, I go swimming now.",
    "I want you to know about Ana",
    "do you know what, I got the job",
]


@pytest.fixture(scope="module")
def router() -> TrainedRouter:
    return opened()


def taken(router: TrainedRouter, text: str) -> Intent:
    return router.intent(text, encoder().embed([text])[0])


@pytest.mark.parametrize(("kind", "text"), [(kind, one) for kind in SAID for one in SAID[kind]])
def test_a_turn_is_taken_as_what_it_wants(router: TrainedRouter, kind: str, text: str) -> None:
    assert taken(router, text) == Intent(kind=kind, sure=True)


@pytest.mark.parametrize("text", TELLS)
def test_what_only_looks_like_a_command_or_a_question_tells(
    router: TrainedRouter, text: str
) -> None:
    assert taken(router, text).kind == "tell"


def test_it_was_trained_over_the_shipped_embedder(router: TrainedRouter) -> None:
    assert router.reads == encoder().name
    assert router.vector.shape == (encoder().dimension, len(KINDS))
    assert router.kinds == KINDS


def test_it_is_small_and_wants_most_for_a_command_to_forget(router: TrainedRouter) -> None:
    assert SHIPPED.stat().st_size < 100_000
    assert router.least["forget"] == max(router.least.values())


@given(st.text(), st.booleans())
def test_probabilities_of_any_text_sum_to_one(text: str, seen: bool) -> None:
    router = opened()
    vector = np.zeros(len(router.vector), dtype=np.float32) if seen else None
    likely = router.probabilities(text, vector)
    assert tuple(likely) == router.kinds
    assert sum(likely.values()) == pytest.approx(1.0, abs=1e-5)
    assert all(0 <= row < SIGNS for row in rows(text))


@given(st.text())
def test_what_is_not_surely_anything_tells(text: str) -> None:
    found = opened().intent(text, None)
    assert found.sure or found.kind == "tell"


def test_a_damaged_file_is_said_to_be_one(tmp_path: Path) -> None:
    path = tmp_path / "router.npz"
    np.savez(path, about=np.frombuffer(json.dumps({"step": 1}).encode(), dtype=np.uint8))
    with pytest.raises(CorruptFile, match="mags train router"):
        opened(path)
    with pytest.raises(CorruptFile, match="mags train router"):
        opened(tmp_path / "absent.npz")
