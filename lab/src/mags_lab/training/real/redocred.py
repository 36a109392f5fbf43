"""Re-DocRED: Wikipedia paragraphs with the facts of 96 properties (Tan et al., 2022; MIT).

Only facts that one sentence is the whole evidence of, and that has both names in it, are wanted of
that sentence. Facts between two names of a sentence whose evidence is elsewhere, or not known, may
be told of it and are not charged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from mags_lab.training.real.files import read_json
from mags_lab.training.real.passage import Fact, Passage, in_order, odd, relation_name, writable
from mags_lab.training.real.properties import LABELS

SOURCE = "Re-DocRED"
PLACE = "redocred"
# All but "is a": what a thing is, is marked only where its kind has a name.
ASKED = frozenset(relation_name(code, label) for code, label in LABELS.items()) - {"is a"}
_NO_SPACE_BEFORE = re.compile(r" ([,.;:!?%)\]]|'s\b|n't\b|'(?=\s|$))")
_NO_SPACE_AFTER = re.compile(r"([(\[$]) ")
_QUOTED = re.compile(r'" ([^"]*?) "')


def passages(folder: Path) -> Iterator[Passage]:
    """Every sentence of the set under `folder` that has a fact; raises NotFound.

    The hash of a document's title holds out all of it.
    """
    for document in read_json(folder / PLACE / "dev_revised.json.gz"):
        held = odd(f"{PLACE} {document['title']}")
        for number, tokens in enumerate(document["sents"]):
            facts, left = sentence_facts(document, number)
            if any(fact.wanted for fact in facts):
                text = joined(tokens)
                yield Passage(
                    id=f"{PLACE}/{document['title']}/{number}",
                    source=SOURCE,
                    text=text,
                    held=held,
                    facts=in_order(facts, text),
                    asked=ASKED,
                    left=left,
                )


def sentence_facts(document: dict[str, Any], number: int) -> tuple[list[Fact], int]:
    """The facts of one sentence of a document, and how many of its own it has no names for."""
    names = [_names(entity, number) for entity in document["vertexSet"]]
    found, left = [], 0
    for label in document["labels"]:
        own = label["evidence"] == [number]
        head, tail = names[label["h"]], names[label["t"]]
        if not head or not tail or not writable(head[0], tail[0]):
            left += own
            continue
        relation = relation_name(label["r"], LABELS.get(label["r"], label["r"]))
        found.append(Fact(subject=head, relation=relation, object=tail, wanted=own))
    return found, left


def joined(tokens: Sequence[str]) -> str:
    """Tokens as a person would type them: no space before a comma, or inside brackets."""
    text = _QUOTED.sub(r'"\1"', " ".join(" ".join(tokens).split()))
    return _NO_SPACE_AFTER.sub(r"\1", _NO_SPACE_BEFORE.sub(r"\1", text))


def _names(entity: Sequence[dict[str, Any]], number: int) -> tuple[str, ...]:
    """What a sentence calls an entity, the longest name first."""
    said = {joined(mention["name"].split()) for mention in entity if mention["sent_id"] == number}
    return tuple(sorted(said, key=lambda name: (-len(name), name)))
