"""Names for nodes that do not hang on ids or words: by the turn that made them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache

import mags
from mags.app import make_policy
from mags.graph.records import NodeKind
from mags.memory.memory import Memory
from mags.memory.views import Seen
from mags.ports.policy import Policy
from mags.settings import Settings

LETTERS: Mapping[int, str] = {
    NodeKind.ENTITY: "e",
    NodeKind.FACT: "f",
    NodeKind.NOTE: "n",
    NodeKind.THEME: "t",
}


@cache
def shipped() -> Policy:
    """The policy that is used without a language model, one for the process."""
    return make_policy(Settings(), None)


def empty(now_s: float, policy: Policy | None = None) -> Memory:
    """A memory in RAM with the shipped settings, whose clock stands still."""
    clock: Callable[[], float] = lambda: now_s  # noqa: E731 - what it is called is its type
    return mags.open(None, settings=Settings(), policy=policy or shipped(), clock=clock)


class Labels:
    """Labels by node id: `7` the episode of turn 7, `7.f1` the first fact that it made."""

    def __init__(self) -> None:
        self._of = {0: "-"}

    def learn(self, name: int, seen: Seen) -> None:
        """Name what a turn made."""
        count: Counter[str] = Counter()
        for node in seen.delta.nodes.created():
            letter = LETTERS.get(int(node["kind"]), "")
            count[letter] += 1
            self._of[int(node["id"])] = f"{name}.{letter}{count[letter]}" if letter else str(name)

    def learn_rest(self, memory: Memory) -> None:
        """Name what no turn made: themes of its sleeps, `t1` the first."""
        rest = sorted(set(memory.to_networkx()) - set(self._of))
        self._of |= {node: f"t{place}" for place, node in enumerate(rest, 1)}

    def __getitem__(self, node_id: int) -> str:
        """The label of a node."""
        return self._of[int(node_id)]
