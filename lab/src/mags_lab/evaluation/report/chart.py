"""Line charts as SVG elements, in the colours of the page's style sheet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

# In pixels; the right margin has room for the names at the ends of lines.
WIDTH, HEIGHT = 720.0, 340.0
LEFT, RIGHT, TOP, BOTTOM = 44.0, 92.0, 16.0, 44.0
APART = 15.0
"""The least distance, in pixels, between the names at the ends of lines."""
# Players with a colour of their own in page.css.
COLOURS = ("nothing", "window", "static", "growing", "mags", "oracle")


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """A line: its name, and points of (place on the axis from 0, value in percent)."""

    name: str
    points: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """Places from left to right, by name; `rule`: the place before which a line is drawn."""

    title: str
    names: tuple[str, ...]
    rule: int | None = None
    rule_name: str = ""


def line_chart(title: str, axis: Axis, lines: Sequence[Series]) -> str:
    """Values from 0 to 100 over an axis of named places; each line has its name at its end."""
    parts = [
        f'<svg viewBox="0 0 {WIDTH:.0f} {HEIGHT:.0f}" role="img" '
        f'aria-label="{escape(title)}" preserveAspectRatio="xMidYMid meet">',
        f"<title>{escape(title)}</title>",
        *(_level(value) for value in (0, 25, 50, 75, 100)),
        *(_tick(axis, place) for place in range(len(axis.names))),
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{HEIGHT - 6:.0f}" text-anchor="middle">'
        f"{escape(axis.title)}</text>",
    ]
    if axis.rule is not None:
        x = _x(axis, axis.rule - 0.5)
        parts.append(
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP:.0f}" y2="{HEIGHT - BOTTOM:.0f}" '
            'stroke="var(--soft)" stroke-dasharray="4 4"/>'
            f'<text x="{x + 5:.1f}" y="{HEIGHT - BOTTOM - 6:.0f}">{escape(axis.rule_name)}</text>'
        )
    parts.extend(_line(axis, one) for one in lines)
    parts.extend(_names(lines, axis))
    return "".join([*parts, "</svg>"])


def colour(name: str) -> str:
    """The colour of a player: its own, or one that all others share."""
    key = name.lower()
    return f"var(--p-{key})" if key in COLOURS else "var(--p-other)"


def _x(axis: Axis, place: float) -> float:
    return LEFT + (place + 0.5) * (WIDTH - LEFT - RIGHT) / len(axis.names)


def _y(value: float) -> float:
    return HEIGHT - BOTTOM - value / 100.0 * (HEIGHT - TOP - BOTTOM)


def _level(value: int) -> str:
    y = _y(value)
    return (
        f'<line x1="{LEFT:.0f}" x2="{WIDTH - RIGHT:.0f}" y1="{y:.1f}" y2="{y:.1f}" '
        'stroke="var(--grid)"/>'
        f'<text x="{LEFT - 8:.0f}" y="{y + 4:.1f}" text-anchor="end">{value}</text>'
    )


def _tick(axis: Axis, place: int) -> str:
    return (
        f'<text x="{_x(axis, place):.1f}" y="{HEIGHT - BOTTOM + 18:.0f}" text-anchor="middle">'
        f"{escape(axis.names[place])}</text>"
    )


def _line(axis: Axis, one: Series) -> str:
    points = [(_x(axis, place), _y(value)) for place, value in one.points]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    width = 3 if one.name.lower() == "mags" else 1.8
    dots = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{width:.1f}" fill="{colour(one.name)}"/>'
        for x, y in points
    )
    return (
        f'<polyline points="{path}" fill="none" stroke="{colour(one.name)}" '
        f'stroke-width="{width}"/>{dots}'
    )


def _names(lines: Sequence[Series], axis: Axis) -> list[str]:
    """Names right of the chart, moved apart if lines end close together."""
    # From the lowest line upwards (y grows downwards), each at least APART above the last.
    ends = sorted(((_y(one.points[-1][1]), one.name) for one in lines if one.points), reverse=True)
    found, below = [], HEIGHT - BOTTOM + APART
    for y, name in ends:
        below = min(y, below - APART)
        found.append(
            f'<text class="name" x="{WIDTH - RIGHT + 6:.0f}" y="{below + 4:.1f}" '
            f'style="fill:{colour(name)}">{escape(name)}</text>'
        )
    return found
