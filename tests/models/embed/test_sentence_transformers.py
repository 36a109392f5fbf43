import json
import shutil
import struct
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mags.errors import ConfigurationError, CorruptFile, MissingExtra
from mags.models.embed.onnx import SHIPPED, OnnxEmbedder
from mags.models.embed.sentence_transformers import (
    DenseLayer,
    SentenceTransformersEmbedder,
    pool,
    read_folder,
    read_safetensors,
)

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


KIND = "sentence_transformers.models."


def write(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))


def write_safetensors(path: Path, tensors: dict[str, tuple[str, list[int], bytes]]) -> None:
    header, body = {}, b""
    for name, (dtype, shape, content) in tensors.items():
        header[name] = {
            "dtype": dtype,
            "shape": shape,
            "data_offsets": [len(body), len(body) + len(content)],
        }
        body += content
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + body)


def a_folder(path: Path, *kinds: tuple[str, str]) -> Path:
    modules = [
        {"idx": i, "path": where, "type": KIND + kind} for i, (kind, where) in enumerate(kinds)
    ]
    write(path / "modules.json", modules)
    return path


def test_a_folder_tells_its_window_prompt_and_pooling(tmp_path: Path) -> None:
    folder = a_folder(tmp_path, ("Transformer", "0_Transformer"), ("Pooling", "1_Pooling"))
    write(
        folder / "0_Transformer/sentence_bert_config.json",
        {"max_seq_length": 384, "do_lower_case": True},
    )
    write(
        folder / "1_Pooling/config.json",
        {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False},
    )
    write(
        folder / "config_sentence_transformers.json",
        {"prompts": {"query": "query: "}, "default_prompt_name": "query"},
    )

    found = read_folder(folder)

    assert (found.window_tokens, found.lower_case) == (384, True)
    assert (found.prompt, found.pooling) == ("query: ", ("cls",))
    assert found.transformer == folder / "0_Transformer"


def test_newer_folders_name_their_pooling_in_one_word(tmp_path: Path) -> None:
    folder = a_folder(tmp_path, ("Transformer", ""), ("Pooling", "1_Pooling"))
    write(folder / "1_Pooling/config.json", {"embedding_dimension": 8, "pooling_mode": "max"})

    assert read_folder(folder).pooling == ("max",)


def test_without_a_stated_window_the_smaller_of_model_and_tokenizer_holds(tmp_path: Path) -> None:
    folder = a_folder(tmp_path, ("Transformer", ""))
    write(folder / "config.json", {"max_position_embeddings": 512})
    write(folder / "tokenizer_config.json", {"model_max_length": 128})

    assert read_folder(folder).window_tokens == 128


@pytest.mark.parametrize(
    ("pooling", "told"),
    [
        ({"pooling_mode_weightedmean_tokens": True}, "pooling_mode_weightedmean_tokens"),
        ({"pooling_mode": "attention"}, "attention"),
        ({"pooling_mode_mean_tokens": False}, "does not know"),
    ],
)
def test_unknown_pooling_is_refused_by_name(
    tmp_path: Path, pooling: dict[str, object], told: str
) -> None:
    folder = a_folder(tmp_path, ("Transformer", ""), ("Pooling", "1_Pooling"))
    write(folder / "1_Pooling/config.json", pooling)

    with pytest.raises(ConfigurationError, match=told):
        read_folder(folder)


def test_an_unknown_module_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="CLIPModel"):
        read_folder(a_folder(tmp_path, ("CLIPModel", "")))


def test_a_folder_of_another_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no sentence-transformers folder"):
        read_folder(tmp_path)


def test_broken_json_is_a_corrupt_file(tmp_path: Path) -> None:
    (tmp_path / "modules.json").write_text("[{")

    with pytest.raises(CorruptFile, match=r"modules\.json"):
        read_folder(tmp_path)


def test_a_folder_without_weights_says_what_it_looked_for(tmp_path: Path) -> None:
    found = read_folder(a_folder(tmp_path, ("Transformer", "")))

    with pytest.raises(ConfigurationError, match=r"onnx/model\.onnx, model\.safetensors"):
        _ = found.weights


def test_dense_layers_are_read_and_applied(tmp_path: Path) -> None:
    folder = a_folder(tmp_path, ("Transformer", ""), ("Dense", "2_Dense"))
    write(
        folder / "2_Dense/config.json",
        {"activation_function": "torch.nn.modules.activation.Tanh"},
    )
    weight = np.array([[1, 0, 2]], dtype="<f4").tobytes()
    bias = np.array([0.5], dtype="<f4").tobytes()
    tensors = {"linear.weight": ("F32", [1, 3], weight), "linear.bias": ("F32", [1], bias)}
    write_safetensors(folder / "2_Dense/model.safetensors", tensors)

    (layer,) = read_folder(folder).dense

    assert layer(np.array([[1, 9, -0.5]], dtype=np.float32)) == pytest.approx(np.tanh(0.5))


def test_a_dense_layer_without_activation_is_linear() -> None:
    layer = DenseLayer(
        weight=np.eye(2, dtype=np.float32), bias=np.ones(2, dtype=np.float32), tanh=False
    )

    assert layer(np.array([[3, 4]], dtype=np.float32)).tolist() == [[4, 5]]


def test_safetensors_of_every_float_are_read_as_float32(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    bfloat = (np.array([1.5, -2], dtype="<f4").view("<u4") >> 16).astype("<u2").tobytes()
    tensors = {
        "half": ("F16", [2], np.array([1.5, -2], dtype="<f2").tobytes()),
        "bfloat": ("BF16", [2], bfloat),
        "double": ("F64", [1, 2], np.array([1.5, -2], dtype="<f8").tobytes()),
        "position_ids": ("I64", [1], np.array([7], dtype="<i8").tobytes()),
    }
    write_safetensors(path, tensors)

    found = read_safetensors(path)

    assert {name: value.tolist() for name, value in found.items()} == {
        "half": [1.5, -2],
        "bfloat": [1.5, -2],
        "double": [[1.5, -2]],
    }
    assert {value.dtype for value in found.values()} == {np.dtype(np.float32)}


@pytest.mark.parametrize("kept", [4, 40, -3])
def test_a_truncated_safetensors_file_is_corrupt(tmp_path: Path, kept: int) -> None:
    path = tmp_path / "model.safetensors"
    write_safetensors(path, {"w": ("F32", [2], np.ones(2, dtype="<f4").tobytes())})
    path.write_bytes(path.read_bytes()[:kept])

    with pytest.raises(CorruptFile, match="no whole safetensors file"):
        read_safetensors(path)


# Two windows of three tokens, two numbers each; the second has one token of padding.
STATES = np.array(
    [[[1, 2], [3, 4], [8, 0]], [[5, -6], [1, -2], [99, 99]]],
    dtype=np.float32,
)
MASK = np.array([[1, 1, 1], [1, 1, 0]])


@pytest.mark.parametrize(
    ("modes", "expected"),
    [
        (("mean",), [[4, 2], [3, -4]]),
        (("cls",), [[1, 2], [5, -6]]),
        (("max",), [[8, 4], [5, -2]]),
        (("lasttoken",), [[8, 0], [1, -2]]),
        (("cls", "mean"), [[1, 2, 4, 2], [5, -6, 3, -4]]),
    ],
)
def test_padding_never_counts(modes: tuple[str, ...], expected: list[list[float]]) -> None:
    assert pool(STATES, MASK, modes).tolist() == expected
