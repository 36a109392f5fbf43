"""Closings on Letta's core-memory-update, turn by turn through the rules and the engram.

    python scripts/measure_conflict.py [--data ../shared/data] [--half test] [--frames]
        [--specific N] [--show N]

Each case is told to a memory of its own: ten facts, then the update. A sentence counts as
closed when a fact or note that came from it is. `--frames` tells pairs of sentences that are
both true instead, and counts how many of the first are closed.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from mags.engram.engram import Engram  # noqa: E402
from mags.engram.settings import ConflictSettings, EngramSettings  # noqa: E402
from mags.engram.view import WriteMoment  # noqa: E402
from mags.graph.delta import Draft  # noqa: E402
from mags.graph.records import (  # noqa: E402
    NEVER,
    ArcKind,
    Content,
    NodeKind,
)
from mags.index.state import Ids, State  # noqa: E402
from mags.models.embed.onnx import OnnxEmbedder  # noqa: E402
from mags.models.policy.rules import RulePolicy  # noqa: E402
from mags.ports.policy import Turn  # noqa: E402
from mags_lab.evaluation.datasets.editing import load_letta  # noqa: E402
from mags_lab.evaluation.protocol import split  # noqa: E402
from scripts.conflict_pairs import ADDITIONS, HELD_OUT, TRAIN, fillings  # noqa: E402

Vectors = dict[str, NDArray[np.float32]]


class Listener:
    """A memory in RAM that is told sentences: engram and index, no store."""

    def __init__(self, embedder: OnnxEmbedder, known: Vectors, specific: int) -> None:
        """`known`: vectors shared between listeners; `specific`: of `ConflictSettings`."""
        self._embedder, self._known, self._policy = embedder, known, RulePolicy()
        self._contents: dict[int, Content] = {}
        self._next = 1
        self._ids = Ids(self._reserve)
        self.state = State(
            dimension=embedder.dimension,
            secret=bytes(16),
            fetch=lambda ids: [self._contents[i] for i in ids],
            fetch_whole=lambda ids: [c for c in self._contents.values() if c.node in set(ids)],
        )
        self.engram = Engram(EngramSettings(conflict=ConflictSettings(specific=specific)))
        self.episodes: list[int] = []
        self.recent: list[Turn] = []

    def _reserve(self, count: int) -> int:
        self._next += count
        return self._next - count

    def hear(self, text: str, *, speaker: str = "user", session: str = "s") -> None:
        """One turn."""
        at = 1.7e9 + 60 * len(self.episodes)
        turn = Turn(text=text, speaker=speaker, session=session, at=at)
        writing = self._policy.write(turn, self.recent[-6:], ())
        texts = self.engram.texts(self.state, turn, writing)
        fresh = [t for t in texts if t not in self._known]
        if fresh:
            self._known.update(zip(fresh, self._embedder.embed(fresh), strict=True))
        draft = Draft(self.state.graph)
        moment = WriteMoment(
            ids=self._ids,
            now_s=at,
            tick=len(self.episodes) + 1,
            vectors={t: self._known[t] for t in texts},  # type: ignore[misc]
            previous=self.episodes[-1] if self.episodes else None,
        )
        done = self.engram.inscribe(draft, self.state, turn, writing, moment)
        delta = draft.delta("observe", tick_after=moment.tick)
        self._contents.update((c.id, c) for c in delta.contents)
        self.state.apply(delta)
        assert done.episode is not None
        self.episodes.append(done.episode)
        self.recent.append(turn)

    def held(self, number: int) -> tuple[int, int]:
        """(facts and notes of a sentence, how many of them are closed)."""
        graph = self.state.graph
        from_it = graph.origins(self.episodes[number], ArcKind.SOURCE)
        ends = [float(graph.node(i)["valid_to"][0]) for i in from_it]
        return len(ends), sum(end < NEVER for end in ends)

    def closings(self) -> list[tuple[str, str]]:
        """(closed, by) texts of what was closed."""
        graph, out = self.state.graph, []
        for fact in graph.ids(NodeKind.FACT, NodeKind.NOTE):
            if float(graph.node(int(fact))["valid_to"][0]) < NEVER:
                by = graph.origins(int(fact), ArcKind.SUPERSEDES)
                heir = self.state.content(by[0]).text if by else ""
                out.append((self.state.content(int(fact)).text, heir))
        return out


def main() -> None:
    """Tell and count."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = os.environ.get("MAGS_DATA", str(ROOT.parent / "shared" / "data"))
    parser.add_argument("--data", type=Path, default=Path(default))
    parser.add_argument("--half", choices=("dev", "test"), default="test")
    parser.add_argument("--frames", action="store_true")
    parser.add_argument("--specific", type=int, default=ConflictSettings().specific)
    parser.add_argument("--show", type=int, default=0)
    given = parser.parse_args()
    embedder, known = OnnxEmbedder(), {}
    if given.frames:
        frames(embedder, known, given)
    else:
        letta(embedder, known, given)


def frames(embedder: OnnxEmbedder, known: Vectors, given: argparse.Namespace) -> None:
    """How many of the pairs that are true together lose their first sentence."""
    parts: dict[str, Sequence[tuple[str, str]]] = {
        "trained": list(fillings(TRAIN)),
        "held out": list(fillings(HELD_OUT)),
        "additions": ADDITIONS,
    }
    for name, pairs in parts.items():
        closed = []
        for old, new in pairs:
            listener = Listener(embedder, known, given.specific)
            listener.hear(old)
            listener.hear(new)
            if listener.held(0)[1]:
                closed.append((old, new))
        print(f"{name:10s} {len(closed)} of {len(pairs)} closed ({len(closed) / len(pairs):.4f})")
        for old, new in closed[: given.show]:
            print(f"    {old}  <-  {new}")


def letta(embedder: OnnxEmbedder, known: Vectors, given: argparse.Namespace) -> None:
    """Closed, wrongly closed and why not, over the cases of a half."""
    cases = load_letta(given.data / "letta_core_memory" / "core_memory_update.jsonl.gz")
    count: Counter[str] = Counter()
    for case in (c for c in cases if split(c.id) == given.half):
        listener = Listener(embedder, known, given.specific)
        for sentence in (*case.facts, case.update):
            listener.hear(sentence)
        facts_of_update, _ = listener.held(len(case.facts))
        for number, sentence in enumerate(case.facts):
            held, closed = listener.held(number)
            due = number in case.contradicted
            count["due" if due else "other"] += 1
            count[f"{'due' if due else 'other'} closed"] += closed > 0
            count[f"{'due' if due else 'other'} all closed"] += 0 < closed == held
            if due and not closed:
                why = "old not read" if not held else "new not read" if not facts_of_update else ""
                count[f"missed: {why or 'read, not seen as a conflict'}"] += 1
            if due != (closed > 0) and given.show > count["shown"]:
                count["shown"] += 1
                print("MISSED" if due else "WRONG", "|", sentence, "|", case.update)
    due, other = count["due"], count["other"]
    print(
        f"due {due}: closed {count['due closed'] / due:.3f}, "
        f"all that came from it {count['due all closed'] / due:.3f}"
    )
    print(f"other {other}: wrongly closed {count['other closed'] / other:.4f}")
    for name in sorted(n for n in count if n.startswith("missed")):
        print(f"  {name}: {count[name]} ({count[name] / due:.3f})")


if __name__ == "__main__":
    main()
