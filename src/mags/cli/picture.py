"""The recalled subgraph, drawn in the terminal or to a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rich.markup import escape
from rich.tree import Tree

from mags.cli.drawing import Drawing, Line, Spot, html, png, svg
from mags.cli.shared import out
from mags.cli.visible import visible
from mags.errors import InvalidInput
from mags.memory.memory import Memory
from mags.recall.found import Found

DRAWN = 12
"""Hits that are drawn; each brings its neighbours along."""
SHORT = 46


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """The nodes and arcs worth showing for a recall."""

    hits: tuple[int, ...]
    arcs: tuple[tuple[int, int, str, float], ...]
    texts: dict[int, str]
    kinds: dict[int, str]


def scene(memory: Memory, found: Found) -> Scene:
    """Hits, their entities and sources, and the arcs between them."""
    hits = tuple(hit.id for hit in found.hits[:DRAWN])
    texts = {hit.id: hit.text for hit in found.hits[:DRAWN]}
    kinds = {hit.id: hit.kind for hit in found.hits[:DRAWN]}
    arcs: dict[tuple[int, int, str], float] = {}
    for hit in hits:
        for near in memory.neighbours(hit):
            if near.arc in ("subject", "object", "mentions", "source", "supersedes"):
                texts.setdefault(near.id, near.text)
                kinds.setdefault(near.id, near.kind)
            if near.id in texts:
                ends = (hit, near.id) if near.outgoing else (near.id, hit)
                arcs[(*ends, near.arc)] = near.weight
    known = {key: w for key, w in arcs.items() if key[0] in texts and key[1] in texts}
    return Scene(hits=hits, arcs=tuple((*k, w) for k, w in known.items()), texts=texts, kinds=kinds)


def in_terminal(memory: Memory, found: Found) -> Tree:
    """The best hits as a tree: each with what it is joined to."""
    view = scene(memory, found)
    tree = Tree("[bold]recalled[/]", guide_style="dim")
    for hit in view.hits[:5]:
        branch = tree.add(f"[bold]m{hit}[/] {escape(short(view.texts[hit]))}")
        for src, dst, arc, weight in view.arcs:
            if arc in ("next", "association") or hit not in (src, dst):
                continue
            other = dst if src == hit else src
            arrow = "->" if src == hit else "<-"
            label = escape(short(view.texts[other]))
            branch.add(f"[dim]{arrow} {arc} {weight:.2f}[/] [cyan]m{other}[/] {label}")
    return tree


def draw(memory: Memory, found: Found, path: Path | None, *, terminal: bool) -> None:
    """Draw to the terminal, to a file by its ending, or both; raises InvalidInput."""
    if terminal:
        out.print(in_terminal(memory, found))
    if path is None:
        return
    writers = {".svg": svg, ".html": html, ".png": png}
    if path.suffix not in writers:
        raise InvalidInput(f"cannot draw to {path.name}: end it in .svg, .png or .html")
    writers[path.suffix](drawing(scene(memory, found)), path)
    out.print(f"Drawn to {path}.", markup=False)


def drawing(view: Scene) -> Drawing:
    """A scene laid out."""
    ids = list(view.texts)
    place = {node: i for i, node in enumerate(ids)}
    spots = [
        Spot(
            label=f"m{node} {short(view.texts[node])}",
            kind=view.kinds[node],
            strong=node in view.hits,
        )
        for node in ids
    ]
    lines = [Line(start=place[s], end=place[d], label=arc, weight=w) for s, d, arc, w in view.arcs]
    return Drawing.laid_out(spots, lines)


def short(text: str) -> str:
    """One line of at most SHORT characters."""
    flat = visible(" ".join(text.split()))
    return flat if len(flat) <= SHORT else flat[: SHORT - 1] + "…"
