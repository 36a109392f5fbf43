"""Tasks as batches of arrays: the layouts of many tasks one after another, as if they were one."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from multiprocessing import get_context
from multiprocessing.pool import AsyncResult
from random import Random

import numpy as np
from numpy.typing import NDArray

from mags_lab.games.reader.layout import ACTION, LINE, QUESTION, ReaderLayout, laid_out
from mags_lab.games.reader.network import table_of
from mags_lab.games.reader.words import shipped_vectors
from mags_lab.training.reader.book import TRAIN
from mags_lab.training.reader.tasks import TRAINED, Task, bare, drawn_kind, task
from mags_lab.training.reader.untold import declining

_AHEAD = 8
"""Batches a process may be ahead: drawing takes no more of a processor than training uses."""
_BARE = 0.01
_DECLINING = 0.12
"""How often an action declines where another is right."""
_UNDECLINED = frozenset({"left over", "untold", "told"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """`vectors` float16 (w, 384) of distinct words, `ids` (n,) into them; `pieces` (p, longest):
    places of tokens, n where there is none; `piece` (n,); `asked` (n,): the first token of each
    token's question; `acts` (a,): first tokens of actions, `task` (a,) which task each is of,
    `right` (a,): the share of right it has; `told` (l,): first tokens of lines, `needed` (l,).
    The rest as in `ReaderLayout`.
    """

    vectors: NDArray[np.float16]
    ids: NDArray[np.int64]
    features: NDArray[np.float32]
    place: NDArray[np.int64]
    piece: NDArray[np.int64]
    pieces: NDArray[np.int64]
    asked: NDArray[np.int64]
    left: NDArray[np.int64]
    right_: NDArray[np.int64]
    tie: NDArray[np.int64]
    shared: NDArray[np.int64]
    like: NDArray[np.float32]
    acts: NDArray[np.int64]
    task: NDArray[np.int64]
    right: NDArray[np.float32]
    told: NDArray[np.int64]
    needed: NDArray[np.float32]


def batch_of(tasks: Sequence[Task]) -> Batch:
    """The tasks as one batch."""
    vectors = shipped_vectors()
    made = [(one, *laid_out(one.lines, one.question, one.actions, vectors)) for one in tasks]
    parts: dict[str, list[NDArray[np.generic]]] = {name: [] for name in Batch.__slots__}
    words: dict[str, int] = {}
    found: list[NDArray[np.float32]] = []
    tokens = pieces = 0
    for place, (one, layout, table) in enumerate(made):
        known = []
        for row, word in enumerate(layout.words):
            if word not in words:
                words[word] = len(words)
                found.append(table[row])
            known.append(words[word])
        _add(parts, one, layout, np.array(known), (tokens, pieces, place))
        tokens, pieces = tokens + len(layout.ids), pieces + len(layout.starts)
    joined = {name: np.concatenate(some) for name, some in parts.items() if some}
    joined["vectors"] = np.stack(found).astype(np.float16)
    joined["pieces"] = table_of(joined["piece"], joined["place"], pieces)
    return Batch(**joined)


def _add(
    parts: dict[str, list[NDArray[np.generic]]],
    one: Task,
    layout: ReaderLayout,
    known: NDArray[np.int64],
    base: tuple[int, int, int],
) -> None:
    tokens, pieces, place = base
    lines, acts = layout.kind == LINE, layout.kind == ACTION
    right = np.array([float(action in one.right) for action in one.actions], dtype=np.float32)
    order = _read_order(one, layout)
    new = {
        "ids": known[layout.ids],
        "features": layout.features,
        "place": layout.place,
        "piece": layout.piece + pieces,
        "asked": np.full(len(layout.ids), tokens + layout.starts[layout.kind == QUESTION][0]),
        "left": layout.left + tokens,
        "right_": layout.right + tokens,
        "tie": layout.tie,
        "shared": layout.shared,
        "like": layout.like,
        "acts": layout.starts[acts] + tokens,
        "task": np.full(int(acts.sum()), place),
        "right": right / right.sum(),
        "told": layout.starts[lines] + tokens,
        "needed": order[lines],
    }
    for name, values in new.items():
        parts[name].append(values)


def _read_order(one: Task, layout: ReaderLayout) -> NDArray[np.float32]:
    """Whether each piece is of a line that decides."""
    needed = np.zeros(len(one.lines) + 1, dtype=np.float32)
    needed[list(one.needed)] = 1.0
    return needed[layout.line]


def drawn(seed: int, *, tokens: int, most: int) -> Batch:
    """A batch of training of about so many tokens; its tasks have up to `most` lines too many."""
    rng = Random(seed)
    extra = rng.choice((0, 1, 2, 3, 4, 6, 8, 10, 14, 20, most))
    some: list[Task] = []
    size = 0
    while size < tokens:
        one = task(rng, TRAIN, extra=min(extra, most), kind=drawn_kind(rng, TRAINED))
        some.append(_mixed(one, rng))
        size += 12 * len(some[-1].lines) + 12 + 4 * len(one.actions)
    return batch_of(some)


def _mixed(one: Task, rng: Random) -> Task:
    """The task, now and then without lines or with an action that declines in vain."""
    if rng.random() < _BARE:
        return bare(one)
    if rng.random() > _DECLINING or len(one.right) > 1 or one.kind in _UNDECLINED:
        return one
    actions = [*one.actions, declining(rng, TRAIN)]
    rng.shuffle(actions)
    return replace(one, actions=tuple(actions))


@dataclass(frozen=True, slots=True)
class _Draw:
    tokens: int

    def __call__(self, given: tuple[int, int]) -> Batch:
        seed, most = given
        return drawn(seed, tokens=self.tokens, most=most)


def stream(seed: int, count: int, *, tokens: int, easy: int, workers: int) -> Iterator[Batch]:
    """`count` batches, the same for a seed; made by `workers` processes beside, or here for 0.

    The first `easy` have few lines too many, the rest up to thirty.
    """
    first = seed * 1_000_003
    given = [(first + place, 4 if place < easy else 30) for place in range(count)]
    draw = _Draw(tokens)
    if not workers:
        yield from map(draw, given)
        return
    with get_context("spawn").Pool(workers) as pool:
        ahead: deque[AsyncResult[Batch]] = deque()
        for one in given:
            ahead.append(pool.apply_async(draw, (one,)))
            if len(ahead) > _AHEAD * workers:
                yield ahead.popleft().get()
        while ahead:
            yield ahead.popleft().get()
