"""What a server works with, and the one part of it that may change while it runs: the model."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fastapi import FastAPI

from mags.errors import ConfigurationError, InvalidInput
from mags.models.prompts import Prompt
from mags.ports.embedder import Embedder
from mags.server.halls import Open
from mags.server.model import ModelChoice, read_choice, write_choice
from mags.server.proxy.upstream import Upstream
from mags.server.turnstile import Turnstile

Leave = Callable[[], None]
"""Puts away what a server's guest holds, when the server stops."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """What a service works with. `open_memory`: from a path and a branch to a memory.

    `embedder`: of `/v1/embeddings`, as the memories have it; `remembered`: the prompt that frames
    what is recalled for the proxy's model; `upstream`: that model, None where there is none;
    `model`: the same as it is shown. `with_model`: the same outside with another model (raises
    ConfigurationError); None where the model cannot be changed. `joining`: what adds routes of its
    own to the app, by its name. `turnstile`: where recalls take seats, None where they wait for
    others more than they work.
    """

    open_memory: Open
    embedder: Callable[[], Embedder]
    remembered: Prompt
    upstream: Upstream | None = None
    model: ModelChoice = field(default_factory=ModelChoice)
    with_model: Callable[[ModelChoice], Outside] | None = None
    joining: Mapping[str, Join] = field(default_factory=dict)
    turnstile: Turnstile | None = None


Join = Callable[[FastAPI, Outside], Leave]
"""Adds routes to an app that works with this outside."""


class Choosing:
    """The outside as it is now. Safe to use from several threads."""

    def __init__(self, folder: Path, outside: Outside, changed: Callable[[Outside], None]) -> None:
        """Begins with what was chosen for `folder` before; `changed` hears of each change after.

        Raises CorruptFile, ConfigurationError.
        """
        self._folder, self._changed = folder, changed
        self._configured = outside
        self._lock = threading.Lock()
        kept = None if outside.with_model is None else read_choice(folder)
        self.outside = outside if kept is None else self._with(kept)

    @property
    def model(self) -> ModelChoice:
        """The model that answers now."""
        return self.outside.model

    def choose(self, url: str, model: str, key: str | None) -> ModelChoice:
        """Take another model, also for the next start; raises InvalidInput, StoreError."""
        with self._lock:
            choice = self.model.following(url, model, key)
            try:
                made = self._with(choice)
            except ConfigurationError as failure:  # such as a policy that needs a model
                raise InvalidInput(str(failure)) from failure
            write_choice(self._folder, choice)
            return self._take(made)

    def restore(self) -> ModelChoice:
        """Go back to what is configured; raises StoreError."""
        with self._lock:
            write_choice(self._folder, None)
            return self._take(self._configured)

    def _with(self, choice: ModelChoice) -> Outside:
        if self._configured.with_model is None:
            raise ConfigurationError("this server was started with a model that cannot be changed")
        return self._configured.with_model(choice)

    def _take(self, made: Outside) -> ModelChoice:
        self.outside = made
        self._changed(made)
        return made.model
