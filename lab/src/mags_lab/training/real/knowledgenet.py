"""KnowledgeNet: sentences of web pages with the facts of 15 properties (Mesquita et al., 2019).

CC BY-SA 4.0. Read from the page for people (a zip of HTML), one fact a row. The page does not say
which properties were looked for in a passage (not all were: dates of birth are often left out), so
precision is counted over those that are marked in it, which flatters it. Facts told with a pronoun
alone may be told, but are not wanted: a passage by itself resolves none.
"""

from __future__ import annotations

import html
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mags_lab.training.real.passage import (
    Passage,
    PassageFact,
    in_order,
    merged,
    odd,
    only,
    relation_name,
)

SOURCE = "KnowledgeNet"
PLACE = "knowledgenet"
_ROW = re.compile(r"<tr>(<td.*?)</tr>", re.DOTALL)
_CELL = re.compile(r"<td[^>]*>(.*?)</td>", re.DOTALL)
_SPAN = re.compile(r'<span id="(subject|object)">(.*?)</span>', re.DOTALL)
_ENTITY = re.compile(r"wikidata\.org/entity/(Q\d+)")
_TAG = re.compile(r"<[^>]+>")
_DOCUMENT, _FROM, _TO, _PROPERTY, _PASSAGE = 1, 2, 3, 8, 9


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageRow:
    """One row of the page: a passage and one fact in it. `identity`: who, relation, what."""

    document: str
    span: tuple[int, int]
    text: str
    identity: tuple[str, str, str]
    fact: PassageFact


def passages(folder: Path) -> Iterator[Passage]:
    """Every passage of the set under `folder` that has a fact with names; raises NotFound.

    A document of odd hash is never trained on. Of its passages those of odd hash are held out;
    the others are left out, since the rules may have been looked over with them.
    """
    by_place: dict[tuple[str, int, int], list[PassageRow]] = {}
    for row in rows(page(only(folder / PLACE, "*.zip")[0])):
        by_place.setdefault((row.document, *row.span), []).append(row)
    for (document, start, end), found in by_place.items():
        text = found[0].text
        held = odd(f"{PLACE} {document}")
        if held and not odd(text):
            continue
        facts = in_order(merged([(row.identity, row.fact) for row in found]), text)
        if not any(fact.wanted for fact in facts):
            continue
        yield Passage(
            id=f"{PLACE}/{document}/{start}-{end}",
            source=SOURCE,
            text=text,
            held=held,
            facts=facts,
            asked=frozenset(fact.relation for fact in facts),
            left=sum(not fact.wanted for fact in facts),
        )


def page(path: Path) -> str:
    """The page in the zip."""
    with zipfile.ZipFile(path) as packed:
        names = [n for n in packed.namelist() if n.endswith(".html") and "__MACOSX" not in n]
        return packed.read(names[0]).decode("utf-8", "replace")


def rows(written: str) -> Iterator[PassageRow]:
    """The rows of the page that have a subject and an object."""
    for match in _ROW.finditer(written):
        cells = _CELL.findall(match[1])
        if len(cells) <= _PASSAGE:
            continue
        spans = dict(_SPAN.findall(cells[_PASSAGE]))
        if len(spans) < 2:
            continue
        subject, thing = _plain(spans["subject"]), _plain(spans["object"])
        relation = relation_name("", cells[_PROPERTY].strip())
        yield PassageRow(
            document=cells[_DOCUMENT],
            span=(int(cells[_FROM]), int(cells[_TO])),
            text=_plain(cells[_PASSAGE]),
            identity=(_who(spans["subject"]), relation, _who(spans["object"])),
            fact=PassageFact(subject=(subject,), relation=relation, object=(thing,)),
        )


def _plain(markup: str) -> str:
    return " ".join(html.unescape(_TAG.sub("", markup)).split())


def _who(markup: str) -> str:
    """The entity that a span is linked to, else its words."""
    linked = _ENTITY.search(markup)
    return linked[1] if linked else _plain(markup)
