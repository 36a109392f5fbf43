"""What a model is shown of the recalled memories, and what is shown of its reply.

A prompt holds the best that fit a budget, told day by day.

Memories come best first and are taken in that order. A long one is shown by the passages that
share the question's words, so that it is never skipped for a shorter one that is worse; what is
left of the budget at the end goes to those that were cut, the best first. A fact that says nothing
beyond the turn it was read from is not shown beside it. Of the reply is shown what stands outside
hidden blocks, and only citations of what the model saw.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Container, Iterable, Sequence
from dataclasses import dataclass, replace

from mags.models import rendering
from mags.models.grammar import STOP_WORDS
from mags.models.policy.rules.tokens import stems
from mags.ports.answer import ContextItem
from mags.ports.chat import CHARACTERS_A_TOKEN, estimate

LONGEST, BESIDE = 1 / 8, 1 / 32
"""Share of the budget that one memory takes before all others had their turn, and what stands
beside one because it answers it, or is answered by it."""
SHORTEST = 24
"""Tokens of a line at least: less of a memory tells nothing."""
CUT = " ..."
_PASSAGE = re.compile(r"[^\n]+?(?:[.!?]+[\"')\]]*(?=\s)|\n|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A memory of a prompt. `text`: what is shown of it, all or its best passages."""

    item: ContextItem
    text: str

    @property
    def whole(self) -> bool:
        """Whether nothing of it is left out."""
        return not self.text.endswith(CUT)


def fill(
    question: str, items: Iterable[ContextItem], tokens: int, known: Collection[int] = ()
) -> list[Shown]:
    """The memories to show of `items` (best first) within a budget, in the order of their worth.

    `known`: ids that are shown already.
    """
    wanted = stems(question) - STOP_WORDS
    whole = tokens
    days: set[str] = set()
    taken: list[Shown] = []
    for item in _each_once(items, known):
        day = rendering.now(item.at)
        frame = estimate(rendering.memory_line(replace(item, text="")))
        frame += 0 if day in days else estimate(day) + 1
        most = max(SHORTEST + frame, int(whole * (LONGEST if item.beside is None else BESIDE)))
        one = _cut(item, wanted, min(most, tokens) - frame)
        if one is None:
            break
        days.add(day)
        tokens -= frame + estimate(one.text)
        taken.append(one)
    for place, one in enumerate(taken):
        if not one.whole:
            held = estimate(one.text)
            longer = _cut(one.item, wanted, tokens + held) or one
            tokens -= estimate(longer.text) - held
            taken[place] = longer
    return taken


def by_day(shown: Iterable[Shown]) -> list[str]:
    """Lines in the order of time: each day with its weekday, below it what was said on it."""
    lines: list[str] = []
    before = None
    for one in sorted(shown, key=lambda one: (one.item.at, one.item.id)):
        day = rendering.now(one.item.at)
        if day != before:
            lines.append(f"{day}:" if rendering.known(one.item.at) else "At no known time:")
        before = day
        lines.append(rendering.memory_line(replace(one.item, text=one.text)))
    return lines


def _each_once(items: Iterable[ContextItem], known: Collection[int]) -> list[ContextItem]:
    """Items that are not known, without the facts that a turn beside them says already."""
    there = [item for item in items if item.id not in known]
    turns: dict[int, str] = {}
    for item in there:
        if item.kind == "episode":
            lead = item.id if item.within is None else item.within
            turns[lead] = f"{turns.get(lead, '')} {item.speaker} {item.text}"
    return [
        item
        for item in there
        if item.kind != "fact"
        or not _says(turns.get(item.id if item.within is None else item.within, ""), item)
    ]


def _says(turn: str, fact: ContextItem) -> bool:
    """Whether a turn says all that a fact does: its ends, and nothing that the turn cannot."""
    if not turn or not fact.current or fact.disputed or fact.valid_from is not None:
        return False
    ends = fact.text if fact.fact is None else f"{fact.fact[0]} {fact.fact[2]}"
    told = (*(words for _, words in fact.qualifiers), ends)
    return stems(" ".join(told)) - STOP_WORDS <= stems(turn)


def _cut(item: ContextItem, wanted: Collection[str], tokens: int) -> Shown | None:
    """An item within so many tokens, its best passages where it is longer; None if too few."""
    text = rendering.quote(item.text)
    if estimate(text) <= tokens:
        return Shown(item=item, text=text)
    room = tokens * CHARACTERS_A_TOKEN - len(CUT)
    if tokens < SHORTEST:
        return None
    passages = [found[0].strip() for found in _PASSAGE.finditer(item.text) if found[0].strip()]
    kept: set[int] = set()
    for place in sorted(range(len(passages)), key=lambda i: (-_worth(passages[i], wanted), i)):
        needed = len(passages[place]) + len(CUT)
        if needed > room and kept:
            break
        kept.add(place)
        room -= needed
    said = _joined(passages, sorted(kept))
    return Shown(item=item, text=said[: tokens * CHARACTERS_A_TOKEN - len(CUT)] + CUT)


def _worth(passage: str, wanted: Collection[str]) -> int:
    return len(stems(passage) & frozenset(wanted))


def _joined(passages: Sequence[str], kept: Sequence[int]) -> str:
    """The kept passages in one line, with dots where some are left out between them."""
    said = ""
    for before, place in zip((-1, *kept), kept, strict=False):
        gap = "" if not said else " " if place == before + 1 else f"{CUT} "
        said += gap + passages[place]
    return rendering.quote(said)


# -- what of a reply is shown ------------------------------------------------------

GROUP = re.compile(r"[ \t]?\[\s*m\d{1,18}(?:\s*[,;]?\s*m?\d{1,18})*\s*\]", re.ASCII)
RUN = re.compile(rf"(?:{GROUP.pattern})+", re.ASCII)
NUMBER = re.compile(r"\d{1,18}", re.ASCII)
# A sentence ends before the marks that stand behind it, so they are taken along.
SENTENCE = re.compile(r"[^.!?\n]*(?:[.!?]+|\n|$)(?:\s*\[m\d+\])*", re.ASCII)
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
