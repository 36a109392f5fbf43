"""One Llama in miniature, taught and merged once for all tests of this folder."""

from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def taught(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The whole road of `lab.tests.training.large.road`, gone by a Llama."""
    for library in ("torch", "peft", "trl"):
        pytest.importorskip(library, reason="needs the extra: pip install './lab[train]'")
    road = pytest.importorskip("lab.tests.training.large.road")
    return road.walk("llama", Path(tmp_path_factory.mktemp("llama")), epochs=10, educated=60)
