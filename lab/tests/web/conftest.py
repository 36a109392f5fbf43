"""The page of a server with games, in a real Chromium; else what the page's own tests have."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.tests.server.playing import GAMES
from tests.server.serving import Served, serving
from tests.web.conftest import bare, blank, folder, http, page

__all__ = ["bare", "blank", "folder", "http", "page", "served"]


@pytest.fixture
def served(folder: Path) -> Iterator[Served]:
    with serving(folder, joining=GAMES) as running:
        yield running
