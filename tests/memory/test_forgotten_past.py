"""Whatever was told and taken back: nothing outlives the turns that alone it was derived from."""

import tempfile
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mags.graph.edge import ArcKind
from mags.graph.node import NodeKind
from mags.graph.past import Past
from tests.memory.replaying import assert_whole
from tests.memory.test_history_laws import DEEDS, LAWS, World


def derived(past: Past) -> set[int]:
    """Facts and notes that have a source."""
    made = np.isin(past.nodes["kind"], [int(NodeKind.FACT), int(NodeKind.NOTE)])
    return set(past.out_of(past.nodes["id"][made], ArcKind.SOURCE)["src"].tolist())


@LAWS
@given(st.lists(DEEDS, min_size=1, max_size=6), st.lists(DEEDS, max_size=4), st.data())
def test_what_is_derived_keeps_a_source_or_goes(before: list, after: list, data) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        world.memory.snapshot("start")
        for deed in before:
            world.do(*deed)
        world.memory.rollback("start")
        for deed in after:
            world.do(*deed)
        journal = world.memory._store.journal
        told = journal.past().nodes
        episodes = told["id"][told["kind"] == int(NodeKind.EPISODE)].tolist()
        if not episodes:
            return
        had = derived(journal.past())
        gone = world.memory.forget(data.draw(st.sampled_from(episodes)))
        left = journal.past()
        assert had & set(left.nodes["id"].tolist()) == derived(left)
        kept = {content.node for content in world.memory._store.contents.scan()}
        assert not kept & {*gone.past, *(i for ids in gone.nodes.values() for i in ids)}
        assert_whole(world.memory)
        world.memory.close()
