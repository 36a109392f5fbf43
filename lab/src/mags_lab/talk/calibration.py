"""Fit how likely what was read is right, from its features and what was judged of it.

All on the split `dev`, which training has not seen, and facts also on talk that was only judged.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from mags.models.policy.reader.ending import in_question
from mags.models.policy.reader.network import ABOUT, Calibration, ReaderFile
from mags.models.policy.reader.policy import TrainedReader
from mags.models.policy.reader.reading import Fact
from mags.models.policy.rules.tokens import stems
from mags.ports.policy import ASSISTANTS, Recalled, Turn
from mags_lab.talk.corpus import (
    DATA,
    AnnotatedDialogue,
    AnnotatedQuestion,
    AnnotatedTurn,
    dialogues,
    judged_facts,
    only_judged,
)
from mags_lab.talk.matching import Made, ends, says
from mags_lab.talk.material import ASKS, ENDS, READ, made_of, recalled, turn_of, with_before
from mags_lab.talk.stored import write_arrays

PLAIN = Calibration(weights={"begun": 1.0})
"""Before it is calibrated: a fact is as likely as its object begins."""
PAIR = Calibration(weights={"pair": 1.0})
UNTRIED = {"right": PLAIN, "over": PAIR, "answer": Calibration(weights={"span": 1.0})}
PARTLY = 0.5
"""How far right a fact is, that is said partly, at most."""
FEWEST = 10
"""Closings from which a share of them says anything."""
LEAST = {"guess": 0.6, "sure": 0.8, "ends": 0.7}
"""A held fact is closed from "ends" at the least. Of 279 of `dev` closed from .55 on, judged by
reading, 80 of 100 were rightly closed and 11 wrongly; from .7 on 82 and 7."""
Judged: TypeAlias = tuple[Mapping[str, float], float]
"""Features, and how far it is right, in [0, 1]."""
Floats: TypeAlias = NDArray[np.float64]
RIDGE = 20.0
"""Weight of the squares of a logistic model: what is left of chance in a few thousand examples."""
NETWORKS, UNITS = 6, 32
"""Networks of so many units each, whose logits are averaged; each begins otherwise."""
EPOCHS, BATCH, RATE, DECAY = 60, 256, 3e-3, 0.03
DROP = (0.1, 0.2)
"""Shares of features and of units that are left out of a step by chance."""
COMMON = 25
"""Examples that have a feature, below which nothing is learned of it."""


def calibrate(
    file: Path, corpus: Path = DATA, tasks: Sequence[str] = (READ, ENDS, ASKS)
) -> Iterator[str]:
    """Calibrate the reader of a file for its tasks; its weights stay. Yields lines of figures."""
    told = list(dialogues(corpus, "dev"))
    if READ in tasks:
        right = calibrated(TrainedReader(ReaderFile(path=file)), [*told, *only_judged(corpus)])
        _describe(file, least=LEAST, right=right)
        yield from precision(TrainedReader(ReaderFile(path=file)), told)
    if ENDS in tasks:
        # What it would make is what is held when it is tried what a turn ends.
        over, least = ends_calibrated(TrainedReader(ReaderFile(path=file)), told)
        _describe(file, least={**LEAST, "ends": least}, over=over)
        yield f"A held fact is closed from {least}."
    if ASKS in tasks:
        answer = answers_calibrated(TrainedReader(ReaderFile(path=file)), told)
        if answer is not None:
            _describe(file, answer=answer)


def _describe(file: Path, least: Mapping[str, float] | None = None, **how: Calibration) -> None:
    """Put calibrations, and thresholds, into the description of a file."""
    with np.load(file, allow_pickle=False) as arrays:
        parts = {name: arrays[name] for name in arrays.files}
    about = json.loads(parts[ABOUT].tobytes())
    about |= {name: asdict(one) for name, one in how.items()}
    about |= {"least": dict(least)} if least else {}
    words = json.dumps(about, sort_keys=True).encode()
    write_arrays(file, {**parts, ABOUT: np.frombuffer(words, dtype=np.uint8)})


def made(reader: TrainedReader, told: Iterable[AnnotatedDialogue]) -> Iterator[tuple[Fact, float]]:
    """What the reader may make of dialogues, and how far it is right, in [0, 1].

    Of a turn that was judged by reading, all that was; of others of annotated dialogues, of each
    object the likeliest, by the rule.
    """
    judged = judged_facts()
    turns = {turn for turn, *_ in judged}
    for one in told:
        annotated = any(said.facts for said in one.turns)
        for said, before in with_before(one):
            if said.speaker.casefold() in ASSISTANTS or not (annotated or said.id in turns):
                continue
            for some in reader.readings(turn_of(said), before):
                if said.id not in turns:
                    yield some[0], float(_is_told(some[0], said))
                    continue
                for fact in some:
                    known = judged.get((said.id, fact.subject, fact.relation, fact.object))
                    if known is not None:
                        yield fact, known


def _is_told(fact: Fact, said: AnnotatedTurn) -> bool:
    mine = made_of(fact)
    return any(says(gold, mine) for gold in said.facts)


def calibrated(reader: TrainedReader, told: Iterable[AnnotatedDialogue]) -> Calibration:
    """How likely what is read is right, fitted on dialogues that training has not seen."""
    found = [(fact.features, right) for fact, right in made(reader, told)]
    return network(found) if len(found) >= BATCH else PLAIN


Over = tuple[Mapping[str, float], bool]
"""What speaks for the end of a held fact, and whether it is one."""


def held_over(reader: TrainedReader, dialogue: AnnotatedDialogue) -> Iterator[Over]:
    """Each fact that a turn of a dialogue is held against; held is what the reader itself made."""
    held: list[Recalled] = []
    number = count()
    least = reader.least["guess"]
    for said, before in with_before(dialogue):
        turn = turn_of(said)
        facts = reader.facts(turn, before)
        asked = in_question(turn, held, facts)
        meant = {end: [one for one in held if ends(end, _made(one))] for end in said.ends}
        over = {one.id for some in meant.values() for one in some}
        free = {one.id for end, some in meant.items() if end.optional for one in some}
        for one, found in zip(
            asked, reader.ending_features(turn, before, asked, facts), strict=True
        ):
            if found and one.id not in free:
                yield found, one.id in over
        held = [one for one in held if one.id not in over]
        known = {_made(one) for one in held}
        new = [made_of(one) for one in facts if one.probability >= least]
        held += [_recalled(next(number), one) for one in new if one not in known]


def _recalled(id: int, told: Made) -> Recalled:
    text = f"{told.subject} {told.relation} {told.object}."
    return Recalled(
        id=id, text=text, subject=told.subject, relation=told.relation, object=told.object
    )


def _made(held: Recalled) -> Made:
    return Made(subject=held.subject, relation=held.relation, object=held.object)


def ends_calibrated(
    reader: TrainedReader, told: Sequence[AnnotatedDialogue], wanted: float = 0.75
) -> tuple[Calibration, float]:
    """How likely a held fact is over, and the least from which `wanted` of the closed ones are.

    The threshold is found by models of the other half of the dialogues each.
    """
    found = [list(held_over(reader, one)) for one in told]
    if not any(found):
        return PAIR, LEAST["ends"]
    judged: list[tuple[float, bool]] = []
    for half in (0, 1):
        others = [pair for some in found[1 - half :: 2] for pair in some]
        fitted = logistic(others) if others else PAIR
        judged += [(fitted.probability(f), e) for some in found[half::2] for f, e in some]
    judged.sort(key=lambda one: -one[0])
    right, least = 0, 1.0
    for so_far, (sure, over) in enumerate(judged, start=1):
        right += over
        if so_far >= FEWEST and right / so_far >= wanted:
            least = sure
    whole = logistic([pair for some in found for pair in some])
    return whole, round(max(least, LEAST["ends"]), 3)


def answers_calibrated(
    reader: TrainedReader, told: Sequence[AnnotatedDialogue]
) -> Calibration | None:
    """How likely the words that are found in a turn answer a question."""
    found = []
    for one in told:
        for asked, turns in recalled(one):
            read = reader.answers(
                Turn(text=asked.text, speaker=asked.who), list(map(turn_of, turns))
            )
            for said, words in zip(turns, read, strict=True):
                if words is not None:
                    right = _answers(said.text[words.start : words.end], asked)
                    found.append((words.features, right and said.id in asked.evidence))
    return logistic(found) if found else None


def _answers(words: str, asked: AnnotatedQuestion) -> bool:
    mine = stems(words)
    return any(
        mine & theirs and 2 * len(mine & theirs) >= 0.5 * (len(mine) + len(theirs))
        for theirs in map(stems, asked.answers)
    )


def precision(reader: TrainedReader, told: Sequence[AnnotatedDialogue]) -> Iterator[str]:
    """Lines of how much is right, and how much is read, from probabilities on."""
    judged = judged_facts()
    found = []
    for one in told:
        for said, before in with_before(one):
            for fact in reader.facts(turn_of(said), before):
                known = judged.get((said.id, fact.subject, fact.relation, fact.object))
                right = _is_told(fact, said) if known is None else known > PARTLY
                found.append((fact.probability, right))
    gold = sum(len(said.facts) for one in told for said in one.turns)
    for least in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
        rights = [right for likely, right in found if likely >= least]
        share = 100 * sum(rights) / max(1, len(rights))
        yield f"from {least}: {len(rights)} made, {share:.0f}% right; {sum(rights)} of {gold} told"


def logistic(judged: Sequence[Judged]) -> Calibration:
    """A logistic model with a ridge over features of unit variance, by Newton's method."""
    names = sorted({name for features, _ in judged for name in features})
    x, y = _table(judged, names)
    mean, wide = x.mean(axis=0), x.std(axis=0) + 1e-6
    z = np.column_stack(((x - mean) / wide, np.ones(len(x))))
    ridge = np.diag([RIDGE] * len(names) + [1e-3])
    weights = np.zeros(len(names) + 1)
    for _ in range(30):
        p = _sigmoid(z @ weights)
        slope = z.T @ (y - p) - ridge @ weights
        step = np.linalg.solve((z * (p * (1.0 - p) + 1e-6)[:, None]).T @ z + ridge, slope)
        weights += step
        if np.abs(step).max() < 1e-5:
            break
    plain = weights[:-1] / wide
    plain[x.std(axis=0) == 0.0] = 0.0
    bias = float(weights[-1] - (plain * mean).sum())
    return Calibration(weights=dict(zip(names, plain.tolist(), strict=True)), bias=bias)


def network(judged: Sequence[Judged]) -> Calibration:
    """A small network over features of unit variance, by AdamW; the same for the same examples."""
    counts: dict[str, int] = {}
    for features, _ in judged:
        for name, value in features.items():
            counts[name] = counts.get(name, 0) + (value != 0.0)
    names = sorted(name for name, count in counts.items() if count >= COMMON)
    x, y = _table(judged, names)
    mean, wide = x.mean(axis=0), x.std(axis=0).clip(1e-3)
    fitted = [_fit((x - mean) / wide, y, seed) for seed in range(NETWORKS)]
    into = np.concatenate([one[0] for one in fitted], axis=1) / wide[:, None]
    shift = np.concatenate([one[1] for one in fitted]) - mean @ into
    out = np.concatenate([one[2] for one in fitted]) / NETWORKS
    return Calibration(
        weights={},
        bias=_short(np.mean([one[3] for one in fitted])),
        units={name: list(map(_short, row)) for name, row in zip(names, into, strict=True)},
        shift=list(map(_short, shift)),
        out=list(map(_short, out)),
    )


def blended(judged: Sequence[Judged]) -> Calibration:
    """The mean of a network and a logistic model, whose logits go on straight beyond the examples.

    So it is nearly as right as the network where examples are many, and no surer or less sure by
    chance of the fit where there are none.
    """
    straight, bent = logistic(judged), network(judged)
    return replace(
        bent,
        weights={name: weight / 2.0 for name, weight in straight.weights.items()},
        bias=(straight.bias + bent.bias) / 2.0,
        out=[weight / 2.0 for weight in bent.out],
    )


def _fit(z: Floats, y: Floats, seed: int) -> tuple[Floats, Floats, Floats, float]:
    """Weights into the units (n, u), their biases (u,), their weights (u,) and the bias."""
    rng = np.random.default_rng(seed)
    wide = len(z[0]) ** -0.5
    into: Floats = rng.uniform(-wide, wide, (z.shape[1], UNITS))
    shift: Floats = rng.uniform(-wide, wide, UNITS)
    out: Floats = rng.uniform(-(UNITS**-0.5), UNITS**-0.5, UNITS)
    bias: Floats = np.zeros(1)
    weights = [into, shift, out, bias]
    first = [np.zeros_like(one) for one in weights]
    second = [np.zeros_like(one) for one in weights]
    step = 0
    for _ in range(EPOCHS):
        for some in np.array_split(rng.permutation(len(z)), max(1, len(z) // BATCH)):
            step += 1
            seen = z[some] * _kept(rng, (len(some), z.shape[1]), DROP[0])
            kept = _kept(rng, (len(some), UNITS), DROP[1])
            heard = seen @ into + shift
            units = np.maximum(heard, 0.0) * kept
            wrong = (_sigmoid(units @ out + bias) - y[some]) / len(some)
            back = wrong[:, None] * out * kept * (heard > 0.0)
            slopes = [seen.T @ back, back.sum(axis=0), units.T @ wrong, wrong.sum(keepdims=True)]
            for one, slope, m, v in zip(weights, slopes, first, second, strict=True):
                m += 0.1 * (slope - m)
                v += 0.001 * (slope**2 - v)
                one *= 1.0 - RATE * DECAY
                one -= RATE * (m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.999**step)) + 1e-8)
    return into, shift, out, float(bias[0])


def _kept(rng: np.random.Generator, shape: tuple[int, int], drop: float) -> Floats:
    return (rng.random(shape) >= drop) / (1.0 - drop)


def _table(judged: Sequence[Judged], names: Sequence[str]) -> tuple[Floats, Floats]:
    x = np.array([[features.get(name, 0.0) for name in names] for features, _ in judged])
    return x, np.array([right for _, right in judged])


def _sigmoid(x: Floats) -> Floats:
    made: Floats = 1.0 / (1.0 + np.exp(-np.clip(x, -30.0, 30.0)))
    return made


_short = partial(round, ndigits=4)
