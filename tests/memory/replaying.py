"""What a memory must equal: a replay of its journal from nothing, and itself opened again."""

from pathlib import Path

import numpy as np

from mags.graph.graph import Graph
from mags.graph.records import NodeKind
from mags.memory.memory import Memory


def digest(memory: Memory) -> str:
    with memory._live.reading() as state:
        return state.graph.digest()


def replayed(memory: Memory) -> str:
    """The digest of the graph that the journal alone makes."""
    graph = Graph()
    for entry in memory._live.store.journal.since(0):
        graph.apply(entry.delta)
    return graph.digest()


def assert_whole(memory: Memory) -> None:
    """The state is what the journal makes, and every node and index has what it needs."""
    assert digest(memory) == replayed(memory)
    with memory._live.reading() as state:
        rows = state.graph.where()
        ids = [int(i) for i in state.graph.nodes["id"][rows]]
        assert len(state.words(ids)) == len(ids)
        assert np.count_nonzero(state.lexicon.length) == len(ids)
        themes = len(state.graph.ids(NodeKind.THEME))  # they are found, and counted for nothing
        assert state.lexicon.documents == len(ids) - themes
        assert set(
            state.graph.nodes["id"][: state.vectors.size][
                state.vectors.present[: state.vectors.size]
            ]
        ) == set(ids)


def files_hold(folder: Path, *words: str) -> list[str]:
    """Names of files whose bytes hold one of the words, in any case."""
    wanted = [word.lower().encode() for word in words]
    return [
        path.name
        for path in folder.iterdir()
        if any(word in path.read_bytes().lower() for word in wanted)
    ]
