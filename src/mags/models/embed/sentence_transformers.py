"""Embeds with any sentence-transformers folder: with ONNX if it has that, else with torch."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from mags.errors import ConfigurationError, CorruptFile, MissingExtra
from mags.models.embed.onnx import BATCH_TOKENS, TokenBatch, Windower, WindowMean, open_session

_DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2"}
_POOLING_KEYS = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_lasttoken": "lasttoken",
}
_ACTIVATIONS = {"Identity", "Tanh"}
_OVERLAP_TOKENS = 32
# A call of torch costs milliseconds, whatever the batch.
_TORCH_BATCH_TOKENS = 4096
Encoder = Callable[[TokenBatch], NDArray[np.float32]]
"""Token windows to vectors, after pooling and dense layers; shape (windows, d), not normalised."""


class SentenceTransformersEmbedder:
    """Reads `modules.json`: transformer, pooling (mean, cls, max, lasttoken), dense layers.

    With `onnx/model.onnx` in the folder it runs without torch; else it needs the extra
    `train` (raises MissingExtra). Raises ConfigurationError if the folder is of another
    kind, CorruptFile if a file in it is broken. Safe in threads.
    """

    def __init__(self, path: Path | str) -> None:
        self._folder = read_folder(Path(path))
        self._lock = Lock()
        self._name: str | None = None
        self._dimension: int | None = None
        self._opened: tuple[Windower, Encoder] | None = None

    @property
    def name(self) -> str:
        """The folder's name and eight digits that change with its weights, pooling or prompt."""
        if self._name is None:
            folder = self._folder
            with folder.weights.open("rb") as weights:
                digest = hashlib.file_digest(weights, "sha256")
            # All that changes a vector: a memory knows its embedder by this name alone.
            digest.update(repr((folder.pooling, folder.prompt, folder.lower_case)).encode())
            self._name = f"{folder.path.resolve().name}:{digest.hexdigest()[:8]}"
        return self._name

    @property
    def dimension(self) -> int:
        """Length of every vector, found by embedding one word the first time."""
        # Dense layers may change it, so the transformer's own configuration does not tell.
        if self._dimension is None:
            windower, encode = self._open()
            batch = next(windower.batches(["dimension"]))
            self._dimension = int(encode(batch).shape[1])
        return self._dimension

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of shape (len(texts), dimension), rows of unit length, in order."""
        windower, encode = self._open()
        mean = WindowMean(len(texts), self.dimension)
        for batch in windower.batches([self._prepared(text) for text in texts]):
            mean.add(batch, encode(batch))
        return mean.vectors()

    def _prepared(self, text: str) -> str:
        whole = self._folder.prompt + text
        return whole.lower() if self._folder.lower_case else whole

    def _open(self) -> tuple[Windower, Encoder]:
        with self._lock:
            if self._opened is None:
                onnx = self._folder.onnx
                folder = self._folder
                encode = _TorchEncoder(folder) if onnx is None else _OnnxEncoder(folder, onnx)
                self._opened = _windower(folder), encode
            return self._opened


def _windower(folder: ModelFolder) -> Windower:
    path = folder.transformer / "tokenizer.json"
    if not path.is_file():
        raise ConfigurationError(
            f"{folder.transformer} has no tokenizer.json: save the model again with a recent "
            "transformers (a fast tokenizer)",
            path=path,
        )
    try:
        tokenizer = Tokenizer.from_buffer(path.read_bytes())
    except ValueError as failure:
        raise CorruptFile(f"cannot read {path}: {failure}", path=path) from failure
    padding = tokenizer.padding or {}
    overlap = min(_OVERLAP_TOKENS, folder.window_tokens // 8)
    return Windower(
        tokenizer,
        tokens=folder.window_tokens,
        overlap=overlap,
        pad_id=int(padding.get("pad_id", 0)),
        batch_tokens=BATCH_TOKENS if folder.onnx else _TORCH_BATCH_TOKENS,
    )


class _OnnxEncoder:
    def __init__(self, folder: ModelFolder, onnx: Path) -> None:
        # By path, not bytes: large models have their weights in a second file beside the first.
        self._session = open_session(str(onnx), onnx, threads=1)
        self._folder = folder
        self._inputs = {entry.name for entry in self._session.get_inputs()}
        unknown = self._inputs - {"input_ids", "attention_mask", "token_type_ids"}
        if unknown:
            raise ConfigurationError(
                f"{onnx} asks for inputs that MAGS does not give: {sorted(unknown)}", path=onnx
            )
        outputs = [entry.name for entry in self._session.get_outputs()]
        tokens = next((n for n in ("last_hidden_state", "token_embeddings") if n in outputs), None)
        # A graph without token states as an output is the whole model, with its dense layers.
        self._whole = tokens is None and "sentence_embedding" in outputs
        self._output = "sentence_embedding" if self._whole else tokens or outputs[0]

    def __call__(self, batch: TokenBatch) -> NDArray[np.float32]:
        given = {
            "input_ids": batch.ids,
            "attention_mask": batch.mask,
            "token_type_ids": batch.type_ids,
        }
        feed = {name: given[name] for name in self._inputs}
        states = self._session.run([self._output], feed)[0]
        return states if self._whole else self._folder.finish(states, batch)


class _TorchEncoder:
    def __init__(self, folder: ModelFolder) -> None:
        if find_spec("torch") is None or find_spec("transformers") is None:
            raise MissingExtra(
                extra="train", needed_for=f"the model folder {folder.path} (it has no ONNX file)"
            )
        # Imported here: both are optional and slow to import.
        import torch
        import transformers

        torch.set_num_threads(1)
        self._torch = torch
        self._folder = folder
        self._model = transformers.AutoModel.from_pretrained(
            folder.transformer, local_files_only=True
        ).eval()

    def __call__(self, batch: TokenBatch) -> NDArray[np.float32]:
        with self._torch.inference_mode():
            states = self._model(
                input_ids=self._torch.from_numpy(batch.ids),
                attention_mask=self._torch.from_numpy(batch.mask),
            ).last_hidden_state
        return self._folder.finish(states.float().numpy(), batch)


# -- the JSON files of a folder --------------------------------------------------------------


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
    """A transformer, how its token states are pooled, and the dense layers after that."""

    path: Path
    transformer: Path
    window_tokens: int
    lower_case: bool
    prompt: str
    pooling: tuple[str, ...]
    dense: tuple[DenseLayer, ...]

    @property
    def onnx(self) -> Path | None:
        """`onnx/model.onnx` of the transformer, or None."""
        found = self.transformer / "onnx" / "model.onnx"
        return found if found.is_file() else None

    @property
    def weights(self) -> Path:
        """The file whose checksum identifies the model: ONNX first, then safetensors, then bin.

        Raises ConfigurationError if there is none.
        """
        names = ("onnx/model.onnx", "model.safetensors", "pytorch_model.bin")
        for name in names:
            if (self.transformer / name).is_file():
                return self.transformer / name
        raise ConfigurationError(
            f"{self.transformer} holds no weights (looked for {', '.join(names)})", path=self.path
        )

    def finish(self, states: NDArray[np.float32], batch: TokenBatch) -> NDArray[np.float32]:
        """Token states (n, tokens, d) to one vector for each window."""
        vectors = pool(states, batch.mask, self.pooling)
        for layer in self.dense:
            vectors = layer(vectors)
        return vectors


def read_folder(path: Path) -> ModelFolder:
    """Read `modules.json` and the modules it lists.

    Raises ConfigurationError for a folder of another kind or an unknown module, CorruptFile for
    broken JSON or weights.
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
        # Vectors are normalised in any case, and dropout does nothing outside of training.
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
    # Newer versions of the library write one name, older ones a flag for each mode.
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


def read_safetensors(path: Path) -> dict[str, NDArray[np.float32]]:
    """Every float tensor by name, as float32. Raises CorruptFile."""
    # The format: 8 bytes with the length of a JSON header, the header, then the tensors.
    raw = path.read_bytes()
    size = int.from_bytes(raw[:8], "little")
    try:
        header = json.loads(raw[8 : 8 + size])
        return {
            name: _tensor(raw, 8 + size, entry)
            for name, entry in header.items()
            if name != "__metadata__" and entry["dtype"] in {*_DTYPES, "BF16"}
        }
    except (ValueError, KeyError, TypeError, AttributeError) as failure:
        raise CorruptFile(f"{path} is no whole safetensors file: {failure}", path=path) from failure


def _tensor(raw: bytes, base: int, entry: dict[str, list[int]]) -> NDArray[np.float32]:
    start, end = entry["data_offsets"]
    part = raw[base + start : base + end]
    if str(entry["dtype"]) == "BF16":
        # NumPy has no bfloat16. It is the upper half of a float32.
        widened = np.frombuffer(part, dtype="<u2").astype(np.uint32) << 16
        return widened.view(np.float32).reshape(entry["shape"])
    kind = _DTYPES[str(entry["dtype"])]
    return np.frombuffer(part, dtype=kind).astype(np.float32).reshape(entry["shape"])


def pool(
    states: NDArray[np.float32], mask: NDArray[np.int64], modes: Sequence[str]
) -> NDArray[np.float32]:
    """Pool `states` (n, tokens, d) where `mask` (n, tokens) is 1, to (n, modes x d).

    Modes: `mean`, `cls` (first token), `max`, `lasttoken`. Padding is on the right.
    """
    blocks = [_pooled(states, mask, mode) for mode in modes]
    return np.concatenate(blocks, axis=1).astype(np.float32)


def _pooled(states: NDArray[np.float32], mask: NDArray[np.int64], mode: str) -> NDArray[np.float32]:
    on = mask[:, :, None].astype(np.float32)
    if mode == "cls":
        return np.asarray(states[:, 0])
    if mode == "max":
        return np.asarray(np.where(on > 0, states, np.float32(-np.inf)).max(axis=1))
    if mode == "lasttoken":
        return np.asarray(states[np.arange(len(states)), mask.sum(axis=1) - 1])
    return np.asarray((states * on).sum(axis=1) / on.sum(axis=1))
