"""The same greedy tokens in transformers and llama.cpp; a server of it decides for MAGS."""

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

for library in ("torch", "peft", "gguf", "xllamacpp"):
    pytest.importorskip(library, reason="needs the extras: pip install './lab[train,gguf]'")

import torch  # noqa: E402
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast  # noqa: E402

from benchmarks.rl.small import new_model, train_tokenizer  # noqa: E402
from benchmarks.rl.study import Widths  # noqa: E402
from lab.tests.server.gguf_server import llama_cpp_serving  # noqa: E402
from lab.tests.training.large import road  # noqa: E402
from lab.tests.training.large.families import FAMILIES, samples, sentencepiece  # noqa: E402
from mags.errors import ConfigurationError, ModelReplyError  # noqa: E402
from mags.models.chat.openai import OpenAIChat  # noqa: E402
from mags.models.policy.prompted import PromptedPolicy  # noqa: E402
from mags.models.policy.taught import served_policy  # noqa: E402
from mags.models.prompts import load_prompts  # noqa: E402
from mags.ports.chat import ChatSettings  # noqa: E402
from mags_lab.training.batches import (  # noqa: E402
    encode,
    pair_of,
)
from mags_lab.training.gguf import check_merges, export_gguf, interleaved, scores_of, stretched  # noqa: E402
from mags_lab.training.large.loading import load  # noqa: E402
from mags_lab.training.rollout import Sampling, complete  # noqa: E402
from mags_lab.training.sft import SftConfig, fine_tune  # noqa: E402

pytestmark = [pytest.mark.full, pytest.mark.filterwarnings("ignore")]
LIMIT = 32


def by_transformers(model: Any, prompts: list[list[int]], pad: int, end: int) -> list[list[int]]:
    how = Sampling(pad=pad, end=end, limit=LIMIT, temperature=0.0)
    done = complete(model, prompts, how)
    rows = zip(done.tokens.tolist(), done.mask.tolist(), strict=True)
    return [[t for t, m in zip(said, mask, strict=True) if m] for said, mask in rows]


@pytest.fixture(scope="module")
def small() -> tuple[LlamaForCausalLM, PreTrainedTokenizerFast]:
    """A Llama that has learned the samples."""
    torch.set_num_threads(1)
    pairs = [pair_of(one) for one in samples()]
    words = train_tokenizer([f"{p.prompt}{p.target}" for p in pairs], size=400)
    size = Widths(width=64, layers=2, heads=4, inner=128, context=512, pieces=400)
    model = new_model(words, size, seed=0)
    encoded = encode(words, pairs * 4, longest=256)
    fine_tune(model, encoded, SftConfig(steps=80, rate=1e-2, tokens=1_024))
    return model, words


def test_a_small_llama_says_the_same_in_transformers_and_gguf(
    small: tuple[LlamaForCausalLM, PreTrainedTokenizerFast], tmp_path: Path
) -> None:
    model, words = small
    end, pad = words.eos_token_id, words.pad_token_id
    path = export_gguf(model, words, tmp_path / "small.gguf")
    model.eval()
    texts = [f"<|bos|>{pair_of(one).prompt}" for one in samples()]
    prompts = [words(text, add_special_tokens=False)["input_ids"] for text in texts]
    wanted = by_transformers(model, prompts, pad, end)
    assert words.decode(wanted[0][:-1]) == samples()[0].target
    with llama_cpp_serving(path) as server:
        assert [server.tokens(text) for text in texts] == prompts
        assert [server.continued(ids, LIMIT) for ids in prompts] == wanted


@pytest.mark.parametrize("family", FAMILIES)
def test_a_merged_adapter_says_the_same_in_llama_cpp(family: str, tmp_path: Path) -> None:
    walked = road.walk(family, tmp_path, epochs=4, educated=80)
    merged = load(walked.merged)
    speech, words = merged.speech, merged.tokenizer
    path = export_gguf(merged.model, words, tmp_path / "merged.gguf")
    prompts = [list(speech.ids(speech.messages(one))) for one in samples()]
    wanted = by_transformers(merged.model, prompts, words.pad_token_id, speech.end)
    with llama_cpp_serving(path) as server:
        assert [server.tokens(words.decode(ids)) for ids in prompts] == prompts
        assert [server.continued(ids, LIMIT) for ids in prompts] == wanted


@pytest.mark.parametrize("prefix", [False, True])
def test_llama_cpp_splits_any_text_as_sentencepiece_pieces_do(prefix: bool, tmp_path: Path) -> None:
    words = PreTrainedTokenizerFast(
        tokenizer_object=sentencepiece(prefix=prefix), bos_token="<|bos|>", eos_token="<|eos|>",
        pad_token="<|pad|>", unk_token="<unk>",
    )  # fmt: skip
    size = Widths(width=16, layers=1, heads=2, inner=16, context=64, pieces=len(words))
    path = export_gguf(new_model(words, size, seed=0), words, tmp_path / "sp.gguf")
    texts = ["I live in Oslo.", "Bergen, Turin  and Lyon", "Ærlig talt: 東京 🎈", "a\nb", " lead"]
    texts += [one.target for one in samples()]
    with llama_cpp_serving(path) as server:
        for text in texts:
            assert server.tokens(text) == words(text, add_special_tokens=False)["input_ids"], text


def test_pieces_that_llama_cpp_would_join_and_transformers_not_are_refused() -> None:
    made = sentencepiece()
    written = json.loads(made.to_str())
    check_merges(written, [(left, right) for left, right in written["model"]["merges"]])
    with pytest.raises(ConfigurationError, match="never merged"):
        check_merges(written, [])


def test_a_piece_scores_by_the_first_merge_that_makes_it() -> None:
    merges = [("a", "b"), ("ab", "c"), ("a", "bc")]
    assert scores_of(["a", "ab", "abc"], merges) == [-3.0, 0.0, -1.0]


def test_the_rows_of_a_head_become_neighbouring_pairs() -> None:
    table = np.arange(8, dtype=np.float32)  # two heads of width 4
    assert interleaved(table, 2).tolist() == [0, 2, 1, 3, 4, 6, 5, 7]


def test_llama_3_divides_slow_frequencies() -> None:
    settings = {
        "rope_type": "llama3",
        "rope_theta": 500_000.0,
        "factor": 8.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 64,
    }
    config = LlamaConfig(
        hidden_size=32, num_attention_heads=2, num_hidden_layers=1, intermediate_size=32
    )
    config.rope_parameters = settings
    factors = stretched(LlamaForCausalLM(config))
    # Waves longer than the first context are stretched by the factor, those under 16 not at all.
    assert factors[0] == pytest.approx(1.0)
    assert factors[-1] == pytest.approx(8.0, rel=1e-5)
    assert np.all(np.diff(factors) > -1e-5)


def test_what_llama_cpp_would_misread_is_refused(
    small: tuple[LlamaForCausalLM, PreTrainedTokenizerFast], tmp_path: Path
) -> None:
    model, words = small
    model.config.model_type = "mamba"
    try:
        with pytest.raises(ConfigurationError, match=r"convert_hf_to_gguf\.py"):
            export_gguf(model, words, tmp_path / "other.gguf")
    finally:
        model.config.model_type = "llama"


PROMPT = "---\nversion: 1\n---\n## system\nKeep.\n\n## user\n{{turn}}\n"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[OpenAIChat, Path]]:
    """llama.cpp's server over a merged Qwen, and a folder of short prompts."""
    walked = road.walk("qwen", tmp_path, epochs=4, educated=80)
    merged = load(walked.merged)
    path = export_gguf(merged.model, merged.tokenizer, tmp_path / "merged.gguf")
    for role in ("ask", "write", "router"):
        (tmp_path / f"{role}.md").write_text(PROMPT, encoding="utf-8")
    with llama_cpp_serving(path) as server:
        yield OpenAIChat(ChatSettings(url=server.url, max_tokens=LIMIT)), tmp_path


def test_a_server_of_llama_cpp_decides_for_mags(served: tuple[OpenAIChat, Path]) -> None:
    chat, prompts = served
    told = samples()[0]
    (operation,) = served_policy(chat).write(told.turn, [], []).operations
    assert (operation.subject, operation.relation, operation.object) == ("Zora", "lives in", "Oslo")
    # Prompted with words it was never taught, what it says is read, or refused with a reason.
    with suppress(ModelReplyError):
        writing = PromptedPolicy(chat, load_prompts(prompts)).write(told.turn, [], [])
        assert writing.understood or writing.why
