"""What a server is started with, and the one part that may change while it runs: the model."""

from __future__ import annotations

import ipaddress
import json
import math
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from fastapi import FastAPI

from mags.app import TENANT, make_catalog
from mags.errors import ConfigurationError, CorruptFile, InvalidInput
from mags.models.prompts import Prompt
from mags.ports.chat import ChatSettings, sendable
from mags.ports.embedder import Embedder
from mags.ports.store import Catalog
from mags.server.auth import remove_private, write_private
from mags.server.concurrency import ConcurrencyLimiter
from mags.server.open_memories import Opener
from mags.server.quotas import WorkLimits
from mags.settings import OidcSettings

PUBLIC = ("/healthz", "/readyz", "/openapi.json", "/favicon.ico")
PAGE = ("/", "/assets/")
"""Paths of the page. It holds no data itself: it asks for that with a key, as any client does."""
REQUEST_ID = "mags.request"
"""The key in an ASGI scope for the id of a request."""
AUDIT = "audit.jsonl"
if TYPE_CHECKING:  # it needs an extra, which only an encrypted memory has
    from mags.store.sealing import Keyring

LOCAL_NAMES = frozenset({"localhost", "localhost.localdomain"})
FILE = "model.json"
"""Of the model that an admin chose, in the folder of the memories."""
PORTS = {"http": 80, "https": 443}
Leave = Callable[[], None]
"""Closes what a joined part of the server holds, when the server stops."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerLimits:
    """How much a server takes. Times in seconds.

    `body_bytes`: of one request (`import_bytes` of an import); `rate`: requests a second for each
    key, `burst` at once; `busy`: requests at work at the same time, while `waiting` more may queue
    (of one tenant half of both); `request_s`: until a request is answered (a stream until its first
    piece); `open`: memories held open at a time, `open_bytes`: of RAM for all of them; `traces`: of
    each namespace, kept for explain and feedback; `streams`: event streams at a time; `work`: what
    each tenant may ask for.
    """

    body_bytes: int = 2_000_000
    import_bytes: int = 512_000_000
    rate: float = 200.0
    burst: int = 400
    busy: int = 64
    waiting: int = 512
    request_s: float = 330.0
    open: int = 128
    open_bytes: float = math.inf
    traces: int = 500
    streams: int = 64
    work: WorkLimits = field(default_factory=WorkLimits)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """A server. `folder`: its memories and keys; `need_key`: a key is needed on loopback too.

    `store`: the URL of a database that holds the memories instead, those of `tenant`.

    `hosts`: further names it answers to, such as a proxy's. Anybody may come through a proxy, so
    with one of these a key is needed. `oidc`: whose tokens are taken besides keys. `audit`: the
    audit log; None: `audit.jsonl` in the folder where a key is needed, else there is none.
    `keyring`: of the memories that are encrypted.
    """

    folder: Path
    store: str | None = None
    tenant: str = TENANT
    host: str = "127.0.0.1"
    port: int = 7437
    need_key: bool = False
    hosts: tuple[str, ...] = ()
    oidc: OidcSettings = field(default_factory=OidcSettings)
    audit: Path | None = None
    limits: ServerLimits = field(default_factory=ServerLimits)
    keyring: Keyring | None = None

    def catalog(self) -> Catalog:
        """Where its memories lie; raises StoreError, ConfigurationError, MissingExtra."""
        return make_catalog(
            self.folder, self.store, self.tenant, listens=True, keyring=self.keyring
        )

    @property
    def asks(self) -> bool:
        """Whether a key is needed."""
        return self.need_key or not self.local or bool(self.hosts or self.oidc.issuer)

    @property
    def audit_file(self) -> Path | None:
        """Where the audit log is written, None for nowhere."""
        return self.folder / AUDIT if self.audit is None and self.asks else self.audit

    @property
    def local(self) -> bool:
        """Whether only this machine reaches it."""
        return is_local(self.host)


def needs_no_key(path: str) -> bool:
    """Whether a path holds nothing of a memory, and so is for everybody."""
    return path in PUBLIC or path == PAGE[0] or path.startswith(PAGE[1])


def is_local(host: str) -> bool:
    """Whether a name or address is loopback; no name is looked up."""
    if host.casefold() in LOCAL_NAMES:
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """An OpenAI-compatible endpoint. `url` ends in /v1, "" for no model; `key` None: none is sent.

    `model` "": the first that the endpoint lists. The key goes in and never comes out: it is sent
    to the place it was given for, and to nowhere else.
    """

    url: str = ""
    model: str = ""
    key: str | None = field(default=None, repr=False)

    def following(self, url: str, model: str, key: str | None) -> ModelChoice:
        """The choice that follows this one. `key` None keeps the key where the host is the same.

        A key goes to no other host than it was given for: otherwise whoever may choose the model
        could have it sent to a server of their own. Raises InvalidInput.
        """
        url = url.strip()
        check_url(url)
        if key and not sendable(key):
            raise InvalidInput("key: letters, digits and signs of ASCII, as it is a header's value")
        kept = self.key if url and self.url and _place(url) == _place(self.url) else None
        return ModelChoice(url=url, model=model.strip(), key=(kept if key is None else key) or None)


def check_url(url: str) -> None:
    """Raise InvalidInput for what is neither "" nor the address of an endpoint."""
    if not url:
        return
    try:
        parts = urlsplit(url)
        _ = parts.port  # parsed, and so checked, only now
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in PORTS or not parts.hostname or parts.query:
        raise InvalidInput("url: such as http://localhost:8000/v1", field="url")
    if parts.username is not None or parts.password is not None:
        raise InvalidInput("url: without a name or a key in it; the key goes into `key`")


def read_choice(folder: Path) -> ModelChoice | None:
    """What was chosen for a folder, None where nothing was; raises CorruptFile."""
    path = folder / FILE
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        chosen = ModelChoice(**found)
        check_url(chosen.url)
    except FileNotFoundError:
        return None
    except (ValueError, TypeError, AttributeError, OSError, InvalidInput) as failure:
        raise CorruptFile(
            f"{path} is damaged: remove it, and choose the model again", path=path
        ) from failure
    return chosen


def write_choice(folder: Path, choice: ModelChoice | None) -> None:
    """Keep a choice, or none, for the next start; raises StoreError."""
    if choice is None:
        remove_private(folder / FILE)
    else:
        write_private(folder / FILE, json.dumps(asdict(choice), indent=1) + "\n")


def _place(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    # With and without its usual port it is the same place.
    return parts.scheme, parts.hostname, parts.port or PORTS.get(parts.scheme)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """What a service works with. `open_memory`: makes a memory of an open store.

    `embedder`: of `/v1/embeddings`, as the memories have it; `remembered`: the prompt that frames
    what is recalled for the proxy's model; `upstream`: that model, None where there is none;
    `model`: the same as it is shown. `with_model`: the same outside with another model (raises
    ConfigurationError); None where the model cannot be changed. `joining`: what adds routes of its
    own to the app, by its name. `limiter`: where requests take slots, None where they wait for
    others more than they work.
    """

    open_memory: Opener
    embedder: Callable[[], Embedder]
    remembered: Prompt
    upstream: ChatSettings | None = None
    model: ModelChoice = field(default_factory=ModelChoice)
    with_model: Callable[[ModelChoice], Outside] | None = None
    joining: Mapping[str, Join] = field(default_factory=dict)
    limiter: ConcurrencyLimiter | None = None


Join = Callable[[FastAPI, Outside], Leave]
"""Adds routes to an app that works with this outside."""


class Choosing:
    """The outside with the model that answers now. Safe to use from several threads."""

    def __init__(self, folder: Path, outside: Outside, changed: Callable[[Outside], None]) -> None:
        """Begins with the last choice for `folder`; `changed` is called after each change.

        Raises CorruptFile, ConfigurationError.
        """
        self._folder, self._changed = folder, changed
        self._configured = outside
        self._lock = threading.Lock()
        kept = None if outside.with_model is None else read_choice(folder)
        self.outside = outside if kept is None else self._with(kept)

    @property
    def model(self) -> ModelChoice:
        """The model that answers now."""
        return self.outside.model

    def choose(self, url: str, model: str, key: str | None) -> ModelChoice:
        """Take another model, also for the next start; raises InvalidInput, StoreError."""
        with self._lock:
            choice = self.model.following(url, model, key)
            try:
                made = self._with(choice)
            except ConfigurationError as failure:  # such as a policy that needs a model
                raise InvalidInput(str(failure)) from failure
            write_choice(self._folder, choice)
            return self._take(made)

    def restore(self) -> ModelChoice:
        """Go back to what is configured; raises StoreError."""
        with self._lock:
            write_choice(self._folder, None)
            return self._take(self._configured)

    def _with(self, choice: ModelChoice) -> Outside:
        if self._configured.with_model is None:
            raise ConfigurationError("this server was started with a model that cannot be changed")
        return self._configured.with_model(choice)

    def _take(self, made: Outside) -> ModelChoice:
        self.outside = made
        self._changed(made)
        return made.model
