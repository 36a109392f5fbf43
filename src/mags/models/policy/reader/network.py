"""The reader: the last turns and this one as one text, its words as rows, and heads over them.

The encoder reads `you: ...` and `I: ...` a line each, so that no name of a speaker costs tokens.
Rows are words: the mean of their pieces' states, with marks of writing that an uncased encoder
cannot see. Two rows before the words stand for the speaker and for who was spoken to. A long turn
is laid out in parts, each after the end of the part before.

The heads are in numpy: what the laboratory trains, for one text at a time. Shapes: n rows, h width.
Weights are float32 by the names of the trained modules.
"""

from __future__ import annotations

import io
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from mags.models.cores import product
from mags.models.embed.onnx import DATA, TokenStates, checked_bytes
from mags.models.embed.onnx import SHIPPED as ENCODER
from mags.ports.policy import Turn

WORD = re.compile(r"[^\W_]+|[^\w\s]|_", re.UNICODE)
SPEAKER, ADDRESSEE = 0, 1
SPECIAL = 2
"""Rows before the first word."""
RECENT = 3
TURN, OPENS = 3, 6
"""Marks of words of the turn itself, and of those that open a sentence."""
LONGEST = 160
"""Characters that are shown of a turn said before."""
SHOWN = 600
"""Characters of a turn that are shown beside what is held."""
MARKS = 18
"""Width of the marks of writing."""
PART = 80
"""Words of a turn that are read at once; the encoder's window holds them after two turns before."""
MOST = 600
"""Words of a turn up to which it is talk; longer ones are documents, of which nothing is read."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A word of the laid-out text: its characters, and whose line it stands in.

    `turn`: it is of the turn to decide on. `own`: the line is the speaker's. `opens`: it begins
    a sentence.
    """

    text: str
    start: int
    end: int
    turn: bool
    own: bool
    opens: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """A text to encode and its words. `offset`: where the turn begins in it."""

    text: str
    words: tuple[Word, ...]
    offset: int
    speaker: str
    addressee: str

    @property
    def rows(self) -> int:
        """Rows that the heads see."""
        return SPECIAL + len(self.words)

    def span(self, first: int, last: int) -> str:
        """The characters from row `first` to row `last`, both words."""
        return self.text[self.words[first - SPECIAL].start : self.words[last - SPECIAL].end]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRows:
    """Where a remembered turn stands in a passage.

    Rows: `opens` is its speaker's first word, `first` its own first one, `end` behind its last.
    `shift`: where its text begins, in characters.
    """

    opens: int
    first: int
    end: int
    shift: int


def parts(turn: Turn, recent: Sequence[Turn] = ()) -> list[Layout]:
    """The layouts of a turn, one after another; none of what is too long for talk.

    `recent`: what was said before, oldest first.
    """
    if len(WORD.findall(turn.text)) > MOST:
        return []
    found, before, some, size = list[Layout](), list(recent), "", 0
    for sentence in _SENTENCE.split(turn.text):
        words = len(WORD.findall(sentence))
        if some and size + words > PART:
            one = replace(turn, text=some)
            found.append(laid_out(one, before))
            before, some, size = [*before, replace(turn, text=some[-LONGEST:])], "", 0
        some, size = f"{some} {sentence}".strip(), size + words
    return [*found, laid_out(replace(turn, text=some), before)] if some else found


def laid_out(turn: Turn, recent: Sequence[Turn] = ()) -> Layout:
    """The layout of a turn after what was said before (oldest first)."""
    lines = [one for one in recent[-RECENT:] if one.text.strip()]
    text, words = "", list[Word]()
    for one in lines:
        own = one.speaker == turn.speaker
        text += "I: " if own else "you: "
        words += _words(one.text[:LONGEST], len(text), turn=False, own=own)
        text += one.text[:LONGEST] + "\n"
    text += "I: "
    words += _words(turn.text, len(text), turn=True, own=True)
    others = [one.speaker for one in recent if one.speaker != turn.speaker]
    return Layout(
        text=text + turn.text,
        words=tuple(words),
        offset=len(text),
        speaker=turn.speaker,
        addressee=others[-1] if others else "",
    )


def ended_layout(turn: Turn, recent: Sequence[Turn], held: str) -> Layout:
    """The layout of a turn beside something that is held, in the line before it."""
    before = Turn(text=held[:LONGEST], speaker="")
    lines = recent[-1:] if recent else ()
    return laid_out(replace(turn, text=turn.text[:SHOWN]), [*lines, before])


def passage(question: Turn, said: Sequence[Turn]) -> tuple[Layout, tuple[TurnRows, ...]]:
    """The layout of a question before remembered turns, in the order in which they were said.

    So a later word stands behind an earlier one. The lines are in the order of `said`.
    """
    asked = f"{question.speaker}: {question.text}" if question.speaker else question.text
    text = "you: "
    words = _words(asked, len(text), turn=False, own=False)
    text += asked
    lines: dict[int, TurnRows] = {}
    for place in sorted(range(len(said)), key=lambda n: (said[n].at, n)):
        one = said[place]
        head = f"{one.speaker}: "
        start = len(text) + 1
        own = one.speaker == question.speaker
        told = _words(head + one.text, start, turn=True, own=own)
        opens = SPECIAL + len(words)
        lines[place] = TurnRows(
            opens=opens,
            first=opens + len(WORD.findall(head)),
            end=opens + len(told),
            shift=start + len(head),
        )
        words += told
        text += f"\n{head}{one.text}"
    whole = Layout(text=text, words=tuple(words), offset=0, speaker=question.speaker, addressee="")
    return whole, tuple(lines[place] for place in range(len(said)))


def _words(text: str, offset: int, *, turn: bool, own: bool) -> list[Word]:
    found = []
    last, end = "", 0
    for match in WORD.finditer(text):
        opens = not last or last in ".!?:(" or "\n" in text[end : match.start()]
        found.append(
            Word(
                text=match[0],
                start=offset + match.start(),
                end=offset + match.end(),
                turn=turn,
                own=own,
                opens=opens,
            )
        )
        last, end = match[0], match.end()
    return found


def rows(layout: Layout, states: TokenStates) -> NDArray[np.float32]:
    """States of the rows, (rows, width): the first token's for the two that are no words."""
    starts, ends = states.spans[:, 0], states.spans[:, 1]
    real = np.flatnonzero(ends > starts)
    begins = np.array([word.start for word in layout.words], dtype=np.int64)
    found = np.zeros((layout.rows, states.states.shape[1]), dtype=np.float32)
    found[:SPECIAL] = states.states[0]
    if not len(begins):
        return found
    owner = np.searchsorted(begins, starts[real], side="right") - 1
    ends_of = np.array([word.end for word in layout.words], dtype=np.int64)
    kept = (owner >= 0) & (starts[real] < ends_of[np.maximum(owner, 0)])
    owned = owner[kept]
    if len(owned):  # pieces stand in order, so those of a word are neighbours
        firsts = np.flatnonzero(np.diff(owned, prepend=-1))
        sums = np.add.reduceat(states.states[real[kept]], firsts, axis=0)
        counts = np.diff(firsts, append=len(owned))
        found[owned[firsts] + SPECIAL] = sums / counts[:, None].astype(np.float32)
    return found


def marks(layout: Layout) -> NDArray[np.float32]:
    """Marks of writing and place, (rows, MARKS), each 0 or 1."""
    names = frozenset(layout.speaker.casefold().split())
    others = frozenset(layout.addressee.casefold().split())
    found = np.zeros((layout.rows, MARKS), dtype=np.float32)
    found[SPEAKER, 0] = found[ADDRESSEE, 1] = 1.0
    found[ADDRESSEE, 2] = bool(layout.addressee)
    before = ""
    for row, word in enumerate(layout.words, start=SPECIAL):
        text = word.text
        low = text.casefold()
        capital = text[0].isupper()
        found[row, 3:] = (
            word.turn,
            not word.turn and word.own,
            not word.turn and not word.own,
            word.opens,
            capital,
            capital and not word.opens,
            len(text) > 1 and text.isupper(),
            text[0].islower(),
            any(c.isdigit() for c in text),
            not text[0].isalnum(),
            low in names,
            low in others,
            before == "my",
            len(text) > 5,
            capital and before[:1].isupper(),
        )
        before = text if capital else low
    return found


# -- the heads --------------------------------------------------------------------

Floats = NDArray[np.float32]
Weights = NDArray[np.float64]
ABOUT = "about"
"""The array that holds the description: JSON in UTF-8, as uint8."""
TUNED = "encoder/"
"""What the name of an array begins with that is a constant of the encoder's graph."""
STATES = (3, 5)
"""Layers of the encoder, counted from 0, whose states the heads read."""
READS = replace(ENCODER, states=tuple(f"encoder.layer.{n}.output.LayerNorm" for n in STATES))
NEAR = 12
"""Words up to which distances are told apart."""
POINTS = 4
"""First and last row of the subject, first and last of the verb."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanScores:
    """What a span is: log-probabilities by head, and `must`, a probability. `points`: (4, n)."""

    kind: Floats
    polarity: Floats
    modality: Floats
    act: Floats
    relation: Floats
    points: Floats
    must: float


class Network:
    """The heads over the encoder's states. `attention`: how many heads the block has."""

    def __init__(self, weights: Mapping[str, Floats], *, attention: int) -> None:
        self.weights = weights
        self._attention = attention
        self._width = weights["norm.weight"].shape[0]

    def trunk(self, states: Floats, marks: Floats) -> Floats:
        """States (n, layers x dimension) and marks (n, m) to (n, h)."""
        rows = len(states)
        normed = standard(states.reshape(rows * len(STATES), -1)).reshape(rows, -1)
        x = self._linear("into", np.concatenate((normed, marks), axis=1))
        size = self._width // self._attention
        mixed = self._linear("mix", self._norm("norm1", x))
        heard = np.empty_like(x)
        for head, near in enumerate(self._nearness(rows)):
            own = slice(head * size, (head + 1) * size)
            q, k, v = (part[:, own] for part in np.split(mixed, 3, axis=1))
            scores = product(q, k) / np.float32(math.sqrt(size)) + near
            heard[:, own] = product(softmax(scores), v.T)
        x = x + self._linear("out", heard)
        x = x + self._linear("down", gelu(self._linear("up", self._norm("norm2", x))))
        return self._norm("norm", x)

    def pooled(self, x: Floats) -> Floats:
        """What a text is as a whole, for `worth` and for `ends`: (2, h)."""
        made: Floats = softmax(self.weights["pools"] @ x.T) @ x
        return made

    def tags(self, x: Floats) -> Floats:
        """Probabilities of rows to be outside, first and further words of an object, (n, 3)."""
        return softmax(self._linear("tag", x))

    def worth(self, pooled: Floats) -> tuple[float, float, float]:
        """How likely a text tells anything, ends anything, and tells anything that lasts."""
        tells, over, lasts = _sigmoid(self._linear("worth", pooled[0])).tolist()
        return tells, over, lasts

    def ends(self, pooled: Floats) -> float:
        """How likely a turn ends what is held."""
        return float(_sigmoid(self._linear("ends", pooled[1]))[0])

    def answers(self, x: Floats, may: NDArray[np.bool_]) -> Floats:
        """Log-probabilities of rows as first and last word of an answer, (2, n); row 0: none.

        `may` (n,): the rows that can be.
        """
        return log_softmax(np.where(may, self._linear("answer", x).T, np.float32(-1e4)))

    def shown(self, x: Floats) -> list[float]:
        """How likely the turn whose speaker's row each is shows what a question asks."""
        found: list[float] = _sigmoid(self._linear("shown", x))[:, 0].tolist()
        return found

    def says(self, x: Floats) -> list[float]:
        """How likely the turn whose speaker's row each is answers yes, where it is yes or no."""
        found: list[float] = _sigmoid(self._linear("says", x))[:, 0].tolist()
        return found

    def spans(
        self, x: Floats, pooled: Floats, marks: Floats, which: Sequence[tuple[int, int]]
    ) -> list[SpanScores]:
        """What the spans are, each from a first to a last row."""
        joined = np.array(
            [
                np.concatenate((x[first], x[last], x[first : last + 1].mean(axis=0), pooled[0]))
                for first, last in which
            ]
        )
        found = gelu(self._linear("span", joined))
        asked = self._linear("points", found).reshape(-1, POINTS, self._width)
        # Spans are few and rows many, so that the weights of the keys go to the spans. Their bias
        # adds the same to every row, which is nothing to log-probabilities.
        keys = self.weights["keys.weight"].reshape(POINTS, self._width, self._width)
        wanted = np.stack([product(asked[:, n], keys[n].T) for n in range(POINTS)], axis=1)
        scores = product(wanted.reshape(-1, self._width), x).reshape(*asked.shape[:2], -1)
        scores /= np.float32(math.sqrt(self._width))
        elsewhere = marks[:, TURN] == 0
        elsewhere[0] = False
        for place, (first, last) in enumerate(which):
            apart = distances(np.arange(SPECIAL, len(x)) - first)
            scores[place, :, SPECIAL:] += self.weights["away"][:, apart]
            scores[place, 2:, elsewhere] = -1e4
            scores[place, :2, first : last + 1] = -1e4
        points, must = log_softmax(scores), _sigmoid(self._linear("must", found))[:, 0]
        heads = {
            name: log_softmax(self._linear(name, found))
            for name in ("kind", "polarity", "modality", "act", "relation")
        }
        return [
            SpanScores(
                points=points[place],
                must=float(must[place]),
                **{name: told[place] for name, told in heads.items()},
            )
            for place in range(len(which))
        ]

    def _linear(self, name: str, x: Floats) -> Floats:
        made: Floats = product(x, self.weights[f"{name}.weight"]) + self.weights[f"{name}.bias"]
        return made

    def _nearness(self, rows: int) -> Iterator[Floats]:
        """What each head adds to how much a row hears of another: (rows, rows)."""
        for line in self.weights["near"][:, distances(np.arange(1 - rows, rows))]:
            yield sliding_window_view(line, rows)[::-1]

    def _norm(self, name: str, x: Floats) -> Floats:
        made: Floats = standard(x) * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]
        return made


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderFile:
    """A file of weights and its checksum; "" for one just trained, which nothing pins."""

    path: Path
    sha256: str = ""


SHIPPED = ReaderFile(
    path=DATA / "talk-reader.npz",
    sha256="6196104439473673a2e6dfc563f76ae7cf188ed08d37a4e0305fd850582825a8",
)
ANSWERING = ReaderFile(
    path=DATA / "answer-reader.npz",
    sha256="7b50d32e28a9a1572a997a47a2f41891d941e290b046fd4ba39731adf29a70c2",
)
"""What reads passages for the shipped reader: of these weights fewer endings are right."""
WHETHER = ReaderFile(
    path=DATA / "whether-reader.npz",
    sha256="6a550a6a7c6a73c50899bbfaa30297310217981d8c535de18fd78a3b7f7ecde6",
)
"""What reads them where yes or no is asked: of these weights fewer values are right."""


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """From features of what was read to the probability that it is right.

    A logistic model, with a layer of rectified units beside it where such were fitted: `units` are
    the weights of a feature to each of them, `shift` their biases, `out` what each of them weighs.
    """

    weights: Mapping[str, float]
    bias: float = 0.0
    units: Mapping[str, Sequence[float]] = field(default_factory=dict)
    shift: Sequence[float] = ()
    out: Sequence[float] = ()

    def probability(self, features: Mapping[str, float]) -> float:
        """In [0, 1]; a feature without a weight counts nothing."""
        total = self.bias + sum(
            weight * features.get(name, 0.0) for name, weight in self.weights.items()
        )
        if self.units:
            rows, into, shift, out = self._layer
            told = [name for name, value in features.items() if value and name in rows]
            heard = np.array([features[name] for name in told]) @ into[[rows[n] for n in told]]
            total += float(np.maximum(heard + shift, 0.0) @ out)
        return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total))))

    @cached_property
    def _layer(self) -> tuple[Mapping[str, int], Weights, Weights, Weights]:
        """The row of each feature, and the weights as arrays."""
        rows = {name: row for row, name in enumerate(self.units)}
        return rows, np.array(list(self.units.values())), np.array(self.shift), np.array(self.out)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trained:
    """Weights ready for use. `tuned`: the encoder's constants, as they were trained.

    `kinds`, `modalities`, `acts`, `relations`: what the classes of the heads are called.
    `right`: of a fact that is read; `over`: of a held one that a turn ends;
    `answer`: of words that answer a question.
    `least`: by name, the probability from which something is made of what was read.
    """

    network: Network
    tuned: Mapping[str, NDArray[np.generic]]
    relations: Sequence[str]
    kinds: Sequence[str]
    modalities: Sequence[str]
    acts: Sequence[str]
    right: Calibration
    over: Calibration
    answer: Calibration
    least: Mapping[str, float]


def opened(file: ReaderFile = SHIPPED) -> Trained:
    """Read and check a file of weights; raises CorruptFile."""
    advice = "reinstall mags, or train it anew: mags train reader"
    content = checked_bytes(file.path, file.sha256, "reader", advice)
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        about = json.loads(arrays[ABOUT].tobytes())
        own = [name for name in arrays.files if name != ABOUT and not name.startswith(TUNED)]
        weights = {name: arrays[name].astype(np.float32) for name in own}
        tuned = {n.removeprefix(TUNED): arrays[n] for n in arrays.files if n.startswith(TUNED)}
    return Trained(
        network=Network(weights, attention=about["attention"]),
        tuned=tuned,
        relations=about["relations"],
        kinds=about["kinds"],
        modalities=about["modalities"],
        acts=about["acts"],
        right=Calibration(**about["right"]),
        over=Calibration(**about["over"]),
        answer=Calibration(**about["answer"]),
        least=about["least"],
    )


def distances(after: NDArray[np.int64]) -> NDArray[np.int64]:
    """How far rows are after another, cut off, from 0 to 2 NEAR."""
    apart: NDArray[np.int64] = np.clip(after, -NEAR, NEAR) + NEAR
    return apart


def standard(x: Floats) -> Floats:
    """Rows with mean 0 and variance 1, as a layer norm makes them."""
    count = np.float32(x.shape[-1])
    centred = x - np.add.reduce(x, axis=-1, keepdims=True) / count
    variance = np.einsum("...i,...i->...", centred, centred)[..., None] / count
    made: Floats = centred / np.sqrt(variance + np.float32(1e-5))
    return made


def gelu(x: Floats) -> Floats:
    """The Gaussian error linear unit, by its approximation with tanh."""
    inner = np.float32(0.7978845608028654) * (x + np.float32(0.044715) * x * x * x)
    return np.asarray(np.float32(0.5) * x * (np.float32(1.0) + np.tanh(inner)), dtype=np.float32)


def softmax(x: Floats) -> Floats:
    """Probabilities over the last axis."""
    raised = np.exp(x - x.max(axis=-1, keepdims=True))
    made: Floats = raised / np.add.reduce(raised, axis=-1, keepdims=True)
    return made


def log_softmax(x: Floats) -> Floats:
    """Log-probabilities over the last axis."""
    shifted = x - x.max(axis=-1, keepdims=True)
    made: Floats = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return made


def _sigmoid(x: Floats) -> Floats:
    return np.asarray(1.0 / (1.0 + np.exp(-x)), dtype=np.float32)
