"""`mags doctor`: check the installation with real work."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import numpy as np
import typer
from rich.markup import escape

from mags.app import make_chat, make_embedder, make_policy
from mags.app import open as open_memory
from mags.cli.shared import AsJson, MemoryPath, out, print_json
from mags.errors import MagsError
from mags.models.policy.rules import RulePolicy
from mags.ports.chat import Message
from mags.ports.policy import Turn
from mags.settings import Settings, read_settings

NEAR = ("The cat sleeps on the sofa.", "A kitten naps on the couch.")
FAR = "The central bank raised interest rates."


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was tried: passed, skipped (nothing to try) or failed, and what it said."""

    name: str
    state: str
    said: str
    seconds: float


def doctor(
    memory: MemoryPath = None,
    json: AsJson = False,
    offline: Annotated[bool, typer.Option(help="Do not call the configured endpoint.")] = False,
) -> None:
    """Try the embedder, the store, the policy, the endpoint and a memory; say what passed."""
    checks = examine(memory, offline=offline)
    if json:
        print_json(checks)
    else:
        for check in checks:
            colour = {"passed": "green", "failed": "red"}.get(check.state, "yellow")
            out.print(
                f"[{colour}]{check.state:8}[/] {check.name:10} {escape(check.said)} "
                f"[dim]{check.seconds * 1e3:.0f} ms[/]"
            )
    if any(check.state == "failed" for check in checks):
        raise typer.Exit(1)


def examine(memory: Path | None, *, offline: bool) -> list[Check]:
    """Every check, in order; a failing one does not stop the others."""
    began = time.perf_counter()
    try:
        settings = read_settings(os.environ)
    except MagsError as failure:
        spent = time.perf_counter() - began
        return [Check(name="settings", state="failed", said=str(failure), seconds=spent)]
    tries: dict[str, Callable[[], str | None]] = {
        "settings": lambda: "read",
        "embedder": lambda: _embedder(settings),
        "policy": lambda: _policy(settings),
        "store": _store,
        "endpoint": lambda: None if offline else _endpoint(settings),
        "memory": lambda: _memory(memory, settings),
    }
    return [_try(name, work) for name, work in tries.items()]


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
    return f"{path.name}: {sum(stats.nodes.values())} nodes, journal entry {stats.seq}"
