"""`mags demo`: the main job, end to end, on the embedded default."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.markup import escape
from rich.rule import Rule

from mags.app import open as open_memory
from mags.cli import printing
from mags.cli.console import out
from mags.cli.drawing import draw
from mags.cli.files import dialogue
from mags.memory.memory import Memory
from mags.memory.views import Reply
from mags.ports.policy import Turn
from mags.settings import Settings

NOW = 1_715_000_400.0
"""The demo's present: 6 May 2024, so that its dates come out the same every day."""


@dataclass(slots=True)
class Clock:
    """A clock that the demo sets."""

    now_s: float = NOW

    def __call__(self) -> float:
        """Seconds since the epoch; a second passes at each look."""
        self.now_s += 1.0
        return self.now_s


def demo(
    keep: Annotated[Path | None, typer.Option(help="Keep the demo's memory in this file.")] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the multi-hop answer to .svg, .png or .html.")
    ] = None,
) -> None:
    """Show a memory that learns: two people talk for nine weeks, then it is asked."""
    began = time.perf_counter()
    with TemporaryDirectory() as folder:
        path = keep or Path(folder) / "demo.mags"
        clock = Clock()
        with open_memory(path, settings=Settings(), clock=clock) as memory:
            out.print(Rule("MAGS: a memory that learns, no model, no key, no network"))
            _listen(memory, clock)
            _answer(memory, plot)
            _tend(memory, clock)
            stats = memory.stats()
    out.print(Rule())
    nodes = ", ".join(f"{n} {kind}" for kind, n in stats.nodes.items() if n)
    out.print(f"The memory now holds {nodes}; {stats.bytes_on_disk:,} bytes on disk.")
    out.print(f"[dim]{time.perf_counter() - began:.1f} s in all.[/]")
    if keep is not None:
        out.print(f"Ask it yourself: mags ask --memory {keep} 'Where does Ana live?'")


def conversation() -> Iterator[Turn]:
    """The demo's turns."""
    text = resources.files("mags.cli").joinpath("demo.txt").read_text(encoding="utf-8")
    return dialogue(text, "user")


def _listen(memory: Memory, clock: Clock) -> None:
    _title("1. It listens: every turn is kept word for word, and read for facts")
    for week, turns in groupby(conversation(), key=lambda turn: turn.session):
        out.print(f"[bold]{week}[/]")
        for turn in turns:
            # From NOW back to the first turn, and only forward from there.
            clock.now_s = max(turn.at, clock.now_s if clock.now_s < NOW else turn.at)
            seen = memory.observe(turn.text, speaker=turn.speaker, at=turn.at, session=turn.session)
            out.print(f"  [cyan]{turn.speaker}:[/] {escape(turn.text)}")
            for node in (*seen.facts, *seen.notes):
                view = memory.get(node)
                out.print(f"      [green]+ {escape(view.text)}[/]{printing.marks(view.fact)}")
            for node in seen.closed:
                out.print(f"      [yellow]x closed: {escape(memory.get(node).text)}[/]")
            if not seen.understood:
                out.print(f"      [dim]kept as it is ({escape(seen.why)})[/]")
    clock.now_s = NOW
    counts = memory.stats().nodes
    out.print(f"  -> {counts['episode']} episodes, {counts['fact']} facts, "
              f"{counts['entity']} people, places and things")  # fmt: skip


def _answer(memory: Memory, plot: Path | None) -> None:
    _title("2. It answers, quoting what carries the answer")
    out.print("[dim]The first question after an installation waits until its code is compiled.[/]")
    for question in (
        "What is Bob's cat called?",
        "What is Alice allergic to?",
        "When is Alice's birthday?",
        "What car does Alice drive?",
    ):
        _ask(memory, question)
    _title("3. News replaces what was: old facts are closed, never lost")
    _ask(memory, "Where does Alice live?")
    _ask(memory, "What is Alice's favourite drink?")
    out.print(printing.facts(memory.facts("Alice")))
    _title("4. The past can be asked (as_of)")
    _ask(memory, "Where does Alice live?", as_of="2024-03-20")
    _title("5. Several hops, each step shown")
    reply = _ask(memory, "What is the name of the dog of Alice's sister?")
    path = memory.connect("Alice", "Rex")
    if path is not None:
        out.print(f"  Alice and Rex: {path}", markup=False)
    if reply.found is not None:
        draw(memory, reply.found, plot, terminal=True)
    _title("Why that answer?")
    out.print(str(memory.explain(reply.trace, 2)), markup=False)
    memory.feedback(reply.trace, reward=1.0)


def _ask(memory: Memory, question: str, as_of: str | None = None) -> Reply:
    asked = question if as_of is None else f"{question} (as of {as_of})"
    out.print(f"[bold blue]?[/] {asked}")
    reply = memory.ask(question, as_of)
    printing.print_reply(reply)
    return reply


def _tend(memory: Memory, clock: Clock) -> None:
    _title("6. It sleeps: wiring, decay, consolidation")
    out.print(printing.slept(memory.sleep()))
    _title("7. A rumour ends nothing, and everything can be taken back")
    memory.snapshot("before the rumour")
    memory.observe("Alice moved to Paris.", speaker="Bob", at=clock.now_s, session="rumour")
    _ask(memory, "Where does Alice live?")
    memory.observe("I moved to Paris.", speaker="Alice", at=clock.now_s, session="rumour")
    _ask(memory, "Where does Alice live?")
    out.print(printing.diff(memory.diff("before the rumour")))
    memory.rollback("before the rumour")
    out.print("[bold]rolled back[/]")
    _ask(memory, "Where does Alice live?")


def _title(text: str) -> None:
    out.print()
    out.print(Rule(f"[bold]{text}[/]", align="left"))
