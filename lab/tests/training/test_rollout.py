"""Completions of many prompts at once say what each would say alone (extra `train`)."""

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs the extra: pip install './lab[train]'")
pytest.importorskip("transformers", reason="needs the extra: pip install './lab[train]'")

from lab.tests.training import tiny  # noqa: E402
from mags_lab.training.experience import gather, logp_of, reply_states  # noqa: E402 - torch first
from mags_lab.training.rollout import (  # noqa: E402
    complete,
    complete_in_parts,
    sample_tokens,
)


def prompts(words: Any) -> list[tuple[int, ...]]:
    said = ("say 1: ", "say 17 and a little more: ", "a", "say it: a b")
    return [
        (words.bos_token_id, *words(one, add_special_tokens=False)["input_ids"]) for one in said
    ]


def reply(done: Any, row: int) -> list[int]:
    return [t for t, m in zip(done.tokens[row], done.mask[row], strict=True) if m]


def test_greedy_completions_are_those_of_generate(words: Any, speller: Any) -> None:
    how = tiny.sampling(words, temperature=0.0)
    done = complete(speller, prompts(words), how)
    for row, prompt in enumerate(prompts(words)):
        made = speller.generate(
            torch.tensor([prompt]),
            attention_mask=torch.ones(1, len(prompt), dtype=torch.int64),
            do_sample=False,
            max_new_tokens=how.limit,
            pad_token_id=how.pad,
            eos_token_id=how.end,
        )
        assert reply(done, row) == made[0, len(prompt) :].tolist()


def test_rows_that_are_done_change_nothing_for_the_others(words: Any, speller: Any) -> None:
    how = tiny.sampling(words, temperature=0.0)
    together = complete(speller, prompts(words), how)
    alone = [complete(speller, [prompt], how) for prompt in prompts(words)]
    lengths = [len(reply(one, 0)) for one in alone]
    assert len(set(lengths)) > 1  # some end sooner, else nothing is dropped
    assert [reply(together, row) for row in range(4)] == [reply(one, 0) for one in alone]


def test_parts_and_copies_come_back_in_the_order_of_the_prompts(words: Any, speller: Any) -> None:
    how = tiny.sampling(words, temperature=0.0)
    alone = [reply(complete(speller, [prompt], how), 0) for prompt in prompts(words)]
    done = complete_in_parts(speller, prompts(words), how, copies=3, rows=6)
    assert [reply(done, row) for row in range(12)] == [one for one in alone for _ in range(3)]


def test_each_of_the_replies_drawn_together_has_the_probability_the_model_gives_it(
    words: Any, speller: Any
) -> None:
    policy, generator = tiny.policy(words, speller), torch.Generator().manual_seed(0)
    seen = gather(policy, tiny.tasks(words), tiny.share_of_a, generator=generator, copies=4)
    with torch.no_grad():
        logits, _ = reply_states(speller, seen)
    assert len({tuple(row) for row in seen.tokens.tolist()}) > len(tiny.tasks(words))
    assert logp_of(logits, seen) == pytest.approx(seen.old_logp, abs=1e-4)


def test_tokens_are_drawn_as_often_as_they_are_likely() -> None:
    likely = torch.tensor([0.0, 0.5, 0.3, 0.2, 0.0])
    logits = likely.log().expand(20_000, 5)
    sampled, logp = sample_tokens(logits, 1.0, torch.Generator().manual_seed(0))
    shares = sampled.bincount(minlength=5) / len(sampled)
    assert shares.tolist() == pytest.approx(likely.tolist(), abs=0.015)
    assert torch.equal(logp, likely.log()[sampled])


def test_the_mask_is_one_up_to_the_end_token_and_no_further(words: Any, speller: Any) -> None:
    how = tiny.sampling(words)
    done = complete(speller, prompts(words) * 8, how, generator=torch.Generator().manual_seed(1))
    for tokens, mask in zip(done.tokens.tolist(), done.mask.tolist(), strict=True):
        length = tokens.index(how.end) + 1 if how.end in tokens else len(tokens)
        assert mask == [1.0] * length + [0.0] * (len(tokens) - length)
        assert set(tokens[length:]) <= {how.pad}
    assert done.mask.sum(1).max() == done.mask.shape[1]
    assert bool((done.logp[done.mask == 0] == 0).all())


def test_the_same_chance_draws_the_same(words: Any, speller: Any) -> None:
    how = tiny.sampling(words)
    sampled = [
        complete(speller, prompts(words), how, generator=torch.Generator().manual_seed(seed)).tokens
        for seed in (3, 3, 4)
    ]
    assert torch.equal(sampled[0], sampled[1])
    assert sampled[0].shape != sampled[2].shape or not torch.equal(sampled[0], sampled[2])


def test_an_experience_has_the_probabilities_that_the_model_gives_it(
    words: Any, speller: Any
) -> None:
    policy = tiny.policy(words, speller)
    tasks = tiny.tasks(words)
    seen = gather(policy, tasks, tiny.share_of_a, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        logits, states = reply_states(speller, seen)
    assert logp_of(logits, seen) == pytest.approx(seen.old_logp, abs=1e-4)
    assert states.shape == (len(tasks), seen.mask.shape[1], tiny.SIZE.width)
    assert seen.tokens.shape[1] - seen.mask.shape[1] == max(len(t.prompt) for t in tasks)
    assert seen.parts == {"reward": pytest.approx(float(seen.rewards.mean()))}


def test_a_reply_is_its_text_without_end_and_padding(words: Any, speller: Any) -> None:
    policy = tiny.policy(words, speller)
    done = complete(
        speller, prompts(words), policy.sampling, generator=torch.Generator().manual_seed(2)
    )
    for text in policy.replies(done):
        assert set(text) <= set(tiny.LETTERS) | {" "}
