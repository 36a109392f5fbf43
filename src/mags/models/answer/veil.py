"""Hides memory tokens and thinking from a text while it streams."""

from __future__ import annotations

from collections.abc import Callable

HIDDEN = ("think", "thinking", "recall", "engram", "tool_call")
OPENINGS = {f"<{name}>": name for name in HIDDEN}


class Veil:
    """Passes a stream on without its hidden blocks; white space around those goes with them.

    A block that never closes is hidden to the end. How the stream was cut into pieces makes no
    difference to what comes through in all.
    """

    def __init__(self, on_text: Callable[[str], None]) -> None:
        self._on_text = on_text
        self._held = ""
        self._space = ""
        self._hidden: str | None = None
        self._shown = False

    def feed(self, piece: str) -> None:
        """Take the next piece."""
        self._held += piece
        while self._step():
            pass

    def finish(self) -> None:
        """The stream has ended: what was held back as the beginning of a token is shown."""
        if self._hidden is None:
            self._show(self._held)
        self._held = ""

    def _step(self) -> bool:
        """Consume what is certain; whether there may be more."""
        if self._hidden is not None:
            close = f"</{self._hidden}>"
            inside, found, after = self._held.partition(close)
            if found:
                self._held, self._hidden = after, None
                return True
            self._held = inside[-len(close) + 1 :]
            return False
        before, angle, after = self._held.partition("<")
        self._show(before)
        self._held = angle + after
        for opening, name in OPENINGS.items():
            if self._held.startswith(opening):
                self._held, self._hidden = self._held[len(opening) :], name
                return True
        if not angle or any(opening.startswith(self._held) for opening in OPENINGS):
            return False
        self._show("<")
        self._held = after
        return True

    def _show(self, words: str) -> None:
        """Pass words on; white space waits for a word to follow it, and none leads."""
        body = words.rstrip()
        if not body:
            self._space += words
            return
        lead = body if self._shown else body.lstrip()
        self._on_text((self._space if self._shown else "") + lead)
        self._shown = True
        self._space = words[len(body) :]


def visible(text: str) -> str:
    """What a veil lets through of a whole text."""
    pieces: list[str] = []
    veil = Veil(pieces.append)
    veil.feed(text)
    veil.finish()
    return "".join(pieces)
