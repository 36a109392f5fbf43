"""Embeds with any sentence-transformers folder: by ONNX where it has one, else by torch."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from mags.errors import ConfigurationError, CorruptFile, MissingExtra
from mags.models.embed.folder import ModelFolder, read_folder
from mags.models.embed.pooling import pool
from mags.models.embed.session import open_session
from mags.models.embed.windows import BATCH_TOKENS, TokenBatch, Windower, WindowMean

_OVERLAP_TOKENS = 32
# torch costs milliseconds a call, whatever the batch.
_TORCH_BATCH_TOKENS = 4096


class _Encoder(Protocol):
    def __call__(self, batch: TokenBatch) -> NDArray[np.float32]:
        """Vectors after pooling and dense layers, of any length; shape (windows, d)."""
        ...


class SentenceTransformersEmbedder:
    """Reads `modules.json`: transformer, pooling (mean, cls, max, lasttoken), dense layers.

    With `onnx/model.onnx` in the folder it runs without torch; else it needs the extra
    `train` (raises MissingExtra). Raises ConfigurationError when the folder is of another
    kind, CorruptFile when a file in it is broken. Safe in threads.
    """

    def __init__(self, path: Path | str, *, threads: int = 1) -> None:
        self._folder = read_folder(Path(path))
        self._threads = threads
        self._lock = Lock()
        self._name: str | None = None
        self._dimension: int | None = None
        self._opened: tuple[Windower, _Encoder] | None = None

    @property
    def name(self) -> str:
        """The folder's name and eight digits that change with its weights, pooling or prompt."""
        if self._name is None:
            folder = self._folder
            with folder.weights.open("rb") as weights:
                digest = hashlib.file_digest(weights, "sha256")
            digest.update(repr((folder.pooling, folder.prompt, folder.lower_case)).encode())
            self._name = f"{folder.path.resolve().name}:{digest.hexdigest()[:8]}"
        return self._name

    @property
    def dimension(self) -> int:
        """Length of every vector; found by embedding one word the first time."""
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

    def _open(self) -> tuple[Windower, _Encoder]:
        with self._lock:
            if self._opened is None:
                onnx = self._folder.onnx
                encode: _Encoder = (
                    _TorchEncoder(self._folder, self._threads)
                    if onnx is None
                    else _OnnxEncoder(self._folder, onnx, self._threads)
                )
                self._opened = _windower(self._folder), encode
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


def _finished(
    states: NDArray[np.float32], batch: TokenBatch, folder: ModelFolder
) -> NDArray[np.float32]:
    vectors = pool(states, batch.mask, folder.pooling)
    for layer in folder.dense:
        vectors = layer(vectors)
    return vectors


class _OnnxEncoder:
    def __init__(self, folder: ModelFolder, onnx: Path, threads: int) -> None:
        # By path, not bytes: large models keep their weights in a file beside it.
        self._session = open_session(str(onnx), onnx, threads=threads)
        self._folder = folder
        self._inputs = {entry.name for entry in self._session.get_inputs()}
        unknown = self._inputs - {"input_ids", "attention_mask", "token_type_ids"}
        if unknown:
            raise ConfigurationError(
                f"{onnx} asks for inputs that MAGS does not give: {sorted(unknown)}", path=onnx
            )
        outputs = [entry.name for entry in self._session.get_outputs()]
        tokens = next((n for n in ("last_hidden_state", "token_embeddings") if n in outputs), None)
        # A graph that gives no token states holds the whole model, dense layers included.
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
        return states if self._whole else _finished(states, batch, self._folder)


class _TorchEncoder:
    def __init__(self, folder: ModelFolder, threads: int) -> None:
        if find_spec("torch") is None or find_spec("transformers") is None:
            raise MissingExtra(
                extra="train", needed_for=f"the model folder {folder.path} (it has no ONNX file)"
            )
        import torch
        import transformers

        torch.set_num_threads(threads)
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
        return _finished(states.float().numpy(), batch, self._folder)
