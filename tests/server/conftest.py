"""A server for each module of tests, and a client of it."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.models.chat.endpoint import Server, Step
from tests.models.chat.endpoint import serving as model_serving
from tests.server.asking import ANSWER
from tests.server.serving import Served, serving


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("served")) as running:
        yield running


@pytest.fixture
def client(served: Served) -> Iterator[httpx.Client]:
    with served.client() as found:
        yield found


@pytest.fixture
def model() -> Iterator[Server]:
    """A language model's server, which says what a test tells it to."""
    with model_serving() as running:
        yield running


@pytest.fixture
def answering(model: Server) -> Server:
    """The same, with answers for whoever asks."""
    model.steps = [Step(raw=ANSWER.encode()) for _ in range(20)]
    return model


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    """A namespace of the test's own."""
    return request.node.name[:90].replace("[", ".").replace("]", "").strip(".") or "x"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "memories"
