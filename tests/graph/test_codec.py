"""The codec gives back what it was given, to the bit, and says what it cannot read."""

import dataclasses
import json
import zlib

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from mags.errors import CorruptFile, NewerSchema
from mags.graph.delta import HEAD, THRESHOLD, VERSION, Changes, Delta, decode, encode, touches
from mags.graph.graph import Graph
from mags.graph.records import ARC, NODE, ArcKind, Content, blank_arc, blank_node
from tests.graph.deltas import play, turns

LAYOUTS = [0x197F5CD9, 0xC1C353DB]

words = st.text(max_size=8)
numbers = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False)
values = st.recursive(
    st.none() | st.booleans() | numbers | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=6,
)
facts = st.dictionaries(words, values, max_size=3)


@st.composite
def changes(draw, dtype: np.dtype) -> Changes:
    """Any bits at all, the images of what is absent included."""
    n = draw(st.integers(0, 5))
    images = [
        np.frombuffer(
            draw(st.binary(min_size=n * dtype.itemsize, max_size=n * dtype.itemsize)), dtype
        )
        for _ in range(2)
    ]
    flags = [
        np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)), np.bool_) for _ in "ab"
    ]
    return Changes(*images, *flags)


deltas = st.builds(
    Delta,
    kind=words,
    base=st.integers(0, 2**62),
    recorded_at=st.floats(allow_nan=False),
    tick_before=st.integers(0, 2**62),
    tick_after=st.integers(0, 2**62),
    key=st.none() | words,
    payload=st.none() | words,
    nodes=changes(NODE),
    arcs=changes(ARC),
    reasons=st.lists(facts, max_size=3).map(tuple),
    result=facts,
)


@given(deltas)
def test_any_delta_comes_back_to_the_bit(delta):
    back = decode(encode(delta))
    assert back == delta
    assert type(back.reasons) is tuple


@given(turns)
def test_drafted_deltas_come_back_and_do_the_same(history):
    graph, copy = Graph(), Graph()
    for turn in history:
        delta = play(graph, turn)
        copy.apply(decode(encode(delta)))
    assert copy.digest() == graph.digest()


@given(deltas, st.data())
def test_a_flipped_bit_never_passes_for_another_delta(delta, data):
    whole = bytearray(encode(delta))
    at = data.draw(st.integers(3, len(whole) - 1))
    whole[at] ^= 1 << data.draw(st.integers(0, 7))
    with pytest.raises(CorruptFile, match="damaged"):
        decode(bytes(whole))


@given(deltas, st.data())
def test_a_cut_entry_is_refused(delta, data):
    whole = encode(delta)
    with pytest.raises(CorruptFile):
        decode(whole[: data.draw(st.integers(0, len(whole) - 1))])


@given(turns, st.lists(st.integers(1, 9), max_size=2))
def test_an_encoded_delta_tells_which_nodes_it_touches(history, ids):
    graph = Graph()
    for turn in history:
        delta = play(graph, turn)
        ends = [delta.nodes.after["id"], delta.arcs.after["src"], delta.arcs.after["dst"]]
        touched = set(np.concatenate(ends).tolist())
        assert touches(encode(delta), np.array(ids, np.int64)) == bool(touched & set(ids))


def test_words_are_left_out():
    content = Content(id=1, node=1, text="zebrafish", meta={"speaker": "zebrafish"})
    delta = Delta(kind="observe", contents=(content,))
    assert b"zebrafish" not in encode(delta)
    assert decode(encode(delta)) == dataclasses.replace(delta, contents=())


def test_numbers_of_numpy_become_plain_ones():
    delta = Delta(kind="x", result={"id": np.int64(3), "w": np.float32(0.5)})
    assert decode(encode(delta)).result == {"id": 3, "w": 0.5}


def test_anything_but_json_types_is_refused():
    with pytest.raises(TypeError, match="not set"):
        encode(Delta(kind="x", result={"ids": {1, 2}}))


def test_a_newer_version_says_to_upgrade():
    whole = bytearray(encode(Delta(kind="x")))
    whole[1] = VERSION + 1
    with pytest.raises(NewerSchema, match="upgrade"):
        decode(bytes(whole))


def test_large_bodies_are_compressed_and_small_ones_are_not():
    small = encode(Delta(kind="x"))
    arcs = [(None, blank_arc(i, i + 1, ArcKind.NEXT)) for i in range(100)]
    large = encode(Delta(kind="x", arcs=Changes.of(ARC, arcs)))
    assert small[2] == 0
    assert large[2] == 1
    assert len(small) < THRESHOLD
    assert len(large) < 100 * ARC.itemsize / 4
    assert len(zlib.decompress(large[HEAD.size :])) > 2 * 100 * ARC.itemsize


def test_version_1_is_this_layout_and_no_other():
    """A change of NODE or ARC needs a new VERSION, and a reader of what was written before."""
    layouts = [zlib.crc32(repr(dtype.descr).encode()) for dtype in (NODE, ARC)]
    assert (VERSION, layouts) == (1, LAYOUTS)
    old, new = blank_node(id=3, uses=1), blank_node(id=3, uses=2)
    delta = Delta(kind="edit", nodes=Changes.of(NODE, [(old, new)]))
    body = encode(delta)[HEAD.size :]
    body = zlib.decompress(body) if encode(delta)[2] else body
    header = json.loads(body[4 : 4 + int.from_bytes(body[:4], "little")])
    assert header == {
        "kind": "edit", "base": 0, "recorded_at": 0.0, "tick_before": 0, "tick_after": 0,
        "key": None, "payload": None, "reasons": [], "result": {}, "n": [1, 0],
    }  # fmt: skip
    images = body[4 + int.from_bytes(body[:4], "little") :]
    assert images[:2] == b"\x01\x01"
    assert images[2 : 2 + NODE.itemsize] == new.tobytes()
    difference = np.frombuffer(images[2 + NODE.itemsize :], np.uint8)
    at = NODE.fields["uses"][1]
    assert np.flatnonzero(difference).tolist() == [at]
    assert difference[at] == 1 ^ 2
