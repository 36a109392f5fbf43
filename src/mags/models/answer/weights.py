"""An adapter of a model: where it lies, and how it is asked to recite."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from threading import Lock

from mags import caches
from mags.errors import CorruptFile, NotFound
from mags.files import appearing
from mags.ports.chat import ChatModel, Completion, Message
from mags.ports.weights import CARD, MISSING, Card

FILES = (".gguf", ".jsonl", ".safetensors")
"""How files of weights and sets end. A memory may come from somebody else, and list any path."""
ChatOf = Callable[[Path, str], ChatModel]
"""The folder of an adapter, and its base, to the model that has learned it."""


class AdapterReciter:
    """Recites by a chat model; that of the adapter asked last is kept."""

    def __init__(self, chat_of: ChatOf, name: str) -> None:
        self._chat_of = chat_of
        self.name = name
        self._lock = Lock()
        self._last: tuple[Path, str, ChatModel] | None = None
        caches.register(self)

    def clear(self) -> None:
        """Let go of the model, which may have been taught what is forgotten."""
        self._last = None

    def recite(self, adapter: Path, base: str, message: str) -> Completion:
        """See `Reciter`."""
        with self._lock:
            last = self._last
            if last is None or last[:2] != (adapter, base):
                self._last = None  # two models need not fit beside each other
                last = self._last = (adapter, base, self._chat_of(adapter, base))
        return last[2].complete([Message(role="user", content=message)])


class FolderArtifactStore:
    """Adapters, sets, checkpoints and exports on this machine's disks. Safe in threads."""

    def __init__(self) -> None:
        self._card: tuple[Path, int, Card] | None = None
        caches.register(self)

    def clear(self) -> None:
        """Let go of the words of the card read last."""
        self._card = None

    def card(self, folder: Path) -> Card:
        """See `ArtifactStore`."""
        path = folder / CARD
        try:
            written = path.stat().st_mtime_ns
        except OSError as failure:
            raise NotFound(
                f"the adapter {folder} is not there ({failure.strerror}): train it anew, or bring "
                "it back",
                path=path,
            ) from failure
        last = self._card
        if last is None or last[:2] != (path, written):
            last = self._card = (path, written, read_card(folder))
        return last[2]

    def delete(self, path: Path, *, dry_run: bool = False) -> str:
        """See `ArtifactStore`. Links are never followed: what they lead to was not registered."""
        try:
            if not (path.exists() or path.is_symlink()):
                here = path.parent.is_dir()
                return MISSING if here else f"{path.parent} is not there"
            if path.resolve() != path:
                return "a link stands in its place"
            if path.is_dir() and not (path / CARD).is_file() and any(path.iterdir()):
                return f"it has no {CARD}, so it may be something else"
            if not path.is_dir() and path.suffix not in FILES:
                return f"it is none of {', '.join(FILES)}, so it may be something else"
            if not dry_run:
                _delete(path)
        except OSError as failure:
            return failure.strerror or str(failure)
        return ""


def _delete(path: Path) -> None:
    """Delete a file, or a folder: its card last, by which a second try knows what it is."""
    if not path.is_dir():
        path.unlink()
        return
    for one in path.iterdir():
        if one.is_dir() and not one.is_symlink():
            shutil.rmtree(one)
        elif one.name != CARD:
            one.unlink()
    (path / CARD).unlink(missing_ok=True)
    path.rmdir()


def read_card(folder: Path) -> Card:
    """The card of an adapter's folder; raises NotFound, CorruptFile."""
    path = folder / CARD
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as failure:
        raise NotFound(
            f"{folder} holds no adapter: there is no {CARD} in it", path=path
        ) from failure
    except (OSError, ValueError) as failure:
        raise CorruptFile(
            f"{path} cannot be read ({failure}): train it anew", path=path
        ) from failure
    return Card.from_dict(data, path)


def write_card(folder: Path, card: Card) -> None:
    """Write the card of an adapter's folder, which is there; whole, or not at all."""
    with appearing(folder / CARD) as file:
        json.dump(card.as_dict(), file, ensure_ascii=False, indent=1)
