"""A trained reader as the file that the runtime reads, its probabilities calibrated on `dev`."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from mags.models.policy.reader.ending import in_question
from mags.models.policy.reader.network import ABOUT, TUNED, Calibration, ReaderFile
from mags.models.policy.reader.policy import TrainedReader
from mags.models.policy.reader.reading import Fact
from mags.models.words import stems
from mags.ports.policy import Recalled, Turn
from mags_lab.talk.corpus import Asked, Dialogue, Told
from mags_lab.talk.encoder import Encoder
from mags_lab.talk.labels import ACTS, KINDS, MODALITY
from mags_lab.talk.matching import Made, says
from mags_lab.talk.material import is_meant
from mags_lab.talk.model import Reader

PLAIN = Calibration(weights={"begun": 1.0})
"""Before it is calibrated: a fact is as likely as its object begins."""
PAIR = Calibration(weights={"pair": 1.0})
UNTRIED = {"right": PLAIN, "over": PAIR, "answer": Calibration(weights={"span": 1.0})}
SAVED = (1980, 1, 1, 0, 0, 0)
"""The time that every array is stamped with, so that the same weights are the same bytes."""
NEAREST = 3
"""Turns that share most words with a question, among which its answer is looked for."""
FEWEST = 10
"""Closings from which a share of them says anything."""
LEAST = {"guess": 0.6, "sure": 0.78, "ends": 0.92}
"""From less than this on a third of what is closed on `dev` is not what was annotated."""


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
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", compression=zipfile.ZIP_DEFLATED) as file:
        for name, array in sorted(parts.items()):
            written = io.BytesIO()
            np.lib.format.write_array(written, np.ascontiguousarray(array), allow_pickle=False)
            entry = zipfile.ZipInfo(f"{name}.npy", date_time=SAVED)
            entry.compress_type = zipfile.ZIP_DEFLATED
            file.writestr(entry, written.getvalue())
    return ReaderFile(path=path)


def made(reader: TrainedReader, told: Sequence[Dialogue]) -> Iterator[tuple[Dialogue, Fact, bool]]:
    """Everything that the reader may make of dialogues, and whether it is right."""
    for one in told:
        before: list[Turn] = []
        session = ""
        for said in one.turns:
            if said.session != session:
                before, session = [], said.session
            turn = Turn(text=said.text, speaker=said.speaker, at=said.at.timestamp())
            for fact in reader.facts(turn, before):
                told_ = Made(subject=fact.subject, relation=fact.relation, object=fact.object)
                yield one, fact, any(says(gold, told_) for gold in said.facts)
            before.append(turn)


def calibrated(reader: TrainedReader, told: Sequence[Dialogue]) -> Calibration:
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


def held_over(reader: TrainedReader, dialogue: Dialogue) -> Iterator[Over]:
    """Each held fact that a turn of a dialogue is held against; all gold facts are held."""
    held: list[Told] = []
    before: list[Turn] = []
    session = ""
    for said in dialogue.turns:
        if said.session != session:
            before, session = [], said.session
        turn = Turn(text=said.text, speaker=said.speaker, at=said.at.timestamp())
        gone = [one for one in held if any(is_meant(end, one) for end in said.ends)]
        free = [end for end in said.ends if end.optional]
        facts = reader.facts(turn, before)
        known = {id(one): _recalled(n, one) for n, one in enumerate(held)}
        asked = in_question(turn, list(known.values()), facts)
        over = {known[id(one)].id for one in gone}
        may = {known[id(one)].id for one in held if any(is_meant(end, one) for end in free)}
        for one, found in zip(
            asked, reader.ending_features(turn, before, asked, facts), strict=True
        ):
            if found and (one.id in over or one.id not in may):
                yield found, one.id in over
        held = [one for one in held if all(one is not g for g in gone)]
        held += [one for one in said.facts if one.act != "retract"]
        before.append(turn)


def _recalled(id: int, told: Told) -> Recalled:
    subject, thing = told.subjects[0], told.objects[0]
    text = f"{subject} {told.relation} {thing}."
    return Recalled(id=id, text=text, subject=subject, relation=told.relation, object=thing)


def ends_calibrated(
    reader: TrainedReader, told: Sequence[Dialogue], wanted: float = 0.9
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
    for count, (sure, ends) in enumerate(judged, start=1):
        right += ends
        if count >= FEWEST and right / count >= wanted:
            least = sure
    whole = logistic([pair for some in found for pair in some]) or PAIR
    return whole, round(max(least, LEAST["ends"]), 3)


def answers_calibrated(reader: TrainedReader, told: Sequence[Dialogue]) -> Calibration | None:
    """How likely the words that are found in a turn answer a question."""
    found = []
    for one in told:
        by_id = {said.id: said for said in one.turns}
        for asked in one.questions:
            words = stems(asked.text)
            near = sorted(one.turns, key=lambda s: -len(words & stems(f"{s.speaker} {s.text}")))[
                :NEAREST
            ]
            turns = list({s.id: s for s in (*near, *(by_id[i] for i in asked.evidence))}.values())
            read = reader.answer_features(
                Turn(text=asked.text, speaker=asked.who),
                [Turn(text=said.text, speaker=said.speaker) for said in turns],
            )
            for said, span in zip(turns, read, strict=True):
                if span is not None:
                    start, end, features = span
                    right = said.id in asked.evidence and _answers(said.text[start:end], asked)
                    found.append((features, right))
    return logistic(found)


def _answers(words: str, asked: Asked) -> bool:
    mine = stems(words)
    return any(
        mine & theirs and 2 * len(mine & theirs) >= 0.5 * (len(mine) + len(theirs))
        for theirs in map(stems, asked.answers)
    )


def precision(reader: TrainedReader, told: Sequence[Dialogue]) -> Iterator[str]:
    """Lines of how much is right, and how much is read, from probabilities on."""
    found = list(made(reader, told))
    gold = sum(len(said.facts) for one in told for said in one.turns)
    for least in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
        right = [ok for _, fact, ok in found if fact.probability >= least]
        share = 100 * sum(right) / max(1, len(right))
        yield f"from {least}: {len(right)} made, {share:.0f}% right; {sum(right)} of {gold} told"
