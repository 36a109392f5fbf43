"""Verbs about the installation: the policy in use (`models`), vectors, keys, whether it works."""

from __future__ import annotations

import json
import os
import secrets
import time
import warnings
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from rich.markup import escape
from rich.table import Table

from mags.app import (
    TENANT,
    make_adapters,
    make_chat,
    make_embedder,
    make_keyring,
    make_policy,
    make_reader,
    make_store,
)
from mags.app import open as open_memory
from mags.cli import console, jobs
from mags.errors import ConfigurationError, CorruptFile, InvalidInput, MagsError, MissingKey
from mags.memory.live import reembed as make_anew
from mags.models.policy.rules import RulePolicy
from mags.ports.chat import Message
from mags.ports.policy import Turn
from mags.settings import (
    HEADS_GONE,
    NANO_GONE,
    EncryptionSettings,
    PolicySettings,
    Settings,
    config_file,
    read_settings,
)
from mags.store.sqlite import key_of

if TYPE_CHECKING:  # it needs an extra, which only an encrypted memory has
    from mags.store.sealing import Keyring

models = typer.Typer(
    help="List the policies there are, choose one, compare and export them.", no_args_is_help=True
)
ALWAYS = {
    "auto": "a prompted model where one is configured, else the reader",
    "rules": "no model at all",
    "prompted": "the configured language model with a few-shot prompt",
    "reader": "the rules, and beside them a small model trained on talk",
    "served": "the configured language model, taught as MAGS teaches (a merged adapter)",
}
ROLES = ("ask", "write", "router")
READER, ADAPTER = ".npz", "mags.json"
"""By what a file is known for a reader, and a folder for that of an adapter."""

NEAR = ("The cat sleeps on the sofa.", "A kitten naps on the couch.")
FAR = "The central bank raised interest rates."


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownPolicy:
    """One policy: what `mags models use` takes for it, and what it is."""

    given: str
    about: str
    megabytes: float | None = None
    used: bool = False


@models.command(name="list")
def list_(
    folders: Annotated[
        list[Path] | None, typer.Argument(help="Folders to look into, else this one.")
    ] = None,
    json: console.AsJson = False,
) -> None:
    """List the policies there are; the one in use is marked."""
    found = known_policies(folders or [Path()])
    if json:
        console.print_json(found)
        return
    made = Table("", "policy", "what it is", "MB")
    for one in found:
        size = "" if one.megabytes is None else f"{one.megabytes:.1f}"
        made.add_row("*" if one.used else "", one.given, one.about, size)
    console.out.print(made)


def known_policies(folders: list[Path]) -> list[KnownPolicy]:
    """The policies that come with MAGS, that of the settings, and adapters below folders."""
    policy = read_settings(os.environ).policy
    found = [
        KnownPolicy(given=name, about=what, used=policy.kind == name and policy.path is None)
        for name, what in ALWAYS.items()
    ]
    if policy.kind == "reader" and policy.path is not None:
        found.append(KnownPolicy(given=str(policy.path), about="reader", used=True))
    return [*found, *_adapters(folders, policy)]


def _adapters(folders: list[Path], policy: PolicySettings) -> list[KnownPolicy]:
    """Adapters below some folders, and that of the settings; one for each role counts once."""
    used = policy.path.resolve() if policy.kind == "adapters" and policy.path else None
    places = {card.parent.resolve() for folder in folders for card in folder.rglob(ADAPTER)}
    roles = {place.parent for place in places if place.name in ROLES}
    whole = {place for place in places if place.parent not in roles} | roles
    return [
        KnownPolicy(
            given=str(place),
            about=f"adapter of {_base(place)}" + (": one for each role" if place in roles else ""),
            megabytes=sum(one.stat().st_size for one in place.rglob("*.safetensors")) / 1e6,
            used=place == used,
        )
        for place in sorted(whole | ({used} if used else set()))
    ]


def _base(place: Path) -> str:
    """The base that an adapter's card names, or "" where the card is gone."""
    for card in (place / ADAPTER, *place.glob(f"*/{ADAPTER}")):
        if card.is_file():
            return str(json.loads(card.read_text(encoding="utf-8")).get("base", ""))
    return ""


@models.command()
def use(
    given: Annotated[
        str,
        typer.Argument(metavar="POLICY", help="auto, rules, prompted, reader, served, or a path."),
    ],
) -> None:
    """Choose the policy that memories are opened with, in the config file."""
    file, path = config_file(os.environ), Path(given).expanduser()
    # Each is loaded before it is written down, so that no memory meets one that does not load.
    if given in HEADS_GONE:
        warnings.warn(f"The policy {given}: {HEADS_GONE[given]}", FutureWarning, stacklevel=2)
        given = "reader"
    if given in ALWAYS:
        if given == "reader":
            make_reader()
        set_policy(file, given, None)
    elif given.endswith(READER):
        make_reader(path)
        set_policy(file, "reader", path.resolve())
    elif adapters_in(path):
        make_adapters(path)
        set_policy(file, "adapters", path.resolve())
    elif given == "nano":
        raise InvalidInput(f"There is no policy nano: {NANO_GONE}", given=given)
    else:
        raise InvalidInput(
            f"{given} is no policy: there are {', '.join(ALWAYS)}, files of a reader ({READER}) "
            "and folders of adapters (`mags train lora`).",
            given=given,
        )
    settings = read_settings(os.environ).policy
    place = f" ({settings.path})" if settings.path else ""
    console.out.print(
        f"policy.kind is {settings.kind}{place}, written to {file}.", markup=False, soft_wrap=True
    )


def adapters_in(folder: Path) -> bool:
    """Whether a folder holds an adapter for every role, or one for each."""
    return any((folder / one / ADAPTER).is_file() for one in (".", "write"))


def set_policy(file: Path, kind: str, path: Path | None) -> None:
    """Set `policy.kind` and `policy.path` (None takes it out); the file is made if need be.

    All else in the file stays as it was written, comments too. Raises ConfigurationError where
    the file is no TOML, or its policy no table.
    """
    import tomlkit  # takes 0.1 s, and no other verb writes TOML
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(file.read_text(encoding="utf-8") if file.is_file() else "")
        policy: Any = document.setdefault("policy", tomlkit.table())
        policy["kind"] = kind
        policy.pop("path", None)
        if path is not None:
            policy["path"] = str(path)
    except (TOMLKitError, TypeError, AttributeError) as failure:
        raise ConfigurationError(
            f"The config file {file} cannot be read: {failure}.", key="config", value=str(file)
        ) from failure
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_suffix(".part")  # an interruption leaves the old file whole
    unfinished.write_text(tomlkit.dumps(document), encoding="utf-8")
    os.replace(unfinished, file)


def reembed(
    memory: console.MemoryPath = None,
    branch: console.Branch = "main",
    all_: jobs.All = False,
    folder: jobs.Folder = jobs.FOLDER,
    database: jobs.Database = None,
    tenant: console.Tenant = TENANT,
    workers: jobs.Processes = None,
    ray: jobs.Cluster = None,
) -> None:
    """Make every vector anew with the configured embedder (MAGS_EMBEDDER, config file).

    Interrupted, it leaves every vector as it was.
    """
    if all_:
        place = jobs.Place(folder, database, tenant)
        of = make_embedder(read_settings(os.environ).embedder).name
        jobs.every("reembed", jobs.reembed_one, place, of=of, processes=workers, cluster=ray)
        return
    path = console.existing(memory)
    settings = read_settings(os.environ)
    embedder = make_embedder(settings.embedder)
    store = make_store(path, branch=branch, keyring=make_keyring(settings.encryption))
    with closing(store), console.counting("embedding") as done:
        made = make_anew(store, embedder, done)
    if made:
        console.out.print(f"Embedded {made} texts with {embedder.name}.", markup=False)
    else:
        console.out.print(f"Every vector is by {embedder.name} already.", markup=False)


def shred(
    memory: console.MemoryPath = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Destroy the key of an encrypted memory, so that no backup of it can be read any more.

    The memory may be a backup itself. A process that has it open goes on until it closes it.
    """
    path = console.existing(memory)
    key = key_of(path)
    if key is None:
        raise InvalidInput(
            f"{path} is not encrypted: delete it, or erase with `mags forget`", path=path
        )
    keyring = _keyring(read_settings(os.environ).encryption)
    if not (yes or typer.confirm(f"Destroy the key of {path}, and so every copy of it, for good?")):
        raise typer.Abort
    keyring.shred(key)
    console.out.print(f"Destroyed {keyring.folder / key}.key.", markup=False)


def rekey(
    master: Annotated[
        str, typer.Argument(help="The new master key: file:PATH, env:NAME or command:LINE.")
    ],
) -> None:
    """Wrap the keys of all encrypted memories by a new master key; no memory is rewritten.

    The old one is that of the settings. Interrupted, run it again: it does those that are left.
    Stop servers before, and name the new master key in the settings after.
    """
    settings = read_settings(os.environ).encryption
    old, new = _keyring(settings), _keyring(replace(settings, master=master))
    memories, failed, done = old.memories(), dict[str, str](), 0
    with console.counting("wrapping", total=len(memories)) as progress:
        for count, memory in enumerate(memories, 1):
            try:
                done += old.rewrap(memory, new)
            except (MissingKey, CorruptFile) as failure:  # it does not stop the others
                failed[memory] = str(failure)
            progress(count, len(memories))
    for memory, why in failed.items():
        console.out.print(f"{memory} failed: {why}", markup=False)
    there = len(memories) - done - len(failed)
    console.out.print(f"{done} keys wrapped anew, {there} were already, {len(failed)} failed.")
    if failed:
        raise typer.Exit(console.FAILED)


def _keyring(settings: EncryptionSettings) -> Keyring:
    keyring = make_keyring(settings)
    if keyring is None:
        raise ConfigurationError(
            "which keys? set encryption.master and encryption.keys, or MAGS_MASTER_KEY and "
            "MAGS_KEYS",
            key="encryption.keys",
        )
    return keyring


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was tried: passed, skipped (nothing to try) or failed, and what it said."""

    name: str
    state: str
    said: str
    seconds: float


def doctor(
    memory: console.MemoryPath = None,
    json: console.AsJson = False,
    offline: Annotated[bool, typer.Option(help="Do not call the configured endpoint.")] = False,
) -> None:
    """Try embedder, policy, store, master key, endpoint and a memory; say what passed."""
    checks = examine(memory, offline=offline)
    if json:
        console.print_json(checks)
    else:
        for check in checks:
            colour = {"passed": "green", "failed": "red"}.get(check.state, "yellow")
            console.out.print(
                f"[{colour}]{check.state:8}[/] {check.name:10} {escape(check.said)} "
                f"[dim]{check.seconds * 1e3:.0f} ms[/]"
            )
    if any(check.state == "failed" for check in checks):
        raise typer.Exit(1)


def examine(memory: Path | None, *, offline: bool) -> list[Check]:
    """Every check, in order; a failing one does not stop the others, but for the settings."""
    settings = Settings()

    def read() -> str:
        nonlocal settings
        settings = read_settings(os.environ)
        return "read"

    first = _try("settings", read)
    if first.state == "failed":
        return [first]
    tries: dict[str, Callable[[], str | None]] = {
        "embedder": lambda: _embedder(settings),
        "policy": lambda: _policy(settings),
        "store": _store,
        "keys": lambda: _keys(settings),
        "endpoint": lambda: None if offline else _endpoint(settings),
        "memory": lambda: _memory(memory, settings),
    }
    return [first, *(_try(name, work) for name, work in tries.items())]


def _try(name: str, work: Callable[[], str | None]) -> Check:
    began = time.perf_counter()
    try:
        said = work()
        state = "skipped" if said is None else "passed"
    except MagsError as failure:
        said, state = str(failure), "failed"
    spent = time.perf_counter() - began
    return Check(name=name, state=state, said=said or "nothing configured to try", seconds=spent)


def _embedder(settings: Settings) -> str:
    embedder = make_embedder(settings.embedder)
    a, b, c = embedder.embed([*NEAR, FAR])
    near, far = float(a @ b), float(a @ c)
    if not (np.isclose(np.linalg.norm(a), 1.0, atol=1e-3) and near > far + 0.2):
        raise MagsError(f"{embedder.name} gives odd vectors: alike {near:.2f}, unlike {far:.2f}")
    return f"{embedder.name}: alike {near:.2f}, unlike {far:.2f}"


def _policy(settings: Settings) -> str:
    rules = RulePolicy()
    writing = rules.write(Turn(text="Ana lives in Oslo.", speaker="Ben"), (), ())
    found = [(o.subject, o.relation, o.object) for o in writing.operations]
    if found != [("Ana", "lives in", "Oslo")]:
        raise MagsError(f"the rules read 'Ana lives in Oslo.' as {found}")
    used = make_policy(settings, make_chat(settings)).name
    return f"rules read a sentence right; in use: {used}"


def _store() -> str:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "check.mags"
        with open_memory(path, settings=Settings()) as memory:
            memory.observe("Ana lives in Oslo.", speaker="Ben", at="2024-01-01")
            memory.snapshot("one")
            memory.observe("Ana moved to Rome.", speaker="Ben", at="2024-02-01")
        with open_memory(path, settings=Settings()) as memory:
            now = memory.ask("Where does Ana live?").text
            memory.rollback("one")
            then = memory.ask("Where does Ana live?").text
    if "Rome" not in now or "Oslo" not in then:
        raise MagsError(f"the store gave back {now!r} and after rollback {then!r}")
    return "wrote, closed, reopened, answered and rolled back"


def _keys(settings: Settings) -> str | None:
    keyring = make_keyring(settings.encryption)
    if keyring is None:
        return None
    key = secrets.token_bytes(32)
    if keyring.unwrap(keyring.wrap(key, "doctor"), "doctor") != key:
        raise MagsError("what the master key wrapped it unwraps to another key")
    return f"the master key wraps and unwraps; new memories are encrypted, by {keyring.folder}"


def _endpoint(settings: Settings) -> str | None:
    chat = make_chat(settings)
    if chat is None:
        return None
    said = chat.complete([Message(role="user", content="Reply with the word ready.")])
    return f"{chat.name} said {said.text.strip()[:40]!r}"


def _memory(path: Path | None, settings: Settings) -> str | None:
    if path is None or not path.exists():
        return None
    with open_memory(path, settings=settings, read_only=True) as memory:
        stats = memory.stats()
        memory.recall("anything", k=1)
    found = f"{path.name}: {sum(stats.nodes.values())} nodes, journal entry {stats.seq}"
    return f"{found}, {'encrypted' if stats.parts.get('encrypted') else 'not encrypted'}"
