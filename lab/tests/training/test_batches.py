"""Samples as tokens, and batches of about equal cost (needs the extra `train`)."""

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs the extra: pip install './lab[train]'")

from mags_lab.training.batches import Encoded, Pair, batches, encode  # noqa: E402 - torch first

PAIRS = [Encoded(prompt=(1, *range(10, 10 + n)), target=(7,) * (n % 3 + 1)) for n in range(40)]


def test_a_pair_begins_and_ends_with_the_tokens_that_say_so(words: Any) -> None:
    (one,) = encode(words, [Pair(prompt="say 1: ", target="a b")], longest=64)
    assert one.prompt[0] == words.bos_token_id
    assert one.target[-1] == words.eos_token_id
    assert words.decode(one.prompt[1:]) == "say 1: "
    assert words.decode(one.target[:-1]) == "a b"


def test_memory_tokens_are_one_token_each_and_survive_decoding(words: Any) -> None:
    text = "<engram>\nnone\n</engram>"
    ids = words(text, add_special_tokens=False)["input_ids"]
    assert ids[0] == words.convert_tokens_to_ids("<engram>")
    assert words.decode(ids, skip_special_tokens=True) == text


def test_what_is_too_long_is_left_out(words: Any) -> None:
    pairs = [Pair(prompt="a " * n, target="b") for n in (1, 50)]
    assert len(encode(words, pairs, longest=20)) == 1


def test_every_sample_comes_once_a_round_within_the_tokens() -> None:
    seen = 0
    for batch in batches(PAIRS, tokens=128, pad=0, prompt_weight=0.1, seed=0):
        rows, width = batch.inputs.shape
        assert rows * (width + 1) <= 128 or rows == 1
        seen += rows
    assert seen == len(PAIRS)


def test_a_reply_weighs_one_its_prompt_little_and_padding_nothing() -> None:
    pairs = [Encoded(prompt=(1, 5, 6), target=(7, 2)), Encoded(prompt=(1,), target=(8, 2))]
    (batch,) = batches(pairs, tokens=64, pad=0, prompt_weight=0.1, seed=0)
    by_reply = {row[row != 0][0].item(): i for i, row in enumerate(batch.targets)}
    long, short = batch.weights[by_reply[5]], batch.weights[by_reply[8]]
    assert long == pytest.approx(torch.tensor([0.1, 0.1, 1.0, 1.0]))
    assert short == pytest.approx(torch.tensor([1.0, 1.0, 0.0, 0.0]))


def test_the_same_seed_gives_the_same_order_and_another_another() -> None:
    def order(seed: int) -> list[list[int]]:
        drawn = batches(PAIRS, tokens=64, pad=0, prompt_weight=0.1, seed=seed)
        return [batch.inputs.flatten().tolist() for batch in drawn]

    assert order(1) == order(1)
    assert order(1) != order(2)
