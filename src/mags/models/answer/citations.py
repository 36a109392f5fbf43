"""The visible part of a model's answer: no hidden blocks, and only citations of what it saw."""

from __future__ import annotations

import re
from collections.abc import Callable, Container
from itertools import combinations

GROUP = re.compile(r"[ \t]?\[\s*m\d{1,18}(?:\s*[,;]?\s*m?\d{1,18})*\s*\]", re.ASCII)
RUN = re.compile(rf"(?:{GROUP.pattern})+", re.ASCII)
NUMBER = re.compile(r"\d{1,18}", re.ASCII)
# A sentence ends before the marks that stand behind it, so they are taken along.
SENTENCE = re.compile(r"[^.!?\n]*(?:[.!?]+|\n|$)(?:\s*\[m\d+\])*", re.ASCII)
MOST_LINKED = 8


UNSEEN = "(cites no memory that was shown)"
"""What stands in the place of a citation that the model made up."""


def settle(text: str, shown: Container[int]) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
    """The text with one `[m42]` a citation; its citations, and those of what was never shown.

    Where marks stand together, none of which was shown, they are flagged: what they stand behind
    rests on nothing.
    """
    cited: list[int] = []
    unseen: list[int] = []

    def rewrite(group: re.Match[str]) -> str:
        ids = [int(n) for n in NUMBER.findall(group[0])]
        known = [one for one in ids if one in shown]
        cited.extend(known)
        unseen.extend(one for one in ids if one not in shown)
        return _space(group[0]) + " ".join(f"[m{one}]" for one in known) if known else ""

    def rewrite_run(run: re.Match[str]) -> str:
        return GROUP.sub(rewrite, run[0]) or _space(run[0]) + UNSEEN

    settled = RUN.sub(rewrite_run, text).strip()
    return settled, tuple(dict.fromkeys(cited)), tuple(dict.fromkeys(unseen))


def _space(marks: str) -> str:
    return marks[:1] if marks[:1] in " \t" else ""


def share_cited(text: str) -> float:
    """Share of the sentences of a text that carry a citation; 0 for an empty text."""
    sentences = [found[0] for found in SENTENCE.finditer(text) if re.search(r"\w", found[0])]
    return sum("[m" in one for one in sentences) / len(sentences) if sentences else 0.0


def pairs(citations: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """Every pair (low, high) of the first eight citations."""
    return tuple(combinations(sorted(set(citations[:MOST_LINKED])), 2))


OPENINGS = {f"<{name}>": name for name in ("think", "thinking", "recall", "engram", "tool_call")}
"""Blocks of memory tokens and of thinking: never shown to a user."""


class BlockFilter:
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
    """A whole text without its hidden blocks."""
    pieces: list[str] = []
    block_filter = BlockFilter(pieces.append)
    block_filter.feed(text)
    block_filter.finish()
    return "".join(pieces)
