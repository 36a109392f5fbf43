"""One finished game in detail: a move explained, and the memory before and after a sleep."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path
from typing import Any

import networkx as nx

from mags import inspect
from mags.errors import InvalidInput
from mags.memory.memory import Memory
from mags.memory.views import Frame
from mags.plasticity.cycle import SleepReport
from mags_lab.evaluation.proving.records import MatchIdentity
from mags_lab.games.matches import GameMatch, PlayedTurn
from mags_lab.games.players.remembering import Remembering
from mags_lab.games.turns import Game

SIDE = 720.0
MARGIN = 14.0
KINDS = ("episode", "entity", "fact", "note", "theme")
# Kinds of arcs that are drawn faintly and pull little in the layout, as there are so many.
FAINT = frozenset({"association", "next"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """A node. `strength`: in [0, 1]; `current` False: a closed fact."""

    id: int
    kind: str
    label: str
    strength: float
    current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Arc:
    """An arc between two dots, by their ids."""

    start: int
    end: int
    kind: str
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Sketch:
    """A memory at one moment. `nodes`, `arcs`: how many there are in all, drawn or not."""

    nodes: int
    arcs: int
    dots: tuple[Dot, ...]
    lines: tuple[Arc, ...]


def sketch(memory: Memory, most: int, *, first: Sequence[int] = ()) -> Sketch:
    """The `most` strongest nodes of a memory, those in `first` before others, and their arcs."""
    view = inspect.picture(memory, Frame(most=most, first=first))
    return Sketch(
        nodes=view.nodes,
        arcs=view.arcs,
        dots=tuple(
            Dot(id=dot.id, kind=dot.kind, label=dot.label, strength=min(1.0, dot.strength),
                current=dot.current)
            for dot in view.dots
        ),
        lines=tuple(
            Arc(start=arc.src, end=arc.dst, kind=arc.kind, weight=min(1.0, arc.weight))
            for arc in view.lines
        ),
    )  # fmt: skip


def places(drawn: Sequence[Sketch]) -> dict[int, tuple[float, float]]:
    """One place for each node of all sketches, so that pictures can be compared side by side."""
    graph = nx.Graph()
    for one in drawn:
        graph.add_nodes_from(dot.id for dot in one.dots)
        graph.add_weighted_edges_from(
            (arc.start, arc.end, 0.2 if arc.kind in FAINT else 1.0) for arc in one.lines
        )
    if not graph:
        return {}
    raw = nx.spring_layout(graph, seed=7, iterations=120, k=1.6 / len(graph) ** 0.5)
    # Mostly by rank along each axis: otherwise a few distant nodes would press all others together.
    spread: dict[int, list[float]] = {node: [] for node in graph}
    for axis in (0, 1):
        order = sorted(graph, key=lambda node: (float(raw[node][axis]), node))
        low, high = float(raw[order[0]][axis]), float(raw[order[-1]][axis])
        for rank, node in enumerate(order):
            even = rank / max(1, len(order) - 1)
            own = (float(raw[node][axis]) - low) / max(1e-9, high - low)
            spread[node].append(MARGIN + (SIDE - 2 * MARGIN) * (0.7 * even + 0.3 * own))
    return {node: (x, y) for node, (x, y) in spread.items()}


def drawing(title: str, one: Sketch, at: dict[int, tuple[float, float]]) -> str:
    """A sketch as SVG; strong nodes are large and closed facts hollow."""
    known = {dot.id for dot in one.dots}
    lines = "".join(_arc(arc, at) for arc in one.lines if arc.start in known and arc.end in known)
    dots = "".join(_dot(dot, at[dot.id]) for dot in one.dots)
    legend = "".join(_key(place, kind) for place, kind in enumerate(KINDS))
    return (
        f'<svg viewBox="0 0 {SIDE:.0f} {SIDE + 30:.0f}" role="img" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title>{lines}{dots}{legend}</svg>"
    )


def _arc(arc: Arc, at: dict[int, tuple[float, float]]) -> str:
    (x1, y1), (x2, y2) = at[arc.start], at[arc.end]
    opacity = 0.1 + 0.5 * arc.weight * (0.4 if arc.kind in FAINT else 1.0)
    return (
        f'<line x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}" stroke="var(--soft)" '
        f'stroke-opacity="{opacity:.2f}" stroke-width="{0.4 + 1.2 * arc.weight:.1f}"/>'
    )


def _dot(dot: Dot, at: tuple[float, float]) -> str:
    fill = f"var(--k-{dot.kind})"
    hollow = f'fill="var(--sheet)" stroke="{fill}" stroke-width="1.5"'
    look = f'fill="{fill}"' if dot.current else hollow
    return (
        f'<circle cx="{at[0]:.0f}" cy="{at[1]:.0f}" r="{2 + 5 * dot.strength:.1f}" {look}>'
        f"<title>{escape(f'{dot.kind}: {dot.label}')}</title></circle>"
    )


def _key(place: int, kind: str) -> str:
    x = 16 + 130 * place
    return (
        f'<circle cx="{x}" cy="{SIDE + 14:.0f}" r="6" fill="var(--k-{kind})"/>'
        f'<text x="{x + 12}" y="{SIDE + 18:.0f}">{kind}</text>'
    )


DRAWN = 160
"""How many nodes of a memory are drawn."""
EXPLAINED = 3
"""The first hits of a recall, which are explained besides those that were cited."""
HIT = re.compile(r"(\d+)\. \[m\d+\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """A move and what it rested on.

    `deciding`: the deciding facts of the game; `lines`: those the reader was shown; `teaching`:
    places of lines that teach a deciding fact; `cited`: places of those that the reader named;
    `trace`: how the memory found what was cited, from `Memory.explain`; `since`: turns since the
    answer changed.
    """

    turn: int
    question: str
    action: str
    deciding: tuple[str, ...]
    lines: tuple[str, ...]
    teaching: tuple[int, ...]
    cited: tuple[int, ...]
    trace: tuple[str, ...]
    since: int | None = None
    change: str = ""

    @property
    def worth(self) -> tuple[bool, bool, int, int]:
        """A key by which the most instructive move is chosen; greater is better.

        In this order: a cited line was found by the first search, the answer has changed, there are
        many deciding facts (up to three), few lines are cited.
        """
        found = any(line.endswith("*cited*") for line in self.trace)
        return found, self.since is not None, min(3, len(self.deciding)), -len(self.cited)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exhibit:
    """A game in detail. `slept`: what the sleep did, by rule; `move` None: no move was `fit`."""

    played: MatchIdentity
    score: float
    move: Explained | None
    before: Sketch
    after: Sketch
    slept: Mapping[str, Mapping[str, int]]


def exhibit(played: MatchIdentity, game: Game, player: Remembering) -> Exhibit:
    """Play a match, keep its most instructive move, and let the memory sleep at the end."""
    best: Explained | None = None
    rewards = []
    for turned in GameMatch(game, player, seed=played.seed, turns=played.turns):
        rewards.append(turned.reward)
        if fit(turned):
            found = _explained(turned, player)
            best = found if best is None or found.worth > best.worth else best
    memory = player.memory
    before = sketch(memory, DRAWN)
    report: SleepReport = memory.sleep()
    # The nodes of the first picture come first, so that both show the same ones if they remain.
    after = sketch(memory, DRAWN, first=[dot.id for dot in before.dots])
    return Exhibit(
        played=played,
        score=sum(rewards) / len(rewards),
        move=best,
        before=before,
        after=after,
        slept={rule: dict(did) for rule, did in report.rules.items()},
    )


def fit(turned: PlayedTurn) -> bool:
    """Whether a move shows a memory at work: it is right, and every deciding line was cited."""
    known = turned.right and turned.knowable and turned.needed > 0
    whole = turned.carried == turned.needed
    return known and whole and bool(turned.teaching) and set(turned.teaching) <= set(turned.cited)


def _explained(turned: PlayedTurn, player: Remembering) -> Explained:
    reply = player.reply
    assert reply is not None, "a turn was played"
    told = player.memory.explain(reply.trace)
    return Explained(
        turn=turned.turn,
        question=turned.question,
        action=turned.action,
        deciding=turned.deciding,
        lines=turned.lines,
        teaching=turned.teaching,
        cited=turned.cited,
        trace=tuple(_told(told.lines)),
        since=turned.since,
        change=turned.change,
    )


def _told(lines: Iterable[str]) -> Iterator[str]:
    """The queries, and how the first hits and the cited ones were found, without the rest."""
    shown = True
    # Indented lines belong to the hit before them, and are shown if it is.
    for line in lines:
        hit = HIT.match(line)
        if hit is not None:
            shown = int(hit[1]) <= EXPLAINED or line.endswith("*cited*")
        elif not line.startswith(" "):
            shown = not line.startswith("Associated:")
        if shown:
            yield line


def write_exhibit(path: Path, shown: Exhibit) -> None:
    """Write an exhibit as JSON."""
    path.write_text(json.dumps(asdict(shown), ensure_ascii=False) + "\n", encoding="utf-8")


def read_exhibit(path: Path) -> Exhibit:
    """The reverse of `write_exhibit`; raises InvalidInput for a file of another form."""
    try:
        found: Any = json.loads(path.read_text(encoding="utf-8"))
        move = found["move"]
        return Exhibit(
            played=MatchIdentity(**found["played"]),
            score=float(found["score"]),
            move=None if move is None else _move(move),
            before=_sketch(found["before"]),
            after=_sketch(found["after"]),
            slept=found["slept"],
        )
    except (json.JSONDecodeError, KeyError, TypeError) as failure:
        raise InvalidInput(f"{path} is no game looked into: {failure}", path=str(path)) from failure


def _move(found: Mapping[str, Any]) -> Explained:
    # JSON has made lists of the tuples.
    tuples = {"deciding", "lines", "teaching", "cited", "trace"}
    given: dict[str, Any] = {k: tuple(v) if k in tuples else v for k, v in found.items()}
    return Explained(**given)


def _sketch(found: Mapping[str, Any]) -> Sketch:
    return Sketch(
        nodes=found["nodes"],
        arcs=found["arcs"],
        dots=tuple(Dot(**dot) for dot in found["dots"]),
        lines=tuple(Arc(**arc) for arc in found["lines"]),
    )
