"""A small picture of what lies around the recalled: things, and the facts that join them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from rich.text import Text
from rich.tree import Tree

from mags.cli.picture import in_terminal, scene, short
from mags.cli.tables import day
from mags.memory.memory import Memory
from mags.ports.policy import GUESS
from mags.recall.found import FactView, Found

FACTS = 12
"""Facts that are drawn; each is a line."""


@dataclass(slots=True, kw_only=True)
class _Sketch:
    """Facts by the thing they are about, each drawn once; `recalled`: ids that were recalled."""

    about: dict[str, list[FactView]]
    recalled: frozenset[int]
    drawn: set[int] = field(default_factory=set)

    def grow(self, tree: Tree, thing: str) -> None:
        """Hang what is known of a thing below it, and below that what is known of each object."""
        for fact in self.about.get(thing, ()):
            if fact.id not in self.drawn:
                self.drawn.add(fact.id)
                self.grow(tree.add(self._line(fact)), fact.object)

    def _line(self, fact: FactView) -> Text:
        style = "" if fact.id in self.recalled else "dim"
        line = _one_line("")
        line.append(f"{short(fact.relation)} → ", "dim")
        line.append(short(fact.object), style if fact.valid_to is None else f"{style} strike")
        if fact.tentative:
            line.append(f" {GUESS}", "dim")
        if fact.valid_to is not None:
            line.append(f" until {day(fact.valid_to)}", "dim")
        return line


def around(memory: Memory, found: Found) -> Tree:
    """What lies around the best hits: things and what joins them, else hits and their arcs."""
    recalled = frozenset(hit.id for hit in found.hits)
    facts = _facts(memory, found)
    if not facts:
        return in_terminal(memory, found)
    sketch = _Sketch(about=_by_subject(facts), recalled=recalled)
    tree = Tree("", hide_root=True, guide_style="dim")
    objects = {fact.object for fact in facts}
    # What nothing else leads to comes first; a ring has no such thing, so all are tried after.
    for thing in (*(one for one in sketch.about if one not in objects), *sketch.about):
        if any(fact.id not in sketch.drawn for fact in sketch.about[thing]):
            sketch.grow(tree.add(_one_line(short(thing), "bold")), thing)
    return tree


def _facts(memory: Memory, found: Found) -> list[FactView]:
    """Facts recalled, best first, then those beside them: of the same turn, or superseded."""
    view = scene(memory, found)
    seen = dict.fromkeys((*view.hits, *view.texts))
    facts = (memory.get(node).fact for node in seen if view.kinds[node] == "fact")
    return [fact for fact in facts if fact is not None][:FACTS]


def _by_subject(facts: Iterable[FactView]) -> dict[str, list[FactView]]:
    by: dict[str, list[FactView]] = {}
    for fact in facts:
        by.setdefault(fact.subject, []).append(fact)
    return by


def _one_line(words: str, style: str = "") -> Text:
    """What is longer than the panel is cut, so that the tree keeps its shape."""
    return Text(words, style=style, no_wrap=True, overflow="ellipsis", end="")
