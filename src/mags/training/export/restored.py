"""A Llama back from the ONNX file that `export_onnx` wrote, its matrices as their 8 bits tell them.

So what was kept as ONNX alone, like the nano that comes with MAGS, can be written as safetensors or
GGUF, or trained further.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnx
import torch
from google.protobuf.message import DecodeError
from onnx import numpy_helper
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from mags.errors import CorruptFile
from mags.training.export.onnx import MIDDLE, Floats

Arrays = Mapping[str, Floats]


def restored(path: Path, *, tokenizer: PreTrainedTokenizerFast) -> LlamaForCausalLM:
    """The model of a file; raises CorruptFile for one that `export_onnx` did not write."""
    try:
        graph = onnx.load(str(path)).graph
        arrays = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
        config = _config(graph, arrays, tokenizer)
        model = LlamaForCausalLM(config)
        model.load_state_dict(_weights(config, arrays))
    except (LookupError, ValueError, RuntimeError, DecodeError) as failure:
        raise CorruptFile(f"{path} is no nano of MAGS ({failure!r}).", path=path) from failure
    return model.eval()


def _config(
    graph: onnx.GraphProto, arrays: Arrays, tokenizer: PreTrainedTokenizerFast
) -> LlamaConfig:
    layers, _, caches, _, each = graph.input[1].type.tensor_type.shape.dim
    norm = next(one for one in graph.node if one.op_type == "SimplifiedLayerNormalization")
    heads = caches.dim_value // 2
    return LlamaConfig(
        vocab_size=graph.output[0].type.tensor_type.shape.dim[1].dim_value,
        hidden_size=heads * each.dim_value,
        num_hidden_layers=layers.dim_value,
        num_attention_heads=heads,
        num_key_value_heads=heads,
        intermediate_size=int(arrays["inner"][0]),
        max_position_embeddings=len(arrays["cos table"]),
        rms_norm_eps=next(one.f for one in norm.attribute if one.name == "epsilon"),
        rope_theta=_theta(arrays),
        tie_word_embeddings=True,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )


def _theta(arrays: Arrays) -> float:
    """The base of the rotation: the second angle of the second place is base ** (-2 / width)."""
    angle = np.arctan2(arrays["sin table"][1, 1], arrays["cos table"][1, 1])
    return float(np.round(angle ** (-arrays["cos table"].shape[1] / 2)))


def _weights(config: LlamaConfig, arrays: Arrays) -> dict[str, torch.Tensor]:
    wide, inner = config.hidden_size, config.intermediate_size
    table = _matrix(arrays, "head", wide)
    found = {"model.embed_tokens.weight": table, "lm_head.weight": table}
    found |= {name: array for name, array in arrays.items() if name.endswith("norm.weight")}
    for layer in range(config.num_hidden_layers):
        name = f"model.layers.{layer}."
        query, key, _, _, value = np.split(_matrix(arrays, f"{name}self_attn.qkv", wide), 5)
        gate, up = np.split(_matrix(arrays, f"{name}mlp.in", wide), 2)
        found |= {
            # The file scales what asks, so that no product has to.
            f"{name}self_attn.q_proj.weight": query * (wide // config.num_attention_heads) ** 0.5,
            f"{name}self_attn.k_proj.weight": key,
            f"{name}self_attn.v_proj.weight": value,
            f"{name}self_attn.o_proj.weight": _matrix(arrays, f"{name}self_attn.o", wide),
            f"{name}mlp.gate_proj.weight": gate,
            f"{name}mlp.up_proj.weight": up,
            f"{name}mlp.down_proj.weight": _matrix(arrays, f"{name}mlp.out", inner),
        }
    return {name: torch.from_numpy(np.array(array, np.float32)) for name, array in found.items()}


def _matrix(arrays: Arrays, name: str, columns: int) -> Floats:
    """A matrix (rows, columns), from 32 bits or from blocks of 8 bits with a scale each."""
    if name in arrays:
        return arrays[name].T
    blocks = arrays[f"{name} 8"].astype(np.float32) - MIDDLE
    scales = arrays[f"{name} scales"].reshape(*blocks.shape[:2], 1)
    whole: Floats = (blocks * scales).reshape(len(blocks), -1)[:, :columns]
    return whole
