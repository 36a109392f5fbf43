"""Kernels compiled when a server starts, so that the first who asks does not wait for them."""

from __future__ import annotations

import threading
from functools import cache

from mags.app import open
from mags.models.embed.hashing import HashEmbedder
from mags.settings import Settings

PEOPLE = 24
"""More than are compared one by one: the search by vectors has kernels of its own for many."""
ASKED = "Where does Person3 live?"


class Warming:
    """A thread that does once what compiles the kernels; `done` when it has ended."""

    def __init__(self) -> None:
        """`begin` starts it."""
        self.done = threading.Event()
        self._thread = threading.Thread(target=self._run, name="warming")

    def begin(self) -> None:
        """Start; where this process has compiled before, there is nothing to do."""
        self._thread.start()

    def close(self) -> None:
        """Wait until it has ended: a process that ends while it compiles may crash."""
        if self._thread.ident is not None:
            self._thread.join()

    def _run(self) -> None:
        try:
            warm()
        finally:  # what fails here is told by the thread, and again to who asks
            self.done.set()


@cache
def warm() -> None:
    """Use a small memory in RAM as requests do; half a second where kernels are kept.

    The embedder loads no weights: kernels do not depend on it. Settings of nobody name no model.
    """
    with open(None, settings=Settings(), embedder=HashEmbedder()) as memory:
        memory.observe_many(f"Person{n} lives in Town{n}." for n in range(PEOPLE))
        memory.converse("I am Person3 and I moved to Town90.")
        memory.ask(ASKED)
        memory.connect("Person3", "Town3")
        memory.sleep()
