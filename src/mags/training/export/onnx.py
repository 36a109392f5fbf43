"""A Llama as ONNX, written node by node so that a token costs few of them.

Inputs: `ids` int64 (batch, new), `past` float32 (layers, batch, 2 x heads, seen, head width), keys
before values. Outputs: `logits` float32 (batch, pieces) after the last new token, `present` as
`past` with the new tokens. No padding: a batch holds prompts of one length (the runtime asks one
by one).

One product makes queries, keys, values and what the rotation adds to the first two; matrices may
be kept in 8 bits, each block of 64 weights with a scale of its own (onnxruntime's MatMulNBits):
a decision of few tokens mostly waits for weights to come from memory.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from transformers import LlamaForCausalLM

Floats = NDArray[np.float32]
BLOCK, MIDDLE, MOST = 64, 128, 127
FAR = -1e9
OPSET, CONTRIB, FORMAT = 18, 1, 9


def export_onnx(model: LlamaForCausalLM, path: Path, *, bits: int = 32) -> Path:
    """Write a model as one ONNX file; `bits` of a weight: 32 or 8; needs the extra `train`."""
    if model.config.num_key_value_heads != model.config.num_attention_heads:
        raise ValueError("grouped keys are not exported: num_key_value_heads must equal heads")
    if bits != 32 and (bits != 8 or model.config.hidden_size % BLOCK):
        raise ValueError(f"a weight has 32 bits, or 8 where the width is a multiple of {BLOCK}")
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(_Graph(model, bits=bits).whole(), str(path))
    return path


class _Graph:
    """Nodes and constants of one model."""

    def __init__(self, model: LlamaForCausalLM, *, bits: int) -> None:
        config = model.config
        self._weights = {n: w.detach().float().numpy() for n, w in model.state_dict().items()}
        self._bits = bits
        self._layers = config.num_hidden_layers
        self._heads = config.num_attention_heads
        self._wide = config.hidden_size
        self._each = config.hidden_size // config.num_attention_heads
        self._eps = config.rms_norm_eps
        self._theta = float(config.rope_parameters["rope_theta"])
        self._context = config.max_position_embeddings
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []

    def whole(self) -> onnx.ModelProto:
        """The model."""
        self._places()
        states, kept = self._embedded(), []
        for layer in range(self._layers):
            states, cache = self._layer(states, layer)
            kept.append(self._node("Unsqueeze", cache, self._ints("axis 0", [0])))
        self._node("Concat", *kept, out="present", axis=0)
        last = self._node("Gather", states, self._int("last", -1), axis=1)
        normed = self._norm(last, "model.norm.weight")
        self._product(normed, "head", self._weights["model.embed_tokens.weight"], out="logits")
        shape = [self._layers, "batch", 2 * self._heads]
        pieces = len(self._weights["model.embed_tokens.weight"])
        value = helper.make_tensor_value_info
        graph = helper.make_graph(
            self._nodes,
            "nano",
            [
                value("ids", TensorProto.INT64, ["batch", "new"]),
                value("past", TensorProto.FLOAT, [*shape, "seen", self._each]),
            ],
            [
                value("logits", TensorProto.FLOAT, ["batch", pieces]),
                value("present", TensorProto.FLOAT, [*shape, "all", self._each]),
            ],
            self._constants,
        )
        sets = [helper.make_opsetid("", OPSET), helper.make_opsetid("com.microsoft", CONTRIB)]
        return helper.make_model(graph, opset_imports=sets, ir_version=FORMAT)

    def _places(self) -> None:
        """Rotations of the new places, and which places each of them may see."""
        turns = np.outer(
            np.arange(self._context), self._theta ** (-np.arange(0, self._each, 2) / self._each)
        )
        both = np.concatenate([turns, turns], axis=1).astype(np.float32)
        seen = self._node("Gather", self._node("Shape", "past"), self._int("3", 3))
        new = self._node("Gather", self._node("Shape", "ids"), self._int("1", 1))
        whole, one = self._node("Add", seen, new), self._int("1", 1)
        places = self._node("Range", seen, whole, one)
        for name, table in (("cos", np.cos(both)), ("sin", np.sin(both))):
            rows = self._node("Gather", self._constant(f"{name} table", table), places, axis=0)
            self._node("Unsqueeze", rows, self._ints("axes 0 2", [0, 2]), out=name)
        columns = self._node("Range", self._int("0", 0), whole, one)
        rows = self._node("Unsqueeze", places, self._ints("axis 1", [1]))
        later = self._node("Greater", self._node("Unsqueeze", columns, "axis 0"), rows)
        far, near = (self._constant(str(x), np.array(x, np.float32)) for x in (FAR, 0.0))
        self._ints("axis 0", [0])
        self._node("Where", later, far, near, out="bias")

    def _embedded(self) -> str:
        """The states of the new tokens: rows of the head, which is tied to it."""
        table = self._weights["model.embed_tokens.weight"]
        if self._bits == 32:
            return self._node("Gather", self._constant("table", table), "ids", axis=0)
        blocks, scales = quantised(table)
        rows = self._node("Gather", self._constant("head 8", blocks), "ids", axis=0)
        known = self._constant("head rows", scales.reshape(len(table), -1, 1))
        wide = self._node("Cast", rows, to=TensorProto.FLOAT)
        middle = self._constant("middle", np.array(MIDDLE, np.float32))
        exact = self._node(
            "Mul",
            self._node("Sub", wide, middle),
            self._node("Gather", known, "ids", axis=0),
        )
        return self._node("Reshape", exact, self._ints("flat", [0, 0, self._wide]))

    def _layer(self, states: str, layer: int) -> tuple[str, str]:
        name = f"model.layers.{layer}."
        normed = self._norm(states, f"{name}input_layernorm.weight")
        mixed, cache = self._attended(normed, f"{name}self_attn.", layer)
        states = self._node("Add", states, mixed)
        normed = self._norm(states, f"{name}post_attention_layernorm.weight")
        return self._node("Add", states, self._fed(normed, f"{name}mlp.")), cache

    def _attended(self, states: str, name: str, layer: int) -> tuple[str, str]:
        heads = self._heads
        query = self._weights[f"{name}q_proj.weight"] * self._each**-0.5
        key, value = (self._weights[f"{name}{x}_proj.weight"] for x in "kv")
        joined = np.concatenate([query, key, self._half(query), self._half(key), value])
        mixed = self._product(states, f"{name}qkv", joined)
        by_head = self._ints("by head", [0, 0, 5 * heads, self._each])
        parts = self._ints("2 2 1", [2 * heads, 2 * heads, heads])
        plain, turned, values = self._split(
            self._node("Reshape", mixed, by_head), parts, count=3, axis=2
        )
        rotated = self._node(
            "Add", self._node("Mul", plain, "cos"), self._node("Mul", turned, "sin")
        )
        halves = self._ints("1 1", [heads, heads])
        asked, keys = self._split(rotated, halves, count=2, axis=2)
        new = self._node("Transpose", self._node("Concat", keys, values, axis=2), perm=[0, 2, 1, 3])
        before = self._node("Gather", "past", self._int(f"layer {layer}", layer), axis=0)
        cache = self._node("Concat", before, new, axis=2)
        known, held = self._split(cache, halves, count=2, axis=1)
        scores = self._node(
            "MatMul",
            self._node("Transpose", asked, perm=[0, 2, 1, 3]),
            self._node("Transpose", known, perm=[0, 1, 3, 2]),
        )
        shares = self._node("Softmax", self._node("Add", scores, "bias"), axis=-1)
        seen = self._node("Transpose", self._node("MatMul", shares, held), perm=[0, 2, 1, 3])
        flat = self._node("Reshape", seen, self._ints("flat", [0, 0, self._wide]))
        return self._product(flat, f"{name}o", self._weights[f"{name}o_proj.weight"]), cache

    def _fed(self, states: str, name: str) -> str:
        gate, up, down = (self._weights[f"{name}{x}_proj.weight"] for x in ("gate", "up", "down"))
        both = self._product(states, f"{name}in", np.concatenate([gate, up]))
        sizes = self._ints("inner", [len(gate), len(up)])
        opened, let = self._split(both, sizes, count=2, axis=2)
        open_ = self._node("Mul", opened, self._node("Sigmoid", opened))
        return self._product(self._node("Mul", open_, let), f"{name}out", down)

    def _half(self, matrix: Floats) -> Floats:
        """What makes the half-turned product: (x1, x2) of each head to (-x2, x1)."""
        first, second = np.split(matrix.reshape(self._heads, self._each, -1), 2, axis=1)
        turned: Floats = np.concatenate([-second, first], axis=1).reshape(matrix.shape)
        return turned

    def _norm(self, states: str, weight: str) -> str:
        scale = self._constant(weight, self._weights[weight])
        return self._node(
            "SimplifiedLayerNormalization", states, scale, axis=-1, epsilon=self._eps, stash_type=1
        )

    def _product(self, states: str, name: str, matrix: Floats, *, out: str = "") -> str:
        if self._bits == 32:
            weights = self._constant(name, matrix.T)
            return self._node("MatMul", states, weights, out=out)
        blocks, scales = quantised(matrix)
        rows, columns = matrix.shape
        return self._node(
            "MatMulNBits",
            states,
            self._constant(f"{name} 8", blocks),
            self._constant(f"{name} scales", scales),
            out=out,
            domain="com.microsoft",
            K=columns,
            N=rows,
            bits=8,
            block_size=BLOCK,
            accuracy_level=4,
        )

    def _split(self, states: str, sizes: str, *, count: int, axis: int) -> list[str]:
        outs = [f"{len(self._nodes)}.{part}" for part in range(count)]
        self._nodes.append(helper.make_node("Split", [states, sizes], outs, axis=axis))
        return outs

    def _node(self, kind: str, *ins: str, out: str = "", **how: object) -> str:
        named = out or str(len(self._nodes)) + ":"
        self._nodes.append(helper.make_node(kind, ins, [named], **how))
        return named

    def _int(self, name: str, value: int) -> str:
        return self._constant(f"int {name}", np.array(value, np.int64))

    def _ints(self, name: str, values: list[int]) -> str:
        return self._constant(name, np.array(values, np.int64))

    def _constant(self, name: str, value: NDArray[np.generic]) -> str:
        if all(one.name != name for one in self._constants):
            # Not ascontiguousarray: it makes an array of one number of a number.
            self._constants.append(numpy_helper.from_array(np.array(value, order="C"), name))
        return name


def quantised(matrix: Floats) -> tuple[NDArray[np.uint8], Floats]:
    """A matrix (rows, columns) in 8 bits: (rows, blocks, 64) around 128, and a scale a block."""
    rows, columns = matrix.shape
    wide = np.zeros((rows, -(-columns // BLOCK) * BLOCK), np.float32)
    wide[:, :columns] = matrix
    blocks = wide.reshape(rows, -1, BLOCK)
    scales = np.maximum(np.abs(blocks).max(axis=2), 1e-8) / MOST
    numbers = np.rint(blocks / scales[..., None]) + MIDDLE
    return numbers.astype(np.uint8), scales.astype(np.float32).ravel()
