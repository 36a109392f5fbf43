"""Small graph drawings: laid out by NetworkX, written as SVG, HTML or PNG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib import import_module
from pathlib import Path

import networkx as nx

from mags.errors import MissingExtra

WIDTH, HEIGHT, MARGIN = 1100, 720, 90
COLOURS = {
    "episode": "#4c78a8",
    "entity": "#f58518",
    "fact": "#54a24b",
    "note": "#b279a2",
    "theme": "#e45756",
}
FAINT = frozenset({"association", "next"})
LETTER = 7.4
"""Width of a letter in pixels, on the mean, so that no label leaves the picture."""
HALO = 'paint-order="stroke" stroke="white" stroke-width="3"'


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A node; `strong` ones were recalled."""

    label: str
    kind: str
    strong: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """An arc between two spots, by their places in the list."""

    start: int
    end: int
    label: str
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """Spots with coordinates in pixels, and the lines between them."""

    spots: tuple[Spot, ...]
    lines: tuple[Line, ...]
    at: tuple[tuple[float, float], ...]

    @classmethod
    def laid_out(cls, spots: Sequence[Spot], lines: Sequence[Line]) -> Drawing:
        """By Kamada-Kawai, after which every spot has its place inside the margins."""
        graph = nx.Graph()
        graph.add_nodes_from(range(len(spots)))
        for line in lines:
            if line.label not in FAINT:
                graph.add_edge(line.start, line.end)
        for line in lines:
            if not nx.has_path(graph, line.start, line.end):
                graph.add_edge(line.start, line.end)
        raw = nx.kamada_kawai_layout(graph) if len(spots) > 1 else {0: (0.0, 0.0)}
        return cls(
            spots=tuple(spots),
            lines=tuple(lines),
            at=tuple(_fitted([raw[i] for i in range(len(spots))])),
        )


def _fitted(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    if not points:
        return []
    xs, ys = [float(p[0]) for p in points], [float(p[1]) for p in points]
    wide, high = max(max(xs) - min(xs), 1e-9), max(max(ys) - min(ys), 1e-9)
    return [
        (
            MARGIN + (x - min(xs)) / wide * (WIDTH - 2 * MARGIN),
            MARGIN + (y - min(ys)) / high * (HEIGHT - 2 * MARGIN),
        )
        for x, y in zip(xs, ys, strict=True)
    ]


def markup(drawing: Drawing) -> str:
    """The drawing as an SVG element."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'font-family="sans-serif" font-size="13" role="img">',
        "<title>What was recalled, and how it hangs together</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
    ]
    parts += [_line(drawing, line) for line in drawing.lines]
    parts += [_spot(spot, at) for spot, at in zip(drawing.spots, drawing.at, strict=True)]
    parts += [_key(i, kind) for i, kind in enumerate(COLOURS)]
    return "\n".join([*parts, "</svg>"])


def _line(drawing: Drawing, line: Line) -> str:
    (x1, y1), (x2, y2) = drawing.at[line.start], drawing.at[line.end]
    faint = line.label in FAINT
    colour = "#cccccc" if faint else "#777777"
    width = 0.5 + 2.5 * line.weight * (0.5 if faint else 1.0)
    out = (
        f'<line x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}" '
        f'stroke="{colour}" stroke-width="{width:.1f}"/>'
    )
    if not faint:
        out += (
            f'<text x="{(x1 + x2) / 2:.0f}" y="{(y1 + y2) / 2:.0f}" fill="#999999" '
            f'font-size="10" text-anchor="middle" {HALO}>{escape(line.label)}</text>'
        )
    return out


def _spot(spot: Spot, at: tuple[float, float]) -> str:
    x, y = at
    radius = 11 if spot.strong else 7
    weight = "bold" if spot.strong else "normal"
    half = len(spot.label) * LETTER / 2
    middle = min(max(x, half + 8), WIDTH - half - 8)
    return (
        f'<circle cx="{x:.0f}" cy="{y:.0f}" r="{radius}" fill="{COLOURS[spot.kind]}" '
        f'stroke="#333333" stroke-width="{2 if spot.strong else 0.5}"/>'
        f'<text x="{middle:.0f}" y="{y - radius - 5:.0f}" text-anchor="middle" {HALO} '
        f'font-weight="{weight}" fill="#222222">{escape(spot.label)}</text>'
    )


def _key(place: int, kind: str) -> str:
    x = 30 + 110 * place
    return (
        f'<circle cx="{x}" cy="{HEIGHT - 22}" r="6" fill="{COLOURS[kind]}"/>'
        f'<text x="{x + 12}" y="{HEIGHT - 18}" fill="#444444">{kind}</text>'
    )


def svg(drawing: Drawing, path: Path) -> None:
    """Write an SVG file."""
    path.write_text(markup(drawing), encoding="utf-8")


def html(drawing: Drawing, path: Path) -> None:
    """Write one page that needs nothing else."""
    page = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        "<title>MAGS: what was recalled</title>"
        "<style>body{margin:0}svg{width:100%;height:100vh}</style></head><body>"
        f"{markup(drawing)}</body></html>"
    )
    path.write_text(page, encoding="utf-8")


def png(drawing: Drawing, path: Path) -> None:
    """Write a PNG file; needs the extra `plot` (matplotlib). Raises MissingExtra."""
    try:
        matplotlib = import_module("matplotlib")
        matplotlib.use("Agg")
        plt = import_module("matplotlib.pyplot")
    except ImportError as failure:
        raise MissingExtra(extra="plot", needed_for="drawing to PNG") from failure
    figure, axes = plt.subplots(figsize=(WIDTH / 100, HEIGHT / 100), dpi=110)
    for line in drawing.lines:
        xs, ys = zip(drawing.at[line.start], drawing.at[line.end], strict=True)
        colour = "#cccccc" if line.label in FAINT else "#777777"
        axes.plot(xs, ys, color=colour, linewidth=0.5 + 2 * line.weight, zorder=1)
    for spot, (x, y) in zip(drawing.spots, drawing.at, strict=True):
        size = 160 if spot.strong else 70
        axes.scatter([x], [y], s=size, color=COLOURS[spot.kind], edgecolors="#333333", zorder=2)
        weight = "bold" if spot.strong else "normal"
        axes.annotate(
            spot.label, (x, y), xytext=(0, 9), textcoords="offset points", ha="center",
            fontsize=8, fontweight=weight, zorder=3,
        )  # fmt: skip
    axes.invert_yaxis()
    axes.set_axis_off()
    figure.savefig(path, bbox_inches="tight")
    plt.close(figure)
