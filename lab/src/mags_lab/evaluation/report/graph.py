"""A memory drawn: its strongest nodes and the arcs between them, as an SVG element."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import networkx as nx

from mags.memory import inspect
from mags.memory.memory import Memory
from mags.memory.views import Frame

SIDE = 720.0
MARGIN = 14.0
KINDS = ("episode", "entity", "fact", "note", "theme")
FAINT = frozenset({"association", "next"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """A node. `strength` in [0, 1]; `current` False: a fact that was closed."""

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
    """A memory at one moment. `nodes`, `arcs`: how many there are in all."""

    nodes: int
    arcs: int
    dots: tuple[Dot, ...]
    lines: tuple[Arc, ...]


def sketch(memory: Memory, most: int, *, first: Sequence[int] = ()) -> Sketch:
    """The `most` strongest nodes of a memory, `first` before all, and what lies between them."""
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
    """One place for each node of all sketches, so that they can be laid side by side."""
    graph = nx.Graph()
    for one in drawn:
        graph.add_nodes_from(dot.id for dot in one.dots)
        graph.add_weighted_edges_from(
            (arc.start, arc.end, 0.2 if arc.kind in FAINT else 1.0) for arc in one.lines
        )
    if not graph:
        return {}
    raw = nx.spring_layout(graph, seed=7, iterations=120, k=1.6 / len(graph) ** 0.5)
    # Mostly by rank along each axis: what lies far off does not press the rest together.
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
    """A sketch as SVG; strong nodes are large, closed facts hollow."""
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
