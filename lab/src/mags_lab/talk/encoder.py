"""The shipped encoder in torch, so that its layers can be trained together with the heads.

It begins as the shipped file has it, out of its 7 and 8 bits, and gives its layers back in the form
of that file: constants that take the place of the graph's own. The embeddings stay as they are.
Shapes: b texts, n tokens, w width.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import dropout, gelu

from mags.models.embed.onnx import (
    FLOAT,
    INT8,
    SHIPPED,
    Arrays,
    ModelFile,
    checked_bytes,
    open_session,
    with_output,
)

LAYERS, HEADS, EPSILON = 6, 12, 1e-12
STATES = (3, 5)
"""Layers whose states the heads read."""
LEVELS = 63
"""Greatest of a weight in 7 bits, as `scripts/make_embedder.py` has them."""
DROP = 0.1
LINEAR = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "out": "attention.output.dense",
    "up": "intermediate",
    "down": "output.dense",
}
"""What the graph calls a product of a layer; keys and values have no bias there."""
NORM = {"norm1": "attention.output.LayerNorm", "norm2": "output.LayerNorm"}
UNBIASED = ("key", "value")


class Layer(nn.Module):  # type: ignore[misc]
    """Attention and a feed-forward layer, each before a norm, as in BERT."""

    def __init__(self, found: Arrays, at: str) -> None:
        super().__init__()
        for name, told in LINEAR.items():
            levels = np.asarray(found[f"{at}.{told}/w"], dtype=np.float32)
            scale = np.asarray(found[f"{at}.{told}/scale"], dtype=np.float32)
            linear = nn.Linear(*levels.shape, bias=name not in UNBIASED)
            linear.weight.data = torch.from_numpy(np.ascontiguousarray((levels * scale).T))
            if linear.bias is not None:
                linear.bias.data = _tensor(found[f"{at}.{told}/b"])
            setattr(self, name, linear)
        for name, told in NORM.items():
            setattr(self, name, _norm(found, f"{at}.{told}"))

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        """Rows (b, n, w) and what is added to the scores of attention (b, 1, 1, n) to (b, n, w)."""
        b, n, w = x.shape
        shape = (b, n, HEADS, w // HEADS)
        q, k, v = (
            part(x).view(shape).transpose(1, 2) for part in (self.query, self.key, self.value)
        )
        scores = q @ k.transpose(2, 3) / math.sqrt(w // HEADS) + bias.to(q.dtype)
        heard = (scores.softmax(dim=-1).to(v.dtype) @ v).transpose(1, 2).reshape(b, n, w)
        x = self.norm1((x + dropout(self.out(heard), DROP, self.training)).float())
        y = self.down(gelu(self.up(x), approximate="tanh"))
        made: Tensor = self.norm2((x + dropout(y, DROP, self.training)).float())
        return made


def constants(file: ModelFile) -> dict[str, NDArray[np.generic]]:
    """What the embeddings and layers of the graph are made of: it gives each as an output."""
    kinds = {"words": INT8, "words/scale": FLOAT, "places": FLOAT}
    norms = ["embeddings.LayerNorm"]
    for at in map(_at, range(LAYERS)):
        norms += [f"{at}.{told}" for told in NORM.values()]
        for name, told in LINEAR.items():
            kinds |= {f"{at}.{told}/w": INT8, f"{at}.{told}/scale": FLOAT}
            if name not in UNBIASED:
                kinds[f"{at}.{told}/b"] = FLOAT
    kinds |= {f"{norm}/{part}": FLOAT for norm in norms for part in ("gain", "shift")}
    outputs = (with_output(b"", name, kind) for name, kind in kinds.items())
    graph = checked_bytes(file.model, file.model_sha256) + b"".join(outputs)
    any_text = np.ones((1, 1), dtype=np.int64)
    session = open_session(graph, file.model, threads=1)
    made = session.run([*kinds], {"input_ids": any_text, "attention_mask": any_text})
    return dict(zip(kinds, made, strict=True))


class Encoder(nn.Module):  # type: ignore[misc]
    """Tokens to the states that the heads read; all layers learn, the embeddings do not.

    `tuned`: constants in place of the file's own, of layers that were trained on.
    """

    def __init__(self, file: ModelFile = SHIPPED, *, tuned: Arrays | None = None) -> None:
        super().__init__()
        found = {**constants(file), **(tuned or {})}
        scale = np.asarray(found["words/scale"], dtype=np.float32)
        words = np.asarray(found["words"], dtype=np.float32) * scale
        self.register_buffer("words", torch.from_numpy(words), persistent=False)
        self.register_buffer("places", _tensor(found["places"]), persistent=False)
        self.norm = _norm(found, "embeddings.LayerNorm")
        self.layers = nn.ModuleList(Layer(found, _at(place)) for place in range(LAYERS))
        self.norm.requires_grad_(False)

    def embedded(self, ids: Tensor) -> Tensor:
        """Ids (b, n) to the rows that the layers begin with (b, n, w), which do not learn."""
        made: Tensor = self.norm(self.words[ids] + self.places[: ids.shape[1]])
        return made

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Rows of `embedded` (b, n, w) and bool (b, n) to states (b, layers read, n, w)."""
        found = []
        for place, layer in enumerate(self.layers):
            x = layer(x, _bias(mask))
            if place in STATES:
                found.append(x)
        return torch.stack(found, dim=1)

    def groups(self, rate: float, fall: float) -> list[dict[str, object]]:
        """What learns, for an optimiser: every layer `fall` times the rate of the next."""
        return [
            {"params": list(layer.parameters()), "lr": rate * fall ** (LAYERS - 1 - place)}
            for place, layer in enumerate(self.layers)
        ]

    def constants(self) -> Mapping[str, NDArray[np.generic]]:
        """The layers as constants of the graph."""
        made: dict[str, NDArray[np.generic]] = {}
        for place in range(LAYERS):
            layer, at = self.layers[place], _at(place)
            for name, told in LINEAR.items():
                linear = getattr(layer, name)
                weight = linear.weight.detach().numpy()
                scale = np.maximum(np.abs(weight).max(axis=1) / LEVELS, 1e-12).astype(np.float32)
                levels = np.clip(np.rint(weight / scale[:, None]), -LEVELS, LEVELS)
                made[f"{at}.{told}/w"] = np.ascontiguousarray(levels.astype(np.int8).T)
                made[f"{at}.{told}/scale"] = scale
                if linear.bias is not None:
                    made[f"{at}.{told}/b"] = linear.bias.detach().numpy()
            for name, told in NORM.items():
                norm = getattr(layer, name)
                made[f"{at}.{told}/gain"] = norm.weight.detach().numpy()
                made[f"{at}.{told}/shift"] = norm.bias.detach().numpy()
        return made


def _bias(mask: Tensor) -> Tensor:
    return torch.zeros(mask.shape).masked_fill(~mask, -1e4)[:, None, None]


def _at(place: int) -> str:
    return f"encoder.layer.{place}"


def _norm(found: Arrays, name: str) -> nn.LayerNorm:
    norm = nn.LayerNorm(len(found[f"{name}/gain"]), eps=EPSILON)
    norm.weight.data = _tensor(found[f"{name}/gain"])
    norm.bias.data = _tensor(found[f"{name}/shift"])
    return norm


def _tensor(array: NDArray[np.generic]) -> Tensor:
    return torch.from_numpy(np.array(array, dtype=np.float32))
