"""The trained heads and their runtime in numpy make the same of the same states."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from mags.models.policy.heads.layout import MARKS, SPECIAL, TURN  # noqa: E402 - torch may be missing
from mags.models.policy.heads.network import Network, Seen  # noqa: E402
from mags_lab.training.heads.model import Heads, Shape  # noqa: E402

ROWS, SHAPE = 9, Shape(relations=7, dimension=16, layers=2, width=24, blocks=3)
SIGNS = MARKS + SHAPE.remembered


@pytest.fixture
def both():
    torch.manual_seed(3)
    model = Heads(SHAPE).eval()
    for weight in model.parameters():
        torch.nn.init.normal_(weight, std=0.3)
    weights = {name: w.detach().numpy() for name, w in model.state_dict().items()}
    return model, Network(weights, layers=SHAPE.layers, attention=SHAPE.attention)


@pytest.fixture
def seen():
    rng = np.random.default_rng(5)
    states = rng.normal(size=(ROWS, 32)).astype(np.float32)
    signs = (rng.random((ROWS, SIGNS)) < 0.3).astype(np.float32)
    signs[3:6, TURN] = 1.0
    return states, signs


def tensors(states, signs):
    return torch.tensor(states)[None], torch.tensor(signs)[None]


def trunk(model, states, signs, role):
    mask = torch.ones((1, ROWS), dtype=torch.bool)
    return model.trunk(torch.tensor(states)[None], torch.tensor(signs)[None], mask, role), mask


def close(mine, theirs):
    assert np.allclose(mine, theirs.detach().numpy(), atol=2e-4)


def test_facts_are_read_alike(both, seen):
    model, network = both
    x, _ = trunk(model, *seen, 0)
    mine = network.trunk(*seen, 0)
    close(mine, x[0])
    close(network.tags(mine), model.tag(x)[0].log_softmax(-1))
    dates = np.arange(ROWS) != 1
    states, signs = seen
    scores = network.span(mine, Seen(states=states, marks=signs, dates=dates), 3, 5)
    act, relation, points = model.of_spans(x, torch.tensor([[0, 3, 5]]), *tensors(*seen))
    close(scores.act, act[0].log_softmax(-1))
    close(scores.relation, relation[0].log_softmax(-1))
    close(scores.points[:2], points[0, :2].log_softmax(-1))
    allowed = points[0, 2].masked_fill(~torch.tensor(dates), -1e4)
    close(scores.points[2], allowed.log_softmax(-1))


def test_questions_are_read_alike(both, seen):
    model, network = both
    x, mask = trunk(model, *seen, 1)
    states, signs = seen
    all_rows = Seen(states=states, marks=signs, dates=np.ones(ROWS, dtype=bool))
    scores = network.question(network.trunk(*seen, 1), all_rows)
    relations, plain, points = model.of_question(x, mask, *tensors(*seen))
    close(scores.relations, relations[0].log_softmax(-1))
    close(scores.plain, plain[0].reshape(3, 2).log_softmax(-1))
    close(scores.points, points[0].log_softmax(-1))


def test_turns_are_routed_alike(both, seen):
    model, network = both
    x, mask = trunk(model, *seen, 2)
    write, look = network.route(network.trunk(*seen, 2))
    scores = model.of_turn(x, mask)[0]
    close(write, scores[:2].log_softmax(-1))
    close(look, scores[2:].log_softmax(-1))


def test_padding_changes_nothing(both, seen):
    model, _ = both
    states, signs = seen
    x, _ = trunk(model, states, signs, 0)
    wider = np.concatenate((states, np.ones((4, 32), dtype=np.float32)))
    marked = np.concatenate((signs, np.ones((4, SIGNS), dtype=np.float32)))
    mask = torch.arange(ROWS + 4)[None] < ROWS
    padded = model.trunk(torch.tensor(wider)[None], torch.tensor(marked)[None], mask, 0)
    assert torch.allclose(padded[0, :ROWS], x[0], atol=1e-5)
    assert SPECIAL < ROWS
