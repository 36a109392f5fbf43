"""A nano back from its ONNX file: the weights that were written, in as many bits."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra: pip install 'mags[train]'")

import torch
from tokenizers import Tokenizer
from transformers import AutoModelForCausalLM, LlamaForCausalLM
from typer.testing import CliRunner

from mags.cli.app import app
from mags.errors import CorruptFile
from mags.models.policy.nano import SHIPPED, NanoFolder, NanoModel
from mags.training.export.onnx import export_onnx, quantised
from mags.training.export.restored import restored
from mags.training.nano.model import NanoSize, new_nano
from mags.training.nano.tokens import for_transformers, train_tokenizer
from mags.training.pairs import prompt_of
from mags.training.rollout import Sampling, complete
from tests.training.large.families import samples

WORDS = train_tokenizer(["I live in Porto, and Ana lives in Oslo."] * 4, size=300)
SIZE = NanoSize(width=64, layers=2, heads=4, inner=96, context=128, pieces=300)


def weights(model: LlamaForCausalLM) -> dict[str, torch.Tensor]:
    return {name: one.detach().float() for name, one in model.state_dict().items()}


@pytest.fixture(scope="module")
def nano() -> LlamaForCausalLM:
    return new_nano(WORDS, SIZE, seed=3).eval()


def test_what_was_written_in_32_bits_comes_back(nano: LlamaForCausalLM, tmp_path: Path) -> None:
    back = restored(export_onnx(nano, tmp_path / "nano.onnx"), tokenizer=WORDS)
    torch.testing.assert_close(weights(back), weights(nano))
    same = ("hidden_size", "intermediate_size", "max_position_embeddings", "rope_parameters")
    assert all(getattr(back.config, one) == getattr(nano.config, one) for one in same)
    ids = torch.tensor([WORDS("Ana lives in Porto")["input_ids"]])
    torch.testing.assert_close(back(ids).logits, nano(ids).logits)


def test_what_was_written_in_8_bits_comes_back_as_they_tell_it(
    nano: LlamaForCausalLM, tmp_path: Path
) -> None:
    back = weights(restored(export_onnx(nano, tmp_path / "n.onnx", bits=8), tokenizer=WORDS))
    for name, one in weights(nano).items():
        if one.ndim == 2:
            step = quantised(one.numpy())[1].max() / 2
            assert (back[name] - one).abs().max() <= step * 1.001, name
            assert (back[name] - one).abs().max() > 0


@pytest.mark.parametrize("written", [b"", b"no model at all"])
def test_what_is_no_nano_is_refused(written: bytes, tmp_path: Path) -> None:
    (tmp_path / "nano.onnx").write_bytes(written)
    with pytest.raises(CorruptFile, match="no nano of MAGS"):
        restored(tmp_path / "nano.onnx", tokenizer=WORDS)


def test_the_nano_that_ships_decides_the_same_as_a_model_of_transformers(tmp_path: Path) -> None:
    done = CliRunner().invoke(
        app, ["models", "export", "nano", "--form", "safetensors", "--out", str(tmp_path)]
    )
    assert done.exception is None, done.output
    words = for_transformers(Tokenizer.from_file(str(SHIPPED / "tokenizer.json")))
    how = Sampling(pad=words.pad_token_id, end=words.eos_token_id, limit=48, temperature=0.0)
    model = AutoModelForCausalLM.from_pretrained(tmp_path / "write").eval()
    asked = [prompt_of(one) for one in samples()]
    prompts = [words(f"<|bos|>{one}", add_special_tokens=False)["input_ids"] for one in asked]
    said = complete(model, prompts, how)
    mine = [words.decode(row, skip_special_tokens=True) for row in said.tokens]
    shipped = NanoModel(NanoFolder.read(SHIPPED), "write")
    same = [shipped.complete(a, limit=48) == b for a, b in zip(asked, mine, strict=True)]
    # The ONNX file multiplies in 8 bits, so a token that is hardly likelier may be another.
    assert np.mean(same) >= 0.75, mine
