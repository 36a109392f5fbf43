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

from mags_lab.training.real.passage import (
    Passage,
    PassageFact,
    in_order,
    odd,
    read_json,
    relation_name,
    writable,
)

_WRITTEN = """
P6 head of government|P17 country|P19 place of birth|P20 place of death|P22 father|P25 mother
P26 spouse|P27 country of citizenship|P30 continent|P31 instance of|P35 head of state|P36 capital
P37 official language|P39 position held|P40 child|P50 author|P54 member of sports team|P57 director
P58 screenwriter|P69 educated at|P86 composer|P102 member of political party|P108 employer
P112 founded by|P118 league|P123 publisher|P127 owned by
P131 located in the administrative territorial entity|P136 genre|P137 operator|P140 religion
P150 contains administrative territorial entity|P155 follows|P156 followed by
P159 headquarters location
P161 cast member|P162 producer|P166 award received|P170 creator|P171 parent taxon
P172 ethnic group
P175 performer|P176 manufacturer|P178 developer|P179 part of the series
P190 twinned administrative body
P194 legislative body|P205 basin country|P206 located in or next to body of water
P241 military branch
P264 record label|P272 production company|P276 location|P279 subclass of|P355 subsidiary
P361 part of
P364 original language|P400 platform|P403 mouth of the watercourse|P449 original broadcaster
P463 member of|P488 chairperson|P495 country of origin|P527 has part|P551 residence
P569 date of birth|P570 date of death|P571 inception|P576 dissolved on|P577 publication date
P580 start time|P582 end time|P585 point in time|P607 took part in the conflict
P674 characters|P676 lyrics by|P706 located on terrain feature|P710 participant
P737 influenced by|P740 location of formation|P749 parent organization|P800 notable work
P807 separated from|P840 narrative location|P937 work location|P1001 applies to jurisdiction
P1056 product|P1198 unemployment rate|P1336 territory claimed by|P1344 participant of|P1365 replaces
P1366 replaced by|P1376 capital of|P1412 languages spoken|P1441 present in work|P3373 sibling
"""
LABELS = dict(
    entry.strip().split(" ", 1)
    for line in _WRITTEN.split("\n")
    for entry in line.split("|")
    if entry
)
"""Property id to label."""


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


def sentence_facts(document: dict[str, Any], number: int) -> tuple[list[PassageFact], int]:
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
        found.append(PassageFact(subject=head, relation=relation, object=tail, wanted=own))
    return found, left


def joined(tokens: Sequence[str]) -> str:
    """Tokens as a person would type them: no space before a comma, or inside brackets."""
    text = _QUOTED.sub(r'"\1"', " ".join(" ".join(tokens).split()))
    return _NO_SPACE_AFTER.sub(r"\1", _NO_SPACE_BEFORE.sub(r"\1", text))


def _names(entity: Sequence[dict[str, Any]], number: int) -> tuple[str, ...]:
    """What a sentence calls an entity, the longest name first."""
    said = {joined(mention["name"].split()) for mention in entity if mention["sent_id"] == number}
    return tuple(sorted(said, key=lambda name: (-len(name), name)))
