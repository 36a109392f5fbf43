"""Text2KG-TekGen: sentences with triples under ten small ontologies.

Mihindukulasooriya et al., 2023 (CC BY-SA 4.0). A sentence comes with the one or two triples that it
was found by, not with all it says: precision is counted over the relations of its ontology, and is
a lower bound even so. A triple counts only where the sentence has both names; a year counts for a
first of January.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mags_lab.training.real.passage import (
    Passage,
    PassageFact,
    find,
    in_order,
    odd,
    only,
    read_json,
    read_lines,
    relation_name,
    writable,
)

SOURCE = "Text2KG-TekGen"
PLACE = "text2kg/wikidata_tekgen"
_ONTOLOGY = re.compile(r"ont_(\d+_[a-z]+)_")
_NEW_YEAR = re.compile(r"0?1 January (\d{4})")
_DATE = re.compile(r"0?(\d{1,2}) ([A-Z][a-z]+) (\d{4})")


def passages(folder: Path) -> Iterator[Passage]:
    """Every sentence of the set under `folder` that has a triple; raises NotFound.

    The hash of a sentence decides its half, whichever file it is in.
    """
    asked = _ontologies(folder / PLACE)
    triples: dict[str, list[dict[str, Any]]] = defaultdict(list)
    under: dict[str, set[str]] = defaultdict(set)
    for path in only(folder / PLACE, "*/*.jsonl*"):
        ontology = _ONTOLOGY.match(path.name)
        for raw in read_lines(path):
            text = mended(raw["sent"])
            triples[text].append({**raw, "sent": text})
            under[text].update(asked.get(ontology[1] if ontology else "", ()))
    for text, found in triples.items():
        facts = [fact for raw in found if (fact := fact_of(raw))]
        if facts:
            yield Passage(
                id=f"{PLACE}/{found[0]['id']}",
                source=SOURCE,
                text=text,
                held=odd(text),
                facts=in_order(facts, text),
                asked=frozenset(under[text] | {fact.relation for fact in facts}),
                left=len(found) - len(facts),
            )


def fact_of(raw: dict[str, Any]) -> PassageFact | None:
    """A triple as its sentence writes it, or None where the sentence lacks a name."""
    text = raw["sent"]
    subject, thing = find(raw["sub_label"], text), written(raw["obj_label"], text)
    if not writable(subject, thing) or subject == thing:
        return None
    relation = relation_name(raw["rel"], raw["rel_label"])
    return PassageFact(subject=(subject,), relation=relation, object=(thing,))


def mended(text: str) -> str:
    """A sentence that was once read as Latin-1, read again as the UTF-8 that it is."""
    try:
        text = text.encode("latin-1").decode("utf-8")
    except UnicodeError:  # it was read rightly
        return " ".join(text.split())
    return " ".join(text.split())


def written(label: str, text: str) -> str:
    """A name or date as a text writes it, or "" where it does not."""
    forms = [label]
    if date := _DATE.fullmatch(label):
        day, month, year = date.groups()
        forms += [f"{day} {month} {year}", f"{month} {day}, {year}", f"{month} {day} {year}"]
    if year_only := _NEW_YEAR.fullmatch(label):
        forms.append(year_only[1])
    return next((found for form in forms if (found := find(form, text))), "")


def _ontologies(folder: Path) -> dict[str, frozenset[str]]:
    """The relations of each ontology, by its number and name ("1_movie")."""
    return {
        path.name.removesuffix("_ontology.json"): frozenset(
            relation_name(one["pid"], one["label"]) for one in read_json(path)["relations"]
        )
        for path in only(folder, "ontologies/*.json")
    }
