"""The chat with panels: what is said, what was recalled for it and why, and what lies around it."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import ClassVar

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text
from textual import on, work
from textual.app import App, ComposeResult, ScreenStackError
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.css.query import NoMatches
from textual.screen import ModalScreen
from textual.widgets import Button, Footer, Header, Input, Label, Static
from textual.worker import get_current_worker

from mags.cli.chat import ChatSession, erase_meant, run_line
from mags.cli.console import page, visible
from mags.cli.drawing import tree_of_things
from mags.cli.printing import marks
from mags.errors import MagsError
from mags.memory.views import NodeView, Reply

SHARES = 3
HITS = 6
NARROW = 90
"""Columns below which the panels stand below the talk."""
LOOKS_S = 0.1
"""How often a question that waits for its answer looks whether the chat is being left."""
INDENT = 2
WELCOME = "What was recalled, and why, comes here."
NOTHING = "Nothing was recalled for the last turn."


class ConfirmErasure(ModalScreen[bool]):
    """Asks before what cannot be taken back."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(False)", "No")]

    def __init__(self, question: str) -> None:
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


class Panels(App[None]):
    """A chat with a memory. `talk` does the work, in a thread, so that the screen answers."""

    TITLE = "MAGS"
    CSS = """
    #talk { width: 1fr; padding: 0 1; scrollbar-gutter: stable; scrollbar-size-vertical: 1; }
    #why { width: 46; border-left: solid $primary-darken-2; padding: 0 0 0 1; }
    #why { scrollbar-gutter: stable; scrollbar-size-vertical: 1; }
    #around { margin-top: 1; }
    .narrow #body { layout: vertical; }
    .narrow #talk { height: 1fr; }
    .narrow #why { width: 100%; height: 40%; border-left: none; }
    .narrow #why { border-top: solid $primary-darken-2; }
    .you { color: $accent; margin-top: 1; }
    .past { color: $text-muted; }
    .memory { padding-left: 2; }
    ConfirmErasure { align: center middle; }
    #sure { width: 60; max-width: 100%; height: auto; max-height: 100%; overflow-y: auto; }
    #sure { padding: 1 2; background: $surface; border: thick $error; }
    #sure Label { width: 100%; }
    #sure Horizontal { height: auto; margin-top: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+z", "command('/undo')", "Undo"),
        Binding("ctrl+s", "command('/sleep')", "Sleep"),
        Binding("f1", "command('/help')", "Help"),
        Binding("ctrl+q", "quit", "Quit", priority=True),
    ]

    def __init__(self, talk: ChatSession, turns: list[NodeView]) -> None:
        """`turns`: what was said before, to go on from."""
        super().__init__()
        self._talk, self._turns = talk, turns
        # Workers run in threads of their own: a second line waits for the first one's answer.
        self._one_at_a_time = threading.Lock()
        talk.sure = self._sure

    def compose(self) -> ComposeResult:
        """ChatSession beside its reasons, the input below."""
        yield Header()
        with Horizontal(id="body"):
            yield VerticalScroll(id="talk")
            with VerticalScroll(id="why"):
                yield Static(WELCOME, id="reason", markup=False)
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
            self.obey(line, self._room())
        else:
            self.answer(line, self._write("…", "memory"), self._room())

    @work(thread=True, group="line")
    def answer(self, line: str, shown: Static, width: int) -> None:
        """One turn, the answer shown as it is written; what it asks to forget is asked for."""
        words: list[str] = []

        def show(piece: str) -> None:
            words.append(piece)
            if not get_current_worker().is_cancelled:
                self.call_from_thread(self._update, shown, Text("".join(words)))

        with self._one_at_a_time:
            try:
                reply = self._talk.turn(line, show)
            except MagsError as failure:
                self.call_from_thread(self._update, shown, Text(str(failure), style="bold red"))
                return
            if get_current_worker().is_cancelled:  # left meanwhile: all is remembered
                return
            self._talk.said = page(width)
            with self._talk.said.capture() as printed:
                self._talk.show(reply, streamed=False)
            told = Text.from_ansi(printed.get().rstrip())
            self.call_from_thread(self._update, shown, told)
            self._explain(reply)
            with self._talk.said.capture() as printed:
                erase_meant(self._talk)
            self._show(printed.get())

    @work(thread=True, group="line")
    def obey(self, line: str, width: int) -> None:
        """A command; what it prints, in so many columns, comes into the talk."""
        with self._one_at_a_time:
            self._talk.said = page(width)
            with self._talk.said.capture() as printed:
                going = run_line(self._talk, line)
            view = self._talk.memory.stats()
        if get_current_worker().is_cancelled:
            return
        if not going:
            self.call_from_thread(self.exit)
            return
        self.call_from_thread(setattr, self, "sub_title", f"{view.policy} · {view.answerer}")
        self._show(printed.get())

    def _show(self, printed: str) -> None:
        """What a line printed comes into the talk."""
        if get_current_worker().is_cancelled:
            return
        if printed.strip():
            self.call_from_thread(self._write, Text.from_ansi(printed.rstrip()), "memory")
        if self._talk.last is None:  # taken back, erased: nothing of it may stay beside the talk
            self.call_from_thread(self._beside, WELCOME, "")

    def _explain(self, reply: Reply) -> None:
        """Fill the side: each recalled memory with what counted most, and what lies around it."""
        if reply.found is None or not reply.found.hits:
            self.call_from_thread(self._beside, NOTHING, "")
            return
        picture = tree_of_things(self._talk.memory, reply.found)
        self.call_from_thread(self._beside, reasons(reply), titled("Around it", picture))

    def _beside(self, reason: RenderableType, picture: RenderableType) -> None:
        self.query_one("#reason", Static).update(reason)
        self.query_one("#around", Static).update(picture)
        self.query_one("#why", VerticalScroll).scroll_home(animate=False)

    def _room(self) -> int:
        """Columns that a command's answer has in the talk."""
        return max(1, self.query_one("#talk").scrollable_content_region.width - INDENT)

    def _sure(self, question: str) -> bool:
        """Ask from a worker's thread and wait for the answer."""
        answered, got = threading.Event(), [False]

        def keep(yes: bool | None) -> None:
            got[0] = bool(yes)
            answered.set()

        self.call_from_thread(self.push_screen, ConfirmErasure(question), keep)
        while not answered.wait(LOOKS_S):
            if get_current_worker().is_cancelled:  # left without an answer: no
                return False
        return got[0]

    def _write(self, words: str | Text, kind: str) -> Static:
        text = Text(words) if isinstance(words, str) else words
        shown = Static(text, classes=kind)
        talk = self.query_one("#talk", VerticalScroll)
        talk.mount(shown)
        talk.scroll_end(animate=False)
        return shown

    def _update(self, shown: Static, words: Text) -> None:
        with suppress(NoMatches, ScreenStackError):  # just left: the rest is remembered unseen
            shown.update(words)
            self.query_one("#talk", VerticalScroll).scroll_end(animate=False)


def reasons(reply: Reply) -> Group:
    """What was recalled, best first, and below each the features that counted most for it."""
    hits = () if reply.found is None else reply.found.hits[:HITS]
    cited = {one.id for one in reply.citations}
    lines: list[RenderableType] = []
    for hit in hits:
        why = reply.trace.of(hit.id)
        shares = {} if why is None else dict(why.shares.items())
        most = sorted(shares.items(), key=lambda one: -abs(one[1]))[:SHARES]
        told = ", ".join(f"{name.replace('_', ' ')} {share:+.1f}" for name, share in most)
        style = "bold" if hit.id in cited else ("dim strike" if not hit.current else "")
        note = Text.from_markup(marks(hit.fact))
        lines.append(Text.assemble((f"m{hit.id} ", "cyan"), (visible(hit.text), style), note))
        lines.append(Padding(Text(told, style="dim"), (0, 0, 0, INDENT)))
    return titled("Recalled, and why", *lines)


def titled(title: str, *parts: RenderableType) -> Group:
    """Parts of the side under a title."""
    return Group(Text(title, style="bold underline"), *parts)


def run(talk: ChatSession, turns: list[NodeView]) -> None:
    """Run until the user leaves."""
    Panels(talk, turns).run()
