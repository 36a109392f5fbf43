"""A memory on small parts: the hashing embedder and the rules, a clock that tests set."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

import mags
from mags.memory.memory import Memory
from mags.models.embed.hashing import HashEmbedder
from mags.settings import PolicySettings, Settings


@dataclass
class Clock:
    now_s: float = 1_722_500_000.0

    def __call__(self) -> float:
        self.now_s += 1.0
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def opened(clock: Clock, tmp_path: Path) -> Iterator[Callable[..., Memory]]:
    """Open memories that are closed at the end of the test, before its folder goes."""
    held: list[Memory] = []

    def make(path: Path | None = None, **given: object) -> Memory:
        given.setdefault("embedder", HashEmbedder(64))
        settings = given.pop("settings", None) or Settings()
        if settings.policy == PolicySettings():
            settings = replace(settings, policy=PolicySettings(kind="rules"))
        memory = mags.open(path, clock=clock, settings=settings, **given)
        held.append(memory)
        return memory

    yield make
    for memory in held:
        memory.close()


@pytest.fixture(params=["ram", "file"])
def memory(request: pytest.FixtureRequest, opened: Callable[..., Memory], tmp_path: Path) -> Memory:
    return opened(None if request.param == "ram" else tmp_path / "alice.mags")
