"""A small causal model as ONNX: text in, text out (the likeliest, or drawn by chance), one core."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from mags.errors import ConfigurationError, CorruptFile, ModelReplyError
from mags.models.constraint import Constraint, Guide
from mags.models.embed.session import OnnxSession, open_session
from mags.models.policy.nano.sampler import Sampler

ROLES = ("ask", "write", "router")
BEGIN, END = "<|bos|>", "<|eos|>"
Pick = Callable[[NDArray[np.float32]], int]
"""Logits (pieces,) to the id of the piece that is said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NanoFolder:
    """Where a nano lies: `nano.json` (name, cache shape, a file for each role), tokenizer, models.

    `files`: role to the name of its ONNX file; roles may share one. `layers`, `heads`, `width`:
    the shape of the cache. `sums`: SHA-256 of files that are checked when they are opened.
    """

    path: Path
    name: str
    files: dict[str, str]
    layers: int
    heads: int
    width: int
    context: int
    sums: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path, *, sha256: str = "") -> NanoFolder:
        """Read `nano.json`; raises ConfigurationError where there is none, CorruptFile else.

        `sha256`: what the card must have, "" where nothing pins it.
        """
        card = path / "nano.json"
        if not card.is_file():
            raise ConfigurationError(
                f"{path} holds no nano.json: make one with `mags train all --preset nano`",
                path=str(path),
            )
        content = _checked(card, sha256)
        try:
            known = json.loads(content)
            return cls(
                path=path,
                name=str(known["name"]),
                files={role: str(known["files"][role]) for role in ROLES if role in known["files"]},
                layers=int(known["layers"]),
                heads=int(known["heads"]),
                width=int(known["width"]),
                context=int(known["context"]),
                sums={str(name): str(one) for name, one in known.get("sha256", {}).items()},
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

    def complete(
        self, prompt: str, role: str = "", *, limit: int = 160, sampler: Sampler | None = None
    ) -> str:
        """The continuation, of at most `limit` tokens, without its end token.

        `role`: whose grammar holds it; `sampler`: draws it, None takes the likeliest. Raises
        ModelReplyError where the prompt leaves no room in the context, ConfigurationError where
        llguidance is wanted and missing.
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
        pick = _likeliest if sampler is None else sampler.piece
        said = self._said(session, ids, pick, limit=limit, guide=guide)
        self.tokens += len(ids) + len(said)
        return str(tokenizer.decode(said))

    def _said(
        self, session: OnnxSession, ids: list[int], pick: Pick, *, limit: int, guide: Guide | None
    ) -> list[int]:
        shape = (self._folder.layers, 1, 2 * self._folder.heads, 0, self._folder.width)
        past: NDArray[np.float32] = np.zeros(shape, dtype=np.float32)
        step, said = np.array([ids], dtype=np.int64), list[int]()
        while len(said) < limit:
            logits, past = session.run(None, {"ids": step, "past": past})  # type: ignore[dict-item]
            sure = logits[0] if guide is None else np.where(guide.allowed(), logits[0], -np.inf)
            drawn = pick(sure)
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
                sums = self._folder.sums
                pieces, graph = (
                    _checked(path, sums.get(path.name, "")) for path in (words, self._file)
                )
                tokenizer = Tokenizer.from_buffer(pieces)
                session = open_session(graph, self._file, threads=self._threads)
                self._end = tokenizer.token_to_id(END) or -1
                if self._held:
                    count = tokenizer.get_vocab_size()
                    self._constraint = Constraint(
                        tokenizer.to_str(), end=self._end, pieces=count, marks=True
                    )
                self._opened = tokenizer, session
            return self._opened


def _likeliest(logits: NDArray[np.float32]) -> int:
    return int(logits.argmax())


def _checked(path: Path, sha256: str) -> bytes:
    """What a file holds; raises CorruptFile where it is missing or not the one that is pinned."""
    if not path.is_file():
        raise CorruptFile(f"{path} is missing: make the nano anew", path=path)
    content = path.read_bytes()
    found = hashlib.sha256(content).hexdigest()
    if sha256 and found != sha256:
        raise CorruptFile(
            f"{path} is damaged (sha256 {found[:12]}, expected {sha256[:12]}): reinstall mags, or "
            "make the nano anew: mags train all",
            path=path,
            found=found,
            expected=sha256,
        )
    return content
