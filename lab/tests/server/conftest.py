"""A server with games for each module of tests; else what the server's own tests have."""

from collections.abc import Iterator

import pytest

from lab.tests.server.playing import GAMES
from tests.server.conftest import answering, client, folder, model, name
from tests.server.serving import Served, serving

__all__ = ["answering", "client", "folder", "model", "name", "served"]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("served"), joining=GAMES) as running:
        yield running
