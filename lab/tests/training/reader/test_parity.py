"""The trained reader and its runtime score the same; training learns; a file comes back."""

from random import Random

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from mags_lab.games.reader.layout import laid_out  # noqa: E402 - torch may be missing
from mags_lab.games.reader.network import ReaderNetwork  # noqa: E402
from mags_lab.games.reader.reader import opened  # noqa: E402
from mags_lab.games.reader.words import shipped_vectors  # noqa: E402
from mags_lab.training.reader.batches import batch_of, stream  # noqa: E402
from mags_lab.training.reader.book import TRAIN  # noqa: E402
from mags_lab.training.reader.export import load, save  # noqa: E402
from mags_lab.training.reader.fit import Fitting, fed, fit, losses, schedule  # noqa: E402
from mags_lab.training.reader.model import ReaderNet, Shape, between  # noqa: E402
from mags_lab.training.reader.tasks import tasks  # noqa: E402

SHAPE = Shape(width=16, blocks=2, attention=2, inner=24)


@pytest.fixture
def model():
    torch.manual_seed(3)
    made = ReaderNet(SHAPE).eval()
    for name, weight in made.named_parameters():
        if name != "word.weight":
            torch.nn.init.normal_(weight, std=0.3)
    return made


def test_a_batch_in_torch_and_each_task_in_numpy_have_the_same_scores(model):
    some = list(tasks(1, TRAIN, 6, extra=6))
    batch = batch_of(some)
    network = ReaderNetwork({name: w.numpy() for name, w in model.state_dict().items()})
    with torch.no_grad():
        scores, needed = model(fed(batch))
    lines = 0
    for place, one in enumerate(some):
        layout, vectors = laid_out(one.lines, one.question, one.actions, shipped_vectors())
        mine, told = network(layout, vectors)
        assert np.allclose(mine, scores[batch.task == place], atol=5e-3)
        assert np.allclose(told, needed[lines : lines + len(told)], atol=5e-3)
        lines += len(told)


def test_a_file_of_weights_comes_back_as_the_same_reader(model, tmp_path):
    file = save(model, tmp_path / "reader.npz")
    again = load(file.path)
    assert again.shape == SHAPE
    assert save(again, tmp_path / "again.npz").sha256 == file.sha256
    one = next(tasks(1, TRAIN, 1, extra=4))
    assert opened(file).choose(one.lines, one.question, one.actions).action in one.actions


def test_training_lowers_the_loss():
    torch.manual_seed(1)
    model = ReaderNet(SHAPE, drop=0.0)
    batches = list(stream(1, 1, tokens=600, easy=1, workers=0))
    before = losses(*model.eval()(fed(batches[0])), batches[0])[0].item()
    heard = []
    fitting = Fitting(steps=150, warm=10, cool=50, again=149, every=50)
    fit(model.train(), batches, fitting, Random(1), lambda *said: heard.append(said))
    after = losses(*model.eval()(fed(batches[0])), batches[0])[0].item()
    assert [step for step, *_ in heard] == [50, 100, 150]
    assert after < 0.8 * before


def test_the_rate_rises_stays_and_falls():
    fitting = Fitting(steps=100, warm=10, cool=20)
    assert [round(schedule(step, fitting), 2) for step in (0, 9, 50, 90, 99)] == [
        *(0.1, 1.0, 1.0, 0.5, 0.05)
    ]


def test_the_last_weights_are_averaged_where_that_is_asked_for():
    def trained(mean: float, steps: int) -> list[float]:
        torch.manual_seed(1)
        model = ReaderNet(SHAPE, drop=0.0)
        batches = stream(1, 1, tokens=200, easy=1, workers=0)
        fitting = Fitting(steps=steps, warm=1, cool=1000, again=9, mean=mean)
        fit(model.train(), batches, fitting, Random(1), lambda *said: None)
        return model.score.weight.flatten().tolist()

    two, last = trained(0.0, 4), trained(0.25, 4)
    assert last == pytest.approx(two)
    assert trained(0.5, 4) != pytest.approx(two)


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_a_reader_between_two_has_weights_between_theirs(model, share):
    torch.manual_seed(4)
    other = ReaderNet(SHAPE)
    found = between(model, other, share).state_dict()
    for name, weight in found.items():
        mean = (1 - share) * model.state_dict()[name] + share * other.state_dict()[name]
        assert torch.allclose(weight, mean, atol=1e-6)
