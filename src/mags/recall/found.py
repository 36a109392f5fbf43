"""What a recall hands back: hits, units, a context that fits a budget, and the trace.

The trace says why each hit came back, in ids and numbers only.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mags.ports.policy import DISPUTED, GUESS

CHARACTERS_PER_TOKEN = 4
"""Rule of thumb by which a budget in tokens is kept without a tokenizer."""

LEAST_OF_A_LINE, CUT = 96, " ..."
"""Characters of a cut line: less tells nothing; and its end."""

FIRST_YEAR_S, AFTER_LAST_YEAR_S = -62_135_596_800.0, 253_402_300_800.0
"""The years 1 to 9999 in seconds since the epoch: what lies outside has no date."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactView:
    """A fact in words; times are event times, None where open or unknown.

    `tentative`: it is a guess, not surely read. `speaker`, `said_at`: who said it first, and when;
    "" and None for what nobody said. `grade`: whose word it is: "self", "owner", "third",
    "reported" or "tool". `disputed`: it says otherwise than an open fact of a higher grade.
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
    speaker: str = ""
    said_at: datetime | None = None
    grade: str = ""
    disputed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One recalled node; `kind` is episode, fact, note or theme.

    `episode_ids`: itself for an episode, else its sources, best first. `at`: event time in
    seconds (when it was said, or when the fact began), minus infinity for a theme, which has none.
    `members`: ids that came out as one with it. `current`: False for a superseded fact, and for an
    episode all of whose facts are. `speaker`: who said it, a fact first. `disputed`: it says
    otherwise than an open fact of a higher grade, such as what somebody says of themself.
    `memory`: the name of its memory, in a recall over several.
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
    disputed: bool = False
    memory: str = ""

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
class Ranked:
    """Hits, best first."""

    hits: tuple[Hit, ...]

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def __getitem__(self, index: int) -> Hit:
        """The hit at a rank, 0 being the best."""
        return self.hits[index]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found(Ranked):
    """Hits best first, with the trace that explains them."""

    trace: Trace
    units: tuple[Unit, ...] = field(default=())

    def context(self, max_tokens: int = 800) -> str:
        """The best units that fit, one line a hit, each with its citation and date.

        Budget by characters (four a token). Units keep their rank; of one that does not fit, the
        best hits are shown. The first line that does not fit is cut, and nothing worse is shown.
        """
        return _fitting((unit.hits for unit in self.units), max_tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundAcross(Ranked):
    """Hits of several memories in one ranking, best first, each with its memory's name.

    `traces`: by that name why its hits came back; scores in them are those of its own ranking.
    """

    traces: Mapping[str, Trace]

    def context(self, max_tokens: int = 800) -> str:
        """As `Found.context`, hit by hit; a citation names its memory."""
        return _fitting(((hit,) for hit in self.hits), max_tokens)


def _fitting(units: Iterable[Sequence[Hit]], max_tokens: int) -> str:
    room = max_tokens * CHARACTERS_PER_TOKEN
    lines: list[str] = []
    for unit in units:
        shown: dict[int, str] = {}
        for hit in sorted(unit, key=lambda hit: -hit.score):
            line = cited_line(hit)
            fits = len(line) < room
            if not fits and room < LEAST_OF_A_LINE:
                break
            shown[hit.id] = line if fits else line[: room - len(CUT)] + CUT
            room -= len(shown[hit.id]) + 1
            if not fits:
                break
        lines += [shown[hit.id] for hit in unit if hit.id in shown]
        if room <= 0 or len(shown) < len(unit):
            break
    return "\n".join(lines)


def cited_line(hit: Hit) -> str:
    """A hit as the model and the user see it: citation, date, speaker, text.

    Who said a fact stands behind it, unless it is told of themself.
    """
    moment, fact = moment_of(hit.at), hit.fact
    day = "" if moment is None else f"{moment:%A %Y-%m-%d}"
    who = f"{hit.speaker}: " if hit.speaker and hit.kind == "episode" else ""
    note = f" {GUESS}" if hit.tentative else ""
    note += f" {DISPUTED}" if hit.disputed else ""
    if fact is not None and not fact.subject.casefold().startswith(fact.speaker.casefold()):
        note += f" (said by {fact.speaker})"
    if fact is not None and fact.valid_to is not None:
        note += f" (until {fact.valid_to:%Y-%m-%d})"
    where = f"{hit.memory} " if hit.memory else ""
    return f"[{where}m{hit.id}] {f'({day}) ' if day else ''}{who}{hit.text}{note}"


def date_of(at: float) -> str:
    """ISO day of an event time in seconds; empty when unknown."""
    moment = moment_of(at)
    return "" if moment is None else moment.date().isoformat()


def moment_of(at: float) -> datetime | None:
    """UTC datetime of an event time in seconds; None when open or unknown."""
    if not FIRST_YEAR_S <= at < AFTER_LAST_YEAR_S:  # also true of NaN
        return None
    return datetime.fromtimestamp(at, UTC)


# -- the trace --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One arc of a path: from `src` to `dst` (node ids) as it was walked.

    `kind`: an ArcKind's number; `forward`: walked from tail to head; `weight`: charge then.
    """

    src: int
    dst: int
    kind: int
    forward: bool
    weight: float


class Numbers(Mapping[str, float]):
    """A row of numbers by name, to five decimals; the dictionary is made when somebody looks.

    Most traces are kept for a reward that may never come: their numbers are not looked at.
    """

    __slots__ = ("_names", "_row")

    def __init__(self, names: tuple[str, ...], row: NDArray[np.float32]) -> None:
        """`names` and `row` of one length; neither is copied."""
        self._names, self._row = names, row

    def __getitem__(self, name: str) -> float:
        """The number of that name; raises KeyError."""
        if name not in self._names:
            raise KeyError(name)
        return float(self._rounded[self._names.index(name)])

    @property
    def _rounded(self) -> NDArray[np.float64]:
        return np.asarray(self._row.astype(np.float64).round(5))

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def items(self) -> ItemsView[str, float]:
        """Names with their numbers."""
        return dict(zip(self._names, self._rounded.tolist(), strict=True)).items()

    def __repr__(self) -> str:
        return repr(dict(self.items()))


def rounded(
    names: tuple[str, ...], table: NDArray[np.float32], at: NDArray[np.int64]
) -> list[Numbers]:
    """Columns of a table (names, n) at some places, by name."""
    return [Numbers(names, row) for row in table[:, at].T]


@dataclass(frozen=True, slots=True, kw_only=True)
class HitTrace:
    """Why one node came back.

    `anchor`: the anchor its path begins at (itself when it is one, 0 when no path reached
    it); `path`: the steps from there; `features`: raw values; `shares`: what each added to
    the score; `sources`: episodes; `valid_from`, `valid_to`: event time in seconds.
    """

    id: int
    score: float
    anchor: int
    path: tuple[Step, ...]
    features: Mapping[str, float]
    shares: Mapping[str, float]
    sources: tuple[int, ...]
    valid_from: float
    valid_to: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TaughtFrom:
    """What an answer from a model's weights rests on (docs/weights.md).

    `version`: the adapter that recited; `facts`: the FACT nodes it was taught and recited, the
    answer last; `seq`: the journal entry it was made from, at `made_at` (seconds).
    """

    version: str
    facts: tuple[int, ...]
    seq: int
    made_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """One recall, explainable and creditable from this alone.

    `tick`, `seq`: the clock and the journal sequence it read; `queries`: what was searched;
    `again`: what was searched once more while answering; `anchors`: node ids; `chain`: facts of
    the followed hops; `members`: those of the class asked about, each with its facts; `cited`: ids
    the answer used (filled in by `ask`); `clusters`: strongly connected hits. `weights`: what an
    answer from a model's weights was taught.
    """

    tick: int
    seq: int
    queries: tuple[str, ...]
    again: tuple[str, ...] = ()
    anchors: tuple[int, ...]
    chain: tuple[int, ...] = ()
    members: tuple[tuple[int, ...], ...] = ()
    cited: tuple[int, ...] = ()
    clusters: tuple[tuple[int, ...], ...] = ()
    as_of: float | None = None
    recorded_as_of: float | None = None
    key: str = ""
    costs: Mapping[str, float] = field(default_factory=dict)
    hits: tuple[HitTrace, ...]
    weights: TaughtFrom | None = None

    def wordless(self) -> Trace:
        """The same in ids and numbers only, without what was asked."""
        return replace(self, queries=(), again=())

    def of(self, node_id: int) -> HitTrace | None:
        """The part about one node."""
        return next((hit for hit in self.hits if hit.id == node_id), None)

    def as_dict(self) -> dict[str, Any]:
        """JSON types only; times as texts, since JSON knows no infinite numbers."""
        out: dict[str, Any] = _plain(self)
        for hit in out["hits"]:
            hit["valid_from"], hit["valid_to"] = str(hit["valid_from"]), str(hit["valid_to"])
        return out

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Trace:
        """The reverse of `as_dict`."""
        hits = []
        for hit in data["hits"]:
            made = {
                "path": tuple(Step(**step) for step in hit["path"]),
                "sources": tuple(hit["sources"]),
                "valid_from": float(hit["valid_from"]),
                "valid_to": float(hit["valid_to"]),
            }
            hits.append(HitTrace(**{**hit, **made}))
        lists = ("queries", "again", "anchors", "chain", "cited")
        made = {name: tuple(data.get(name, ())) for name in lists}
        made |= {"hits": tuple(hits), "clusters": tuple(map(tuple, data["clusters"]))}
        made["members"] = tuple(map(tuple, data.get("members", ())))
        if taught := data.get("weights"):
            made["weights"] = TaughtFrom(**{**taught, "facts": tuple(taught["facts"])})
        return cls(**{**data, **made})


def _plain(value: Any) -> Any:  # noqa: ANN401 - whatever a trace is made of
    """The same in JSON types."""
    if is_dataclass(value):
        return {one.name: _plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return dict(value.items())
    return [_plain(one) for one in value] if isinstance(value, tuple) else value
