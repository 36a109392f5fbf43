"""Sealing: what a memory writes is encrypted under a key of its own, which lies outside its file.

AES-256-GCM, with a random nonce of 96 bits for each value (NIST SP 800-38D, section 8.2.2), which
is good for 2^32 values under one key. A turn writes some twenty, so that is 200 million turns.
Needs the extra `encryption`, and is imported only where a memory is encrypted.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import secrets
import shlex
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO, cast

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from mags.errors import ConfigurationError, CorruptFile, MissingKey, StoreError
from mags.files import appearing

KEY_BYTES, NONCE_BYTES, LENGTH_BYTES = 32, 12, 4
OTHERS = 0o007
"""The rights of a file that everybody has."""
ASKED_S = 60.0
"""How long a command may take to wrap or unwrap a key."""


class Sealer:
    """Seals and opens values under one key. Any thread may use it.

    `place`, which says where a value stands (table, column, row), is authenticated with it and with
    the memory: a value that was moved to another row, or to another memory, does not open.
    """

    encrypts = True

    def __init__(self, key: bytes, memory: str) -> None:
        """`key`: 32 bytes; `memory`: the id of whose values they are."""
        self._cipher = AESGCM(key)
        self._memory = memory

    def seal(self, data: bytes | memoryview, *place: object) -> bytes:
        """The nonce, the data encrypted, and the tag: 28 bytes more than the data."""
        nonce = os.urandom(NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, data, self._bound(place))

    def open(self, data: bytes, *place: object) -> bytes:
        """The reverse of `seal`; raises CorruptFile."""
        whole = memoryview(data)
        try:
            nonce = whole[:NONCE_BYTES]
            return self._cipher.decrypt(nonce, whole[NONCE_BYTES:], self._bound(place))
        except (InvalidTag, ValueError) as failure:
            raise CorruptFile(
                f"an encrypted value ({' '.join(map(str, place))}) does not open: it was changed, "
                "moved, or sealed under another key; restore a copy"
            ) from failure

    def seal_text(self, text: str, *place: object) -> str:
        """A text sealed, in base64."""
        return base64.b64encode(self.seal(text.encode(), *place)).decode()

    def open_text(self, text: str, *place: object) -> str:
        """The reverse of `seal_text`; raises CorruptFile."""
        try:
            data = base64.b64decode(text, validate=True)
        except ValueError:
            data = b""
        return self.open(data, *place).decode()

    def _bound(self, place: tuple[object, ...]) -> bytes:
        return "\0".join((self._memory, *map(str, place))).encode()


class SealedFile(io.RawIOBase):
    """A temporary file without a name, sealed under a key that ends with it.

    It is written from its beginning to its end, and then read so.
    """

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - `close` closes it
        self._sealer = Sealer(secrets.token_bytes(KEY_BYTES), "temporary")
        self._count, self._rest = 0, b""

    def readable(self) -> bool:
        """It is."""
        return True

    def writable(self) -> bool:
        """It is."""
        return True

    def seekable(self) -> bool:
        """To its beginning."""
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go to the beginning, or tell the place; nothing else is possible."""
        if whence == os.SEEK_CUR and not offset:
            return self._count
        if offset or whence:
            raise io.UnsupportedOperation("a sealed file goes to its beginning only")
        self._count, self._rest = 0, b""
        return self._file.seek(0)

    def fileno(self) -> int:
        """That of the file on the disk."""
        return self._file.fileno()

    def truncate(self, size: int | None = None) -> int:
        """Drop all; to be called at the beginning."""
        return self._file.truncate(size)

    def write(self, data: bytes | memoryview) -> int:  # type: ignore[override]
        """Seal a piece."""
        piece = bytes(data)
        sealed = self._sealer.seal(piece, self._count)
        self._file.write(len(sealed).to_bytes(LENGTH_BYTES) + sealed)
        self._count += 1
        return len(piece)

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """Open the next piece, or go on in it; 0 at the end."""
        if not self._rest and (head := self._file.read(LENGTH_BYTES)):
            self._rest = self._sealer.open(self._file.read(int.from_bytes(head)), self._count)
            self._count += 1
        room = memoryview(buffer)
        taken = self._rest[: len(room)]
        room[: len(taken)], self._rest = taken, self._rest[len(taken) :]
        return len(taken)

    def close(self) -> None:
        """The file and its key are gone."""
        self._file.close()
        super().close()


class Keyring:
    """The keys of memories: one small file each in a folder, wrapped by a master key.

    Nothing of a key is in a memory's own file, so a backup of the file cannot be read once the file
    here is destroyed. The master key is read when it is needed, and not kept.
    """

    def __init__(self, master: str, folder: Path, environment: Mapping[str, str]) -> None:
        """`master`: `file:PATH` or `env:NAME`, 32 bytes in base64; or `command:LINE`.

        The command is run for each key and reads one line: `wrap MEMORY KEY`, to which it answers
        with one word of any form, or `unwrap MEMORY WORD`, to which it answers with the key. Keys
        are in base64.
        """
        self._kind, _, self._where = master.partition(":")
        self.folder = folder
        self._environment = environment

    def make(self) -> tuple[str, Sealer]:
        """A new key, durable on return: the id of the memory that it is for, and its sealer."""
        memory, key = secrets.token_hex(16), secrets.token_bytes(KEY_BYTES)
        self._write(memory, self.wrap(key, memory))
        return memory, Sealer(key, memory)

    @staticmethod
    def temporary() -> BinaryIO:
        """A file for words that are on their way in or out."""
        return cast(BinaryIO, SealedFile())

    def sealer(self, memory: str) -> Sealer:
        """The sealer of a memory; raises MissingKey, CorruptFile, ConfigurationError."""
        return Sealer(self.unwrap(self._wrapped(memory), memory), memory)

    def memories(self) -> list[str]:
        """The ids of the memories whose keys are here, sorted."""
        return sorted(path.stem for path in self.folder.glob("*.key"))

    def rewrap(self, memory: str, new: Keyring) -> bool:
        """Wrap the key of a memory by the master key of `new`, durably; False: it was already.

        What both masters open is wrapped anew: a KMS may open by one what it wrapped by another.
        Raises MissingKey (neither opens it), CorruptFile, ConfigurationError, StoreError.
        """
        wrapped = self._wrapped(memory)
        try:
            key = self.unwrap(wrapped, memory)
        except MissingKey:
            new.unwrap(wrapped, memory)
            return False
        wrapped = new.wrap(key, memory)
        if new.unwrap(wrapped, memory) != key:
            raise _unusable("what the new master key wraps it unwraps to another key")
        self._write(memory, wrapped)
        return True

    def _wrapped(self, memory: str) -> str:
        path = self._path(memory)
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            wrapped = str(found["wrapped"])
            whole = found["sha256"] == _digest(memory, wrapped)
        except FileNotFoundError:
            raise MissingKey(
                f"the key of this memory, {path}, is not there: put it back, or name its folder "
                "(encryption.keys, MAGS_KEYS); where it was destroyed the memory cannot be read",
                path=path,
            ) from None
        except OSError as failure:
            raise MissingKey(
                f"the key {path} cannot be read ({failure.strerror}): look at its rights", path=path
            ) from failure
        except (ValueError, KeyError, TypeError):
            whole = False
        if not whole:
            raise CorruptFile(f"the key {path} is damaged: restore a copy of it", path=path)
        return wrapped

    def shred(self, memory: str) -> None:
        """Destroy the key of a memory: no copy of its file can be read after that.

        Raises MissingKey.
        """
        path = self._path(memory)
        part = path.with_name(f"{path.name}.part")  # of a `rewrap` that was killed
        try:
            for one in (part, path) if part.exists() else (path,):
                with one.open("r+b") as file:
                    file.write(os.urandom(one.stat().st_size))
                    file.flush()
                    os.fsync(file.fileno())
                one.unlink()
        except FileNotFoundError:
            raise MissingKey(f"there is no key {path}: it was destroyed", path=path) from None
        self._sync()

    def wrap(self, key: bytes, memory: str) -> str:
        """A key as it may lie on a disk; raises ConfigurationError, MissingKey."""
        if self._kind == "command":
            return self._ask("wrap", memory, base64.b64encode(key).decode())
        return Sealer(self._master(), memory).seal_text(base64.b64encode(key).decode(), "key")

    def unwrap(self, wrapped: str, memory: str) -> bytes:
        """The reverse of `wrap`."""
        if self._kind == "command":
            return self._key(self._ask("unwrap", memory, wrapped), "what the command answers")
        try:
            return base64.b64decode(Sealer(self._master(), memory).open_text(wrapped, "key"))
        except CorruptFile as failure:
            raise MissingKey(
                f"the master key does not open {self._path(memory)}: it was wrapped by another one "
                "(encryption.master, MAGS_MASTER_KEY)",
                path=self._path(memory),
            ) from failure

    def _master(self) -> bytes:
        if self._kind == "env":
            return self._key(self._environment.get(self._where, ""), f"the variable {self._where}")
        path = Path(self._where).expanduser()
        try:
            if os.name == "posix" and path.stat().st_mode & OTHERS:
                raise _unusable(f"everybody may read the master key {path}: chmod 600 {path}")
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as failure:
            why = getattr(failure, "strerror", None) or failure
            raise _unusable(f"the master key {path} cannot be read ({why})") from failure
        return self._key(text, f"the file {path}")

    def _key(self, text: str, what: str) -> bytes:
        try:
            key = base64.b64decode(text.strip(), validate=True)
        except ValueError:
            key = b""
        if len(key) != KEY_BYTES:
            raise _unusable(f"{what} holds no key: it is {KEY_BYTES} bytes in base64")
        return key

    def _ask(self, *words: str) -> str:
        """What the command says to one line."""
        try:
            said = subprocess.run(
                shlex.split(self._where),
                input=" ".join(words) + "\n",
                capture_output=True,
                text=True,
                timeout=ASKED_S,
                check=True,
            ).stdout.strip()
        except subprocess.CalledProcessError as failure:
            why = failure.stderr.strip()[-300:] or f"exit code {failure.returncode}"
            raise MissingKey(f"the command of the master key could not {words[0]}: {why}") from None
        except (OSError, ValueError, subprocess.TimeoutExpired) as failure:
            kind = type(failure).__name__  # what it says of itself may hold the command
            raise _unusable(f"the command of the master key could not be run ({kind})") from None
        if len(said.split()) != 1:
            raise _unusable(f"the command of the master key answers {words[0]} with no single word")
        return said

    def _path(self, memory: str) -> Path:
        return self.folder / f"{memory}.key"

    def _write(self, memory: str, wrapped: str) -> None:
        text = json.dumps({"wrapped": wrapped, "sha256": _digest(memory, wrapped)})
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with appearing(self._path(memory)) as file:
                file.write(text)
            self._sync()
        except OSError as failure:
            raise StoreError(
                f"no key can be kept in {self.folder} ({failure.strerror}): nothing was written",
                path=self.folder,
            ) from failure

    def _sync(self) -> None:
        """Make the names in the folder durable; a system that opens no folders does that itself."""
        if hasattr(os, "O_DIRECTORY"):
            folder = os.open(self.folder, os.O_DIRECTORY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)


def _digest(memory: str, wrapped: str) -> str:
    return hashlib.sha256(f"{memory} {wrapped}".encode()).hexdigest()


def _unusable(why: str) -> ConfigurationError:
    return ConfigurationError(
        f"{why} (encryption.master, MAGS_MASTER_KEY)", key="encryption.master"
    )
