"""Train the reader on the corpus (`mags train reader`).

The shipped encoder's layers and the heads learn together, on what a turn tells, what it ends
and which words answer a question. A run that was stopped goes on from its last epoch.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits as bce
from torch.nn.functional import cross_entropy
from torch.optim import AdamW

from mags.models.policy.reader.network import ABOUT, MARKS, TUNED, ReaderFile, Trained, opened
from mags.models.policy.reader.policy import TrainedReader
from mags_lab.talk.calibration import LEAST, UNTRIED, calibrate
from mags_lab.talk.corpus import DATA, AnnotatedDialogue, dialogues, only_asked
from mags_lab.talk.encoder import Encoder
from mags_lab.talk.labels import ACTS, KINDS, MODALITY, classes, polarity_of
from mags_lab.talk.material import ASKS, ENDS, READ, Pieces, TrainingText, batches
from mags_lab.talk.model import FAR, Reader, TalkShape
from mags_lab.talk.stored import write_arrays
from mags_lab.training.optimisers import (
    latest,
    load_checkpoint,
    quick,
    save_checkpoint,
    schedule,
)

RATE, HEADS, FALL, NORM = 3e-4, 3e-3, 0.85, 1.0
"""Rate of the encoder's last layer and of the heads; of a layer as a share of the next one's."""
HIDDEN = 0.08
TOKENS = 4000
SHOWN = 0.5
"""What the turns that show what is asked weigh, against the words of it."""
SAYS = 0.3
"""What yes or no weighs; less where next to no question of a batch is answered by it."""


def together(some: Sequence[TrainingText]) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Ids and which are there (b, t), pool (b, n, t), marks (b, n, m), rows (b, n)."""
    tokens = max(len(one.ids) for one in some)
    count = max(len(one.pool) for one in some)
    ids = np.zeros((len(some), tokens), dtype=np.int64)
    there = np.zeros(ids.shape, dtype=bool)
    pool = np.zeros((len(some), count, tokens), dtype=np.float32)
    signs = np.zeros((len(some), count, MARKS), dtype=np.float32)
    rows = np.zeros((len(some), count), dtype=bool)
    for place, one in enumerate(some):
        t, n = len(one.ids), len(one.pool)
        ids[place, :t], there[place, :t] = one.ids, True
        pool[place, :n, :t], signs[place, :n], rows[place, :n] = one.pool, one.marks, True
    found = (ids, there, pool, signs, rows)
    a, b, c, d, e = (torch.from_numpy(one) for one in found)
    return a, b, c, d, e


def loss_of(
    encoder: Encoder, model: Reader, some: Sequence[TrainingText], relations: Sequence[str]
) -> Tensor:
    """The loss of a batch of one task, some of its tokens hidden by chance."""
    ids, there, pool, signs, rows = together(some)
    words = encoder.embedded(ids)
    if model.training:
        words = words * (torch.rand(there.shape) >= HIDDEN)[..., None]
    with torch.autocast("cpu", torch.bfloat16, enabled=quick() is torch.bfloat16):
        layers = encoder(words, there)
    states = torch.cat([pool @ layer for layer in layers.float().unbind(1)], dim=-1)
    with torch.autocast("cpu", torch.bfloat16, enabled=quick() is torch.bfloat16):
        x = model.trunk(states, signs, rows)
    x = x.float()
    pooled = model.pool(x, rows)
    task = some[0].task
    if task == ENDS:
        gold = torch.tensor([float(one.ends) for one in some])
        return bce(model.ends(pooled[:, 1]).squeeze(1), gold)
    if task == ASKS:
        return _asking(model, some, x)
    return _reading(model, some, relations, (x, pooled, signs, rows))


def _asking(model: Reader, some: Sequence[TrainingText], x: Tensor) -> Tensor:
    """The loss of passages: which turns show what is asked, and where the words of it stand.

    Of several places that answer any will do (marginal likelihood: Clark and Gardner 2018,
    "Simple and Effective Multi-Paragraph Reading Comprehension").
    """
    may = torch.zeros(x.shape[:2], dtype=torch.bool)
    may[:, 0] = True
    for place, one in enumerate(some):
        for line in one.lines:
            may[place, line.first : line.end] = True
    likely = model.answer(x).masked_fill(~may[:, :, None], FAR).log_softmax(dim=1)
    told = [
        -torch.logsumexp(likely[place, sorted({span[end] for span in one.answers}), end], dim=0)
        for place, one in enumerate(some)
        for end in (0, 1)
        if one.answers
    ]
    opens = [(place, line.opens) for place, one in enumerate(some) for line in one.lines]
    rows, columns = torch.tensor(opens).unbind(1)
    shows = torch.tensor([float(shown) for one in some for shown in one.shows])
    loss = SHOWN * bce(model.shown(x[rows, columns]).squeeze(1), shows)
    said = [
        (place, line.opens, float(one.says))
        for place, one in enumerate(some)
        if one.says is not None
        for line, shown in zip(one.lines, one.shows, strict=True)
        if shown
    ]
    if said:
        texts, opened_, yes = zip(*said, strict=True)
        found = model.says(x[list(texts), list(opened_)]).squeeze(1)
        loss = loss + SAYS * min(1.0, len(said) / 4) * bce(found, torch.tensor(yes))
    return loss + torch.stack(told).mean() if told else loss


def _reading(
    model: Reader, some: Sequence[TrainingText], relations: Sequence[str], seen_: tuple[Tensor, ...]
) -> Tensor:
    """The loss of what turns tell; `seen_`: rows as vectors, pooled, marks, which are there."""
    x, pooled, signs, rows = seen_
    tags = torch.full(rows.shape, -100)
    which, gold = [], []
    for place, one in enumerate(some):
        turn = one.marks[:, 3] > 0
        tags[place, : len(turn)][torch.from_numpy(turn)] = 0
        for fact in one.gold:
            first, last = fact.object
            tags[place, first], tags[place, first + 1 : last + 1] = 1, 2
            which.append((place, first, last))
            gold.append(fact)
    loss = cross_entropy(model.tag(x).flatten(0, 1), tags.flatten(), ignore_index=-100) * 3.0
    worth = torch.tensor(
        [[*map(float, one.worth), float(any(fact.told.must for fact in one.gold))] for one in some]
    )
    loss = loss + 0.5 * bce(model.worth(pooled[:, 0]), worth)
    if not gold:
        return loss
    at = torch.tensor(which)
    found = model.spans(x, pooled, at)
    points = model.pointers(x, found, at, signs)
    points = points.masked_fill(~rows[at[:, 0]][:, None], -1e4)
    told = [one.told for one in gold]
    must = torch.tensor([float(one.must) for one in told])
    loss = loss + 0.5 * bce(model.must(found).squeeze(1), must)
    targets = (
        (model.kind(found), [KINDS.index(one.kind) for one in told]),
        (
            model.polarity(found),
            [polarity_of(one) for one in told],
        ),
        (model.modality(found), [MODALITY.index(one.modality) for one in told]),
        (model.act(found), [ACTS.index(one.act) for one in told]),
        (
            model.relation(found),
            [relations.index(one.relation) if one.relation in relations else 0 for one in gold],
        ),
        (points[:, 0], [one.subject[0] for one in gold]),
        (points[:, 1], [one.subject[1] for one in gold]),
        (points[:, 2], [one.verb[0] for one in gold]),
        (points[:, 3], [one.verb[1] for one in gold]),
    )
    for scores, wanted in targets:
        goal = torch.tensor(wanted)
        if (goal >= 0).any():
            loss = loss + 0.3 * cross_entropy(scores, goal, ignore_index=-100)
    return loss


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """How it is trained.

    `start`: a file of a reader, whose weights it begins with. `tasks`: what is learned.
    """

    epochs: int = 8
    threads: int = 1
    seed: int = 0
    start: Path | None = None
    tasks: Sequence[str] = (READ, ENDS, ASKS)


def train(file: Path, folder: Path, corpus: Path | None, course: Course) -> Iterator[str]:
    """Train, calibrate on `dev` and write the file; yields a line for each step."""
    told = list(dialogues(corpus or DATA, "train"))
    yield f"{len(told)} annotated dialogues to learn from."
    asked = list(only_asked(corpus or DATA, "train")) if ASKS in course.tasks else []
    yield f"{len(asked)} dialogues that are only asked about."
    encoder, model, relations = yield from fit(told, asked, folder, course)
    save(encoder, model, relations, file)
    yield from calibrate(file, corpus or DATA, course.tasks)
    yield f"Wrote {file}, sha256 {hashlib.sha256(file.read_bytes()).hexdigest()}."


def fit(
    told: Sequence[AnnotatedDialogue],
    asked: Sequence[AnnotatedDialogue],
    folder: Path,
    course: Course,
) -> Generator[str, None, tuple[Encoder, Reader, Sequence[str]]]:
    """Encoder, heads and the classes of relations after training; yields a line an epoch."""
    epochs, seed = course.epochs, course.seed
    torch.set_num_threads(course.threads)
    torch.manual_seed(seed)
    relations = classes(told)
    start = opened(ReaderFile(path=course.start)) if course.start else None
    encoder = Encoder(tuned=start.tuned if start else None)
    model = Reader(TalkShape(relations=len(relations)))
    both = nn.ModuleList([encoder, model])
    groups = [*encoder.groups(RATE, FALL), {"params": list(model.parameters()), "lr": HEADS}]
    chosen = AdamW(groups, betas=(0.9, 0.98), weight_decay=0.03)
    full = [group["lr"] for group in chosen.param_groups]
    if start is not None:
        begin(model, relations, start)
    holds = TrainedReader(ReaderFile(path=course.start)) if course.start else None
    pieces = Pieces().of(told, seed, holds, course.tasks)
    pieces += Pieces().of(asked, seed, tasks=(ASKS,))
    last = latest(folder)
    done = load_checkpoint(last, both, [chosen]) if last else 0
    for epoch in range(done, epochs):
        begun = time.monotonic()
        both.train()
        rng = Random(f"{seed} {epoch}")
        some = batches(pieces, rng, TOKENS)
        losses: dict[str, list[float]] = {}
        for step, batch in enumerate(some):
            loss = loss_of(encoder, model, batch, relations)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(both.parameters(), NORM)
            share = schedule(epoch * len(some) + step, epochs * len(some))
            for group, rate in zip(chosen.param_groups, full, strict=True):
                group["lr"] = rate * share
            chosen.step()
            chosen.zero_grad(set_to_none=True)
            losses.setdefault(batch[0].task, []).append(loss.item())
        save_checkpoint(folder, epoch + 1, both, [chosen], relations=list(relations))
        means = ", ".join(f"{task} {np.mean(one):.3f}" for task, one in sorted(losses.items()))
        yield f"epoch {epoch + 1}: {means} ({time.monotonic() - begun:.0f} s)"
    both.eval()
    return encoder, model, relations


def begin(model: Reader, relations: Sequence[str], start: Trained) -> None:
    """Take over the weights of a reader; of relations those that are classes in both.

    Heads that only an older reader had are left.
    """
    found = {name: torch.from_numpy(array) for name, array in start.network.weights.items()}
    for name in ("relation.weight", "relation.bias"):
        rows = model.state_dict()[name].clone()
        for place, relation in enumerate(relations):
            if relation in start.relations:
                rows[place] = found[name][start.relations.index(relation)]
        found[name] = rows
    model.load_state_dict({**model.state_dict(), **found}, strict=False)


def save(
    encoder: Encoder,
    model: Reader,
    relations: Sequence[str],
    path: Path,
) -> ReaderFile:
    """Write the file, not yet calibrated; the same bytes for the same weights."""
    about = {
        "attention": model.shape.attention,
        "relations": list(relations),
        "kinds": list(KINDS),
        "modalities": list(MODALITY),
        "acts": list(ACTS),
        **{name: asdict(one) for name, one in UNTRIED.items()},
        "least": LEAST,
    }
    words = json.dumps(about, sort_keys=True).encode()
    parts: dict[str, NDArray[np.generic]] = {
        name: w.detach().numpy().astype(np.float16) for name, w in model.state_dict().items()
    }
    parts |= {TUNED + name: array for name, array in encoder.constants().items()}
    parts[ABOUT] = np.frombuffer(words, dtype=np.uint8)
    write_arrays(path, parts)
    return ReaderFile(path=path)
