"""What a prompt holds of the recalled memories: the best that fit a budget, told day by day.

Memories come best first and are taken in that order. A long one is shown by the passages that
share the question's words, so that it is never skipped for a shorter one that is worse; what is
left of the budget at the end goes to those that were cut, the best first. A fact that says nothing
beyond the turn it was read from is not shown beside it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from mags.models import rendering
from mags.models.chat.usage import CHARACTERS_A_TOKEN, estimate
from mags.models.grammar import STOP_WORDS
from mags.models.words import stems
from mags.ports.answer import ContextItem

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
        frame = estimate(rendering.told(replace(item, text="")))
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
        lines.append(rendering.told(replace(one.item, text=one.text)))
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
