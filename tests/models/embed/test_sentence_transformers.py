import json
import shutil
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from mags.errors import ConfigurationError, MissingExtra
from mags.models.embed import OnnxEmbedder, SentenceTransformersEmbedder
from mags.models.embed.onnx import SHIPPED

TEXTS = ["I moved to Oslo in May.", "", "Where does Alice live? " * 100]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The shipped model, laid out as sentence-transformers does."""
    path = tmp_path / "minilm"
    (path / "onnx").mkdir(parents=True)
    (path / "1_Pooling").mkdir()
    (path / "onnx" / "model.onnx").symlink_to(SHIPPED.model)
    shutil.copy(SHIPPED.tokenizer, path / "tokenizer.json")
    (path / "sentence_bert_config.json").write_text('{"max_seq_length": 256}')
    (path / "1_Pooling" / "config.json").write_text('{"pooling_mode_mean_tokens": true}')
    kinds = {"Transformer": "", "Pooling": "1_Pooling"}
    modules = [
        {"path": where, "type": f"sentence_transformers.models.{kind}"}
        for kind, where in kinds.items()
    ]
    (path / "modules.json").write_text(json.dumps(modules))
    return path


def test_a_folder_around_the_shipped_model_gives_its_vectors(folder: Path) -> None:
    embedder = SentenceTransformersEmbedder(folder)

    assert embedder.dimension == 384
    assert np.abs(embedder.embed(TEXTS) - OnnxEmbedder().embed(TEXTS)).max() < 1e-6


def test_the_name_changes_with_what_changes_the_vectors(folder: Path) -> None:
    mean = SentenceTransformersEmbedder(folder).name
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
    cls = SentenceTransformersEmbedder(folder).name

    assert mean.startswith("minilm:")
    assert cls.startswith("minilm:")
    assert mean != cls


def test_a_prompt_stands_before_every_text(folder: Path) -> None:
    plain = SentenceTransformersEmbedder(folder).embed(["query: plum"])
    (folder / "config_sentence_transformers.json").write_text(
        '{"prompts": {"query": "query: "}, "default_prompt_name": "query"}'
    )

    assert np.array_equal(SentenceTransformersEmbedder(folder).embed(["plum"]), plain)


def test_a_folder_without_a_fast_tokenizer_says_what_to_do(folder: Path) -> None:
    (folder / "tokenizer.json").unlink()

    with pytest.raises(ConfigurationError, match=r"no tokenizer\.json: save the model again"):
        SentenceTransformersEmbedder(folder).embed(["text"])


@pytest.mark.skipif(find_spec("torch") is not None, reason="torch is installed")
def test_without_onnx_and_torch_the_extra_is_named(folder: Path) -> None:
    (folder / "onnx" / "model.onnx").unlink()

    with pytest.raises(MissingExtra, match=r"no ONNX file.*./lab\[train\]") as caught:
        SentenceTransformersEmbedder(folder).embed(["text"])

    assert caught.value.facts["extra"] == "train"


@pytest.mark.skipif(find_spec("torch") is None, reason="needs the extra 'train'")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_with_torch_a_folder_needs_no_onnx(folder: Path) -> None:
    from transformers import BertConfig, BertModel

    (folder / "onnx" / "model.onnx").unlink()
    tiny = BertConfig(hidden_size=16, num_hidden_layers=1, num_attention_heads=2)
    tiny.intermediate_size = 32
    BertModel(tiny).save_pretrained(folder)
    embedder = SentenceTransformersEmbedder(folder)

    together = embedder.embed(TEXTS)

    assert together.shape == (3, 16)
    assert np.abs(np.linalg.norm(together, axis=1) - 1).max() < 1e-6
    alone = np.concatenate([embedder.embed([text]) for text in TEXTS])
    assert np.abs(together - alone).max() < 1e-5
