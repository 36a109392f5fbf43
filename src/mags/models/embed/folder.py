"""What a sentence-transformers folder says about itself, read from its JSON files."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mags.errors import ConfigurationError, CorruptFile
from mags.models.embed.safetensors import read_safetensors

_POOLING_KEYS = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_lasttoken": "lasttoken",
}
_ACTIVATIONS = {"Identity", "Tanh"}


@dataclass(frozen=True, slots=True, kw_only=True)
class DenseLayer:
    """y = activation(W x + b): `weight` of shape (out, in), `bias` of shape (out,)."""

    weight: NDArray[np.float32]
    bias: NDArray[np.float32]
    tanh: bool

    def __call__(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Vectors (n, in) to (n, out)."""
        linear = vectors @ self.weight.T + self.bias
        return np.tanh(linear) if self.tanh else linear


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFolder:
    """A transformer, how its tokens are pooled, and the dense layers after."""

    path: Path
    transformer: Path
    window_tokens: int
    lower_case: bool
    prompt: str
    pooling: tuple[str, ...]
    dense: tuple[DenseLayer, ...]

    @property
    def onnx(self) -> Path | None:
        """`onnx/model.onnx` of the transformer, when there."""
        found = self.transformer / "onnx" / "model.onnx"
        return found if found.is_file() else None

    @property
    def weights(self) -> Path:
        """The file that tells this model from another: ONNX first, then safetensors, then bin.

        Raises ConfigurationError when none is there.
        """
        names = ("onnx/model.onnx", "model.safetensors", "pytorch_model.bin")
        for name in names:
            if (self.transformer / name).is_file():
                return self.transformer / name
        raise ConfigurationError(
            f"{self.transformer} holds no weights (looked for {', '.join(names)})", path=self.path
        )


def read_folder(path: Path) -> ModelFolder:
    """Read `modules.json` and what it names.

    Raises ConfigurationError for a folder of another kind or a module MAGS does not
    know, CorruptFile for broken JSON or weights.
    """
    if not (path / "modules.json").is_file():
        raise ConfigurationError(
            f"{path} is no sentence-transformers folder (it has no modules.json)", path=path
        )
    transformer, dense = path, []
    pooling: tuple[str, ...] = ("mean",)
    for module in _json(path / "modules.json"):
        kind, place = module["type"].rsplit(".", 1)[-1], path / module["path"]
        if kind == "Transformer":
            transformer = place
        elif kind == "Pooling":
            pooling = _pooling(place / "config.json")
        elif kind == "Dense":
            dense.append(_dense(place))
        elif kind not in {"Normalize", "Dropout"}:
            raise ConfigurationError(
                f"{path} has a module MAGS does not know: {module['type']}", path=path, module=kind
            )
    bert = _json_or_empty(transformer / "sentence_bert_config.json")
    return ModelFolder(
        path=path,
        transformer=transformer,
        window_tokens=_window(transformer, bert),
        lower_case=bool(bert.get("do_lower_case", False)),
        prompt=_prompt(_json_or_empty(path / "config_sentence_transformers.json")),
        pooling=pooling,
        dense=tuple(dense),
    )


def _window(transformer: Path, bert: dict[str, Any]) -> int:
    if bert.get("max_seq_length"):
        return int(bert["max_seq_length"])
    limit = _json_or_empty(transformer / "config.json").get("max_position_embeddings", 512)
    asked = _json_or_empty(transformer / "tokenizer_config.json").get("model_max_length", limit)
    return int(min(limit, asked))


def _prompt(config: dict[str, Any]) -> str:
    return str(config.get("prompts", {}).get(config.get("default_prompt_name"), ""))


def _pooling(path: Path) -> tuple[str, ...]:
    config = _json(path)
    named = config.get("pooling_mode")
    if named is not None:
        modes = (named,) if isinstance(named, str) else tuple(named)
    else:
        modes = tuple(
            _POOLING_KEYS.get(key, key)
            for key, on in config.items()
            if key.startswith("pooling_mode_") and on is True
        )
    unknown = set(modes) - set(_POOLING_KEYS.values())
    if unknown or not modes:
        raise ConfigurationError(
            f"{path} asks for pooling that MAGS does not know: {sorted(unknown)}", path=path
        )
    return modes


def _dense(place: Path) -> DenseLayer:
    config = _json(place / "config.json")
    activation = str(config.get("activation_function", "Identity")).rsplit(".", 1)[-1]
    if activation not in _ACTIVATIONS:
        raise ConfigurationError(
            f"{place} has an activation MAGS does not know: {activation}", path=place
        )
    if not (place / "model.safetensors").is_file():
        raise ConfigurationError(
            f"{place} has no model.safetensors: save the model again with a recent "
            "sentence-transformers",
            path=place,
        )
    tensors = read_safetensors(place / "model.safetensors")
    weight = tensors["linear.weight"]
    bias = tensors.get("linear.bias", np.zeros(len(weight), dtype=np.float32))
    return DenseLayer(weight=weight, bias=bias, tanh=activation == "Tanh")


def _json_or_empty(path: Path) -> dict[str, Any]:
    return dict(_json(path)) if path.is_file() else {}


def _json(path: Path) -> Any:  # noqa: ANN401 - JSON is anything
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as failure:
        raise CorruptFile(f"cannot read {path}: {failure}", path=path) from failure
