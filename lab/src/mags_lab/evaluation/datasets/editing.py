"""Sets of facts that change: MQuAKE-hard's edited chains and Letta's core-memory updates.

MQuAKE-hard: four-hop questions whose four facts are all edited (Zhong et al., 2023; MIT). All first
facts of all questions are told to one memory, then all edits. The edits of different questions
agree with one another, so afterwards each slot has exactly one object, and the chain of every
question is the four new facts. No system is given the number of hops.

Letta: ten facts, then one that contradicts one of them (Apache-2.0).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mags_lab.evaluation.datasets.source import Json, read_json, read_jsonl
from mags_lab.evaluation.protocol import Statement


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateCase:
    """Ten sentences, the update that follows, and the places of those it contradicts."""

    id: str
    facts: tuple[str, ...]
    update: str
    question: str
    answer: str
    contradicted: tuple[int, ...]


def load_letta(path: Path) -> tuple[UpdateCase, ...]:
    """Return the cases of `path`, numbered by line."""
    cases = []
    for number, raw in enumerate(read_jsonl(path)):
        extra = raw["agent_args"]["extra"]
        cases.append(
            UpdateCase(
                id=f"letta-{number}",
                facts=tuple(extra["facts"]),
                update=extra["contradicting_fact"],
                question=raw["input"],
                answer=extra["contradicting_answer"],
                contradicted=tuple(extra["supporting_fact_indices"]),
            )
        )
    return tuple(cases)


# Misspelt in templates of the set.
_MISSPELT = {"origianl": "original", "univeristy": "university"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainCase:
    """A question (three wordings), its chain of keys after the edits, and what they replaced."""

    id: str
    questions: tuple[str, ...]
    chain: tuple[str, ...]
    stale: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Edits:
    """The facts told first, the edits told next, and the questions.

    `repeated`: how many questions are left out because an earlier one has the same chain;
    `ambiguous`: how many have a slot that two edits fill (two works of one name).
    """

    before: tuple[Statement, ...]
    edits: tuple[Statement, ...]
    cases: tuple[ChainCase, ...]
    slots: frozenset[tuple[str, str]]
    repeated: int
    ambiguous: int


def relation_phrase(template: str) -> str:
    """Turn a template of the set into a relation as people say it.

    The place of the subject is removed, with "of" before it or "'s" after it. A template that
    begins with "The" is a noun, so "The" and a final "is" are removed, too. Two misspellings are
    corrected::

        "{} was founded by"               -> "was founded by"
        "The official language of {} is"  -> "official language"
        "{}'s child is"                   -> "child"
    """
    text = template
    for wrong, right in _MISSPELT.items():
        text = text.replace(wrong, right)
    noun = text.startswith(("The ", "{}'s "))
    text = text.replace(" of {}", "").replace("{}'s", "").replace("{}", "")
    text = re.sub(r"\s+", " ", text).strip()
    return re.sub(r"^The | is$", "", text) if noun else text


def load_mquake(path: Path) -> Edits:
    """Return the first facts, the edits and the cases of `path`."""
    raw = read_json(path)
    templates = {r["relation_id"]: r["prompt"] for q in raw for r in q["requested_rewrite"]}
    before: dict[str, Statement] = {}
    edits: dict[str, Statement] = {}
    told: dict[tuple[str, str], set[str]] = {}
    slots = set()
    for question in raw:
        for statement in _first_facts(question, templates):
            before[statement.key] = statement
            told.setdefault((statement.subject, statement.relation), set()).add(statement.key)
        # The slots that are edited, by property id: `load_distractors` leaves these out.
        for edit, ids in zip(
            question["requested_rewrite"], question["orig"]["edit_triples"], strict=True
        ):
            statement = _statement(edit["subject"], edit["prompt"], edit["target_new"]["str"])
            edits[statement.key] = statement
            slots.add((str(edit["subject"]), str(ids[1])))
    # Two edits with different objects in one slot: nobody could say which one holds.
    filled = Counter((s.subject, s.relation) for s in edits.values())
    cases: dict[tuple[str, ...], ChainCase] = {}
    ambiguous = 0
    for question in raw:
        chain = _chain(question, templates)
        if any(filled[s.subject, s.relation] > 1 for s in chain):
            ambiguous += 1
            continue
        case = _case(question, chain, told)
        # By chain: questions that ask for the same four facts count once.
        cases.setdefault(case.chain, case)
    return Edits(
        # A fact that is also an edit of another question is only told as the edit.
        before=tuple(s for key, s in before.items() if key not in edits),
        edits=tuple(edits.values()),
        cases=tuple(cases.values()),
        slots=frozenset(slots),
        repeated=len(raw) - ambiguous - len(cases),
        ambiguous=ambiguous,
    )


def load_distractors(folder: Path, *, taken: Iterable[tuple[str, str]]) -> tuple[Statement, ...]:
    """Return every triple of Text2KGBench under `folder`, once each, that is in no `taken` slot.

    A slot is (subject label, Wikidata property id). A fact of another source about an edited slot
    would make the right answer a matter of opinion.
    """
    closed = set(taken)
    found: dict[str, Statement] = {}
    for path in sorted(folder.glob("*/*.jsonl*")):
        for raw in read_jsonl(path):
            if (raw["sub_label"], raw["rel"]) in closed:
                continue
            statement = Statement(
                subject=raw["sub_label"],
                relation=raw["rel_label"],
                object=raw["obj_label"],
                text=f"{raw['sub_label']} {raw['rel_label']} {raw['obj_label']}",
            )
            found[statement.key] = statement
    return tuple(found.values())


def _first_facts(question: Json, templates: Mapping[str, str]) -> Iterable[Statement]:
    # The chain before the edits, and what each edit replaces, which need not be in that chain.
    origin = question["orig"]
    for (_, relation, _), (subject, _, obj) in zip(
        origin["triples"], origin["triples_labeled"], strict=True
    ):
        yield _statement(subject, templates[relation], obj)
    for edit in question["requested_rewrite"]:
        yield _statement(edit["subject"], edit["prompt"], edit["target_true"]["str"])


def _chain(question: Json, templates: Mapping[str, str]) -> tuple[Statement, ...]:
    origin = question["orig"]
    return tuple(
        _statement(subject, templates[relation], obj)
        for (_, relation, _), (subject, _, obj) in zip(
            origin["new_triples"], origin["new_triples_labeled"], strict=True
        )
    )


def _case(
    question: Json, chain: Sequence[Statement], told: Mapping[tuple[str, str], set[str]]
) -> ChainCase:
    keys = tuple(s.key for s in chain)
    # Everything that was told first in the slots of the chain is stale after the edits.
    stale = {key for s in chain for key in told.get((s.subject, s.relation), set())}
    return ChainCase(
        id=str(question["case_id"]),
        questions=tuple(question["questions"]),
        chain=keys,
        stale=frozenset(stale - set(keys)),
    )


def _statement(subject: str, template: str, obj: str) -> Statement:
    said = template.format(subject)
    for wrong, right in _MISSPELT.items():
        said = said.replace(wrong, right)
    return Statement(
        subject=subject, relation=relation_phrase(template), object=obj, text=f"{said} {obj}"
    )
