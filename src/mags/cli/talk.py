"""What a chat does with a line, wherever it is typed: a turn, or a command."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field

import typer
from rich.console import Console
from rich.markup import escape

from mags.cli import tables
from mags.cli.ask import print_basis, print_reply, print_warnings
from mags.cli.picture import in_terminal, short
from mags.cli.shared import node_or_name, out
from mags.cli.sleep import print_report
from mags.errors import MagsError, NotFound
from mags.memory import inspect
from mags.memory.memory import Memory
from mags.memory.views import Forgotten, NodeView, Reply

UNDO = "before the last turn"
DONE = "after the last turn"
LOOK = 64
"""Entries of the log to look at."""
NAMED = 5
"""Nodes that are named before they are erased."""
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
    opens it again with another model (the words after /model). `erased`: told after an erasure.
    `said`, `complaints`: where answers and failures are printed; `failed`: a line was not done.
    """

    memory: Memory
    speaker: str
    session: str
    last: Reply | None = None
    sure: Callable[[str], bool] = field(default=confirmed)
    reopened: Callable[[str], Memory] | None = None
    erased: Callable[[], None] | None = None
    said: Console = out
    complaints: Console | None = None
    failed: bool = False

    def turn(self, text: str, on_text: Callable[[str], None] | None) -> Reply:
        """One turn: answered from memory, remembered with its answer; raises MagsError."""
        self.memory.snapshot(UNDO)
        self.last = self.memory.converse(
            text, speaker=self.speaker, session=self.session, on_text=on_text
        )
        self.memory.snapshot(DONE)
        return self.last

    def say(self, text: str) -> None:
        """One turn, printed as it comes."""
        streamed: list[str] = []

        def show(piece: str) -> None:
            streamed.append(piece)
            self.said.print(piece, end="", markup=False, soft_wrap=True)

        reply = self.turn(text, show if sys.stdout.isatty() else None)
        if streamed:
            self.said.print()
        _show(self, reply, answered=bool(streamed))

    def fail(self, why: str) -> None:
        """Tell that a line could not be done."""
        self.failed = True
        (self.complaints or self.said).print(f"[red]{escape(why)}[/]", soft_wrap=True)

    def forget_last(self) -> None:
        """What there was to explain is gone."""
        self.last = None


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
        talk.fail(str(failure))
    return True


def _show(talk: Talk, reply: Reply, *, answered: bool) -> None:
    if reply.answerer and answered:
        print_basis(reply, talk.said)
    elif reply.answerer:
        print_reply(reply, talk.said)
    else:
        talk.said.print(f"[bold]{escape(reply.text)}[/]")
        print_warnings(reply, talk.said)
    if reply.seen is not None and reply.seen.closed:
        closed = ", ".join(f"m{i}" for i in reply.seen.closed)
        talk.said.print(f"[yellow]closed {closed}[/]")


def _why(talk: Talk, _rest: str) -> None:
    if talk.last is None or not talk.last.trace.hits:
        talk.said.print("Nothing was recalled for the last turn.")
    else:
        talk.said.print(str(talk.memory.explain(talk.last.trace, 3)), markup=False)


def _graph(talk: Talk, _rest: str) -> None:
    if talk.last is None or talk.last.found is None:
        talk.said.print("Nothing was recalled for the last turn.")
    else:
        talk.said.print(in_terminal(talk.memory, talk.last.found))


def _facts(talk: Talk, rest: str) -> None:
    talk.said.print(tables.facts(talk.memory.facts(rest or None)))


def _forget(talk: Talk, rest: str) -> None:
    if not rest:
        talk.said.print("Forget what? /forget m12, a name or a phrase.")
        return
    wanted = node_or_name(rest)
    plan = talk.memory.forget(wanted, dry_run=True)
    if not talk.sure(_erasing(plan)):
        talk.said.print("Nothing was erased.")
        return
    done = talk.memory.forget(wanted)
    talk.forget_last()
    if talk.erased is not None:
        talk.erased()
    talk.said.print(f"Erased {_nodes(len(done.ids))} for good.")


def _erasing(plan: Forgotten) -> str:
    """The question before an erasure: what goes, the first of it in words."""
    here = [(kind, node) for kind, ids in plan.nodes.items() for node in ids][:NAMED]
    words = [f"  {kind} m{node}: {short(plan.texts.get(node, ''))}" for kind, node in here]
    if len(plan.ids) > len(here):
        words.append(f"  and {len(plan.ids) - len(here)} more")
    return "\n".join([*words, "", f"Erase {_nodes(len(plan.ids))} for good?"])


def _nodes(count: int) -> str:
    return f"{count} node{'' if count == 1 else 's'}"


def _undo(talk: Talk, _rest: str) -> None:
    since = _since_turn(talk.memory)
    if since is None:
        talk.said.print("Nothing to undo.")
        return
    talk.memory.rollback(UNDO)
    talk.forget_last()
    slept = " and the sleep after it" if "sleep" in since else ""
    talk.said.print(f"Took back the last turn{slept}.")


def _since_turn(memory: Memory) -> list[str] | None:
    """What was done since the last turn of a chat, this one or an earlier; None: nothing to undo.

    What else was done, here or by another program, is not for /undo to take back.
    """
    marks = {mark.name: mark.seq for mark in memory.snapshots()}
    if marks.get(UNDO, 0) >= marks.get(DONE, 0):
        return None
    since = [entry.kind for entry in memory.log(LOOK) if entry.seq > marks[DONE]]
    return since if len(since) < LOOK and {*since} <= {"ask", "sleep"} else None


def _snapshot(talk: Talk, rest: str) -> None:
    if not rest:
        names = [mark.name for mark in talk.memory.snapshots() if mark.name not in (UNDO, DONE)]
        talk.said.print(
            f"Snapshots: {', '.join(names) or 'none'}. /snapshot NAME takes one.", markup=False
        )
        return
    talk.memory.snapshot(rest)
    talk.said.print(f"This moment is {rest!r}; /back {rest} returns to it.", markup=False)


def _back(talk: Talk, rest: str) -> None:
    if not rest:
        talk.said.print("Back to what? /back NAME of a snapshot.")
        return
    talk.memory.rollback(rest)
    talk.forget_last()
    talk.said.print(f"Back at {rest!r}.", markup=False)


def _model(talk: Talk, rest: str) -> None:
    if rest and talk.reopened is not None:
        talk.memory = talk.reopened(rest)
        talk.forget_last()
    view = talk.memory.stats()
    talk.said.print(f"policy {view.policy}, answers by {view.answerer}", markup=False)


def _sleep(talk: Talk, _rest: str) -> None:
    print_report(talk.memory.sleep(), talk.said)


def _stats(talk: Talk, _rest: str) -> None:
    view = talk.memory.stats()
    talk.said.print(", ".join(f"{n} {kind}" for kind, n in view.nodes.items() if n) or "empty")


def _help(talk: Talk, _rest: str) -> None:
    talk.said.print(HELP, markup=False)


def _unknown(talk: Talk, _rest: str) -> None:
    talk.fail("No such command; /help lists them.")


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


def spoken(memory: Memory, most: int = 48) -> list[NodeView]:
    """The turns among the newest changes of a memory, oldest first: where a chat goes on."""
    ids: list[int] = []
    after = max(0, memory.stats().seq - most)
    with suppress(NotFound):  # folded away: there is nothing near to show
        for change in inspect.changes(memory, after, most):
            ids += change.added if change.kind == "observe" else ()
    return list(_episodes(memory, ids))


def session_of(turn: NodeView) -> str:
    """The session a turn was said in."""
    return str(turn.meta.get("session", ""))


def _episodes(memory: Memory, ids: list[int]) -> Iterator[NodeView]:
    for node_id in ids:
        with suppress(NotFound):
            node = memory.get(node_id)
            if node.kind == "episode":
                yield node
