"""The router: what a turn wants, by a small trained model over its words and its vector.

Multinomial logistic regression, made by `mags train router`. Shapes: k kinds, d dimensions.
A vector of another embedder than the one it was trained over would tell it nothing: it is trained
to do without, too.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from mags.errors import CorruptFile
from mags.models.embed.onnx import DATA
from mags.ports.policy import ASKING, Intent, IntentKind

Floats = NDArray[np.float32]
SHIPPED = DATA / "router.npz"
ABOUT = "about"
"""The array that holds the description: JSON in UTF-8, as uint8."""
SIGNS = 8192
"""Rows that the names of signs are hashed to; the row after them stands for an absent vector."""
FIRST, LAST, SHAPED = 10, 4, 5
"""Words of the beginning and of the end that are looked at: there a turn says what it wants."""
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?|[^\w\s]")
_END = re.compile(r"[.!?]+(?=\s|$)")
_BREAK = re.compile(r"[.!?,;:]+\s+")
_LONG = (2, 3, 4, 6, 9, 13, 20)
_CLASSES = {
    "wh": "what who whom whose when where why how which whats whos wheres whens hows wat wen wer "
    "what's who's where's when's how's",
    "aux": "is are was were am do does did has have had can could will would should shall may must "
    "isn't aren't wasn't don't doesn't didn't haven't hasn't isnt arent wasnt dont doesnt didnt",
    "i": "i we i'm im i've ive i'd i'll we're we've",
    "you": "you u ya you're youre you've",
    "third": "he she it they he's she's it's its they're that this there that's thats",
    "my": "my our his her their your me us mine",
    "no": "no nope nah not never none wrong",
    "erase": "forget erase delete remove wipe purge clear scrub drop strike",
    "give": "tell give show list remind gimme say find make write help suggest recommend explain",
}
_CLASS = {word: name for name, listed in _CLASSES.items() for word in listed.split()}


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainedRouter:
    """A `Router`. `reads`: the embedder whose vectors it was trained over.

    `vector`: (d, k), `signs`: (SIGNS + 1, k), `bias`: (k,). `least`: by kind, the probability from
    which a turn is sure to want it; below it tells, or may.
    """

    kinds: Sequence[IntentKind]
    reads: str
    vector: Floats
    signs: Floats
    bias: Floats
    least: Mapping[str, float]

    def probabilities(self, text: str, vector: Floats | None) -> dict[IntentKind, float]:
        """How likely a turn is of each kind."""
        shown = rows(text) if vector is not None else [*rows(text), SIGNS]
        scores = self.bias + self.signs[shown].sum(axis=0)
        if vector is not None:
            scores = scores + vector @ self.vector
        raised = np.exp(scores - scores.max())
        return dict(zip(self.kinds, (raised / raised.sum()).tolist(), strict=True))

    def intent(self, text: str, vector: Floats | None) -> Intent:
        """What a turn wants; that it tells, and is not sure to, where nothing is likely enough."""
        likely = self.probabilities(text, vector)
        best = max(likely, key=lambda kind: likely[kind])
        if likely[best] >= self.least[best]:
            return Intent(kind=best, sure=True)
        if sum(likely[kind] for kind in ASKING) >= self.least["ask"]:
            return Intent(kind=max(ASKING[:2], key=lambda kind: likely[kind]), sure=True)
        return Intent()


def signs(text: str) -> Iterator[str]:
    """Names of what a turn shows: words at its ends, their order and classes, marks, length."""
    said = text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").strip()
    words = _WORD.findall(said.casefold())
    first, last = words[:FIRST], words[FIRST:][-LAST:]
    clauses = [clause for clause in _BREAK.split(said.casefold()) if clause]
    behind = _WORD.findall(clauses[-1])[:SHAPED] if len(clauses) > 1 else []
    for place, part in (("^", words[:SHAPED]), ("~", behind)):
        yield from (f"{place}{' '.join(part[:n])}" for n in (1, 2, 3) if n <= len(part))
        shape = [_CLASS.get(word, "x") for word in part]
        yield from (f"{place}<{' '.join(shape[:n])}>" for n in range(1, len(part) + 1))
    yield from (f"{' '.join(words[-n:])}$" for n in (1, 2))
    for part in (first, last):
        yield from part
        yield from (f"{a} {b}" for a, b in pairwise(part))
    yield f"long {sum(len(words) >= n for n in _LONG)}"
    ends = [mark[0][-1] for mark in _END.finditer(said)]
    yield f"sentences {min(len(ends), 3)}, clauses {min(len(clauses), 3)}, asks {'?' in ends}"
    yield f"ends {ends[-1] if ends and said[-1:] in '.!?' else 'open'}"
    yield f"asks before the end {'?' in ends[:-1]}"
    held = {_CLASS.get(word, "") for word in words}
    yield f"i {'i' in held} you {'you' in held}"
    yield f"digits {any(word[0].isdigit() for word in words)}"


def rows(text: str) -> list[int]:
    """The rows of weights that the signs of a text stand for, each once."""
    return sorted({crc32(name.encode("utf-8", "surrogatepass")) % SIGNS for name in signs(text)})


@lru_cache(maxsize=4)
def opened(path: Path = SHIPPED) -> TrainedRouter:
    """Read a file of weights; raises CorruptFile."""
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as arrays:
            about = json.loads(arrays[ABOUT].tobytes())
            step = np.float32(about["step"])
            return TrainedRouter(
                kinds=tuple(about["kinds"]),
                reads=about["reads"],
                vector=arrays["vector"].astype(np.float32),
                signs=arrays["signs"].astype(np.float32) * step,
                bias=arrays["bias"].astype(np.float32),
                least=about["least"],
            )
    except (OSError, ValueError, KeyError) as failure:
        raise CorruptFile(
            f"cannot read the router {path} ({failure}): reinstall mags, or train it anew: "
            "mags train router",
            path=path,
        ) from failure
