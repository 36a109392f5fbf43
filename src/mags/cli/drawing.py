"""The recalled subgraph: as trees in the terminal, or laid out by NetworkX and drawn to a file."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from html import escape as html_escape
from importlib import import_module
from pathlib import Path

import numpy as np
from rich.markup import escape
from rich.text import Text
from rich.tree import Tree

from mags.cli.console import out, visible
from mags.cli.printing import day
from mags.errors import InvalidInput, MissingExtra
from mags.memory.memory import Memory
from mags.ports.policy import GUESS
from mags.recall.found import FactView, Found

DRAWN = 12
"""Hits that are drawn; each brings its neighbours along."""
LISTED = 5
"""Hits in the tree of hits."""
FACTS = 12
"""Facts in the tree of things; each is a line."""
SHORT = 46
JOINING = frozenset({"subject", "object", "mentions", "source", "supersedes"})
"""Arcs whose other end is drawn with a hit."""
FAINT = frozenset({"association", "next"})
"""Arcs that say little: drawn thin, without their names."""

WIDTH, HEIGHT, MARGIN = 1100, 720, 90
COLOURS = {
    "episode": "#4c78a8",
    "entity": "#f58518",
    "fact": "#54a24b",
    "note": "#b279a2",
    "theme": "#e45756",
}
LETTER = 7.4
"""Width of a letter in pixels, on the mean, so that no label leaves the picture."""
HALO = 'paint-order="stroke" stroke="white" stroke-width="3"'


@dataclass(frozen=True, slots=True, kw_only=True)
class Subgraph:
    """The nodes and arcs worth showing for a recall; `hits` are the nodes that were recalled."""

    hits: tuple[int, ...]
    arcs: dict[tuple[int, int, str], float]
    texts: dict[int, str]
    kinds: dict[int, str]

    def label(self, node: int) -> str:
        """Its id and the beginning of its text."""
        return f"m{node} {short(self.texts[node])}"


def subgraph(memory: Memory, found: Found) -> Subgraph:
    """Hits, their entities and sources, and the arcs between them."""
    best = found.hits[:DRAWN]
    texts = {hit.id: hit.text for hit in best}
    kinds = {hit.id: hit.kind for hit in best}
    arcs: dict[tuple[int, int, str], float] = {}
    for hit in best:
        for near in memory.neighbours(hit.id):
            if near.arc in JOINING:
                texts.setdefault(near.id, near.text)
                kinds.setdefault(near.id, near.kind)
            if near.id in texts:
                ends = (hit.id, near.id) if near.outgoing else (near.id, hit.id)
                arcs[(*ends, near.arc)] = near.weight
    return Subgraph(hits=tuple(hit.id for hit in best), arcs=arcs, texts=texts, kinds=kinds)


def short(text: str) -> str:
    """One line of at most SHORT characters."""
    flat = visible(" ".join(text.split()))
    return flat if len(flat) <= SHORT else flat[: SHORT - 1] + "…"


def draw(memory: Memory, found: Found, path: Path | None, *, terminal: bool = False) -> None:
    """Draw to the terminal, to a file by its ending, or both; raises InvalidInput."""
    if terminal:
        out.print(tree_of_hits(memory, found))
    if path is None:
        return
    graph = subgraph(memory, found)
    if path.suffix == ".png":
        png(graph, path)
    elif path.suffix in (".svg", ".html"):
        drawn = markup(graph) if path.suffix == ".svg" else page(graph)
        path.write_text(drawn, encoding="utf-8")
    else:
        raise InvalidInput(f"cannot draw to {path.name}: end it in .svg, .png or .html", path=path)
    out.print(f"Drawn to {path}.", markup=False)


def tree_of_hits(memory: Memory, found: Found) -> Tree:
    """The best hits as a tree: each with what it is joined to."""
    graph = subgraph(memory, found)
    tree = Tree("[bold]recalled[/]", guide_style="dim")
    for hit in graph.hits[:LISTED]:
        branch = tree.add(f"[bold]m{hit}[/] {escape(short(graph.texts[hit]))}")
        for (src, dst, arc), weight in graph.arcs.items():
            if arc in FAINT or hit not in (src, dst):
                continue
            other, arrow = (dst, "->") if src == hit else (src, "<-")
            label = escape(short(graph.texts[other]))
            branch.add(f"[dim]{arrow} {arc} {weight:.2f}[/] [cyan]m{other}[/] {label}")
    return tree


def tree_of_things(memory: Memory, found: Found) -> Tree:
    """What lies around the best hits: things and what joins them, else hits and their arcs.

    What is known of a thing hangs below it, and below that what is known of each object. Each
    fact is drawn once.
    """
    facts = _facts(memory, found)
    if not facts:
        return tree_of_hits(memory, found)
    about: dict[str, list[FactView]] = defaultdict(list)
    for fact in facts:
        about[fact.subject].append(fact)
    recalled, drawn = {hit.id for hit in found.hits}, set[int]()

    def grow(tree: Tree, thing: str) -> None:
        for fact in about.get(thing, ()):
            if fact.id not in drawn:
                drawn.add(fact.id)
                line = _fact_line(fact, style="" if fact.id in recalled else "dim")
                grow(tree.add(line), fact.object)

    tree = Tree("", hide_root=True, guide_style="dim")
    objects = {fact.object for fact in facts}
    # What nothing else leads to comes first; a ring has no such thing, so all are tried after.
    for thing in (*(one for one in about if one not in objects), *about):
        if any(fact.id not in drawn for fact in about[thing]):
            grow(tree.add(_one_line(short(thing), "bold")), thing)
    return tree


def _fact_line(fact: FactView, style: str) -> Text:
    line = _one_line("")
    line.append(f"{short(fact.relation)} → ", "dim")
    line.append(short(fact.object), style if fact.valid_to is None else f"{style} strike")
    if fact.tentative:
        line.append(f" {GUESS}", "dim")
    if fact.valid_to is not None:
        line.append(f" until {day(fact.valid_to)}", "dim")
    return line


def _facts(memory: Memory, found: Found) -> list[FactView]:
    """Facts recalled, best first, then those beside them: of the same turn, or superseded."""
    graph = subgraph(memory, found)
    facts = (memory.get(node).fact for node in graph.texts if graph.kinds[node] == "fact")
    return [fact for fact in facts if fact is not None][:FACTS]


def _one_line(words: str, style: str = "") -> Text:
    """What is longer than the panel is cut, so that the tree keeps its shape."""
    return Text(words, style=style, no_wrap=True, overflow="ellipsis", end="")


Places = dict[int, tuple[float, float]]
"""Nodes to where they stand, in pixels."""


def places(graph: Subgraph) -> Places:
    """By Kamada-Kawai, after which every node has its place inside the margins."""
    import networkx as nx  # takes 0.2 s, and only a drawing needs it

    joined = nx.Graph()
    joined.add_nodes_from(graph.texts)
    joined.add_edges_from((src, dst) for src, dst, arc in graph.arcs if arc not in FAINT)
    # By strong arcs alone parts may hang apart, and would be laid out far from each other.
    for src, dst, _ in graph.arcs:
        if not nx.has_path(joined, src, dst):
            joined.add_edge(src, dst)
    if not graph.texts:
        return {}
    raw = nx.kamada_kawai_layout(joined)
    at = np.array([raw[node] for node in graph.texts])
    share = (at - at.min(0)) / np.maximum(np.ptp(at, axis=0), 1e-9)
    fitted = MARGIN + share * (np.array((WIDTH, HEIGHT)) - 2 * MARGIN)
    return dict(zip(graph.texts, map(tuple, fitted.tolist()), strict=True))


def markup(graph: Subgraph) -> str:
    """The drawing as an SVG element."""
    at = places(graph)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'font-family="sans-serif" font-size="13" role="img">',
        "<title>What was recalled, and how it hangs together</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
    ]
    parts += [
        _line(*at[src], *at[dst], arc, weight) for (src, dst, arc), weight in graph.arcs.items()
    ]
    parts += [_spot(graph, node, *at[node]) for node in graph.texts]
    parts += [_key(i, kind) for i, kind in enumerate(COLOURS)]
    return "\n".join([*parts, "</svg>"])


def _line(x1: float, y1: float, x2: float, y2: float, arc: str, weight: float) -> str:
    faint = arc in FAINT
    colour = "#cccccc" if faint else "#777777"
    width = 0.5 + 2.5 * weight * (0.5 if faint else 1.0)
    out = (
        f'<line x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}" '
        f'stroke="{colour}" stroke-width="{width:.1f}"/>'
    )
    if not faint:
        out += (
            f'<text x="{(x1 + x2) / 2:.0f}" y="{(y1 + y2) / 2:.0f}" fill="#999999" '
            f'font-size="10" text-anchor="middle" {HALO}>{html_escape(arc)}</text>'
        )
    return out


def _spot(graph: Subgraph, node: int, x: float, y: float) -> str:
    label, recalled = graph.label(node), node in graph.hits
    radius, stroke, weight = (11, 2, "bold") if recalled else (7, 0.5, "normal")
    half = len(label) * LETTER / 2
    middle = min(max(x, half + 8), WIDTH - half - 8)
    return (
        f'<circle cx="{x:.0f}" cy="{y:.0f}" r="{radius}" fill="{COLOURS[graph.kinds[node]]}" '
        f'stroke="#333333" stroke-width="{stroke}"/>'
        f'<text x="{middle:.0f}" y="{y - radius - 5:.0f}" text-anchor="middle" {HALO} '
        f'font-weight="{weight}" fill="#222222">{html_escape(label)}</text>'
    )


def _key(place: int, kind: str) -> str:
    x = 30 + 110 * place
    return (
        f'<circle cx="{x}" cy="{HEIGHT - 22}" r="6" fill="{COLOURS[kind]}"/>'
        f'<text x="{x + 12}" y="{HEIGHT - 18}" fill="#444444">{kind}</text>'
    )


def page(graph: Subgraph) -> str:
    """The drawing as one page that needs nothing else."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        "<title>MAGS: what was recalled</title>"
        "<style>body{margin:0}svg{width:100%;height:100vh}</style></head><body>"
        f"{markup(graph)}</body></html>"
    )


def png(graph: Subgraph, path: Path) -> None:
    """Write a PNG file; needs the extra `plot` (matplotlib). Raises MissingExtra."""
    try:
        matplotlib = import_module("matplotlib")
        matplotlib.use("Agg")
        plt = import_module("matplotlib.pyplot")
    except ImportError as failure:
        raise MissingExtra(extra="plot", needed_for="drawing to PNG") from failure
    figure, axes = plt.subplots(figsize=(WIDTH / 100, HEIGHT / 100), dpi=110)
    at = places(graph)
    for (src, dst, arc), weight in graph.arcs.items():
        xs, ys = zip(at[src], at[dst], strict=True)
        colour = "#cccccc" if arc in FAINT else "#777777"
        axes.plot(xs, ys, color=colour, linewidth=0.5 + 2 * weight, zorder=1)
    for node, (x, y) in at.items():
        recalled, colour = node in graph.hits, COLOURS[graph.kinds[node]]
        size = 160 if recalled else 70
        axes.scatter([x], [y], s=size, color=colour, edgecolors="#333333", zorder=2)
        axes.annotate(
            graph.label(node), (x, y), xytext=(0, 9), textcoords="offset points", ha="center",
            fontsize=8, fontweight="bold" if recalled else "normal", zorder=3,
        )  # fmt: skip
    axes.invert_yaxis()
    axes.set_axis_off()
    figure.savefig(path, bbox_inches="tight")
    plt.close(figure)
