"""The linker trained, exported and run without torch."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

import mags  # noqa: E402 - torch may be missing
from mags.adapters.linker import read_linker  # noqa: E402
from mags.engram.attention import first_edges, scores, softmax  # noqa: E402
from mags.engram.settings import AttentionSettings, EngramSettings  # noqa: E402
from mags.graph.records import ArcKind  # noqa: E402
from mags.memory.settings import MemorySettings  # noqa: E402
from mags.models.embed.hashing import HashEmbedder  # noqa: E402
from mags.settings import Settings  # noqa: E402
from mags_lab.training.linker import (  # noqa: E402
    LinkerFitting,
    LinkerNet,
    fit,
    save,
    train,
)
from mags_lab.training.links import (  # noqa: E402
    Arcs,
    held_out,
    links_of,
    measure,
)

SETTINGS = AttentionSettings()


def units(rng, *shape):
    rows = rng.standard_normal(shape).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


def opposites(groups=8, each=20):
    """A graph that cosine misreads: nodes of a group are linked to those of the opposite one."""
    rng = np.random.default_rng(5)
    centres = units(rng, groups, 16)
    centres[groups // 2 :] = -centres[: groups // 2]
    place = np.arange(groups * each) % groups
    vectors = centres[place] + 0.1 * rng.standard_normal((len(place), 16)).astype(np.float32)
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    ends = [
        (a, b)
        for a, b in itertools.combinations(range(len(place)), 2)
        if abs(int(place[a]) - int(place[b])) == groups // 2
    ]
    kinds = np.full(len(ends), int(ArcKind.MENTIONS))
    arcs = Arcs(ends=np.array(ends).T, kinds=kinds, uses=np.zeros(len(ends), np.int64))
    return links_of(vectors, arcs, np.arange(len(place)))


def test_numpy_computes_what_pytorch_geometric_does(tmp_path):
    torch.manual_seed(3)
    net = LinkerNet(24, 8, SETTINGS)
    for parameter in net.parameters():
        torch.nn.init.normal_(parameter, std=0.7)
    rng = np.random.default_rng(3)
    new, others = units(rng, 5, 24), units(rng, 5, 16, 24)
    save(net.weights(), tmp_path / "linker.npz")
    weights = read_linker(tmp_path / "linker.npz", 24)
    with torch.no_grad():
        wanted = net(torch.from_numpy(new), torch.from_numpy(others)).numpy()
    for row in range(5):
        alpha = softmax(scores(new[row], others[row], settings=SETTINGS, weights=weights))
        assert alpha == pytest.approx(wanted[row], abs=1e-5)
        given = first_edges(new[row], others[row], settings=SETTINGS, weights=weights)
        assert np.array_equal(given > 0, alpha > 1 / 32)


def test_it_learns_links_that_cosine_misreads():
    links = opposites()
    learned, out = held_out(links, 0.2, 0)
    weights = fit(learned, LinkerFitting(epochs=15, rate=1e-2))
    found = measure(links, out, weights, SETTINGS)
    assert found["cosine"].auc < 0.3
    assert found["trained"].auc > 0.9


def test_one_seed_gives_the_same_weights():
    links = opposites(each=6)
    first, again = (fit(links, LinkerFitting(epochs=2, seed=4)) for _ in range(2))
    assert np.array_equal(first.new, again.new)
    assert np.array_equal(first.a, again.a)


def test_a_memory_takes_a_linker_trained_on_another(tmp_path):
    def told(settings):
        memory = mags.open(None, embedder=HashEmbedder(16), settings=settings)
        for name, city in itertools.product(("Ana", "Ben", "Cy"), ("Oslo", "Rome", "Bonn")):
            memory.observe(f"I moved to {city}.", speaker=name)
        return memory

    plain = Settings()
    made = train(told(plain).to_pyg(), LinkerFitting(epochs=1, hidden=4))
    save(replace(made.weights, a=-made.weights.a), tmp_path / "linker.npz")
    engram = EngramSettings(linker=tmp_path / "linker.npz")
    other = told(replace(plain, memory=MemorySettings(engram=engram)))
    weights = [m.to_pyg().edge_weight.tolist() for m in (told(plain), other)]
    assert weights[0] != weights[1]
    assert 0 <= min(weights[1]) <= max(weights[1]) <= 1
