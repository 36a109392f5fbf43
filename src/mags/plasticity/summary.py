"""A theme's text without a language model: the names and sentences nearest its centre."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mags.graph.records import Content, NodeKind

NAMES = 3
SENTENCES = 2
LONGEST = 240
"""Characters after which a member's text is cut at a sentence or a word."""

SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Member:
    """A member of a theme: its kind, its words, and its vector, float32 (d,)."""

    kind: NodeKind
    content: Content
    vector: NDArray[np.float32]


def central_summary(members: Sequence[Member]) -> str:
    """Up to three names and two sentences, those nearest the mean of the members' vectors.

    "Ana, Oslo: Ana lives in Oslo. The flat looks over the harbour." Repeated texts count
    once; equally near ones keep the order given.
    """
    vectors = np.stack([member.vector for member in members])
    nearness = vectors @ vectors.mean(axis=0)
    names: dict[str, None] = {}
    sentences: dict[str, None] = {}
    for i in np.argsort(-nearness, kind="stable"):
        text = " ".join(members[i].content.text.split())
        if members[i].kind == NodeKind.ENTITY:
            names.setdefault(text)
        elif text:
            sentences.setdefault(_opening(text))
    head, body = ", ".join(list(names)[:NAMES]), " ".join(list(sentences)[:SENTENCES])
    return f"{head}: {body}" if head and body else head or body


def _opening(text: str) -> str:
    """The first sentences of a text that fit, or as many of its words."""
    if len(text) <= LONGEST:
        return text
    kept = ""
    for sentence in SENTENCE_END.split(text):
        if len(kept) + len(sentence) >= LONGEST:
            break
        kept = f"{kept} {sentence}".strip()
    return kept or text[:LONGEST].rsplit(" ", 1)[0] + " ..."
