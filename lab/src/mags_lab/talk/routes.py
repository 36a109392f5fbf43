"""The router's training: turns by what they want, a regression over them, the file it becomes.

Written by hand: `data/routes.txt`, whose head says what the kinds are. From the corpus: turns that
tell, questions, and turns of which it is only known what they may want: these teach by the sum of
the probabilities of what they may be (partial labels, Cour et al. 2011).
Each is learned twice, with its vector and without: other embedders have none that it knows.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import get_args

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_array

from mags.errors import InvalidInput
from mags.models.policy.router import ABOUT, SIGNS, TrainedRouter, opened, rows
from mags.ports.embedder import Embedder
from mags.ports.policy import ASSISTANTS, Intent, IntentKind
from mags_lab.talk.corpus import DATA, AnnotatedTurn, dialogues
from mags_lab.talk.stored import write_arrays

Floats = NDArray[np.float64]
KINDS: tuple[IntentKind, ...] = get_args(IntentKind)
LEAST: dict[str, float] = {
    "tell": 0.5,
    "ask": 0.6,
    "tell and ask": 0.4,
    "correct": 0.55,
    "forget": 0.75,
    "overview": 0.6,
    "small talk": 0.7,
}
"""Chosen on `dev`. From 0.7 on no turn there was taken for a command to forget that was none, from
0.5 on one of 46 for a correction, and what that is of has to be told as well before it is made."""
BY_HAND = 8.0
"""How much a turn that was written for it counts, of one of the corpus."""
RIDGE = {"vector": 0.2, "signs": 3.0}
"""How much large weights cost."""
MOST = {"train": (2600, 1100), "dev": (500, 250), "test": (500, 250)}
"""Turns and questions that are taken from the corpus, by split."""
LONGEST = 400
BATCH = 64
ROUNDS = 200
_KIND = re.compile(r"== (.+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A turn, and what it wants: one kind, or those of which it is one."""

    text: str
    kinds: tuple[IntentKind, ...]
    split: str
    by_hand: bool


def split_of(text: str) -> str:
    """`train`, `dev` or `test` of a line, by its hash: 70, 15 and 15 of a hundred."""
    drawn = _drawn(text)
    return "train" if drawn < 70 else "dev" if drawn < 85 else "test"


def by_hand(path: Path = DATA / "routes.txt") -> Iterator[Example]:
    """The turns that were written for it, each once; raises InvalidInput for an unknown kind."""
    kind: IntentKind | None = None
    seen: set[str] = set()
    known = {str(one): one for one in KINDS}
    for raw in path.read_text(encoding="utf-8").splitlines():
        line = raw.strip()
        head = _KIND.fullmatch(line)
        if head is not None:
            kind = known.get(head[1])
            if kind is None:
                raise InvalidInput(
                    f"{path.name}: {head[1]!r} is none of {', '.join(KINDS)}", kind=head[1]
                )
        elif line and not line.startswith("//") and kind is not None and line not in seen:
            seen.add(line)
            yield Example(text=line, kinds=(kind,), split=split_of(line), by_hand=True)


def of_the_corpus(folder: Path = DATA) -> Iterator[Example]:
    """What people say in the corpus and what is asked of it, part of it without marks."""
    for dialogue in dialogues(folder):
        for turn in dialogue.turns:
            if turn.speaker.casefold() not in ASSISTANTS and len(turn.text) <= LONGEST:
                yield Example(
                    text=_worn(turn.text, " .!"),
                    kinds=_wanted(turn),
                    split=dialogue.split,
                    by_hand=False,
                )
        for asked in dialogue.questions:
            kinds: tuple[IntentKind, ...] = ("ask",)
            if asked.kind == "overview":
                kinds = ("overview", "ask")
            text = _worn(asked.text, " ?")
            yield Example(text=text, kinds=kinds, split=dialogue.split, by_hand=False)


def _wanted(turn: AnnotatedTurn) -> tuple[IntentKind, ...]:
    asks = "?" in turn.text
    if any(ended.why == "corrected" for ended in turn.ends):
        return ("correct", "tell", "tell and ask")
    if turn.facts:
        return ("tell and ask", "tell", "ask") if asks else ("tell",)
    return ("ask", "small talk", "tell and ask") if asks else ("tell", "small talk")


def _worn(text: str, marks: str) -> str:
    """A text as it stands, or without its last mark, or without capitals, or without both."""
    drawn = _drawn(text) % 4
    text = text.rstrip(marks) or text if drawn % 2 else text
    return text.lower() if drawn > 1 else text


def _drawn(text: str) -> int:
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16) % 100


def material(folder: Path = DATA, seed: int = 0) -> list[Example]:
    """All that it is trained and measured on, the same for the same seed."""
    written = list(by_hand(folder / "routes.txt"))
    seen = {one.text for one in written}
    found = [one for one in of_the_corpus(folder) if one.text not in seen]
    Random(seed).shuffle(found)
    taken, count = dict[str, Example](), Counter[tuple[str, bool]]()
    for one in found:
        question = one.kinds[-1] == "ask" and one.kinds[0] in ("ask", "overview")
        if one.text not in taken and count[one.split, question] < MOST[one.split][question]:
            count[one.split, question] += 1
            taken[one.text] = one
    return [*written, *taken.values()]


def embedded(examples: Sequence[Example], embedder: Embedder) -> NDArray[np.float32]:
    """Vectors of examples, (n, d), in their order; of like length together."""
    made = np.zeros((len(examples), embedder.dimension), dtype=np.float32)
    order = sorted(range(len(examples)), key=lambda i: len(examples[i].text))
    for first in range(0, len(order), BATCH):
        batch = order[first : first + BATCH]
        made[batch] = embedder.embed([examples[i].text for i in batch])
    return made


def fit(examples: Sequence[Example], vectors: NDArray[np.float32], reads: str) -> TrainedRouter:
    """The weights with which examples are likeliest; deterministic."""
    shown = _shown(examples)
    n, dimension = vectors.shape
    x = vectors.astype(np.float64)
    may = np.array([[kind in one.kinds for kind in KINDS] for one in examples], dtype=np.float64)
    weight = np.array([BY_HAND if one.by_hand else 1.0 for one in examples])
    weight /= weight.mean() * 2 * n
    begin = np.zeros((dimension + SIGNS + 2) * len(KINDS))
    cost = np.repeat([RIDGE["vector"], RIDGE["signs"], 0.0], [dimension, SIGNS + 1, 1])[:, None] / n
    lacks = np.zeros((SIGNS + 1, 1))
    lacks[SIGNS] = 1.0

    def loss(flat: Floats) -> tuple[float, Floats]:
        """Mean negative log-likelihood with and without the vector, and its gradient."""
        w = flat.reshape(-1, len(KINDS))
        plain = shown @ w[dimension:-1] + w[-1]
        slope = cost * w
        total = float((cost * w * w).sum()) / 2
        for seen in (True, False):
            scores = plain + (x @ w[:dimension] if seen else w[-2])
            scores -= scores.max(axis=1, keepdims=True)
            p = np.exp(scores)
            p /= p.sum(axis=1, keepdims=True)
            right = p * may
            likely = right.sum(axis=1, keepdims=True)
            total -= float(weight @ np.log(likely[:, 0]))
            off = (p - right / likely) * weight[:, None]
            slope[dimension:-1] += shown.T @ off
            slope[-1] += off.sum(axis=0)
            if seen:
                slope[:dimension] += x.T @ off
            else:
                slope[-2] += off.sum(axis=0)
        return total, slope.ravel()

    found = minimize(loss, begin, jac=True, method="L-BFGS-B", options={"maxiter": ROUNDS})
    w = found.x.reshape(-1, len(KINDS)).astype(np.float32)
    return TrainedRouter(
        kinds=KINDS,
        reads=reads,
        vector=w[:dimension],
        signs=w[dimension:-1],
        bias=w[-1],
        least=LEAST,
    )


def _shown(examples: Sequence[Example]) -> csr_array:
    found = [rows(one.text) for one in examples]
    ends = np.cumsum([0, *map(len, found)])
    ones = np.ones(int(ends[-1]))
    return csr_array((ones, np.concatenate(found), ends), shape=(len(examples), SIGNS + 1))


def save(router: TrainedRouter, path: Path) -> None:
    """Write the file that the runtime reads; the same bytes for the same weights."""
    step = float(np.abs(router.signs).max()) / 127
    about = {"kinds": router.kinds, "reads": router.reads, "step": step, "least": router.least}
    write_arrays(
        path,
        {
            "vector": router.vector.astype(np.float16),
            "signs": np.round(router.signs / step).astype(np.int8),
            "bias": router.bias.astype(np.float32),
            ABOUT: np.frombuffer(json.dumps(about, sort_keys=True).encode(), dtype=np.uint8),
        },
    )


def train(
    path: Path, embedder: Embedder, folder: Path = DATA, *, split: str = "dev"
) -> Iterator[str]:
    """Train, write the file, and tell how it does on a split."""
    examples = material(folder)
    used = [one for one in examples if one.split == "train"]
    save(fit(used, embedded(used, embedder), embedder.name), path)
    opened.cache_clear()
    router = opened(path)
    yield f"Wrote {path} ({path.stat().st_size:,} bytes) from {len(used):,} turns."
    held = [one for one in examples if one.split == split]
    vectors = embedded(held, embedder)
    for name, seen in (("with its vector", True), ("by its words alone", False)):
        found = [
            router.intent(one.text, vectors[i] if seen else None) for i, one in enumerate(held)
        ]
        yield f"On {split}, {name}:"
        yield from confusion(held, found)


def confusion(examples: Sequence[Example], found: Sequence[Intent]) -> Iterator[str]:
    """Tables of what turns want and as what they are taken; `unsure` tells, and may ask."""
    pairs = list(zip(examples, found, strict=True))
    count = Counter((one.kinds, _taken(got)) for one, got in pairs if one.by_hand)
    columns = [*KINDS, "unsure"]
    yield f"{'':>14}" + "".join(f"{name:>14}" for name in columns)
    for kind in KINDS:
        yield f"{kind:>14}" + "".join(f"{count[(kind,), name]:>14}" for name in columns)
    for by_hand, told in ((True, "by hand"), (False, "of the corpus")):
        part = [(one, got) for one, got in pairs if one.by_hand is by_hand]
        right = sum(served(one, got) for one, got in part)
        for kind in KINDS:
            taken = [one for one, got in part if got.sure and got.kind == kind]
            if taken:
                hit = sum(kind in one.kinds for one in taken)
                yield f"{told}: taken as {kind} {len(taken)}, of them right {hit / len(taken):.1%}"
        yield f"{told}: {right} of {len(part)} served ({right / len(part):.1%})"


def served(example: Example, found: Intent) -> bool:
    """Whether a turn gets what it wants; where it is unsure that holds of what tells."""
    if found.sure:
        return found.kind in example.kinds
    return "tell" in example.kinds or "tell and ask" in example.kinds


def _taken(found: Intent) -> str:
    return found.kind if found.sure else "unsure"
