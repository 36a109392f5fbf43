"""What a chat does with a line, wherever it is typed: a turn, or a command."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field

import typer
from rich.markup import escape

from mags.cli import tables
from mags.cli.ask import print_reply
from mags.cli.picture import in_terminal
from mags.cli.shared import node_or_name, out
from mags.cli.sleep import print_report
from mags.errors import MagsError, NotFound
from mags.memory.memory import Memory
from mags.memory.views import NodeView, Reply

UNDO = "before the last turn"
HELP = """Say something, or ask. Commands:
  /why            why the last answer came out as it did
  /graph          the last answer's memories as a tree
  /facts [name]   what is known (about a name)
  /forget WHAT    erase a node (m12), a name or a phrase for good
  /undo           take back the last turn
  /snapshot NAME  name this moment, for /back
  /back NAME      go back to a snapshot
  /model [WHICH]  who is at work; another policy, or URL#MODEL of an endpoint
  /sleep          tend the memory
  /stats          counts and sizes
  /help           this
  /quit           leave (Ctrl-D too)"""


def confirmed(question: str) -> bool:
    """Ask in the terminal; what is piped in has made up its mind."""
    return not sys.stdin.isatty() or typer.confirm(question)


@dataclass(slots=True)
class Talk:
    """A running chat: the memory, who speaks, the last reply.

    `sure`: asks whether to go on with what cannot be taken back; `reopened`: closes the memory and
    opens it again with another model (the words after /model).
    """

    memory: Memory
    speaker: str
    session: str
    last: Reply | None = None
    undo: bool = False
    sure: Callable[[str], bool] = field(default=confirmed)
    reopened: Callable[[str], Memory] | None = None

    def turn(self, text: str, on_text: Callable[[str], None] | None) -> Reply:
        """One turn: answered from memory, remembered with its answer; raises MagsError."""
        self.memory.snapshot(UNDO)
        self.undo = True
        self.last = self.memory.converse(
            text, speaker=self.speaker, session=self.session, on_text=on_text
        )
        return self.last

    def say(self, text: str) -> None:
        """One turn, printed as it comes."""
        streamed: list[str] = []

        def show(piece: str) -> None:
            streamed.append(piece)
            out.print(piece, end="", markup=False, soft_wrap=True)

        reply = self.turn(text, show if sys.stdout.isatty() else None)
        if streamed:
            out.print()
        _show(reply, answered=bool(streamed))


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
    if not talk.sure(f"Erase {len(plan.ids)} nodes for good?"):
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


def _snapshot(talk: Talk, rest: str) -> None:
    if not rest:
        names = [mark.name for mark in talk.memory.snapshots() if mark.name != UNDO]
        out.print(
            f"Snapshots: {', '.join(names) or 'none'}. /snapshot NAME takes one.", markup=False
        )
        return
    talk.memory.snapshot(rest)
    out.print(f"This moment is {rest!r}; /back {rest} returns to it.", markup=False)


def _back(talk: Talk, rest: str) -> None:
    if not rest:
        out.print("Back to what? /back NAME of a snapshot.")
        return
    talk.memory.rollback(rest)
    talk.last, talk.undo = None, False
    out.print(f"Back at {rest!r}.", markup=False)


def _model(talk: Talk, rest: str) -> None:
    if rest and talk.reopened is not None:
        talk.memory = talk.reopened(rest)
        talk.last, talk.undo = None, False
    view = talk.memory.stats()
    out.print(f"policy {view.policy}, answers by {view.answerer}", markup=False)


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
    "snapshot": _snapshot,
    "back": _back,
    "model": _model,
    "sleep": _sleep,
    "stats": _stats,
    "help": _help,
}


def spoken(memory: Memory, most: int = 12) -> list[NodeView]:
    """The newest turns of a memory, oldest first: where a chat goes on."""
    ids: list[int] = []
    after = max(0, memory.stats().seq - 4 * most)
    with suppress(NotFound):  # folded away: there is nothing near to show
        for change in memory.changes(after, 4 * most):
            ids += change.added if change.kind == "observe" else ()
    return list(_episodes(memory, ids))[-most:]


def _episodes(memory: Memory, ids: list[int]) -> Iterator[NodeView]:
    for node_id in ids:
        with suppress(NotFound):
            node = memory.get(node_id)
            if node.kind == "episode":
                yield node
