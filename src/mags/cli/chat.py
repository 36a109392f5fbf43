"""`mags chat`: talk to a memory in the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated

import typer
from rich.markup import escape

from mags.cli import tables
from mags.cli.ask import print_reply
from mags.cli.last import keep_trace
from mags.cli.picture import in_terminal
from mags.cli.shared import Branch, MemoryPath, Where, node_or_name, out
from mags.cli.sleep import print_report
from mags.errors import MagsError
from mags.memory.memory import Memory
from mags.memory.views import Reply

UNDO = "before the last turn"
HELP = """Say something, or ask. Commands:
  /why            why the last answer came out as it did
  /graph          the last answer's memories as a tree
  /facts [name]   what is known (about a name)
  /forget WHAT    erase a node (m12), a name or a phrase for good
  /undo           take back the last turn
  /sleep          tend the memory
  /stats          counts and sizes
  /help           this
  /quit           leave (Ctrl-D too)"""


@dataclass(slots=True)
class Talk:
    """A running chat: the memory, who speaks, the last reply."""

    memory: Memory
    speaker: str
    session: str
    last: Reply | None = None
    undo: bool = False

    def say(self, text: str) -> None:
        """One turn: answered from memory, remembered with its answer."""
        self.memory.snapshot(UNDO)
        self.undo = True
        streamed: list[str] = []

        def show(piece: str) -> None:
            streamed.append(piece)
            out.print(piece, end="", markup=False, soft_wrap=True)

        live = sys.stdout.isatty()
        reply = self.memory.converse(
            text,
            speaker=self.speaker,
            session=self.session,
            on_text=show if live else None,
        )
        if streamed:
            out.print()
        self.last = reply
        _show(reply, answered=bool(streamed))


def chat(
    memory: MemoryPath = None,
    branch: Branch = "main",
    speaker: Annotated[str, typer.Option(help="Who you are.")] = "user",
    session: Annotated[str, typer.Option(help="Name of this session.")] = "",
) -> None:
    """Chat with a memory; what is piped in is answered line by line."""
    where = Where(path=memory, branch=branch)
    with where.open(must_exist=False) as opened:
        label = session or f"chat {opened.stats().tick}"
        talk = Talk(memory=opened, speaker=speaker, session=label)
        if sys.stdin.isatty():
            view = opened.stats()
            out.print(f"[dim]policy {escape(view.policy)}, answers by {escape(view.answerer)}; "
                      "/help for commands[/]")  # fmt: skip
        for line in _lines():
            if not step(talk, line):
                break
        if talk.last is not None:
            keep_trace(memory, talk.last.trace)


def step(talk: Talk, line: str) -> bool:
    """Do what one line says; False ends the chat. MAGS's errors are shown and survived."""
    text = line.strip()
    if not text:
        return True
    try:
        if not text.startswith("/"):
            talk.say(text)
            return True
        verb, _, rest = text[1:].partition(" ")
        if verb in ("quit", "exit"):
            return False
        COMMANDS.get(verb, _unknown)(talk, rest.strip())
    except MagsError as failure:
        out.print(f"[red]{escape(str(failure))}[/]")
    return True


def _lines() -> Iterator[str]:
    interactive = sys.stdin.isatty()
    while True:
        if interactive:
            out.print("[bold cyan]>[/] ", end="")
        line = sys.stdin.readline()
        if not line:
            return
        yield line


def _show(reply: Reply, *, answered: bool) -> None:
    if answered:
        out.print(f"[dim]support {reply.support:.2f} · /why tells more[/]")
    elif reply.answerer:
        print_reply(reply)
    else:
        out.print(f"[bold]{escape(reply.text)}[/]")
    if reply.seen is not None and reply.seen.closed:
        closed = ", ".join(f"m{i}" for i in reply.seen.closed)
        out.print(f"[yellow]closed {closed}[/]")


def _why(talk: Talk, _rest: str) -> None:
    if talk.last is None or not talk.last.trace.hits:
        out.print("Nothing was recalled for the last turn.")
    else:
        out.print(str(talk.memory.explain(talk.last.trace, 3)), markup=False)


def _graph(talk: Talk, _rest: str) -> None:
    if talk.last is None or talk.last.found is None:
        out.print("Nothing was recalled for the last turn.")
    else:
        out.print(in_terminal(talk.memory, talk.last.found))


def _facts(talk: Talk, rest: str) -> None:
    out.print(tables.facts(talk.memory.facts(rest or None)))


def _forget(talk: Talk, rest: str) -> None:
    if not rest:
        out.print("Forget what? /forget m12, a name or a phrase.")
        return
    wanted = node_or_name(rest)
    plan = talk.memory.forget(wanted, dry_run=True)
    out.print(f"This erases {len(plan.ids)} nodes for good.")
    if sys.stdin.isatty() and not typer.confirm("Go on?"):
        return
    talk.memory.forget(wanted)
    talk.last, talk.undo = None, False
    out.print("Erased.")


def _undo(talk: Talk, _rest: str) -> None:
    if not talk.undo:
        out.print("Nothing to undo.")
        return
    talk.memory.rollback(UNDO)
    talk.last, talk.undo = None, False
    out.print("Took back the last turn.")


def _sleep(talk: Talk, _rest: str) -> None:
    print_report(talk.memory.sleep())


def _stats(talk: Talk, _rest: str) -> None:
    view = talk.memory.stats()
    out.print(", ".join(f"{n} {kind}" for kind, n in view.nodes.items() if n) or "empty")


def _help(_talk: Talk, _rest: str) -> None:
    out.print(HELP, markup=False)


def _unknown(_talk: Talk, _rest: str) -> None:
    out.print("No such command; /help lists them.")


COMMANDS: dict[str, Callable[[Talk, str], None]] = {
    "why": _why,
    "graph": _graph,
    "facts": _facts,
    "forget": _forget,
    "undo": _undo,
    "sleep": _sleep,
    "stats": _stats,
    "help": _help,
}
