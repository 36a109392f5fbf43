"""The chat with panels: what is said, what was recalled for it and why, and what lies around it."""

from __future__ import annotations

import threading
from typing import ClassVar

from rich.markup import escape
from rich.table import Table
from rich.text import Text
from textual import on, work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Footer, Header, Input, Label, Static

from mags.cli.picture import in_terminal
from mags.cli.shared import out
from mags.cli.talk import Talk, step
from mags.errors import MagsError
from mags.memory.views import NodeView, Reply

SHARES = 3
HITS = 6
NARROW = 90
"""Columns below which the panels stand below the talk."""


class Sure(ModalScreen[bool]):
    """Asks before what cannot be taken back."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "no", "No")]

    def __init__(self, question: str) -> None:
        """`question`: what is asked."""
        super().__init__()
        self._question = question

    def compose(self) -> ComposeResult:
        """The question and its two answers; "no" has the focus."""
        with Vertical(id="sure"):
            yield Label(self._question, markup=False)
            with Horizontal():
                yield Button("No", id="no")
                yield Button("Yes, erase", id="yes", variant="error")

    @on(Button.Pressed)
    def answer(self, event: Button.Pressed) -> None:
        """Yes or no."""
        self.dismiss(event.button.id == "yes")

    def action_no(self) -> None:
        """No."""
        self.dismiss(False)


class Panels(App[None]):
    """A chat with a memory. `talk` does the work, in a thread, so that the screen answers."""

    TITLE = "MAGS"
    CSS = """
    #talk { width: 1fr; padding: 0 1; }
    #why { width: 46; border-left: solid $primary-darken-2; padding: 0 1; }
    .narrow #body { layout: vertical; }
    .narrow #why { width: 100%; height: 12; border-left: none; }
    .you { color: $accent; margin-top: 1; }
    .past { color: $text-muted; }
    .memory { padding-left: 2; }
    Sure { align: center middle; }
    #sure { width: 60; height: auto; padding: 1 2; background: $surface; border: thick $error; }
    #sure Horizontal { height: auto; margin-top: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+z", "command('/undo')", "Undo"),
        Binding("ctrl+s", "command('/sleep')", "Sleep"),
        Binding("f1", "command('/help')", "Help"),
        Binding("ctrl+q", "quit", "Quit"),
    ]

    def __init__(self, talk: Talk, turns: list[NodeView]) -> None:
        """`turns`: what was said before, to go on from."""
        super().__init__()
        self._talk, self._turns = talk, turns
        self._one_at_a_time = threading.Lock()
        talk.sure = self._sure

    def compose(self) -> ComposeResult:
        """Talk beside its reasons, the input below."""
        yield Header()
        with Horizontal(id="body"):
            yield VerticalScroll(id="talk")
            with VerticalScroll(id="why"):
                yield Static("What was recalled, and why, comes here.", id="reason")
                yield Static(id="around")
        yield Input(placeholder="Say something, ask, or /help", id="say")
        yield Footer()

    def on_mount(self) -> None:
        """Show where the talk left off."""
        view = self._talk.memory.stats()
        self.sub_title = f"{view.policy} · {view.answerer}"
        for turn in self._turns:
            who = str(turn.meta.get("speaker", ""))
            self._write(f"{who}: {turn.text}" if who else turn.text, "past")
        self.query_one("#say", Input).focus()

    def on_resize(self) -> None:
        """Stand the panels below the talk where the terminal is narrow."""
        self.screen.set_class(self.size.width < NARROW, "narrow")

    @on(Input.Submitted, "#say")
    def said(self, event: Input.Submitted) -> None:
        """A line was entered."""
        line = event.value.strip()
        event.input.clear()
        if line:
            self.action_command(line)

    def action_command(self, line: str) -> None:
        """Do what a line says, one line after another."""
        self._write(line, "you")
        if line.startswith("/"):
            self.obey(line)
        else:
            self.answer(line, self._write("…", "memory"))

    @work(thread=True, group="line")
    def answer(self, line: str, shown: Static) -> None:
        """One turn, the answer shown as it is written."""
        words: list[str] = []

        def show(piece: str) -> None:
            words.append(piece)
            self.call_from_thread(self._update, shown, Text("".join(words)))

        with self._one_at_a_time:
            try:
                reply = self._talk.turn(line, show)
            except MagsError as failure:
                self.call_from_thread(self._update, shown, Text(str(failure), style="bold red"))
                return
            self.call_from_thread(self._update, shown, answered(reply))
            self._explain(reply)

    @work(thread=True, group="line")
    def obey(self, line: str) -> None:
        """A command; what it prints comes into the talk."""
        with self._one_at_a_time:
            with out.capture() as printed:
                going = step(self._talk, line)
            view = self._talk.memory.stats()
        if not going:
            self.call_from_thread(self.exit)
            return
        self.call_from_thread(self._write, Text.from_ansi(printed.get().rstrip()), "memory")
        self.call_from_thread(self._entitle, f"{view.policy} · {view.answerer}")

    def _explain(self, reply: Reply) -> None:
        """Fill the side: each recalled memory with what counted most, and what lies around it."""
        found = reply.found
        if found is None:
            return
        around = in_terminal(self._talk.memory, found)
        self.call_from_thread(self.query_one("#reason", Static).update, reasons(reply))
        self.call_from_thread(self.query_one("#around", Static).update, around)

    def _sure(self, question: str) -> bool:
        """Ask from a worker's thread and wait for the answer."""
        answered, got = threading.Event(), [False]

        def keep(yes: bool | None) -> None:
            got[0] = bool(yes)
            answered.set()

        self.call_from_thread(self.push_screen, Sure(question), keep)
        answered.wait()
        return got[0]

    def _write(self, words: str | Text, kind: str) -> Static:
        text = Text(words) if isinstance(words, str) else words
        shown = Static(text, classes=kind)
        talk = self.query_one("#talk", VerticalScroll)
        talk.mount(shown)
        talk.scroll_end(animate=False)
        return shown

    def _update(self, shown: Static, words: Text) -> None:
        shown.update(words)
        self.query_one("#talk", VerticalScroll).scroll_end(animate=False)

    def _entitle(self, words: str) -> None:
        self.sub_title = words


def answered(reply: Reply) -> Text:
    """An answer with what carries it."""
    text = Text(reply.text, style="bold")
    for cited in reply.citations:
        text.append(f"\nm{cited.id} {cited.text}", style="dim")
    if reply.seen is not None and reply.seen.closed:
        text.append(f"\nclosed {', '.join(f'm{i}' for i in reply.seen.closed)}", style="yellow")
    for warning in (*((reply.fallback,) if reply.fallback else ()), *reply.warnings):
        text.append(f"\n{warning}", style="yellow")
    return text


def reasons(reply: Reply) -> Table:
    """What was recalled, best first, and the features that counted most for each."""
    table = Table("recalled", "why", box=None, padding=(0, 1, 0, 0), expand=True)
    hits = () if reply.found is None else reply.found.hits[:HITS]
    cited = {one.id for one in reply.citations}
    for hit in hits:
        why = reply.trace.of(hit.id)
        shares = {} if why is None else dict(why.shares.items())
        most = sorted(shares.items(), key=lambda one: -abs(one[1]))[:SHARES]
        told = "\n".join(f"{name.replace('_', ' ')} {share:+.1f}" for name, share in most)
        style = "bold" if hit.id in cited else ("dim" if not hit.current else "")
        table.add_row(Text(f"m{hit.id} {hit.text}", style=style), escape(told))
    return table


def run(talk: Talk, turns: list[NodeView]) -> None:
    """Run until the user leaves."""
    Panels(talk, turns).run()
