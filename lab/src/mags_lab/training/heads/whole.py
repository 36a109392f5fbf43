"""Train the encoder's layers with the heads: `mags train heads --recipe whole`.

Begins as the shipped encoder and as heads that are there, and reads samples that are new in every
round. The encoder's rate is lower than that of the heads, and lower still for each layer below;
some tokens are hidden. What comes out is a share of the way from where it began to where it came:
such means keep more of what the encoder knew of words that training has not (Wortsman et al. 2022,
arXiv:2109.01903). Recall reads the encoder as it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

import torch
from torch import Tensor, nn
from torch.optim import AdamW, Optimizer

from mags.models.policy.heads.weights import SHIPPED, HeadsFile, opened
from mags_lab.training.heads.course import Place, Watch, pace, real_of, samples_of
from mags_lab.training.heads.encoder import Encoder
from mags_lab.training.heads.growth import grow, shape_of
from mags_lab.training.heads.labels import taught
from mags_lab.training.heads.model import Heads
from mags_lab.training.heads.pieces import Pieces, Tokens, drawn, loss_of
from mags_lab.training.heads.recipes import Course, Tuning
from mags_lab.training.optimisers import latest, load_checkpoint, optimisers, save_checkpoint

FALL = 0.85
"""Rate of a layer, as a share of the next one's."""
NORM = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Learning:
    """Encoder and heads as they learn. `chosen`: optimisers, `full`: the rates of their groups."""

    course: Course
    tuning: Tuning
    encoder: Encoder
    heads: Heads
    both: nn.ModuleList
    chosen: Sequence[Optimizer]
    full: Sequence[Sequence[float]]


def tuned(course: Course, place: Place, watch: Watch | None = None) -> tuple[Encoder, Heads]:
    """Encoder and heads after a course; one that was stopped goes on from its last round.

    Begins as `place.start`, else as what ships, and keeps its width and blocks.
    """
    torch.set_num_threads(course.threads)
    torch.manual_seed(course.seed)
    learning, pieces = _begun(course, place.start or SHIPPED), Pieces()
    both, chosen = learning.both, learning.chosen
    first = _copied(both)
    last = latest(place.folder)
    done = load_checkpoint(last, both, chosen) if last else 0
    both.train()
    for number in range(done, course.rounds):
        told = [*samples_of(course, number, place.held), *real_of(course, number, place.real)]
        loss = _learn(learning, pieces.read(told), number)
        if watch is not None:
            watch(number + 1, {"loss": loss})
        save_checkpoint(place.folder, number + 1, both, chosen)
    _mean(both, first, learning.tuning.share)
    both.eval()
    return learning.encoder, learning.heads


def _begun(course: Course, start: HeadsFile) -> Learning:
    tuning, known = course.tuning or Tuning(), taught()
    encoder = Encoder(tuned=opened(start).tuned)
    heads = Heads(shape_of(start, known))
    grow(heads, start, known)
    lower = AdamW(encoder.groups(tuning.rate, FALL), betas=(0.9, 0.98), weight_decay=0.01)
    chosen = [lower, *optimisers(heads, rate=course.rate, decay=course.decay)]
    return Learning(
        course=course,
        tuning=tuning,
        encoder=encoder,
        heads=heads,
        both=nn.ModuleList([encoder, heads]),
        chosen=chosen,
        full=[[group["lr"] for group in one.param_groups] for one in chosen],
    )


def _learn(learning: Learning, samples: Sequence[Tokens], number: int) -> float:
    """One round; the mean loss of its batches."""
    course, tuning = learning.course, learning.tuning
    batches = drawn(samples, Random(number), tuning.tokens)
    total = 0.0
    for step, some in enumerate(batches):
        hide = tuning.hidden, Random(f"{course.seed} {number} {step}")
        loss = loss_of(learning.encoder, learning.heads, some, hide)
        loss.backward()
        _step(learning, pace(course, number + (step + 1) / len(batches)))
        total += loss.item()
    return total / max(1, len(batches))


def _step(learning: Learning, share: float) -> None:
    """A step of every optimiser at a share of its full rates."""
    for part in learning.both:
        learn = [one for one in part.parameters() if one.grad is not None]
        torch.nn.utils.clip_grad_norm_(learn, NORM)
    for one, rates in zip(learning.chosen, learning.full, strict=True):
        for group, rate in zip(one.param_groups, rates, strict=True):
            group["lr"] = rate * share
        one.step()
        one.zero_grad(set_to_none=True)


def _copied(part: nn.Module) -> Mapping[str, Tensor]:
    return {name: weight.detach().clone() for name, weight in part.state_dict().items()}


def _mean(part: nn.Module, begun: Mapping[str, Tensor], share: float) -> None:
    """Put a part `share` of the way from where it began to where it is."""
    now = part.state_dict()
    part.load_state_dict({name: was.lerp(now[name], share) for name, was in begun.items()})
