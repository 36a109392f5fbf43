"""What is drawn on the canvas: as the page tells it in numbers, and its very pixels."""

from __future__ import annotations

import colorsys
import io
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from PIL import Image

Colour = tuple[int, int, int]
SCALE = 3
"""Pixels of a screenshot for each of the page, so that small nodes have corners to look at."""
CLOSELY = {"viewport": {"width": 1280, "height": 800}, "device_scale_factor": SCALE}
GROUND: Colour = (250, 250, 252)
LIT, STEP = "#d97706", "#c2410c"
SEEN = "document.querySelector('.canvas').seen()"
THERE = "n => Object.keys(document.querySelector('.canvas')?.seen?.().nodes ?? {}).length >= n"
ROUND = """([name, far]) => {
  const canvas = document.querySelector(".canvas");
  const { x, y, size } = canvas.seen().nodes[name] ?? { x: -99, y: -99, size: 0 };
  const layer = canvas.querySelector(".sigma-ground");
  const scale = layer.width / canvas.clientWidth;
  return Array.from({ length: 24 }, (_, n) => {
    const [dx, dy] = [Math.cos(n * Math.PI / 12), Math.sin(n * Math.PI / 12)];
    const at = [x + (size + far) * dx, y + (size + far) * dy].map((v) => Math.round(v * scale));
    return [...layer.getContext("2d").getImageData(...at, 1, 1).data].slice(0, 3);
  });
}"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A node as it is drawn; places and `size` (half of its width) in the page's pixels."""

    shape: str
    color: str
    x: float
    y: float
    size: float
    ringed: bool
    mark: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Arc:
    """A line as it is drawn."""

    src: str
    dst: str
    kind: str
    color: str
    width: float

    @property
    def pair(self) -> frozenset[int]:
        """The ids it joins."""
        return frozenset((int(self.src), int(self.dst)))


class Drawn:
    """What the page says that it draws."""

    def __init__(self, page) -> None:
        """As it is now."""
        told = page.evaluate(SEEN)
        self.nodes = {int(name): Node(**one) for name, one in told["nodes"].items()}
        self.arcs = [Arc(**one) for one in told["arcs"]]

    def alone(self, room: float = 14.0) -> Iterator[tuple[int, Node]]:
        """Nodes that have so much room around them that no other covers them."""
        for name, one in self.nodes.items():
            others = (o for other, o in self.nodes.items() if other != name)
            if all(math.hypot(one.x - o.x, one.y - o.y) > room for o in others):
                yield name, one


class Shot:
    """The canvas as it is seen, pixel by pixel."""

    def __init__(self, page) -> None:
        """As it is now; the page is opened by `CLOSELY`."""
        # Of the whole page: one of the canvas alone would be cut at a whole pixel.
        self._image = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        box = page.locator(".stage .canvas").bounding_box()
        self._left, self._top = box["x"], box["y"]

    def at(self, x: float, y: float) -> Colour:
        """The colour of a place of the canvas."""
        return self._image.getpixel((int((self._left + x) * SCALE), int((self._top + y) * SCALE)))


def opened(page, base: str, nodes: int) -> None:
    """Open the memory `tour` as a graph, and wait until so many nodes are drawn."""
    page.goto(f"{base}/?memory=tour")
    page.wait_for_function(THERE, arg=nodes)
    page.wait_for_timeout(600)  # all arcs are drawn again once the graph is at rest


def colour(written: str) -> Colour:
    """A colour from its hexadecimal form."""
    return int(written[1:3], 16), int(written[3:5], 16), int(written[5:7], 16)


def apart(a: Colour, b: Colour) -> float:
    """How far two colours are from each other, 0 to 442."""
    return math.dist(a, b)


def hue(of: Colour) -> float:
    """From 0 to 1, with the ground taken off, which all colours are mixed with."""
    most = max(g - c for g, c in zip(GROUND, of, strict=True))
    return colorsys.rgb_to_hsv(*((1 - (g - c) / most) for g, c in zip(GROUND, of, strict=True)))[0]


def hues_apart(a: float, b: float) -> float:
    """The way from hue to hue around the circle, 0 to 0.5."""
    return min(abs(a - b), 1 - abs(a - b))


def round_about(page, node: int, far: float, like: Callable[[Colour], bool]) -> float:
    """Share of a circle around a node, so far from its rim, that has a colour: of the pulses."""
    seen = page.evaluate(ROUND, [str(node), far])
    return sum(like(tuple(one)) for one in seen) / len(seen)


def quiet(of: Colour) -> bool:
    """That of a guess's ring: dark, and of no hue."""
    return max(of) < 190 and max(of) - min(of) < 40


def green(of: Colour) -> bool:
    """That of what came."""
    return of[1] - of[0] > 20 and of[1] - of[2] > 10


def violet(of: Colour) -> bool:
    """That of what was touched."""
    return of[2] - of[1] > 30 and of[2] - of[0] > 20


def red(of: Colour) -> bool:
    """That of what was cut."""
    return of[0] - of[1] > 40 and of[0] - of[2] > 40
