"""Going on from heads that are trained already, to more relations, memories and blocks."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from mags.models.policy.heads.choices import Vocabulary
from mags.models.policy.heads.weights import HeadsFile, opened
from mags_lab.training.heads.model import HOPS, Heads, Shape

BY_RELATION = frozenset({"relation.weight", "relation.bias", "gist.weight"})
"""Weights with a row for each relation and one for none."""
Pairs = Sequence[tuple[int, int]]


def shape_of(file: HeadsFile, known: Vocabulary) -> Shape:
    """The shape of the heads of a file, for the relations of `known`."""
    weights = opened(file).network.weights
    blocks = {name.split(".")[1] for name in weights if name.startswith("blocks.")}
    width = len(weights["norm.weight"])
    return Shape(relations=len(known.relations), width=width, blocks=len(blocks))


def grow(model: Heads, file: HeadsFile, known: Vocabulary) -> None:
    """Let heads begin as those of a file; what the file lacks begins so that nothing changes.

    Relations are matched by name. Blocks that are new add nothing at first.
    """
    begun = opened(file)
    old = {name: torch.from_numpy(w.copy()) for name, w in begun.network.weights.items()}
    names = {name: place for place, name in enumerate(begun.about.vocabulary.relations)}
    pairs = [(place, names[n]) for place, n in enumerate(known.relations) if n in names]
    with torch.no_grad():
        for block in model.blocks:
            for linear in (block.out, block.down):
                linear.weight.zero_()
                linear.bias.zero_()
        for name, weight in model.named_parameters():
            if name in old:
                _copy(name, weight, old[name], pairs, (len(known.relations), len(names)))


def _copy(name: str, weight: Tensor, found: Tensor, pairs: Pairs, many: tuple[int, int]) -> None:
    """Copy a weight; `many`: the relations of the new and of the old."""
    new, old = many
    if name in BY_RELATION:
        _rows(weight, found, [*pairs, many])
    elif name == "aim.weight":
        after, before = weight.view(HOPS, new + 1, -1), found.view(HOPS, old + 1, -1)
        for hop in range(HOPS):
            _rows(after[hop], before[hop], [*pairs, many])
    elif name == "memory.weight":
        objects = [(2 + place, 2 + was) for place, was in pairs]
        subjects = [(2 + new + place, 2 + old + was) for place, was in pairs]
        _rows(weight.T, found.T, [(0, 0), (1, 1), *objects, *subjects])
    else:
        weight.copy_(found)


def _rows(weight: Tensor, found: Tensor, pairs: Pairs) -> None:
    for new, was in pairs:
        weight[new] = found[was]
