"""The default embedder: all-MiniLM-L6-v2 in int8, shipped with MAGS and run by onnxruntime.

`scripts/make_embedder.py` made the file and says how. Its activations are quantised row by row (one
scale for each token), so a text has the same vector whatever else is in its batch. A text longer
than the model's window is split, never cut off.

What the words of a text are to the second look is read from the states of layers, each
standardised: projected to 64 numbers each, of unit length, kept at 8 bits. A question's words have
a weight besides. `mags train look` made the file. Shapes: t tokens, l layers, d dimensions.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from mags import caches
from mags.errors import CorruptFile, MagsError, ModelError, boundary
from mags.models.cores import product, side_by_side
from mags.ports.embedder import STEP, Tokens, encodable, key_of, unit_rows

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

# -- windows of tokens ------------------------------------------------------------

# As much as fits a core's caches: 4,096 took 1.5 to 2.3 times as long for texts over 40 tokens.
BATCH_TOKENS = 256
MOST_WINDOWS = 12
"""Windows of a text that are embedded: of a longer one as many, spread evenly over all of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """One piece of a text: `ids` with special tokens; `text`: the row of its text in the call.

    `first`: whether the text begins with it.
    """

    text: int
    first: bool
    ids: tuple[int, ...]
    type_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenBatch:
    """Windows of similar length: int64 arrays of shape (windows, tokens), padded on the right.

    `text` is int64 of shape (windows,): the row of the text each window came from; `first`:
    whether that begins with it.
    """

    text: NDArray[np.int64]
    first: NDArray[np.bool_]
    ids: NDArray[np.int64]
    mask: NDArray[np.int64]
    type_ids: NDArray[np.int64]


class Windower:
    """Cuts texts into windows of at most `tokens` tokens that overlap by `overlap`.

    It replaces the tokenizer's own truncation and padding.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        *,
        tokens: int,
        overlap: int,
        pad_id: int = 0,
        batch_tokens: int = BATCH_TOKENS,
        call_tokens: int | None = None,
    ) -> None:
        """`call_tokens`: what a call of the model costs by itself, in tokens.

        Where padding would cost more than that, another call is made. None: batches are limited by
        `batch_tokens` alone.
        """
        tokenizer.no_padding()
        tokenizer.enable_truncation(tokens, stride=overlap)
        self._tokenizer = tokenizer
        self._pad_id = pad_id
        self._batch_tokens = batch_tokens
        self._call_tokens = batch_tokens if call_tokens is None else call_tokens

    def windows(self, texts: Sequence[str]) -> list[Window]:
        """Windows of all texts, in order; an empty text has one (the special tokens)."""
        encoded = self._tokenizer.encode_batch([encodable(text) for text in texts])
        return [
            Window(
                text=row, first=piece is whole, ids=tuple(piece.ids), type_ids=tuple(piece.type_ids)
            )
            for row, whole in enumerate(encoded)
            for piece in _spread([whole, *whole.overflowing])
        ]

    def tokens(self, text: str) -> tuple[NDArray[np.int64], NDArray[np.int64], bool]:
        """The first window of a text: ids (t,), their characters (t, 2), and whether it is all."""
        encoded = self._tokenizer.encode(encodable(text))
        ids = np.array(encoded.ids, dtype=np.int64)
        return ids, np.array(encoded.offsets, dtype=np.int64), not encoded.overflowing

    def batches(self, texts: Sequence[str]) -> Iterator[TokenBatch]:
        """Windows grouped by length, so that padding costs little.

        At most `batch_tokens` tokens each, padding included, or one window.
        """
        windows = self.windows(texts)
        lengths = [len(window.ids) for window in windows]
        for some in _together(lengths, self._batch_tokens, self._call_tokens):
            yield self._padded([windows[place] for place in some])

    def _padded(self, windows: Sequence[Window]) -> TokenBatch:
        return TokenBatch(
            text=np.array([window.text for window in windows], dtype=np.int64),
            first=np.array([window.first for window in windows], dtype=np.bool_),
            ids=padded([window.ids for window in windows], self._pad_id),
            mask=padded([(1,) * len(window.ids) for window in windows]),
            type_ids=padded([window.type_ids for window in windows]),
        )


def _together(lengths: Sequence[int], most: int, call: int) -> Iterator[list[int]]:
    """Places of texts, shortest first, in batches of `most` tokens, padding included, or one text.

    `call`: more tokens of padding than that are worth another call of the model.
    """
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lambda place: lengths[place]):
        length = lengths[place]
        if batch and (
            (len(batch) + 1) * length > most
            # With this text, every one before it would be padded by so much more.
            or len(batch) * (length - lengths[batch[-1]]) > call
        ):
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def _spread(pieces: list[Encoding]) -> list[Encoding]:
    """At most so many pieces, the first and the last among them."""
    last = len(pieces) - 1
    if last < MOST_WINDOWS:
        return pieces
    return [pieces[place * last // (MOST_WINDOWS - 1)] for place in range(MOST_WINDOWS)]


def padded(rows: Sequence[Sequence[int]], pad: int = 0) -> NDArray[np.int64]:
    """Rows of any length as one array (rows, longest), padded on the right."""
    out = np.full((len(rows), max(map(len, rows))), pad, dtype=np.int64)
    for place, row in enumerate(rows):
        out[place, : len(row)] = row
    return out


class WindowMean:
    """Collects the vectors of windows into one unit vector for each text.

    A window is weighed by its tokens, so that a short last piece counts for its share.
    """

    def __init__(self, texts: int, dimension: int) -> None:
        self._sums = np.zeros((texts, dimension), dtype=np.float64)

    def add(self, batch: TokenBatch, vectors: NDArray[np.float32]) -> None:
        """Add `vectors` (windows, dimension), normalised or not, to the texts of `batch`."""
        weighted = unit_rows(vectors) * batch.mask.sum(axis=1, keepdims=True)
        # `add.at`, since several windows of a batch may be of one text.
        np.add.at(self._sums, batch.text, weighted)

    def vectors(self) -> NDArray[np.float32]:
        """Unit vectors of shape (texts, dimension)."""
        return unit_rows(self._sums)


# -- the model --------------------------------------------------------------------

CALL_TOKENS = 12
"""What a call of the shipped model costs by itself, in tokens: measured as 6 on a quiet core of
2023, and as twice that on a busy one."""

MOST_KEPT = 4096
"""Texts whose tokens are kept after they were embedded."""

DATA = Path(__file__).resolve().parent.parent / "data"
Arrays = Mapping[str, NDArray[np.generic]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFile:
    """An ONNX encoder that pools by itself, its tokenizer, and the checksums of both files.

    The graph takes `input_ids` and `attention_mask` (int64, (batch, tokens)) and returns
    `sentence_embedding` (float32, (batch, dimension)).
    """

    name: str
    model: Path
    model_sha256: str
    tokenizer: Path
    tokenizer_sha256: str
    dimension: int
    window_tokens: int
    overlap_tokens: int
    states: tuple[str, ...]
    """Names, in the graph, of the states of layers: each float32 (batch, tokens, dimension)."""
    look: Path | None = None
    """Weights of the second look over those states (`mags train look`)."""
    look_sha256: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenStates:
    """The states of layers of the encoder for each token of a text.

    `states`: float32 (t, layers x dimension), with the special first and last token.
    `spans`: int64 (t, 2), the characters of each token, (0, 0) for special tokens. `whole`: False
    if the text was longer than the window, so that its end is missing.
    """

    states: NDArray[np.float32]
    spans: NDArray[np.int64]
    whole: bool


SHIPPED = ModelFile(
    name="all-minilm-l6-v2-int8",
    model=DATA / "all-minilm-l6-v2-rows-int8.onnx",
    model_sha256="6a5b4e47f8f6d5efde88e96921213fc9daead84f6c2db122cfc24586cc8ae8f1",
    tokenizer=DATA / "all-minilm-l6-v2-tokenizer.json",
    tokenizer_sha256="be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    dimension=384,
    window_tokens=256,
    overlap_tokens=32,
    states=tuple(f"encoder.layer.{place}.output.LayerNorm" for place in (1, 3, 5)),
    look=DATA / "look.npz",
    look_sha256="6efe353221bd91b0dba2d05b03b711185d52450f17a05b6124080bd564de8689",
)


class OnnxEmbedder:
    """Embeds on the CPU, without network or key; opened by the first text, safe in threads.

    What is more than one batch is run on all cores that this process has to spare.

    The first use reads and checks the file (about 0.3 s). Raises CorruptFile if it is missing or
    damaged, ModelError if onnxruntime cannot open it. `constants`: take the place of the
    graph's own of their names, shapes and types, such as those of layers that were trained further.
    """

    def __init__(
        self, file: ModelFile = SHIPPED, *, threads: int = 1, constants: Arrays | None = None
    ) -> None:
        self._file = file
        self._constants = constants or {}
        self._threads = threads
        self._opened: tuple[Windower, InferenceSession] | None = None
        self._opening = Lock()
        self._look: Look | None = None
        self._kept: OrderedDict[bytes, Tokens] = OrderedDict()
        self._keeping = Lock()
        caches.register(self)

    @property
    def name(self) -> str:
        """Model, quantisation and the first eight digits of the file's SHA-256."""
        return f"{self._file.name}:{self._file.model_sha256[:8]}"

    @property
    def dimension(self) -> int:
        """384 for the shipped model."""
        return self._file.dimension

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of shape (len(texts), dimension), rows of unit length, in order."""
        mean = WindowMean(len(texts), self.dimension)
        if texts:
            windower, session = self._open()
            # Once tokens were asked for, they are made by the same pass.
            look = self._look  # read once: another thread may open it meanwhile
            wanted = ["sentence_embedding", *(self._file.states if look else ())]

            def run(batch: TokenBatch) -> NDArray[np.float32]:
                feed = {"input_ids": batch.ids, "attention_mask": batch.mask}
                vectors, *layers = session.run(wanted, feed)
                if look is not None:
                    self._keep(batch, layers, texts, look)
                return np.asarray(vectors)

            batches = list(windower.batches(texts))
            made = side_by_side(run, batches, at_once(batch.ids.size for batch in batches))
            for batch, vectors in zip(batches, made, strict=True):
                mean.add(batch, vectors)
        return mean.vectors()

    @property
    def look(self) -> str:
        """The first eight digits of the weights' SHA-256; "" with other weights of the encoder."""
        return "" if self._constants else self._file.look_sha256[:8]

    def tokens(self, texts: Sequence[str]) -> list[Tokens]:
        """Of each text, in order; those of texts that were just embedded are at hand."""
        if self._look is None and self._file.look is not None:
            path = self._file.look
            self._look = read_look(checked_bytes(path, self._file.look_sha256))
        keys = [key_of(text) for text in texts]
        with self._keeping:
            found = {key: self._kept[key] for key in keys if key in self._kept}
        lacking = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        for place, states in self.states_of(list(lacking.values())) if lacking else ():
            assert self._look is not None
            found[list(lacking)[place]] = self._look.tokens(states.states[1:-1])
        return [found[key] for key in keys]

    def clear(self) -> None:
        """Let go of the tokens of what was embedded, so that `forget` reaches them, too."""
        with self._keeping:
            self._kept.clear()

    def _keep(
        self,
        batch: TokenBatch,
        layers: Sequence[NDArray[np.float32]],
        texts: Sequence[str],
        look: Look,
    ) -> None:
        for row in np.flatnonzero(batch.first).tolist():
            own = slice(1, int(batch.mask[row].sum()) - 1)
            made = look.tokens(np.concatenate([layer[row, own] for layer in layers], axis=1))
            with self._keeping:
                self._kept[key_of(texts[batch.text[row]])] = made
                while len(self._kept) > MOST_KEPT:
                    self._kept.popitem(last=False)

    def token_states(self, text: str) -> TokenStates:
        """The states of a text's tokens (of its first window), for heads trained on them."""
        ((_, states),) = self.states_of([text])
        return states

    def states_of(self, texts: Sequence[str]) -> Iterator[tuple[int, TokenStates]]:
        """The same for many texts, each with its place among them, shortest first."""
        windower, session = self._open()
        read = [windower.tokens(text) for text in texts]
        lengths = [len(ids) for ids, _, _ in read]
        batches = list(_together(lengths, BATCH_TOKENS, BATCH_TOKENS))

        def run(some: Sequence[int]) -> Sequence[NDArray[np.float32]]:
            ids = [read[place][0].tolist() for place in some]
            feed = {"input_ids": padded(ids), "attention_mask": padded([[1] * len(i) for i in ids])}
            made: Sequence[NDArray[np.float32]] = session.run(list(self._file.states), feed)
            return made

        made = side_by_side(run, batches, at_once(lengths))
        for some, layers in zip(batches, made, strict=True):
            for row, place in enumerate(some):
                _, spans, whole = read[place]
                states = [layer[row, : len(spans)] for layer in layers]
                joined = states[0] if len(states) == 1 else np.concatenate(states, axis=1)
                yield place, TokenStates(states=joined, spans=spans, whole=whole)

    def _open(self) -> tuple[Windower, InferenceSession]:
        with self._opening:
            if self._opened is None:
                file = self._file
                words = checked_bytes(file.tokenizer, file.tokenizer_sha256)
                windower = Windower(
                    Tokenizer.from_buffer(words),
                    tokens=file.window_tokens,
                    overlap=file.overlap_tokens,
                    call_tokens=CALL_TOKENS,
                )
                graph = checked_bytes(file.model, file.model_sha256)
                for name in file.states:
                    graph = with_output(graph, name)
                session = open_session(
                    graph, file.model, threads=self._threads, constants=self._constants
                )
                self._opened = windower, session
            return self._opened


def at_once(tokens: Iterable[int]) -> int:
    """How many batches of so many tokens, in all, are worth a thread each."""
    return 1 + sum(tokens) // BATCH_TOKENS


def checked_bytes(
    path: Path,
    sha256: str,
    what: str = "model file",
    advice: str = "reinstall mags, or run scripts/make_embedder.py in a checkout",
) -> bytes:
    """The bytes of a file, if they are those that MAGS was released with; else CorruptFile.

    `sha256`: of any bytes where it is empty. `what` it is, and an `advice`, for the message. Takes
    20 ms for 23 MB, which is little compared to opening the session.
    """
    try:
        content = path.read_bytes()
    except OSError as failure:
        raise CorruptFile(
            f"cannot read the {what} {path} ({failure.strerror}): {advice}", path=path
        ) from failure
    found = hashlib.sha256(content).hexdigest()
    if sha256 and found != sha256:
        raise CorruptFile(
            f"the {what} {path} is damaged (sha256 {found[:12]}, expected {sha256[:12]}): {advice}",
            path=path,
            found=found,
            expected=sha256,
        )
    return content


def open_session(
    model: bytes | str, path: Path, *, threads: int, constants: Arrays | None = None
) -> InferenceSession:
    """A CPU session for a model's bytes, or for its path if it has files beside it.

    `path` is for the message; `constants` are not copied. Raises ModelError if onnxruntime refuses
    the file.
    """
    # Imported here: that takes 0.2 s, and most commands embed nothing.
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Idle threads would otherwise spin on a core between two texts.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")

    values = {
        name: onnxruntime.OrtValue.ortvalue_from_numpy(np.ascontiguousarray(array))
        for name, array in (constants or {}).items()
    }
    for name, value in values.items():
        options.add_initializer(name, value)

    def refused(failure: Exception) -> MagsError:
        return ModelError(f"onnxruntime cannot open {path}: {failure}", path=path)

    with boundary("onnxruntime", refused):
        made = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    made.constants = values  # which it reads as long as it lives, and does not keep itself
    return made


FLOAT, INT8 = 1, 3


def with_output(model: bytes, name: str, kind: int = FLOAT) -> bytes:
    """The model with an inner tensor, whose name has at most 100 bytes, as its last output."""
    # A model is a protocol buffer, and two of them in a row parse as if merged, repeated fields
    # joined: here ModelProto.graph (7) with one GraphProto.output (12), a ValueInfoProto of name
    # (1) and type (2), which is TypeProto.tensor_type (1) with its elem_type (1).
    # protobuf.dev/programming-guides/encoding
    tensor = _message(1, bytes((1 << 3, kind)))
    return model + _message(7, _message(12, _message(1, name.encode()) + _message(2, tensor)))


def _message(number: int, content: bytes) -> bytes:
    """A field of less than 128 bytes, its length before it."""
    return bytes((number << 3 | 2, len(content))) + content


# -- what the words of a text are to the second look ---------------------------

Floats = NDArray[np.float32]
ABOUT = "about"
"""The array that holds the description: JSON in UTF-8, as uint8."""
WIDTH = 64
"""Numbers of a token."""
MOST_TOKENS = 160
"""Tokens of a text that are kept, from its beginning."""
MILD = 16.0
"""What a token's score is divided by before it becomes a weight."""
LAYERS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """Trained weights. `project`: (l x d, WIDTH), `shift`: (WIDTH,), `weigh`: (l x d,)."""

    project: Floats
    shift: Floats
    weigh: Floats
    lean: float
    scale: float

    def tokens(self, states: Floats) -> Tokens:
        """Of the states of a text's own tokens, without special ones, (t, l x d)."""
        states = standard_layers(states[:MOST_TOKENS])
        rows = unit_rows(product(states, self.project.T) - self.shift)
        weights = np.logaddexp(0.0, (product(states, self.weigh[None])[:, 0] + self.lean) / MILD)
        return Tokens(
            rows=np.clip(np.rint(rows / STEP), -127, 127).astype(np.int8),
            weights=np.asarray(self.scale * weights / max(weights.sum(), 1e-9), np.float32),
        )


def standard_layers(states: Floats) -> Floats:
    """Joined states (t, l x d) with mean 0 and variance 1 in each layer."""
    layers = states.reshape(len(states), LAYERS, states.shape[1] // LAYERS)
    centred = layers - layers.mean(axis=-1, keepdims=True)
    variance = np.einsum("tld,tld->tl", centred, centred) / np.float32(layers.shape[-1])
    made = centred / np.sqrt(variance + np.float32(1e-5))[..., None]
    return np.asarray(made.reshape(states.shape), np.float32)


def read_look(content: bytes) -> Look:
    """The weights in a file; raises ValueError or KeyError where it holds others."""
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        about = json.loads(arrays[ABOUT].tobytes())
        return Look(
            project=arrays["project"].astype(np.float32),
            shift=arrays["shift"],
            weigh=arrays["weigh"],
            lean=about["lean"],
            scale=about["scale"],
        )
