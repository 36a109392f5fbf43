"""MuSiQue and HotpotQA as prepared by HippoRAG: questions over a corpus of passages.

MuSiQue (Trivedi et al., 2022; CC BY 4.0) has OpenIE triples by GPT-3.5 for each passage; HotpotQA
(Yang et al., 2018; CC BY-SA 4.0) has none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType

from mags_lab.evaluation.datasets.source import read_json
from mags_lab.evaluation.protocol import Probe, SourceTurn, Triple

_WRITTEN = datetime(2024, 1, 1, tzinfo=UTC)  # passages carry no date; all get the same one


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """Passages as turns (`<title>`, newline, `<text>`), questions, and triples by turn id."""

    name: str
    turns: tuple[SourceTurn, ...]
    probes: tuple[Probe, ...]
    triples: Mapping[str, tuple[Triple, ...]]


def load_musique(questions: Path, corpus: Path, openie: Path | None = None) -> Corpus:
    """Return MuSiQue; `triples` stays empty without the OpenIE file.

    Only triples of exactly three parts are kept (184 of 17,419 have more or fewer).
    """
    passages = [(p["title"], p["text"]) for p in read_json(corpus)]
    # Titles repeat in MuSiQue, so a passage is known by title and text.
    ids = {passage: f"p{number}" for number, passage in enumerate(passages)}
    probes = []
    for raw in read_json(questions):
        support = [p for p in raw["paragraphs"] if p["is_supporting"]]
        gold = frozenset(ids[p["title"], p["paragraph_text"]] for p in support)
        kind = f"{len(gold)} passages"
        probes.append(Probe(id=raw["id"], text=raw["question"], gold=gold, kind=kind))
    triples: dict[str, tuple[Triple, ...]] = {}
    if openie is not None:
        for doc in read_json(openie)["docs"]:
            kept = [t for t in doc["extracted_triples"] if len(t) == 3 and all(map(str.strip, t))]
            triples[ids[doc["title"], doc["text"]]] = tuple((s, r, o) for s, r, o in kept)
    return Corpus(
        name="musique",
        turns=tuple(_passage(ids[p], *p) for p in passages),
        probes=tuple(probes),
        triples=MappingProxyType(triples),
    )


def load_hotpotqa(questions: Path, corpus: Path) -> Corpus:
    """Return HotpotQA, whose passages are identified by their titles."""
    probes = [
        Probe(
            id=raw["_id"],
            text=raw["question"],
            gold=frozenset(title for title, _ in raw["supporting_facts"]),
            kind=raw["type"],
        )
        for raw in read_json(questions)
    ]
    turns = [_passage(t, t, "".join(lines)) for t, lines in read_json(corpus).items()]
    empty: Mapping[str, tuple[Triple, ...]] = MappingProxyType({})
    return Corpus(name="hotpotqa", turns=tuple(turns), probes=tuple(probes), triples=empty)


def _passage(identifier: str, title: str, text: str) -> SourceTurn:
    return SourceTurn(
        id=identifier, text=f"{title}\n{text}", speaker="", at=_WRITTEN, session=identifier
    )
