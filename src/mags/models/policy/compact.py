"""What a small trained model is shown of a turn: few tokens, every name after a space.

::

    write
    now Friday 2024-05-10
    - Alice lives in Bergen.
    Bob: How was your week?
    > Alice: Busy! I moved to Oslo last week.

The same words in training and in use: both call `compact`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from mags.models.rendering import DAYS, known, quote
from mags.ports.policy import Recalled, Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The most that is shown: memories, turns said before, characters of each."""

    recalled: int = 4
    recent: int = 3
    characters: int = 160


WINDOW = Window()


def compact(
    role: str,
    turn: Turn,
    recent: Sequence[Turn] = (),
    recalled: Sequence[Recalled] = (),
    *,
    window: Window = WINDOW,
) -> str:
    """The prompt of a small model; it ends where the reply begins. `role`: ask, write, router."""
    lines = [role, f"now {_day(turn.at)}"]
    lines += _memories(recalled[: window.recalled], window)
    shown = recent[-window.recent :] if window.recent else ()
    lines += [_said(one, window.characters) for one in shown]
    lines.append(f"> {turn.speaker}: {quote(turn.text)}")
    return "\n".join(lines) + "\n"


def _memories(recalled: Iterable[Recalled], window: Window) -> list[str]:
    return [
        f"{'-' if one.current else 'x'} {quote(one.text)[: window.characters]}" for one in recalled
    ]


def _said(turn: Turn, longest: int) -> str:
    return f"{turn.speaker}: {quote(turn.text)[:longest]}"


def _day(at: float) -> str:
    if not known(at):
        return "unknown"
    day = datetime.fromtimestamp(at, UTC)
    return f"{DAYS[day.weekday()]} {day.date().isoformat()}"
