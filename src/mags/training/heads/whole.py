"""Train the encoder's layers with the heads: `python -m mags.training.heads.whole --out FILE`.

Begins as the shipped encoder and as heads that are there (`--start`), and reads samples that are
new in every round. The encoder's rate is lower than that of the heads, and lower still for each
layer below; some tokens are hidden. What comes out is `--share` of the way from where it began to
where it came: such means keep more of what the encoder knew of words that training has not
(Wortsman et al. 2022, arXiv:2109.01903). Recall reads the encoder as it was.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import torch
from rich.console import Console
from torch import Tensor, nn
from torch.optim import AdamW, Optimizer

from mags.models.policy.heads.weights import SHIPPED, HeadsFile, opened
from mags.training.heads.__main__ import found_on
from mags.training.heads.course import held_back, pace, samples_of
from mags.training.heads.encoder import Encoder
from mags.training.heads.export import save, trained
from mags.training.heads.growth import grow
from mags.training.heads.labels import taught
from mags.training.heads.material import Material
from mags.training.heads.model import Heads, Shape
from mags.training.heads.pieces import Pieces, drawn, loss_of
from mags.training.heads.recipes import WHOLE, Course
from mags.training.heads.states import states_of
from mags.training.optimisers import optimisers
from mags.training.recipe.ledger import peak_mb

FALL = 0.85
"""Rate of a layer, as a share of the next one's."""
NORM = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """What a course of the encoder needs besides. `hidden`: share of the tokens; `share`: of the
    way from the beginning to the end that is kept; `tokens`: of a batch.
    """

    rate: float = 1.5e-4
    hidden: float = 0.04
    share: float = 0.7
    tokens: int = 1_300


def tuned(
    course: Course, tuning: Tuning, start: HeadsFile, held: Material, console: Console
) -> tuple[Encoder, Heads]:
    """Encoder and heads after a course."""
    torch.set_num_threads(course.threads)
    torch.manual_seed(course.seed)
    known, pieces = taught(), Pieces()
    encoder = Encoder(tuned=opened(start).tuned)
    model = Heads(Shape(relations=len(known.relations)))
    grow(model, start, known)
    begun = [_copied(part) for part in (encoder, model)]
    lower = AdamW(encoder.groups(tuning.rate, FALL), betas=(0.9, 0.98), weight_decay=0.01)
    chosen = [lower, *optimisers(model, rate=course.rate, decay=course.decay)]
    full = [[group["lr"] for group in one.param_groups] for one in chosen]
    encoder.train()
    model.train()
    for number in range(course.rounds):
        samples = pieces.read(list(samples_of(course, number, held)))
        batches = drawn(samples, Random(number), tuning.tokens)
        total = 0.0
        for step, some in enumerate(batches):
            hide = tuning.hidden, Random(f"{course.seed} {number} {step}")
            loss = loss_of(encoder, model, some, hide)
            loss.backward()
            share = pace(course, number + (step + 1) / len(batches))
            _step(chosen, full, (encoder, model), share)
            total += loss.item()
        console.print(f"round {number + 1}: loss {total / max(1, len(batches)):.3f}")
    parts: tuple[nn.Module, ...] = (encoder, model)
    for part, weights in zip(parts, begun, strict=True):
        _mean(part, weights, tuning.share)
        part.eval()
    return encoder, model


def _step(
    chosen: Sequence[Optimizer],
    full: Sequence[Sequence[float]],
    parts: Sequence[nn.Module],
    share: float,
) -> None:
    for part in parts:
        learn = [one for one in part.parameters() if one.grad is not None]
        torch.nn.utils.clip_grad_norm_(learn, NORM)
    for one, rates in zip(chosen, full, strict=True):
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


def main(words: Sequence[str] | None = None) -> None:
    """Train and write the heads with the encoder's layers, and say what it took."""
    given = arguments(words)
    console = Console()
    told = {name: getattr(given, name) for name in ("rounds", "cool", "rate", "seed", "threads")}
    course = replace(WHOLE, **{k: v for k, v in told.items() if v is not None})
    start = HeadsFile(path=given.start) if given.start else SHIPPED
    began = time.process_time()
    held = held_back(course)
    encoder, model = tuned(course, Tuning(share=given.share), start, held, console)
    spent = time.process_time() - began
    console.print(f"trained in {spent:.0f} CPU-s, at most {peak_mb():.0f} MB")
    layers = encoder.constants()
    made = trained(model, taught(), tuned=layers)
    least = found_on(made, states_of(held.dev, given.folder / "held", tuned=layers))
    file = save(model, replace(made.about, thresholds=least), given.out, layers)
    console.print(f"{least}\n{file.path} {file.path.stat().st_size} bytes, sha256 {file.sha256}")


def arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m mags.training.heads.whole")
    parser.add_argument("--out", type=Path, default=Path("heads-minilm.npz"))
    parser.add_argument("--start", type=Path, default=None, help="heads; default the shipped")
    parser.add_argument("--folder", type=Path, default=Path(".cache/heads"), help="of the run")
    parser.add_argument("--share", type=float, default=Tuning().share)
    parser.add_argument("--rounds", type=int, default=None)
    parser.add_argument("--cool", type=int, default=None)
    parser.add_argument("--rate", type=float, default=None, help="of the heads")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--threads", type=int, default=None)
    return parser.parse_args(words)


if __name__ == "__main__":
    main()
