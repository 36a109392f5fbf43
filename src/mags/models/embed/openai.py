"""Embeddings from any server with OpenAI's `/v1/embeddings`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mags.errors import MagsError, ModelError, ModelReplyError, ModelUnavailable, boundary
from mags.models.chat.openai import client_of
from mags.ports.embedder import encodable, unit_rows

if TYPE_CHECKING:
    from openai import OpenAI

# Servers refuse an empty text; this stands for it.
_EMPTY = "(empty)"


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingServer:
    """An embedding server: where it is and how to ask it.

    `dimensions` asks the server for shorter vectors (text-embedding-3 and the like).
    Texts longer than `window_chars` are split, and the vectors of the parts averaged. Set it to
    what the model reads (2,000 characters are some 500 tokens).
    """

    model: str
    base_url: str
    api_key: str | None = field(default=None, repr=False)
    dimensions: int | None = None
    batch_texts: int = 64
    window_chars: int = 2000
    timeout_s: float = 30.0
    retries: int = 3


class OpenAIEmbedder:
    """Embeds over HTTP in batches; retries with backoff; safe in threads.

    Raises ModelUnavailable (not reached, timed out, still overloaded after the retries),
    ModelReplyError (the reply has another form) or ModelError (the request was refused).
    """

    def __init__(self, server: EmbeddingServer) -> None:
        self._server = server
        self._dimension: int | None = server.dimensions

    @property
    def name(self) -> str:
        """`openai:` and the model, with the dimensions when they were asked for."""
        asked = self._server.dimensions
        return f"openai:{self._server.model}" + (f":{asked}" if asked else "")

    @property
    def dimension(self) -> int:
        """Length of every vector; asks the server once if it was not given."""
        if self._dimension is None:
            self._ask([_EMPTY])
        assert self._dimension is not None
        return self._dimension

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of shape (len(texts), dimension), rows of unit length, in order."""
        pieces = [
            (row, piece)
            for row, text in enumerate(texts)
            for piece in split_text(encodable(text), self._server.window_chars)
        ]
        vectors = [
            self._ask([piece for _, piece in pieces[start : start + self._server.batch_texts]])
            for start in range(0, len(pieces), self._server.batch_texts)
        ]
        sums = np.zeros((len(texts), self.dimension), dtype=np.float64)
        for (row, piece), vector in zip(
            pieces, (v for batch in vectors for v in batch), strict=True
        ):
            # Weighed by length, so that a short last piece counts for its share.
            sums[row] += vector * len(piece)
        return unit_rows(sums)

    def _ask(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors of one request; the first one tells the dimension."""
        extra = {} if self._server.dimensions is None else {"dimensions": self._server.dimensions}
        with boundary("embedding server", self._translate):
            reply = self._client.embeddings.create(
                model=self._server.model,
                input=list(texts),
                encoding_format="float",
                extra_body=extra or None,
            )
            # The order of the reply is not guaranteed; `index` is.
            rows = [list(row.embedding) for row in sorted(reply.data, key=lambda row: row.index)]
        vectors = self._checked(rows, len(texts))
        return unit_rows(vectors)

    def _checked(self, rows: list[list[float]], expected: int) -> NDArray[np.float64]:
        lengths = {len(row) for row in rows}
        if self._dimension is None and len(lengths) == 1:
            self._dimension = next(iter(lengths))
        if len(rows) != expected or lengths != {self._dimension}:
            raise ModelReplyError(
                f"{self._where} sent {len(rows)} vectors of length {sorted(lengths)} for "
                f"{expected} texts; expected length {self._dimension}: is it an embedding model, "
                "and the one this memory was written with?",
                model=self._server.model,
                expected=expected,
            )
        vectors = np.array(rows, dtype=np.float64)
        if not np.isfinite(vectors).all() or not vectors.any(axis=1).all():
            raise ModelReplyError(
                f"{self._where} sent a vector with no direction (zeros, NaN or infinity)",
                model=self._server.model,
            )
        return vectors

    @cached_property
    def _client(self) -> OpenAI:
        at = self._server
        timeout_s = at.timeout_s
        return client_of(
            at.base_url, at.api_key, timeout_s=timeout_s, connect_s=timeout_s, retries=at.retries
        )

    def _translate(self, failure: Exception) -> MagsError | None:
        import openai

        facts = {"model": self._server.model, "base_url": self._server.base_url}
        retried = (openai.RateLimitError, openai.InternalServerError, openai.ConflictError)
        if isinstance(failure, openai.APIConnectionError):  # time-outs too
            return ModelUnavailable(
                f"{self._where} does not answer ({failure}): is it running, and is the URL right?",
                **facts,
            )
        if isinstance(failure, retried):
            return ModelUnavailable(f"{self._where} is overloaded or broken: {failure}", **facts)
        if isinstance(failure, openai.APIStatusError):
            return ModelError(f"{self._where} refused: {failure}", **facts)
        # The client returns a body that is no JSON, or lacks fields, as str, None or an object
        # without the attributes.
        reply = (openai.APIError, openai.OpenAIError, AttributeError, TypeError, ValueError)
        if isinstance(failure, reply):
            return ModelReplyError(f"{self._where} answered in another form: {failure}", **facts)
        return None

    @property
    def _where(self) -> str:
        return f"the embedding server {self._server.base_url} ({self._server.model})"


def split_text(text: str, window_chars: int) -> list[str]:
    """Pieces of at most `window_chars` that cover the text and overlap by an eighth.

    They are cut at a space if the last quarter of the window has one. An empty or blank text
    gives one piece, "(empty)".
    """
    if not text.strip():
        return [_EMPTY]
    pieces, start = [], 0
    while len(text) - start > window_chars:
        end = start + window_chars
        space = text.rfind(" ", start + window_chars * 3 // 4, end)
        end = space if space > 0 else end
        pieces.append(text[start:end])
        start = max(start + 1, end - window_chars // 8)
    return [*pieces, text[start:]]
