"""Decoding held to the grammar: every right reply can be said, and nothing else (llguidance)."""

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

from mags.errors import ConfigurationError, ModelReplyError
from mags.models.grammar import read_engram, read_plan, read_route
from mags_lab.training.chains import hand
from mags_lab.training.constraint import Constraint, Guide

MARKS = ("<recall>", "</recall>", "<engram>", "</engram>", "<route>", "</route>")
READERS = {
    "write": read_engram,
    "ask": lambda reply: read_plan(reply, "Why?"),
    "router": read_route,
}
LINKS = "a link is LINK | m1 | m2"
WORDS = ("ADD | ", "UPDATE | ", "RETRACT | ", " | ", "lives in", "kind=", "2024-", "none", "\n")


def tokenizer(*, marks: bool) -> Tokenizer:
    """Bytes, and some words that straddle the fields of an operation."""
    pytest.importorskip("llguidance", reason="needs the extra: pip install './lab[train]'")
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    pieces = {piece: place for place, piece in enumerate(["<end>", *alphabet])}
    made = Tokenizer(models.BPE(vocab=pieces, merges=[]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens(["<end>"])
    made.add_tokens([AddedToken(w, special=False, normalized=False) for w in WORDS])
    if marks:
        made.add_tokens([AddedToken(m, special=False, normalized=False) for m in MARKS])
    return made


def constraint(words: Tokenizer) -> Constraint:
    end = words.token_to_id("<end>")
    return Constraint(words.to_str(), end=end, pieces=words.get_vocab_size())


def refusal(role: str, reply: str) -> str:
    try:
        READERS[role](reply)
    except ModelReplyError as refused:
        return str(refused.facts["reason"])
    return ""


@cache
def in_bytes() -> tuple[Tokenizer, Constraint]:
    words = tokenizer(marks=True)
    return words, constraint(words)


def accepts(guide: Guide, ids: list[int]) -> bool:
    return all(guide.allowed()[piece] and guide.take(piece) for piece in ids)


@pytest.mark.parametrize("marks", [True, False], ids=["marks are pieces", "marks are spelled"])
def test_every_right_reply_can_be_said(marks: bool):
    words = tokenizer(marks=marks)
    held, end = constraint(words), words.token_to_id("<end>")
    samples = list(hand.samples(list(hand.chains())))
    assert len(samples) > 200
    refused = [
        one.target
        for one in samples
        if not accepts(held.begin(one.role.value), [*words.encode(one.target).ids, end])
    ]
    assert refused == []


@pytest.mark.parametrize(
    ("role", "reply"),
    [
        ("write", "ADD | a | b | c"),
        ("write", "<engram>\nADD | a | b\n</engram>"),
        ("write", "<engram>\nADD | a | b | c | colour=red\n</engram>"),
        ("write", "<engram>\nADD | a | b | c | yesterday\n</engram>"),
        ("write", "<engram>\n</engram>"),
        ("ask", "<recall>\nkind: colour\n</recall>"),
        ("ask", "<recall>\nhop: ^ | works at\n</recall>"),
        ("router", "<route> perhaps </route>"),
    ],
)
def test_what_the_reader_refuses_cannot_be_said(role: str, reply: str):
    words = tokenizer(marks=True)
    assert refusal(role, reply)
    ids = [*words.encode(reply).ids, words.token_to_id("<end>")]
    assert not accepts(constraint(words).begin(role), ids)


@settings(max_examples=200)
@given(st.sampled_from(sorted(READERS)), st.randoms(use_true_random=False))
def test_whatever_is_said_at_random_is_read(role: str, rng):
    words, held = in_bytes()
    end = words.token_to_id("<end>")
    hurry = [words.token_to_id(w) for w in ("\n", *MARKS)]
    guide, said = held.begin(role), list[int]()
    while len(said) < 600:
        may = guide.allowed().nonzero()[0].tolist()
        near = [piece for piece in may if piece in hurry]
        piece = end if end in may else rng.choice(near if near and len(said) > 30 else may)
        if piece == end:
            break
        assert guide.take(piece)
        said.append(piece)
    # Beyond any automaton: numbers that are compared with one another.
    assert refusal(role, words.decode(said)) in ("", "when ends before it begins", LINKS)


def test_without_the_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(__import__("sys").modules, "llguidance", None)
    with pytest.raises(ConfigurationError, match=r"pip install './lab\[train\]'"):
        Constraint("{}", end=0, pieces=1)
