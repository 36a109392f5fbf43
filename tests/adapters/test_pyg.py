"""The graph as PyTorch Geometric data: the real one, or the name of what brings it."""

from importlib.util import find_spec

import pytest

import mags
from mags.models.embed.hashing import HashEmbedder
from mags.models.policy.rules.policy import RulePolicy
from mags.settings import Settings

HAS_PYG = find_spec("torch") is not None and find_spec("torch_geometric") is not None


@pytest.fixture
def memory() -> mags.Memory:
    memory = mags.open(None, embedder=HashEmbedder(16), settings=Settings(), policy=RulePolicy())
    memory.observe("I live in Oslo.", speaker="Ana")
    return memory


@pytest.mark.skipif(HAS_PYG, reason="PyTorch Geometric is installed")
def test_without_the_extra_it_is_named(memory: mags.Memory) -> None:
    with pytest.raises(mags.MissingExtra, match=r"./lab\[pyg\]") as caught:
        memory.to_pyg()
    assert (caught.value.extra, caught.value.needed_for) == ("pyg", "to_pyg")


@pytest.mark.skipif(not HAS_PYG, reason="needs the extra pyg")
def test_every_node_and_arc_is_there(memory: mags.Memory) -> None:
    data, stats = memory.to_pyg(), memory.stats()
    assert data.num_nodes == sum(stats.nodes.values())
    assert data.num_edges == sum(stats.arcs.values())
    assert data.x.shape == (data.num_nodes, 16)
    assert int(data.edge_index.max()) < data.num_nodes
