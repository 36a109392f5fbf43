"""A small causal model as ONNX: text in, the likeliest text out, one core."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from mags.errors import ConfigurationError, CorruptFile, ModelReplyError
from mags.models.constraint import Constraint, Guide
from mags.models.embed.session import OnnxSession, open_session

ROLES = ("ask", "write", "router")
BEGIN, END = "<|bos|>", "<|eos|>"


@dataclass(frozen=True, slots=True, kw_only=True)
class NanoFolder:
    """Where a nano lies: `nano.json` (name, cache shape, a file for each role), tokenizer, models.

    `files`: role to the name of its ONNX file; roles may share one. `layers`, `heads`, `width`:
    the shape of the cache.
    """

    path: Path
    name: str
    files: dict[str, str]
    layers: int
    heads: int
    width: int
    context: int

    @classmethod
    def read(cls, path: Path) -> NanoFolder:
        """Read `nano.json`; raises ConfigurationError where there is none, CorruptFile else."""
        card = path / "nano.json"
        if not card.is_file():
            raise ConfigurationError(
                f"{path} holds no nano.json: make one with `mags train all --preset nano`",
                path=str(path),
            )
        try:
            known = json.loads(card.read_text(encoding="utf-8"))
            return cls(
                path=path,
                name=str(known["name"]),
                files={role: str(known["files"][role]) for role in ROLES if role in known["files"]},
                layers=int(known["layers"]),
                heads=int(known["heads"]),
                width=int(known["width"]),
                context=int(known["context"]),
            )
        except (ValueError, KeyError, TypeError) as failure:
            raise CorruptFile(f"{card} is damaged ({failure!r}): make it anew", path=card) from None


class NanoModel:
    """One ONNX file of a nano; opened by the first text, safe in threads.

    `tokens`: read and written so far, all texts together. `held`: nothing is said that the grammar
    of memory tokens refuses (extra `grammar`).
    """

    def __init__(
        self, folder: NanoFolder, role: str, *, threads: int = 1, held: bool = False
    ) -> None:
        self._folder = folder
        self._file = folder.path / folder.files[role]
        self._threads = threads
        self._held = held
        self._opened: tuple[Tokenizer, OnnxSession] | None = None
        self._end = -1
        self._constraint: Constraint | None = None
        self._opening = Lock()
        self.tokens = 0

    def complete(self, prompt: str, role: str = "", *, limit: int = 160) -> str:
        """The likeliest continuation, of at most `limit` tokens, without its end token.

        `role`: whose grammar holds it. Raises ModelReplyError where the prompt leaves no room in
        the context, ConfigurationError where llguidance is wanted and missing.
        """
        tokenizer, session = self._open()
        ids = list(tokenizer.encode(BEGIN + prompt).ids)
        if len(ids) + limit > self._folder.context:
            raise ModelReplyError(
                f"The turn is too long for {self._folder.name}: {len(ids)} tokens of "
                f"{self._folder.context - limit}.",
                reason="the turn is too long",
            )
        guide = None if self._constraint is None else self._constraint.begin(role)
        said = self._greedy(session, ids, limit=limit, guide=guide)
        self.tokens += len(ids) + len(said)
        return str(tokenizer.decode(said))

    def _greedy(
        self, session: OnnxSession, ids: list[int], *, limit: int, guide: Guide | None
    ) -> list[int]:
        shape = (self._folder.layers, 2, 1, self._folder.heads, 0, self._folder.width)
        past: NDArray[np.float32] = np.zeros(shape, dtype=np.float32)
        step, said = np.array([ids], dtype=np.int64), list[int]()
        while len(said) < limit:
            logits, past = session.run(None, {"ids": step, "past": past})  # type: ignore[dict-item]
            sure = logits[0] if guide is None else np.where(guide.allowed(), logits[0], -np.inf)
            drawn = int(sure.argmax())
            if drawn == self._end:
                break
            if guide is not None:
                guide.take(drawn)
            said.append(drawn)
            step = np.array([[drawn]], dtype=np.int64)
        return said

    def _open(self) -> tuple[Tokenizer, OnnxSession]:
        with self._opening:
            if self._opened is None:
                words = self._folder.path / "tokenizer.json"
                for path in (words, self._file):
                    if not path.is_file():
                        raise CorruptFile(f"{path} is missing: make the nano anew", path=path)
                tokenizer = Tokenizer.from_file(str(words))
                session = open_session(str(self._file), self._file, threads=self._threads)
                self._end = tokenizer.token_to_id(END) or -1
                if self._held:
                    pieces = tokenizer.get_vocab_size()
                    self._constraint = Constraint(tokenizer.to_str(), end=self._end, pieces=pieces)
                self._opened = tokenizer, session
            return self._opened
