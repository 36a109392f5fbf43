"""Samples as tokens, for an encoder that learns: batches of like length, and their loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import Tensor

from mags.models.embed.onnx import SHIPPED, ModelFile, TokenStates, checked_bytes
from mags.models.embed.windows import Windower
from mags.models.policy.heads.layout import MARKS, Layout, marks
from mags.models.policy.heads.layout import rows as rows_of
from mags_lab.training.chains.schema import Sample
from mags_lab.training.heads.batches import ROLES, padded
from mags_lab.training.heads.encoder import Encoder
from mags_lab.training.heads.fit import labelled
from mags_lab.training.heads.labels import Gold, taught
from mags_lab.training.heads.loss import loss_on
from mags_lab.training.heads.model import Heads
from mags_lab.training.heads.states import Shown, layout_of
from mags_lab.training.optimisers import quick

MASK = 103
"""The tokenizer's number for a hidden token; the ordinary ones are greater."""
EVEN = 4
"""Lengths are rounded up to this, so that few shapes are met."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """A sample with its labels, its tokens (t,), and what each row is made of, (rows, t)."""

    shown: Shown
    gold: Gold
    ids: NDArray[np.int64]
    pool: NDArray[np.float32]


class Pieces:
    """Reads samples as the encoder of a file will."""

    def __init__(self, file: ModelFile = SHIPPED) -> None:
        self._windower = Windower(
            Tokenizer.from_buffer(checked_bytes(file.tokenizer, file.tokenizer_sha256)),
            tokens=file.window_tokens,
            overlap=file.overlap_tokens,
        )

    def read(self, samples: Sequence[Sample]) -> list[Tokens]:
        """The samples whose targets the heads can say."""
        shown = [_shown(sample) for sample in samples]
        found = []
        for one, gold in labelled(shown, taught()):
            ids, spans, whole = self._windower.tokens(one.layout.text)
            each = TokenStates(states=np.eye(len(ids), dtype=np.float32), spans=spans, whole=whole)
            pool = rows_of(one.layout, each)
            found.append(Tokens(shown=one, gold=gold, ids=ids, pool=pool))
        return found


def _shown(sample: Sample) -> Shown:
    layout: Layout = layout_of(sample)
    return Shown(
        sample=sample,
        layout=layout,
        states=np.zeros((layout.rows, 1), dtype=np.float16),
        marks=marks(layout).astype(np.uint8).reshape(-1, MARKS),
    )


def drawn(samples: Sequence[Tokens], rng: Random, most: int) -> list[list[Tokens]]:
    """All samples once, in batches of one role and of at most `most` tokens, in random order."""
    batches: list[list[Tokens]] = []
    for role in ROLES:
        own = [one for one in samples if one.shown.sample.role is role]
        own.sort(key=lambda one: len(one.ids) + 3 * rng.random())
        queue: list[Tokens] = []
        for one in own:
            longest = max(len(other.ids) for other in (*queue[-8:], one))
            if queue and (len(queue) + 1) * longest > most:
                batches.append(queue)
                queue = []
            queue.append(one)
        if queue:
            batches.append(queue)
    rng.shuffle(batches)
    return batches


def loss_of(
    encoder: Encoder, model: Heads, some: Sequence[Tokens], hide: tuple[float, Random]
) -> Tensor:
    """The loss of a batch, with a share of its tokens hidden by chance; inside as `quick`."""
    known = taught()
    batch = padded([(one.shown, one.gold) for one in some], known, hide[1])
    ids, mask, pool = _together(some, batch.mask.shape[1])
    hidden = torch.tensor([[hide[1].random() < hide[0] for _ in row] for row in ids])
    ids = torch.where(hidden & (ids > MASK), MASK, ids)
    with torch.autocast("cpu", torch.bfloat16, enabled=quick() is torch.bfloat16):
        layers = encoder(ids, mask)
    states = torch.cat([pool @ layer for layer in layers.float().unbind(1)], dim=-1)
    batch = replace(batch, states=states)
    with torch.autocast("cpu", torch.bfloat16, enabled=quick() is torch.bfloat16):
        x = model.trunk(states, batch.marks, batch.mask, ROLES[batch.role])
    return loss_on(model, batch, known, x.float())


def _together(some: Sequence[Tokens], rows: int) -> tuple[Tensor, Tensor, Tensor]:
    """Ids (b, n), which are there (b, n), and what rows are made of (b, rows, n)."""
    longest = -EVEN * (-max(len(one.ids) for one in some) // EVEN)
    ids = np.zeros((len(some), longest), dtype=np.int64)
    mask = np.zeros(ids.shape, dtype=bool)
    pool = np.zeros((len(some), rows, longest), dtype=np.float32)
    for place, one in enumerate(some):
        count = len(one.ids)
        ids[place, :count], mask[place, :count] = one.ids, True
        pool[place, : len(one.pool), :count] = one.pool
    return torch.from_numpy(ids), torch.from_numpy(mask), torch.from_numpy(pool)
