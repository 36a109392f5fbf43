"""What a memory returns: plain values in words."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from mags.graph.delta import Delta
from mags.ports.answer import Outcome
from mags.ports.chat import Usage
from mags.ports.policy import IntentKind, Operation
from mags.recall.found import FactView, Found, TaughtFrom, Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What became of an observed turn.

    `delta`: the change it made; `seq`: its place in the journal (0 for a repeated key).
    `facts`: new facts, `closed`: facts it superseded, `confirmed`: facts it said again
    (node ids). `disputed`: facts that say otherwise than one which stays, being of a higher grade
    (what a person says of themself). `understood` False: kept as an episode, no fact made; `why`
    tells, also of a turn that is kept to be read later. `repeated`: the key was known, nothing was
    written again. `warnings`: what did not go well beside it (a sleep that was due), or is to be
    known of it (a time that was not taken).
    """

    episode_id: int
    delta: Delta = field(repr=False)
    seq: int = 0
    facts: tuple[int, ...] = ()
    notes: tuple[int, ...] = ()
    closed: tuple[int, ...] = ()
    confirmed: tuple[int, ...] = ()
    disputed: tuple[int, ...] = ()
    understood: bool = True
    why: str = ""
    repeated: bool = False
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A memory an answer rests on.

    `speaker`, `at`: who said it and when; a fact by the first of its sources. `since`: when
    it began to hold, where that was stated; `until`: when it ceased to, where it has.
    `tentative`: it is a guess. `disputed`: it says otherwise than what somebody says of themself.
    """

    id: int
    text: str
    speaker: str
    at: datetime | None
    episode_ids: tuple[int, ...]
    since: datetime | None = None
    until: datetime | None = None
    tentative: bool = False
    disputed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer with what carries it.

    `outcome`: `answered`, `closest` (not sure: the memories that come closest, quoted) or
    `unknown`; "" where nothing was asked.
    `support` in [0, 1]; `citations` in the order of the text; `usage`: calls and tokens of
    the turn; `answerer`: who spoke; `fallback`: why it was not the configured model;
    `warnings`: what did not go well beside it (what was cited could not be strengthened).
    `operations`: what the model that answered wants remembered itself; `learnt`: what became
    of that, the answer being its episode. `otherwise`: what others say against what is cited, which
    the last lines of the text tell. `intent`: what a turn of a conversation was taken to want.
    `weights`: what a model was taught and recited, where the answer came from its weights.
    """

    text: str
    citations: tuple[Citation, ...]
    trace: Trace = field(repr=False)
    usage: Usage
    support: float = 0.0
    answerer: str = ""
    fallback: str | None = None
    found: Found | None = field(default=None, repr=False)
    seen: Seen | None = None
    warnings: tuple[str, ...] = ()
    operations: tuple[Operation, ...] = ()
    learnt: Seen | None = None
    otherwise: tuple[Citation, ...] = ()
    outcome: Outcome | Literal[""] = "answered"
    intent: IntentKind | Literal[""] = ""
    weights: TaughtFrom | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeView:
    """A node in words; times are event times unless named otherwise, strength is now's."""

    id: int
    kind: str
    text: str
    meta: Mapping[str, Any]
    strength: float
    importance: float
    confidence: float
    valid_from: datetime | None
    valid_to: datetime | None
    recorded_at: datetime | None
    uses: int
    pinned: bool
    cold: bool
    sources: tuple[int, ...]
    fact: FactView | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NeighbourView:
    """One arc at a node, in words."""

    id: int
    kind: str
    text: str
    arc: str
    weight: float
    outgoing: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PathView:
    """How two nodes hang together: texts and arcs along the strongest path."""

    strength: float
    nodes: tuple[int, ...]
    texts: tuple[str, ...]
    arcs: tuple[str, ...]

    def __str__(self) -> str:
        parts = [self.texts[0]] if self.texts else []
        for arc, text in zip(self.arcs, self.texts[1:], strict=True):
            parts.append(f"--{arc}--> {text}")
        return " ".join(parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What is known about an entity: open facts, past facts, who it is mentioned with."""

    id: int
    name: str
    aliases: tuple[str, ...]
    facts: tuple[FactView, ...]
    past: tuple[FactView, ...]
    about: tuple[FactView, ...]
    episodes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEntry:
    """One Delta of the journal: what kind, when, how much, and why."""

    seq: int
    branch: str
    kind: str
    recorded_at: datetime | None
    tick: int
    nodes: int
    arcs: int
    reasons: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GoneView:
    """A node that is no more, pruned or rolled back, as it was; "" for one that had no words."""

    id: int
    kind: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recitals:
    """How paths that stand were answered: `skipped` without recall, the others with it beside.

    `agreed`, `disagreed`: what recall said of those; `tokens`: what its answers cost a language
    model, all together.
    """

    skipped: int = 0
    agreed: int = 0
    disagreed: int = 0
    tokens: int = 0

    @property
    def saved_tokens(self) -> int:
        """An estimate: as if what was skipped would have cost what the others did on average."""
        checked = self.agreed + self.disagreed
        return round(self.skipped * self.tokens / checked) if checked else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Taught:
    """The adapter in use: its version, and the ids of the facts that it was taught.

    `stale`: those that do not hold as they were taught, which it does not answer. `why`: why it
    cannot be used at all. `recitals`: what came of asking it, and of those before it.
    """

    version: str
    facts: tuple[int, ...]
    stale: tuple[int, ...] = ()
    why: str = ""
    recitals: Recitals = field(default_factory=Recitals)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaughtChange:
    """The adapters in use then and now ("" for none), and the facts that the second was taught
    more and less. `stale`: what it was taught and does not hold now.
    """

    before: str
    now: str
    more: tuple[int, ...]
    less: tuple[int, ...]
    stale: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """What changed since a snapshot: nodes in words, counts of arcs, and what weights hold."""

    since: str
    added: tuple[NodeView, ...]
    removed: tuple[GoneView, ...]
    changed: tuple[NodeView, ...]
    closed: tuple[FactView, ...]
    arcs_added: int
    arcs_removed: int
    arcs_changed: int
    weights: TaughtChange | None = None

    @property
    def empty(self) -> bool:
        """Whether nothing changed."""
        arcs = self.arcs_added + self.arcs_removed + self.arcs_changed
        taught = self.weights is not None and self.weights.before != self.weights.now
        return not (self.added or self.removed or self.changed or arcs or taught)


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What was erased (or would be): node ids by kind, and how many contents.

    `texts`: of a dry run, what each of these nodes says, by id; of what is erased none is told.
    `earlier`: other wordings of them that would go too, as of what was edited or rolled back.
    `past`: nodes that were in this branch no more (rolled back), or only on another one.
    `parted`: nodes that left this branch only, since another one, or what was rolled back, still
    tells them. `weights`: files and folders that held what was taught of it, and are deleted;
    `out_of_reach`: those that could not be, each with why.
    """

    nodes: Mapping[str, tuple[int, ...]]
    past: tuple[int, ...] = ()
    parted: tuple[int, ...] = ()
    contents: int = 0
    dry_run: bool = False
    texts: Mapping[int, str] = field(default_factory=dict)
    earlier: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    weights: tuple[str, ...] = ()
    out_of_reach: tuple[str, ...] = ()

    @property
    def ids(self) -> tuple[int, ...]:
        """Every node erased."""
        return (*(i for ids in self.nodes.values() for i in ids), *self.past)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """Counts of a memory and where its bytes are."""

    nodes: Mapping[str, int]
    arcs: Mapping[str, int]
    open_facts: int
    closed_facts: int
    tick: int
    seq: int
    branch: str
    embedder: str
    policy: str
    answerer: str
    bytes_on_disk: int
    bytes_in_memory: int
    snapshots: tuple[str, ...] = ()
    branches: tuple[str, ...] = ()
    parts: Mapping[str, int] = field(default_factory=dict)
    weights: Taught | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """A trace in words, best hit first."""

    queries: tuple[str, ...]
    lines: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join(self.lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionView:
    """A community of associated nodes.

    `id`: the node in its midst, so a region keeps its id while that node leads it; `name`: the
    words of its leaders; `leaders`: up to three ids, entities first and themes last, the
    best connected first; `members`: ids, ascending, the leaders among them.
    """

    id: int
    name: str
    leaders: tuple[int, ...]
    members: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many members it has."""
        return len(self.members)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArcView:
    """An arc as a change left it. `weight`: its charge then (0.0 where it was removed)."""

    src: int
    dst: int
    kind: str
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedView:
    """A node in its words of now. `current`: False for what is over; `tentative`: it is a guess.

    `disputed`: it says otherwise than an open fact of a higher grade.
    """

    id: int
    kind: str
    text: str
    current: bool
    tentative: bool
    disputed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeView:
    """One Delta: node ids and arcs by what became of them, at most so many of each.

    `closed`, `edited`: those of `changed` that ended, or have other words now. `arcs`: new ones;
    `reweighted`: those that were there before; `cut`: those that are gone. `erased_nodes`,
    `erased_arcs`: what of it was forgotten, of which the number alone is kept. `named`: words of
    the first so many of its nodes that are still there, what says most first. `more`: how many
    touched records are not listed.
    """

    seq: int
    kind: str
    recorded_at: datetime | None
    tick: int
    added: tuple[int, ...]
    changed: tuple[int, ...]
    removed: tuple[int, ...]
    closed: tuple[int, ...]
    edited: tuple[int, ...]
    arcs: tuple[ArcView, ...]
    reweighted: tuple[ArcView, ...]
    cut: tuple[ArcView, ...]
    erased_nodes: int
    erased_arcs: int
    named: tuple[NamedView, ...] = ()
    more: int
    reasons: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MomentView:
    """What one change left of a node.

    `tick`: at which `strength` was true; `half_life`: ticks until half of it is gone, None where
    it stays. `seq` 0 and `kind` "known": as it is known from a checkpoint, without the change.
    """

    seq: int
    kind: str
    tick: int
    recorded_at: datetime | None
    strength: float
    uses: int
    half_life: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What of a memory to picture. Times in seconds; None for now.

    `most`: nodes; `only`: among these ids, where told; `first`: these come first, whatever they
    weigh.
    """

    most: int = 1_000
    only: Collection[int] | None = None
    first: Collection[int] = ()
    as_of: float | None = None
    recorded_as_of: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DotView:
    """A node of a picture. `region`: its id, 0 for none. `tentative`, `disputed`: as of a fact."""

    id: int
    kind: str
    label: str
    strength: float
    importance: float
    uses: int
    region: int
    current: bool
    tentative: bool
    disputed: bool
    pinned: bool
    cold: bool
    valid_from: datetime | None
    valid_to: datetime | None
    recorded_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """`nodes`, `arcs`: how many there are in all; `first`, `last`: the bounds of record time."""

    tick: int
    seq: int
    nodes: int
    arcs: int
    dots: tuple[DotView, ...]
    lines: tuple[ArcView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkView:
    """How strongly two regions hang together: the charges of the arcs between them, added up."""

    a: int
    b: int
    weight: float
    arcs: int
