"""What a recall hands back: hits, units, a context that fits a budget."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

from mags.ports.policy import GUESS
from mags.recall.trace import Trace

CHARACTERS_PER_TOKEN = 4
"""Rule of thumb by which a budget in tokens is kept without a tokenizer."""

FIRST_YEAR_S, AFTER_LAST_YEAR_S = -62_135_596_800.0, 253_402_300_800.0
"""The years 1 to 9999 in seconds since the epoch: what lies outside has no date."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactView:
    """A fact in words; times are event times, None where open or unknown.

    `tentative`: it is a guess, not surely read.
    """

    id: int
    subject: str
    relation: str
    object: str
    valid_from: datetime | None
    valid_to: datetime | None
    confidence: float = 1.0
    qualifiers: tuple[tuple[str, str], ...] = ()
    stated: bool = False
    text: str = ""
    tentative: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One recalled node; `kind` is episode, fact, note or theme.

    `episode_ids`: itself for an episode, else its sources, best first. `at`: event time in
    seconds (when it was said, or when the fact began), minus infinity for a theme, which has none.
    `members`: ids that came out as one
    with it. `current`: False for a superseded fact, and for an episode all of whose facts are.
    """

    id: int
    text: str
    score: float
    kind: str
    episode_ids: tuple[int, ...]
    fact: FactView | None
    speaker: str = ""
    session: str = ""
    at: float = 0.0
    current: bool = True
    members: tuple[int, ...] = ()
    anchor: bool = False

    @property
    def tentative(self) -> bool:
        """Whether it is a fact that is a guess."""
        return self.fact is not None and self.fact.tentative


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """Hits that belong together (adjacent episodes, a fact with its source), in time order."""

    hits: tuple[Hit, ...]
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Hits best first, with the trace that explains them."""

    hits: tuple[Hit, ...]
    trace: Trace
    units: tuple[Unit, ...] = field(default=())

    def __iter__(self) -> Iterator[Hit]:
        """Hits, best first."""
        return iter(self.hits)

    def __len__(self) -> int:
        """How many hits."""
        return len(self.hits)

    def __getitem__(self, index: int) -> Hit:
        """The hit at a rank, 0 being the best."""
        return self.hits[index]

    def context(self, max_tokens: int = 800) -> str:
        """The best units that fit, one line a hit, each with its citation and date.

        Budget by characters (four a token). Units keep their rank; a unit that does not fit
        is left out and smaller ones after it may still fit.
        """
        room = max_tokens * CHARACTERS_PER_TOKEN
        lines: list[str] = []
        for unit in self.units:
            block = "\n".join(cited_line(hit) for hit in unit.hits)
            if len(block) + 1 <= room:
                lines.append(block)
                room -= len(block) + 1
        return "\n".join(lines)


def cited_line(hit: Hit) -> str:
    """A hit as the model and the user see it: citation, date, speaker, text."""
    day = date_of(hit.at)
    who = f"{hit.speaker}: " if hit.speaker else ""
    note = f" {GUESS}" if hit.tentative else ""
    if hit.fact is not None and hit.fact.valid_to is not None:
        note += f" (until {hit.fact.valid_to:%Y-%m-%d})"
    return f"[m{hit.id}] {f'({day}) ' if day else ''}{who}{hit.text}{note}"


def date_of(at: float) -> str:
    """ISO day of an event time in seconds; empty when unknown."""
    moment = moment_of(at)
    return "" if moment is None else moment.date().isoformat()


def moment_of(at: float) -> datetime | None:
    """UTC datetime of an event time in seconds; None when open or unknown."""
    if not FIRST_YEAR_S <= at < AFTER_LAST_YEAR_S:  # so is what is not a number
        return None
    return datetime.fromtimestamp(at, UTC)
