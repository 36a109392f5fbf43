"""Reminding: the open facts that a turn may speak of, found without an embedding.

They are what its speaker told last, and what is held of whom the turn names.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mags.graph.graph import REVERSE
from mags.graph.records import NEVER, ArcKind, NodeFlag, NodeKind
from mags.index.state import State
from mags.ports.policy import Recalled, Turn
from mags.recall.spread import peers

RECENT = 24
"""Episodes of the memory, of all speakers, among which what was told last is looked for."""
OF_ONE = 16
"""Facts of one name, the newest first."""


def reminded(state: State, turn: Turn, names: Sequence[str], most: int) -> list[Recalled]:
    """The newest `most` open facts that a turn may speak of, oldest first.

    Guesses are among them where there is room.

    `names`: what it names, in words of its own; exact names and aliases are found, no likeness.
    """
    found = dict.fromkeys(_told(state, turn.speaker))
    entities = [*(i for name in names for i in state.names.find(name)), *_named(state, turn)]
    for entity in dict.fromkeys(entities):
        found.update(dict.fromkeys(state.slots.of(entity)[-OF_ONE:]))
        found.update(dict.fromkeys(state.slots.about(entity)[-OF_ONE:]))
    held = sorted(_open(state, found), key=lambda fact: (not fact[2], *fact))[-most:]
    kept = sorted(held, key=lambda fact: fact[:2])
    return [
        Recalled(
            id=content.node,
            text=content.text,
            at=at,
            subject=str(content.meta.get("subject", "")),
            relation=str(content.meta.get("relation", "")),
            object=str(content.meta.get("object", "")),
            qualifiers=dict(content.meta.get("qualifiers", {})),
            tentative=guess,
        )
        for (at, _, guess), content in zip(kept, state.words([i for _, i, _ in kept]), strict=True)
    ]


def _named(state: State, turn: Turn) -> Iterable[int]:
    speaker = state.names.find(turn.speaker)
    return (i for i in state.names.scan(turn.text) if i not in speaker)


def _told(state: State, speaker: str) -> Iterable[int]:
    """Facts that came of what a speaker said last."""
    graph, who = state.graph, set(state.names.find(speaker))
    for row in graph.rows(state.episodes.recent(RECENT)).tolist():
        if int(graph.nodes["subject"][row]) in who:
            rows = peers(graph, row, int(ArcKind.SOURCE) | REVERSE)
            yield from graph.nodes["id"][rows].tolist()


def _open(state: State, ids: Iterable[int]) -> list[tuple[float, int, bool]]:
    """Those that hold, each with the time at which it was recorded and whether it is a guess."""
    graph = state.graph
    rows = graph.rows([i for i in ids if i in graph])
    nodes = graph.nodes[rows]
    held = (nodes["kind"] == NodeKind.FACT) & (nodes["valid_to"] == NEVER)
    times, ids = nodes["recorded_at"][held].tolist(), nodes["id"][held].tolist()
    guesses = ((nodes["flags"][held] & NodeFlag.GUESS) != 0).tolist()
    return list(zip(times, ids, guesses, strict=True))
