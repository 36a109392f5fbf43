"""The embedded reader: a frozen network of some hundred thousand weights that reads plain text.

It stands for "any language model": it has read a made-up world of its own and no game, and knows
of a game only the lines that it is shown.
"""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from zlib import crc32

import numpy as np

from mags.errors import CorruptFile, InvalidInput
from mags_lab.games.reader.layout import LINE, Layout, laid_out
from mags_lab.games.reader.lexical import LexicalReader
from mags_lab.games.reader.network import Array, Network
from mags_lab.games.reader.words import WordVectors, shipped_vectors
from mags_lab.games.turns import Choice, Reader

DATA = Path(__file__).resolve().parent / "data"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderFile:
    """A file of weights and its checksum; "" for one just trained, which nothing pins."""

    path: Path
    sha256: str = ""


SHIPPED = ReaderFile(
    path=DATA / "reader.npz",
    sha256="fefa90073188cfc043ab0eeb13e249a48a9bb562954dc1c274f48230a52ed1c6",
)


class EmbeddedReader:
    """Chooses an action; the same choice for the same words, on every machine."""

    def __init__(self, network: Network, vectors: WordVectors | None = None) -> None:
        self._network = network
        self._vectors = vectors or shipped_vectors()

    def choose(self, lines: tuple[str, ...], question: str, actions: tuple[str, ...]) -> Choice:
        """The action that the lines speak for; given none, any, and no surer than chance.

        Lines: "[2031-04-05] Speaker: text", or less; oldest first where they bear no days.
        """
        if not actions:
            raise InvalidInput("a choice needs actions to choose from", question=question)
        if not any(line.strip() for line in lines):
            return guess(question, actions)
        layout, vectors = laid_out(lines, question, actions, self._vectors)
        scores, needed = self._network(layout, vectors)
        shares = np.exp(scores - scores.max())
        shares /= shares.sum()
        best = int(shares.argmax())
        cited = _cited(lines, layout, needed)
        return Choice(
            action=actions[best],
            sure=float(shares[best]),
            cited=cited,
            shares=tuple(shares.tolist()),
        )


def guess(question: str, actions: tuple[str, ...]) -> Choice:
    """One of the actions, the same each time, by a hash: nothing speaks for any of them."""
    place = crc32("\n".join((question, *sorted(actions))).encode()) % len(actions)
    return Choice(action=sorted(actions)[place], sure=1.0 / len(actions))


def _cited(lines: tuple[str, ...], layout: Layout, needed: Array) -> tuple[int, ...]:
    """The lines that decided, as they were given: the likeliest at least."""
    places = layout.line[layout.kind == LINE]
    limit = min(0.0, float(needed.max()))
    return tuple(sorted({int(place) for place in places[needed >= limit]}))


def opened(file: ReaderFile = SHIPPED) -> EmbeddedReader:
    """Read and check a file of weights; raises CorruptFile."""
    advice = "reinstall mags, or train it anew: python -m mags_lab.training.reader"
    try:
        content = file.path.read_bytes()
    except OSError as failure:
        raise CorruptFile(
            f"cannot read the reader {file.path} ({failure.strerror}): {advice}", path=file.path
        ) from failure
    found = hashlib.sha256(content).hexdigest()
    if file.sha256 and found != file.sha256:
        raise CorruptFile(
            f"the reader {file.path} is damaged (sha256 {found[:12]}, expected "
            f"{file.sha256[:12]}): {advice}",
            path=file.path,
            found=found,
            expected=file.sha256,
        )
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        weights = {name: arrays[name].astype(np.float32) for name in arrays.files}
    return EmbeddedReader(Network(weights))


@lru_cache(maxsize=1)
def shipped_reader() -> Reader:
    """The reader that ships, one object for every player."""
    return opened() if SHIPPED.path.is_file() else LexicalReader()
