"""`mags chat`: a chat with a memory, line by line. A line is a turn, or a command such as `/why`.

The panels of `mags.cli.terminal` run each line in the same way and show more beside it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, get_args, get_type_hints

import typer
from rich.console import Console
from rich.markup import escape

from mags import inspect
from mags.app import open as open_memory
from mags.cli import console, printing
from mags.cli.drawing import short, tree_of_hits
from mags.errors import InvalidInput, MagsError, MissingExtra, NotFound
from mags.extras import import_extra
from mags.memory.memory import Memory
from mags.memory.views import Forgotten, NodeView, Reply
from mags.settings import PolicySettings, Settings, read_settings

POLICIES = get_args(get_type_hints(PolicySettings)["kind"])
SHOWN = 12
"""Turns of a session that the panels show at first."""
UNDO = "before the last turn"
DONE = "after the last turn"
LOOK = 64
"""Entries of the log to look at."""
NAMED = 5
"""Nodes that are listed before they are erased."""
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


def chat(
    memory: console.MemoryPath = None,
    branch: console.Branch = "main",
    speaker: Annotated[str, typer.Option(help="Who you are.")] = "user",
    session: Annotated[str, typer.Option(help="Name of this session, else the last one.")] = "",
    plain: Annotated[bool, typer.Option(help="Line by line, without panels.")] = False,
) -> None:
    """Chat with a memory: what was recalled and why stands beside it (extra `terminal`).

    What is piped in is answered line by line; what fails is told on stderr and by the exit code.
    """
    with console.opened(memory, branch, must_exist=False) as mem:
        turns = last_turns(mem)
        label = session or (session_of(turns[-1]) if turns else "") or f"chat {mem.stats().tick}"
        talk = ChatSession(memory=mem, speaker=speaker, session=label, path=memory, branch=branch)
        app = None if plain or not _interactive() else _panels()
        try:
            if app is None:
                _line_by_line(talk)
            else:
                app(talk, [turn for turn in turns if session_of(turn) == label][-SHOWN:])
        finally:
            talk.memory.close()  # /model may have opened it anew
    if talk.last is not None:
        console.keep_trace(memory, talk.last.trace)
    if app is None and talk.failed and not sys.stdin.isatty():  # a script reads the exit code
        raise typer.Exit(console.FAILED)


def _interactive() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _panels() -> Callable[..., None] | None:
    """The function that runs the panels; None where the extra is not installed, which is said."""
    try:
        module = import_extra(
            "mags.cli.terminal", extra="terminal", needed_for="mags chat with panels"
        )
    except MissingExtra as failure:
        console.out.print(f"[dim]{escape(str(failure))}[/]")
        return None
    found: Callable[..., None] = module.run
    return found


def _line_by_line(talk: ChatSession) -> None:
    interactive = sys.stdin.isatty()
    if interactive:
        view = talk.memory.stats()
        console.out.print(
            f"[dim]policy {escape(view.policy)}, answers by {escape(view.answerer)}; "
            "/help for commands[/]"
        )
    else:
        talk.complaints = console.console(stderr=True)
    while True:
        if interactive:
            console.out.print("[bold cyan]>[/] ", end="")
        line = sys.stdin.readline()
        if not line or not run_line(talk, line):
            return


def confirmed(question: str) -> bool:
    """Ask in the terminal; a script is not asked."""
    return not sys.stdin.isatty() or typer.confirm(question)


@dataclass(slots=True)
class ChatSession:
    """A running chat: the memory, who speaks, the last reply.

    `path`, `branch`: where the memory lies, for opening it again with another model.
    `sure`: asks whether to go on with what cannot be taken back. `said`, `complaints`: where
    answers and failures are printed; `failed`: a line was not done.
    """

    memory: Memory
    speaker: str
    session: str
    path: Path | None = None
    branch: str = "main"
    last: Reply | None = None
    sure: Callable[[str], bool] = field(default=confirmed)
    said: Console = console.out
    complaints: Console | None = None
    failed: bool = False

    def turn(self, text: str, on_text: Callable[[str], None] | None) -> Reply:
        """One turn: answered from memory, remembered with its answer; raises MagsError."""
        self.memory.snapshot(UNDO, move=True)
        self.last = self.memory.converse(
            text, speaker=self.speaker, session=self.session, on_text=on_text
        )
        self.memory.snapshot(DONE, move=True)
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
        self.show(reply, streamed=bool(streamed))

    def show(self, reply: Reply, *, streamed: bool) -> None:
        """Print an answer with what carries it; `streamed`: its words stand there already."""
        if not (reply.answerer and streamed):
            self.said.print(f"[bold]{escape(reply.text)}[/]")
        if reply.answerer:
            printing.print_basis(reply, self.said)
        else:
            printing.print_warnings(reply, self.said)
        if reply.seen is not None and reply.seen.closed:
            closed = ", ".join(f"m{i}" for i in reply.seen.closed)
            self.said.print(f"[yellow]closed {closed}[/]")

    def fail(self, why: str) -> None:
        """Print why a line failed."""
        self.failed = True
        (self.complaints or self.said).print(f"[red]{escape(why)}[/]", soft_wrap=True)


def run_line(talk: ChatSession, line: str) -> bool:
    """Run one line; False ends the chat. MAGS's errors are printed, and the chat goes on."""
    text = line.strip()
    if not text:
        return True
    try:
        if not text.startswith("/"):
            _say(talk, text)
            return True
        verb, _, rest = text[1:].partition(" ")
        if verb in ("quit", "exit"):
            return False
        if verb in COMMANDS:
            COMMANDS[verb](talk, rest.strip())
        else:
            talk.fail("No such command; /help lists them.")
    except MagsError as failure:
        talk.fail(str(failure))
    return True


def _say(talk: ChatSession, text: str) -> None:
    """A line that is no command; one that asks to forget does so, where somebody can agree.

    Nobody agrees to what is piped in: there it is only told what may be meant.
    """
    talk.say(text)
    if talk.sure is not confirmed or sys.stdin.isatty():
        erase_meant(talk)


def erase_meant(talk: ChatSession) -> None:
    """Erase what the last turn asked to forget, each thing once that is agreed to."""
    reply = talk.last
    if reply is None or reply.intent != "forget":
        return
    for citation in reply.citations:
        with suppress(NotFound):  # it went with the one before
            _forget(talk, f"m{citation.id}")


def _why(talk: ChatSession, _rest: str) -> None:
    if talk.last is None or not talk.last.trace.hits:
        talk.said.print("Nothing was recalled for the last turn.")
    else:
        talk.said.print(str(talk.memory.explain(talk.last.trace, 3)), markup=False)


def _graph(talk: ChatSession, _rest: str) -> None:
    if talk.last is None or talk.last.found is None:
        talk.said.print("Nothing was recalled for the last turn.")
    else:
        talk.said.print(tree_of_hits(talk.memory, talk.last.found))


def _forget(talk: ChatSession, rest: str) -> None:
    if not rest:
        talk.said.print("Forget what? /forget m12, a name or a phrase.")
        return
    wanted = console.node_or_name(rest)
    plan = talk.memory.forget(wanted, dry_run=True)
    if not talk.sure(_erasing(plan)):
        talk.said.print("Nothing was erased.")
        return
    done = talk.memory.forget(wanted)
    talk.last = None
    if talk.path is not None:
        console.trace_path(talk.path).unlink(missing_ok=True)  # it names what is gone
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


def _undo(talk: ChatSession, _rest: str) -> None:
    since = _since_turn(talk.memory)
    if since is None:
        talk.said.print("Nothing to undo.")
        return
    talk.memory.rollback(UNDO)
    talk.last = None
    slept = " and the sleep after it" if "sleep" in since else ""
    talk.said.print(f"Took back the last turn{slept}.")


def _since_turn(memory: Memory) -> list[str] | None:
    """What was done since the last turn of a chat; None: nothing to undo.

    /undo takes back nothing that was done in another way, here or by another program.
    """
    marks = {mark.name: mark.seq for mark in memory.snapshots()}
    if marks.get(UNDO, 0) >= marks.get(DONE, 0):
        return None
    since = [entry.kind for entry in memory.log(LOOK) if entry.seq > marks[DONE]]
    return since if len(since) < LOOK and {*since} <= {"ask", "sleep"} else None


def _snapshot(talk: ChatSession, rest: str) -> None:
    if not rest:
        names = [mark.name for mark in talk.memory.snapshots() if mark.name not in (UNDO, DONE)]
        talk.said.print(
            f"Snapshots: {', '.join(names) or 'none'}. /snapshot NAME takes one.", markup=False
        )
        return
    talk.memory.snapshot(rest)
    talk.said.print(f"This moment is {rest!r}; /back {rest} returns to it.", markup=False)


def _back(talk: ChatSession, rest: str) -> None:
    if not rest:
        talk.said.print("Back to what? /back NAME of a snapshot.")
        return
    talk.memory.rollback(rest)
    talk.last = None
    talk.said.print(f"Back at {rest!r}.", markup=False)


def _model(talk: ChatSession, rest: str) -> None:
    if rest and talk.path is not None:
        settings = chosen(read_settings(os.environ), rest)
        other = open_memory(talk.path, branch=talk.branch, settings=settings)
        talk.memory.close()
        talk.memory, talk.last = other, None
    view = talk.memory.stats()
    talk.said.print(f"policy {view.policy}, answers by {view.answerer}", markup=False)


def chosen(settings: Settings, which: str) -> Settings:
    """Settings with another policy, or with the model at URL#MODEL; raises InvalidInput."""
    for kind in POLICIES:
        if which == kind:
            return replace(settings, policy=replace(settings.policy, kind=kind))
    url, _, model = which.partition("#")
    if not url.startswith(("http://", "https://")):
        raise InvalidInput(
            f"no model {which!r}: give {', '.join(POLICIES)}, or URL#MODEL of an endpoint",
            given=which,
        )
    return replace(settings, chat=replace(settings.chat, url=url, model=model))


def _stats(talk: ChatSession, _rest: str) -> None:
    view = talk.memory.stats()
    talk.said.print(", ".join(f"{n} {kind}" for kind, n in view.nodes.items() if n) or "empty")


COMMANDS: dict[str, Callable[[ChatSession, str], None]] = {
    "why": _why,
    "graph": _graph,
    "facts": lambda talk, rest: talk.said.print(printing.facts(talk.memory.facts(rest or None))),
    "forget": _forget,
    "undo": _undo,
    "snapshot": _snapshot,
    "back": _back,
    "model": _model,
    "sleep": lambda talk, _: talk.said.print(printing.slept(talk.memory.sleep())),
    "stats": _stats,
    "help": lambda talk, _: talk.said.print(HELP, markup=False),
}


def last_turns(memory: Memory, most: int = 48) -> list[NodeView]:
    """The turns among the newest changes of a memory, oldest first."""
    ids: list[int] = []
    after = max(0, memory.stats().seq - most)
    with suppress(NotFound):  # folded away: nothing recent to show
        for change in inspect.changes(memory, after, most):
            ids += change.added if change.kind == "observe" else ()
    nodes: list[NodeView] = []
    for node_id in ids:
        with suppress(NotFound):  # forgotten meanwhile
            nodes.append(memory.get(node_id))
    return [node for node in nodes if node.kind == "episode"]


def session_of(turn: NodeView) -> str:
    """The session of a turn."""
    return str(turn.meta.get("session", ""))
