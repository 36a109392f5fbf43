"""The lean loss is that of transformers, in float32 and in bfloat16 (extra `train`)."""

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs the extra: pip install 'mags[train]'")
pytest.importorskip("transformers", reason="needs the extra: pip install 'mags[train]'")

from mags.training.batches import batches  # noqa: E402 - torch first
from mags.training.nano.lean import COLUMNS, LEARNED, ROWS, LeanLoss, even, learned  # noqa: E402
from mags.training.sft import next_token_loss  # noqa: E402
from tests.training import tiny  # noqa: E402


@pytest.fixture
def batch(words: Any) -> Any:
    return next(batches(tiny.encoded(words), tokens=512, pad=0, prompt_weight=0.1, seed=0))


def gradients(model: Any, loss: Any) -> dict[str, Any]:
    model.zero_grad()
    loss.backward()
    return {name: one.grad.clone() for name, one in model.named_parameters()}


@pytest.mark.parametrize(("kind", "near"), [(torch.float32, 1e-5), (torch.bfloat16, 1e-2)])
def test_loss_and_gradients_are_those_of_transformers(
    words: Any, speller: Any, batch: Any, kind: Any, near: float
) -> None:
    whole = next_token_loss(speller, batch)
    lean = LeanLoss(speller, share=1.0, kind=kind)(batch, 0)
    assert lean.item() == pytest.approx(whole.item(), rel=near)
    want, got = gradients(speller, whole), gradients(speller, lean)
    assert want.keys() == got.keys()
    for name, one in want.items():
        assert torch.cosine_similarity(got[name].flatten(), one.flatten(), dim=0) > 1 - near, name


def test_all_of_a_reply_is_learned_and_a_part_of_the_prompt_that_weighs_as_much(
    batch: Any,
) -> None:
    one = learned(batch, 0.25, torch.Generator().manual_seed(0))
    replies = int((batch.weights == 1.0).sum())
    assert int((one.weights == 1.0).sum()) == replies
    prompts = int((batch.weights == 0.1).sum())
    share = (int((one.weights > 0.0).sum()) - replies) / prompts
    assert share == pytest.approx(0.25, abs=0.1)
    assert one.weights[
        (one.weights > 0.0) & (one.weights < 1.0)
    ].unique().tolist() == pytest.approx([0.4])
    real = one.weights > 0.0
    assert torch.equal(batch.targets.flatten()[one.rows[real]], one.targets[real])


def test_few_shapes_ever_occur(words: Any) -> None:
    shapes, counts = set(), set()
    for batch in batches(tiny.encoded(words), tokens=256, pad=0, prompt_weight=0.1, seed=0):
        whole = even(batch)
        shapes.add(tuple(n % m for n, m in zip(whole.inputs.shape, (ROWS, COLUMNS), strict=True)))
        counts.add(len(learned(whole, 0.25, torch.Generator().manual_seed(0)).rows) % LEARNED)
        assert whole.weights.sum().item() == pytest.approx(batch.weights.sum().item())
    assert shapes == {(0, 0)}
    assert counts == {0}
