import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mags.errors import ConfigurationError, CorruptFile
from mags.models.embed.sentence_transformers import DenseLayer, read_folder, read_safetensors

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
