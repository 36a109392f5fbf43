"""What the reader looks at: the last turns and this one as one text, and its words as rows.

The encoder reads `you: ...` and `I: ...` a line each, so that no name of a speaker costs tokens.
Rows are words: the mean of their pieces' states, with marks of writing that an uncased encoder
cannot see. Two rows before the words stand for the speaker and for who was spoken to. A long turn
is laid out in parts, each after the end of the part before.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mags.models.embed.onnx import TokenStates
from mags.ports.policy import Turn

WORD = re.compile(r"[^\W_]+|[^\w\s]|_", re.UNICODE)
SPEAKER, ADDRESSEE = 0, 1
SPECIAL = 2
"""Rows before the first word."""
RECENT = 3
TURN, OPENS = 3, 6
"""Marks of words of the turn itself, and of those that open a sentence."""
LONGEST = 160
"""Characters that are shown of a turn said before."""
SHOWN = 600
"""Characters of a turn that are shown beside what is held."""
MARKS = 18
"""Width of the marks of writing."""
PART = 80
"""Words of a turn that are read at once; the encoder's window holds them after two turns before."""
MOST = 600
"""Words of a turn up to which it is talk; longer ones are documents, of which nothing is read."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A word of the laid-out text: its characters, and whose line it stands in.

    `turn`: it is of the turn to decide on. `own`: the line is the speaker's. `opens`: it begins
    a sentence.
    """

    text: str
    start: int
    end: int
    turn: bool
    own: bool
    opens: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """A text to encode and its words. `offset`: where the turn begins in it."""

    text: str
    words: tuple[Word, ...]
    offset: int
    speaker: str
    addressee: str

    @property
    def rows(self) -> int:
        """Rows that the heads see."""
        return SPECIAL + len(self.words)

    def span(self, first: int, last: int) -> str:
        """The characters from row `first` to row `last`, both words."""
        return self.text[self.words[first - SPECIAL].start : self.words[last - SPECIAL].end]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Where a remembered turn stands in a passage.

    Rows: `opens` is its speaker's first word, `first` its own first one, `end` behind its last.
    `shift`: where its text begins, in characters.
    """

    opens: int
    first: int
    end: int
    shift: int


def parts(turn: Turn, recent: Sequence[Turn] = ()) -> list[Layout]:
    """The layouts of a turn, one after another; none of what is too long for talk.

    `recent`: what was said before, oldest first.
    """
    if len(WORD.findall(turn.text)) > MOST:
        return []
    found, before, some, size = list[Layout](), list(recent), "", 0
    for sentence in _SENTENCE.split(turn.text):
        words = len(WORD.findall(sentence))
        if some and size + words > PART:
            one = replace(turn, text=some)
            found.append(laid_out(one, before))
            before, some, size = [*before, replace(turn, text=some[-LONGEST:])], "", 0
        some, size = f"{some} {sentence}".strip(), size + words
    return [*found, laid_out(replace(turn, text=some), before)] if some else found


def laid_out(turn: Turn, recent: Sequence[Turn] = ()) -> Layout:
    """The layout of a turn after what was said before (oldest first)."""
    lines = [one for one in recent[-RECENT:] if one.text.strip()]
    text, words = "", list[Word]()
    for one in lines:
        own = one.speaker == turn.speaker
        text += "I: " if own else "you: "
        words += _words(one.text[:LONGEST], len(text), turn=False, own=own)
        text += one.text[:LONGEST] + "\n"
    text += "I: "
    words += _words(turn.text, len(text), turn=True, own=True)
    others = [one.speaker for one in recent if one.speaker != turn.speaker]
    return Layout(
        text=text + turn.text,
        words=tuple(words),
        offset=len(text),
        speaker=turn.speaker,
        addressee=others[-1] if others else "",
    )


def ended_layout(turn: Turn, recent: Sequence[Turn], held: str) -> Layout:
    """The layout of a turn beside something that is held, in the line before it."""
    before = Turn(text=held[:LONGEST], speaker="")
    lines = recent[-1:] if recent else ()
    return laid_out(replace(turn, text=turn.text[:SHOWN]), [*lines, before])


def passage(question: Turn, said: Sequence[Turn]) -> tuple[Layout, tuple[Line, ...]]:
    """The layout of a question before remembered turns, in the order in which they were said.

    So a later word stands behind an earlier one. The lines are in the order of `said`.
    """
    asked = f"{question.speaker}: {question.text}" if question.speaker else question.text
    text = "you: "
    words = _words(asked, len(text), turn=False, own=False)
    text += asked
    lines: dict[int, Line] = {}
    for place in sorted(range(len(said)), key=lambda n: (said[n].at, n)):
        one = said[place]
        head = f"{one.speaker}: "
        start = len(text) + 1
        own = one.speaker == question.speaker
        told = _words(head + one.text, start, turn=True, own=own)
        opens = SPECIAL + len(words)
        lines[place] = Line(
            opens=opens,
            first=opens + len(WORD.findall(head)),
            end=opens + len(told),
            shift=start + len(head),
        )
        words += told
        text += f"\n{head}{one.text}"
    whole = Layout(text=text, words=tuple(words), offset=0, speaker=question.speaker, addressee="")
    return whole, tuple(lines[place] for place in range(len(said)))


def _words(text: str, offset: int, *, turn: bool, own: bool) -> list[Word]:
    found = []
    last, end = "", 0
    for match in WORD.finditer(text):
        opens = not last or last in ".!?:(" or "\n" in text[end : match.start()]
        found.append(
            Word(
                text=match[0],
                start=offset + match.start(),
                end=offset + match.end(),
                turn=turn,
                own=own,
                opens=opens,
            )
        )
        last, end = match[0], match.end()
    return found


def rows(layout: Layout, states: TokenStates) -> NDArray[np.float32]:
    """States of the rows, (rows, width): the first token's for the two that are no words."""
    starts, ends = states.spans[:, 0], states.spans[:, 1]
    real = np.flatnonzero(ends > starts)
    begins = np.array([word.start for word in layout.words], dtype=np.int64)
    found = np.zeros((layout.rows, states.states.shape[1]), dtype=np.float32)
    found[:SPECIAL] = states.states[0]
    if not len(begins):
        return found
    owner = np.searchsorted(begins, starts[real], side="right") - 1
    ends_of = np.array([word.end for word in layout.words], dtype=np.int64)
    kept = (owner >= 0) & (starts[real] < ends_of[np.maximum(owner, 0)])
    owned = owner[kept]
    if len(owned):  # pieces stand in order, so those of a word are neighbours
        firsts = np.flatnonzero(np.diff(owned, prepend=-1))
        sums = np.add.reduceat(states.states[real[kept]], firsts, axis=0)
        counts = np.diff(firsts, append=len(owned))
        found[owned[firsts] + SPECIAL] = sums / counts[:, None].astype(np.float32)
    return found


def marks(layout: Layout) -> NDArray[np.float32]:
    """Marks of writing and place, (rows, MARKS), each 0 or 1."""
    names = frozenset(layout.speaker.casefold().split())
    others = frozenset(layout.addressee.casefold().split())
    found = np.zeros((layout.rows, MARKS), dtype=np.float32)
    found[SPEAKER, 0] = found[ADDRESSEE, 1] = 1.0
    found[ADDRESSEE, 2] = bool(layout.addressee)
    before = ""
    for row, word in enumerate(layout.words, start=SPECIAL):
        text = word.text
        low = text.casefold()
        capital = text[0].isupper()
        found[row, 3:] = (
            word.turn,
            not word.turn and word.own,
            not word.turn and not word.own,
            word.opens,
            capital,
            capital and not word.opens,
            len(text) > 1 and text.isupper(),
            text[0].islower(),
            any(c.isdigit() for c in text),
            not text[0].isalnum(),
            low in names,
            low in others,
            before == "my",
            len(text) > 5,
            capital and before[:1].isupper(),
        )
        before = text if capital else low
    return found
