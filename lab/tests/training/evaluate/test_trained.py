"""A torch model evaluated by its replies (needs the extra `train`)."""

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs the extra: pip install './lab[train]'")
pytest.importorskip("transformers", reason="needs the extra: pip install './lab[train]'")

from lab.tests.training import tiny  # noqa: E402
from mags.ports.policy import Turn  # noqa: E402 - torch first
from mags_lab.training.batches import (  # noqa: E402
    Pair,
    encode,
    pair_of,
)
from mags_lab.training.chains.schema import Role, Sample, Split  # noqa: E402
from mags_lab.training.evaluate.evaluation import EvaluationConfig, evaluate  # noqa: E402
from mags_lab.training.evaluate.trained import SampledDecider, judged  # noqa: E402
from mags_lab.training.experience import SamplingPolicy  # noqa: E402
from mags_lab.training.rollout import Sampling  # noqa: E402
from mags_lab.training.sft import SftConfig, fine_tune  # noqa: E402

AT = 1_715_299_200.0


def sample(text: str, target: str, role: Role = Role.WRITE) -> Sample:
    turn = Turn(text=text, speaker="Ana", at=AT)
    return Sample(id=text, role=role, split=Split.SEEN, turn=turn, target=target)


SAMPLES = [
    sample("I live in Oslo.", "<engram>\nADD | Ana | lives in | Oslo\n</engram>"),
    sample("Good morning!", "<engram>\nnone\n</engram>"),
]


def test_a_model_that_knows_the_replies_by_heart_is_right_and_agrees_with_itself(
    words: Any,
) -> None:
    model = tiny.model(words)
    pairs: list[Pair] = [pair_of(one) for one in SAMPLES]
    fine_tune(model, encode(words, pairs, longest=250), SftConfig(steps=150, rate=1e-2))
    how = Sampling(pad=words.pad_token_id, end=words.eos_token_id, limit=80, temperature=0.5)
    decider = SampledDecider(
        SamplingPolicy(model=model, tokenizer=words, sampling=how), name="tiny", timed=1
    )
    found = evaluate(decider, SAMPLES, EvaluationConfig(repeated=2, draws=3))
    (cell,) = found.cells
    assert cell.measures["exact"].mean == 1.0
    assert cell.measures["agreement"].mean > 0.9
    assert cell.measures["mixed"].mean == 0.0
    assert cell.p50_ms is not None
    assert cell.p50_ms > 0
    assert cell.tokens is not None
    assert cell.tokens > 20


def test_memory_tokens_of_another_function_are_noticed() -> None:
    ask = sample("Where do I live?", "<recall>\nentities: Ana\n</recall>", Role.ASK)
    assert judged(ask, "<engram>\nnone\n</engram>").mixed
    assert judged(ask, "<recall>\nentities: Ana\n</recall> <engram>").mixed
    right = judged(ask, "<recall>\nentities: Ana\n</recall>")
    assert (right.mixed, right.why) == (False, "")


def test_what_nobody_said_is_refused() -> None:
    decision = judged(SAMPLES[0], "<engram>\nADD | Ana | lives in | Rome\n</engram>")
    assert (decision.reading, decision.why) == (None, "invented")
    assert judged(SAMPLES[0], "Oslo").why == "the grammar refuses it"
