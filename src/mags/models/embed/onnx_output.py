"""Name one more output of an ONNX model without a library for ONNX.

A serialised protocol buffer followed by another one parses as both merged: repeated fields are
joined (protobuf.dev/programming-guides/encoding, "last one wins" and its merge rule). So a model
followed by a `ModelProto` that holds only a graph with one output has that output as well.
Field numbers are those of onnx.proto: ModelProto.graph 7, GraphProto.output 12,
ValueInfoProto.name 1 and .type 2, TypeProto.tensor_type 1, Tensor.elem_type 1 (1 is float).
"""

from __future__ import annotations


def with_output(model: bytes, name: str) -> bytes:
    """The model with the inner float tensor `name` as its last output."""
    tensor = _message(1, bytes((1 << 3, 1)))
    info = _message(1, name.encode()) + _message(2, tensor)
    return model + _message(7, _message(12, info))


def _message(number: int, content: bytes) -> bytes:
    """A length-delimited field."""
    return bytes((number << 3 | 2,)) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    out = bytearray()
    while True:
        value, low = value >> 7, value & 0x7F
        out.append(low | (0x80 if value else 0))
        if not value:
            return bytes(out)
