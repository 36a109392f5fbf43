"""A trained reader as the file that the runtime reads, its probabilities calibrated on `dev`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from mags.models.policy.reader.ending import in_question
from mags.models.policy.reader.network import ABOUT, TUNED, Calibration, ReaderFile
from mags.models.policy.reader.policy import TrainedReader
from mags.models.policy.reader.reading import Fact
from mags.models.policy.rules.tokens import stems
from mags.ports.policy import Recalled, Turn
from mags_lab.talk.corpus import AnnotatedDialogue, AnnotatedQuestion
from mags_lab.talk.encoder import Encoder
from mags_lab.talk.labels import ACTS, KINDS, MODALITY
from mags_lab.talk.matching import Made, ends, says
from mags_lab.talk.material import made_of, recalled, turn_of, with_before
from mags_lab.talk.model import Reader
from mags_lab.talk.stored import write_arrays

PLAIN = Calibration(weights={"begun": 1.0})
"""Before it is calibrated: a fact is as likely as its object begins."""
PAIR = Calibration(weights={"pair": 1.0})
UNTRIED = {"right": PLAIN, "over": PAIR, "answer": Calibration(weights={"span": 1.0})}
FEWEST = 10
"""Closings from which a share of them says anything."""
LEAST = {"guess": 0.75, "sure": 0.78, "ends": 0.75}
"""A held fact is closed from "ends" at the least: below, one of six closings is not annotated."""


def save(
    encoder: Encoder,
    model: Reader,
    relations: Sequence[str],
    path: Path,
    how: Mapping[str, Calibration] | None = None,
    least: Mapping[str, float] = LEAST,
) -> ReaderFile:
    """Write the file; the same bytes for the same weights. `how`: how likely each is."""
    likely = {**UNTRIED, **(how or {})}
    about = {
        "attention": model.shape.attention,
        "relations": list(relations),
        "kinds": list(KINDS),
        "modalities": list(MODALITY),
        "acts": list(ACTS),
        **{n: {"weights": dict(c.weights), "bias": c.bias} for n, c in likely.items()},
        "least": dict(least),
    }
    words = json.dumps(about, sort_keys=True).encode()
    parts: dict[str, NDArray[np.generic]] = {
        name: w.detach().numpy().astype(np.float16) for name, w in model.state_dict().items()
    }
    parts |= {TUNED + name: array for name, array in encoder.constants().items()}
    parts[ABOUT] = np.frombuffer(words, dtype=np.uint8)
    write_arrays(path, parts)
    return ReaderFile(path=path)


def made(
    reader: TrainedReader, told: Sequence[AnnotatedDialogue]
) -> Iterator[tuple[AnnotatedDialogue, Fact, bool]]:
    """Everything that the reader may make of dialogues, and whether it is right."""
    for one in told:
        for said, before in with_before(one):
            for fact in reader.facts(turn_of(said), before):
                yield one, fact, any(says(gold, made_of(fact)) for gold in said.facts)


def calibrated(reader: TrainedReader, told: Sequence[AnnotatedDialogue]) -> Calibration:
    """How likely what is read is right, fitted on dialogues that training has not seen."""
    found = [(fact.features, right) for _, fact, right in made(reader, told)]
    return logistic(found) or PLAIN


def logistic(found: Sequence[tuple[Mapping[str, float], bool]]) -> Calibration | None:
    """A logistic model over features; None where there is nothing to tell apart."""
    if len({right for _, right in found}) < 2:
        return None
    names = sorted({name for features, _ in found for name in features})
    x = torch.tensor([[features[name] for name in names] for features, _ in found])
    y = torch.tensor([float(right) for _, right in found])
    mean, deviation = x.mean(dim=0), x.std(dim=0).clamp(min=1e-3)
    model = nn.Linear(len(names), 1)
    nn.init.zeros_(model.weight)
    chosen = torch.optim.LBFGS(model.parameters(), max_iter=200)

    def loss() -> torch.Tensor:
        chosen.zero_grad()
        scores = model((x - mean) / deviation).squeeze(1)
        total = nn.functional.binary_cross_entropy_with_logits(scores, y)
        total = total + 0.001 * model.weight.square().sum()
        total.backward()
        return total

    chosen.step(loss)
    weights = (model.weight[0] / deviation).detach()
    bias = float(model.bias.detach()) - float((weights * mean).sum())
    return Calibration(weights=dict(zip(names, weights.tolist(), strict=True)), bias=bias)


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
    reader: TrainedReader, told: Sequence[AnnotatedDialogue], wanted: float = 0.88
) -> tuple[Calibration, float]:
    """How likely a held fact is over, and the least from which `wanted` of the closed ones are.

    The threshold is found by models of the other half of the dialogues each.
    """
    found = [list(held_over(reader, one)) for one in told]
    judged: list[tuple[float, bool]] = []
    for half in (0, 1):
        fitted = logistic([pair for some in found[1 - half :: 2] for pair in some]) or PAIR
        judged += [(fitted.probability(f), e) for some in found[half::2] for f, e in some]
    judged.sort(key=lambda one: -one[0])
    right, least = 0, 1.0
    for so_far, (sure, over) in enumerate(judged, start=1):
        right += over
        if so_far >= FEWEST and right / so_far >= wanted:
            least = sure
    whole = logistic([pair for some in found for pair in some]) or PAIR
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
    return logistic(found)


def _answers(words: str, asked: AnnotatedQuestion) -> bool:
    mine = stems(words)
    return any(
        mine & theirs and 2 * len(mine & theirs) >= 0.5 * (len(mine) + len(theirs))
        for theirs in map(stems, asked.answers)
    )


def precision(reader: TrainedReader, told: Sequence[AnnotatedDialogue]) -> Iterator[str]:
    """Lines of how much is right, and how much is read, from probabilities on."""
    found = list(made(reader, told))
    gold = sum(len(said.facts) for one in told for said in one.turns)
    for least in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
        right = [ok for _, fact, ok in found if fact.probability >= least]
        share = 100 * sum(right) / max(1, len(right))
        yield f"from {least}: {len(right)} made, {share:.0f}% right; {sum(right)} of {gold} told"
