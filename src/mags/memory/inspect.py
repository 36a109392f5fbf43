"""What a page or a game looks at in a memory, beyond what `Memory` itself offers.

from mags import inspect

inspect.picture(memory)

Every function takes the memory first; errors are those of `Memory`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from mags.graph.delta import Delta
from mags.memory import changes as journal
from mags.memory import lives
from mags.memory.changes import ChangeView
from mags.memory.given import count, known_id, several
from mags.memory.lives import MomentView
from mags.memory.pictures import Frame, LinkView, Picture
from mags.memory.regions import RegionView
from mags.recall.chains import Chain, Ends

if TYPE_CHECKING:
    from mags.memory.memory import Memory

__all__ = [
    "associate",
    "chains",
    "changes",
    "latest",
    "life",
    "picture",
    "region_links",
    "regions",
    "ways",
]


def chains(
    memory: Memory,
    question: str,
    options: Sequence[str],
    *,
    after: Mapping[int, float] | None = None,
) -> tuple[Chain, ...]:
    """What was said that leads from a question to each of its options, the best first.

    `after`: by option, seconds of event time: what was said before says nothing new of it.
    """
    ends = Ends(question, tuple(several(options, "options")), after or {})
    return memory._reader.chains(ends)


def ways(memory: Memory, question: str, ids: Sequence[int]) -> tuple[tuple[int, ...] | None, ...]:
    """By memory (id) the fewest facts from what a question names to it; None: none lead."""
    return memory._reader.ways(question, [known_id(one) for one in ids])


def latest(memory: Memory, things: Iterable[str], *, most: int = 4) -> tuple[tuple[int, ...], ...]:
    """By thing the episodes that have all its words, newest first; none that is over."""
    return memory._reader.latest(several(things, "things"), most=count(most, "most"))


def changes(memory: Memory, after: int, limit: int = 100, *, named: int = 0) -> list[ChangeView]:
    """What changed after a journal sequence, oldest first; raises NotFound if folded away."""
    return journal.changes(memory._live, after, limit=limit, named=named)


def life(memory: Memory, node_id: int) -> list[MomentView]:
    """What each change left of a node's strength, oldest first; raises NotFound."""
    return lives.life(memory._live, known_id(node_id))


def regions(memory: Memory) -> list[RegionView]:
    """Communities of what is associated, largest first, named by what stands in their midst.

    As the last sleep found them, or anew where it has grown by a tenth since; in words of now.
    """
    return memory._tender.regions()


def region_links(memory: Memory) -> tuple[LinkView, ...]:
    """How strongly any two regions hang together, strongest first."""
    return memory._reader.region_links(regions(memory))


def picture(memory: Memory, frame: Frame | None = None) -> Picture:
    """The strongest nodes and the arcs between them, to be drawn."""
    return memory._reader.picture(frame or Frame(), regions(memory))


def associate(memory: Memory, src: int, dst: int, weight: float | None) -> Delta:
    """Set the association from one node to another, in [0, 1]; None removes it."""
    return memory._editor.arc(known_id(src), known_id(dst), weight)
