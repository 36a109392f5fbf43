"""What is stored is shown, not obeyed: control characters become signs that one can see.

A remembered text may be another's. Printed as it is, an escape sequence in it would move the
cursor, rename the window or hide what follows; in a drawing it would make no XML.
"""

from __future__ import annotations

from io import StringIO

from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook, RenderResult
from rich.segment import Segment

_SIGNS: dict[int, str] = {
    code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\n\t"
}
_SIGNS |= {0x7F: "\u2421", **dict.fromkeys((*range(0x80, 0xA0), 0xFFFE, 0xFFFF), "\ufffd")}


def visible(text: str) -> str:
    """The text with a sign for each control character but line ends and tabs."""
    return text.translate(_SIGNS)


class _Shown:
    """Something printed, its words made visible; what rich itself tells the terminal stays."""

    def __init__(self, what: ConsoleRenderable) -> None:
        self._what = what

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for part in console.render(self._what, options):
            yield part if part.control else Segment(visible(part.text), part.style)


class _Showing(RenderHook):
    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        """Each of them, made visible."""
        return [_Shown(what) for what in renderables]


def console(*, stderr: bool = False) -> Console:
    """A console that obeys nothing of what it is given to print."""
    return _obeying_nothing(Console(highlight=False, stderr=stderr))


def page(width: int) -> Console:
    """Such a console of that width whose styles are kept, to be captured and shown elsewhere."""
    return _obeying_nothing(
        Console(
            file=StringIO(),
            width=width,
            highlight=False,
            force_terminal=True,
            color_system="standard",
        )
    )


def _obeying_nothing(made: Console) -> Console:
    made.push_render_hook(_Showing())
    return made
