"""The only wiring: settings become parts, parts become a Memory."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mags.adapters.linker import read_linker
from mags.adapters.pyg import to_pyg
from mags.errors import ConfigurationError, InvalidInput
from mags.extras import import_extra, plugin
from mags.memory.memory import Memory, closed_on_failure
from mags.memory.settings import Parts
from mags.models.answer.extractive import ExtractiveAnswerer
from mags.models.answer.llm import AnswerBudget, FallbackAnswerer, LlmAnswerer
from mags.models.answer.spans import SpanReader, shown
from mags.models.answer.weights import AdapterReciter, FolderArtifactStore
from mags.models.chat.openai import OpenAIChat
from mags.models.embed.onnx import OnnxEmbedder
from mags.models.embed.openai import EmbeddingServer, OpenAIEmbedder
from mags.models.embed.sentence_transformers import SentenceTransformersEmbedder
from mags.models.policy import router
from mags.models.policy.fallback import FallbackPolicy, SparingPolicy
from mags.models.policy.prompted import PromptedPolicy
from mags.models.policy.reader.network import SHIPPED, ReaderFile
from mags.models.policy.reader.policy import ReaderPolicy, TrainedReader
from mags.models.policy.rules import RulePolicy
from mags.models.policy.taught import served_policy
from mags.models.prompts import load_prompts
from mags.models.summariser import PromptedSummariser
from mags.ports.answer import Answerer
from mags.ports.chat import ChatModel, MeteredChat, counting
from mags.ports.embedder import CachedEmbedder, Embedder
from mags.ports.policy import Policy
from mags.ports.store import Catalog, Store
from mags.ports.weights import Reciter
from mags.settings import (
    ChatSettings,
    EmbedderSettings,
    EncryptionSettings,
    Settings,
    read_settings,
)
from mags.store.folder import FolderCatalog
from mags.store.ram import RamStore
from mags.store.sqlite import SqliteStore

if TYPE_CHECKING:  # it needs an extra, which only an encrypted memory has
    from mags.store.sealing import Keyring

TENANT = "default"
"""Whose memories those in a database are, where nothing is said."""
DATABASES = ("postgresql://", "postgres://")


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """Models in place of the configured ones; None keeps what the settings say."""

    embedder: Embedder | None = None
    policy: Policy | None = None
    answerer: Answerer | None = None
    chat: ChatModel | None = None


def open(  # noqa: PLR0913 - mags.open reads as what it does; its keywords are the parts
    path: str | Path | None = None,
    *,
    memory: str | None = None,
    tenant: str = TENANT,
    branch: str = "main",
    settings: Settings | None = None,
    embedder: Embedder | None = None,
    policy: Policy | None = None,
    answerer: Answerer | None = None,
    chat: ChatModel | None = None,
    clock: Callable[[], float] = time.time,
    wait_s: float = 5.0,
    read_only: bool = False,
    seed: int = 0,
) -> Memory:
    """Open a memory: a path (made if it is not there), or None to keep it in RAM.

    A path may be a PostgreSQL database, "postgresql://user@host/database", where `memory` names one
    of the memories of `tenant`: one that no other tenant sees (docs/server.md).
    What is not given comes from `settings`, and they from the config file and the
    environment: without either the embedded default (MiniLM, rules and reader, quoting). `chat`: a
    language model that then asks, writes and answers. `clock`: seconds since the epoch;
    `wait_s`: how long to wait for another writer; `seed` makes sleep reproducible.
    Raises ConfigurationError, StoreError, EmbedderMismatch.
    """
    chosen: object = read_settings(os.environ) if settings is None else settings
    if not isinstance(chosen, Settings):
        kind = type(chosen).__name__
        raise ConfigurationError(
            f"settings are a mags.settings.Settings, not a {kind}: build one, or leave them out.",
            key="settings",
            value=kind,
        )
    given = Models(embedder=embedder, policy=policy, answerer=answerer, chat=chat)
    # The store first: a path that cannot be opened is said before a model is loaded.
    keyring = make_keyring(chosen.encryption)
    place = place_of(path, memory, tenant)
    store = make_store(place, branch=branch, wait_s=wait_s, read_only=read_only, keyring=keyring)
    with closed_on_failure(store):
        parts = make_parts(chosen, given, clock=clock, seed=seed)
        return Memory(store, parts, read_only=read_only)


def make_parts(
    settings: Settings,
    given: Models | None = None,
    *,
    clock: Callable[[], float] = time.time,
    seed: int = 0,
) -> Parts:
    """Everything but the store, from settings and what is given in their place."""
    given = given or Models()
    found = given.chat or make_chat(settings)
    chat = None if found is None else MeteredChat(found)
    embedder = given.embedder or make_embedder(settings.embedder)
    linker = settings.memory.engram.linker
    prompts, policy = settings.policy, given.policy or make_policy(settings, chat)
    return Parts(
        embedder=embedder,
        policy=policy,
        answerer=given.answerer or make_answerer(settings, chat, policy),
        clock=clock,
        settings=settings.memory,
        sleep=settings.sleep,
        seed=seed,
        to_pyg=to_pyg,
        counting=counting,
        has_model=chat is not None,
        summarise=None
        if chat is None
        else PromptedSummariser(chat, load_prompts(prompts.prompts), language=prompts.language),
        linker=None if linker is None else read_linker(linker, embedder.dimension),
        router=router.opened(),
        shows=partial(shown, reader=span_reader(policy)),
        weights=settings.weights,
        reciter=make_reciter(settings),
        artifacts=FolderArtifactStore(),
    )


@dataclass(frozen=True, slots=True)
class DatabaseMemory:
    """A memory in PostgreSQL: the database, whose memory it is, and its name."""

    url: str
    tenant: str
    name: str


Place = str | Path | DatabaseMemory | None
"""Where a memory lies: a file, a database, or RAM."""


def place_of(path: str | Path | None, memory: str | None = None, tenant: str = TENANT) -> Place:
    """Where a memory lies: a path, or a database with a memory's name, also after a "#" in its URL.

    Raises InvalidInput.
    """
    url, _, named = str(path).partition("#")
    if not url.startswith(DATABASES):
        if memory is not None:
            raise InvalidInput("memory names one in a database; a file is one: leave it out")
        return path
    if not (memory or named):
        raise InvalidInput(
            f'say which memory of the database: memory="alice", or {url}#alice', field="memory"
        )
    return DatabaseMemory(url, tenant, memory or named)


def make_store(
    place: Place,
    *,
    branch: str = "main",
    wait_s: float = 5.0,
    read_only: bool = False,
    keyring: Keyring | None = None,
) -> Store:
    """A store in a SQLite file, in PostgreSQL, or in RAM for None.

    A new one is encrypted where there is a keyring.
    """
    if place is None:
        return RamStore()
    how: dict[str, Any] = {"branch": branch, "wait_s": wait_s, "read_only": read_only}
    if isinstance(place, DatabaseMemory):
        needs = {"extra": "postgres", "needed_for": "a memory in PostgreSQL"}
        kind = import_extra("mags.store.postgres", **needs).PostgresStore
        store: Store = kind.open(place.url, place.name, tenant=place.tenant, keyring=keyring, **how)
        return store
    return SqliteStore.open(place, keyring=keyring, **how)


def make_keyring(settings: EncryptionSettings) -> Keyring | None:
    """Where the keys of encrypted memories are, or None; raises MissingExtra."""
    if not settings.master:
        return None
    sealing = import_extra(
        "mags.store.sealing", extra="encryption", needed_for="an encrypted memory"
    )
    keyring: Keyring = sealing.Keyring(settings.master, settings.keys, os.environ)
    return keyring


def make_catalog(
    folder: Path,
    url: str | None = None,
    tenant: str = TENANT,
    *,
    listens: bool = False,
    keyring: Keyring | None = None,
) -> Catalog:
    """The memories of a folder, or of a tenant in the database at a URL.

    `listens`: it tells of what other processes change. Raises StoreError, ConfigurationError,
    MissingExtra.
    """
    if url is None:
        return FolderCatalog(folder, keyring)
    if not url.startswith(DATABASES):
        raise ConfigurationError(
            "store is the URL of a database, such as postgresql://mags@host/database",
            key="store",
        )
    postgres = import_extra("mags.store.postgres", extra="postgres", needed_for="--store")
    catalog: Catalog = postgres.PostgresCatalog(url, tenant, listens=listens, keyring=keyring)
    return catalog


def make_chat(settings: Settings) -> ChatModel | None:
    """The configured language model, or None."""
    return OpenAIChat(settings.chat) if settings.chat.url else None


def make_reciter(settings: Settings) -> Reciter | None:
    """What recites from weights, where they are used; without the laboratory it says so, asked."""
    wanted = settings.weights
    if not wanted.use or settings.answer.mode == "manager":
        return None
    if wanted.url:
        served = ChatSettings(url=wanted.url, model=wanted.model, key=wanted.key)
        chat = MeteredChat(OpenAIChat(served))
        return AdapterReciter(lambda _folder, _base: chat, chat.name)

    def run(folder: Path, base: str) -> ChatModel:  # loaded when it is asked: torch takes seconds
        load = plugin("mags.weights", "chat", extra="train", needed_for="weights.use without a url")
        return MeteredChat(load(folder, str(wanted.base or base)))

    return AdapterReciter(run, "the adapter")


def train_weights(memory: Memory, settings: Settings) -> str:
    """Teach the next version of an adapter, where sleep is to do so; what came of it, in a line.

    "" where it is not to. Raises MissingExtra without the laboratory.
    """
    if not settings.weights.sleep:
        return ""
    train = plugin("mags.weights", "train", extra="train", needed_for="weights.sleep")
    return str(train(memory, settings))


def make_policy(settings: Settings, chat: ChatModel | None) -> Policy:
    """The policy of the settings, a model's falling back to the small one.

    That is the rules, with the reader where the embedder is the one it stands on.
    """
    rules = RulePolicy()
    wanted = settings.policy
    if wanted.kind in ("prompted", "served") and chat is None:
        raise ConfigurationError(
            f"policy.kind is {wanted.kind!r}, but no language model is configured: set "
            "MAGS_CHAT_URL",
            key="policy.kind",
        )
    if wanted.kind == "adapters":
        return FallbackPolicy(make_adapters(wanted.path, wanted.language), rules)
    if wanted.kind == "served" and chat is not None:
        return FallbackPolicy(served_policy(chat, language=wanted.language), rules)
    if wanted.kind == "reader":
        return make_reader(wanted.path, rules)
    if wanted.kind == "rules":
        return rules
    small = make_reader(rules=rules) if settings.embedder.kind == "embedded" else rules
    if chat is None:
        return small
    prompts = load_prompts(wanted.prompts)
    prompted = PromptedPolicy(
        chat,
        prompts,
        language=wanted.language,
        grounded=wanted.grounded,
        together=wanted.together,
    )
    return SparingPolicy(prompted, small)


def make_reader(path: Path | None = None, rules: Policy | None = None) -> ReaderPolicy:
    """The rules and the reader, shipped or in a file; raises ConfigurationError."""
    file = SHIPPED if path is None else ReaderFile(path=path)
    if not file.path.is_file():
        raise ConfigurationError(
            f"there is no reader at {file.path}: set policy.path, or policy.kind to 'rules'",
            key="policy.path",
        )
    return ReaderPolicy(TrainedReader(file), rules)


def make_adapters(folder: Path | None, language: str = "en") -> Policy:
    """LoRA adapters over one base, from a folder; raises ConfigurationError, MissingExtra."""
    if folder is None:
        raise ConfigurationError(
            "policy.kind is 'adapters', but policy.path names no folder of adapters",
            key="policy.path",
        )
    wanted = {"extra": "train", "needed_for": "policy.kind 'adapters'"}
    read: Callable[..., Policy] = plugin("mags.policies", "adapters", **wanted)
    return read(folder, language=language)


def span_reader(policy: Policy) -> SpanReader:
    """What finds the words of a turn that answer: the policy's reader, or the shipped one."""
    read = policy.reader if isinstance(policy, ReaderPolicy) else TrainedReader()
    return read.answers


def make_answerer(settings: Settings, chat: ChatModel | None, policy: Policy) -> Answerer:
    """The model where there is one, falling back to quoting, which reads by the policy's reader or
    the shipped."""
    least = settings.answer.threshold
    quoting = ExtractiveAnswerer(sure=least, reader=span_reader(policy))
    if chat is None or settings.answer.mode == "extractive":
        return quoting
    budget = AnswerBudget(
        context_tokens=settings.memory.context_tokens,
        again_tokens=settings.answer.again_tokens,
        rounds=settings.answer.rounds,
        queries=settings.answer.queries,
    )
    model = LlmAnswerer(
        chat,
        load_prompts(settings.policy.prompts),
        manager=settings.answer.mode == "manager",
        budget=budget,
    )
    return FallbackAnswerer(model, quoting, most=settings.memory.answer_k)


def make_embedder(settings: EmbedderSettings) -> Embedder:
    """The configured embedder behind a cache."""
    if settings.kind == "embedded":
        return embedded()
    if settings.kind == "folder":
        if settings.path is None:
            raise ConfigurationError("embedder.path names no folder", key="embedder.path")
        return CachedEmbedder(SentenceTransformersEmbedder(settings.path))
    server = EmbeddingServer(
        model=settings.model,
        base_url=settings.url,
        api_key=settings.key,
        dimensions=settings.dimensions,
    )
    return CachedEmbedder(OpenAIEmbedder(server))


@cache
def embedded() -> Embedder:
    """The shipped MiniLM behind a cache, one for the process."""
    return CachedEmbedder(encoder())


@cache
def encoder() -> OnnxEmbedder:
    """The shipped MiniLM itself, one for the process."""
    return OnnxEmbedder()
