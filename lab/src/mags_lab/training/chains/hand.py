"""Chains written by hand: a turn, the thinking, what is recalled, what comes back, what is stored.

One object a line, in the form of `SCHEMA`. Each chain gives up to three samples: its route, its
recall plan where it recalls, and its engram.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from mags.errors import InvalidInput, ModelReplyError
from mags.models.grammar import ROUTES, blocks, check_invented, read_engram, read_plan
from mags.ports.policy import Recalled, Turn
from mags.ports.relations import normalise
from mags_lab.training.chains import schema
from mags_lab.training.chains.phrasebook import files
from mags_lab.training.chains.schema import NOTHING, Role, Sample, Split, route
from mags_lab.training.chains.splits import HELD_OUT_RELATIONS, held_out

CITED = re.compile(r"\[m(\d+)\]")
SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "A chain of memory, written by hand",
    "type": "object",
    "properties": {
        "id": {"type": "string", "minLength": 1},
        "tags": {"type": "array", "items": {"type": "string"}},
        "now": {"type": "string", "minLength": 10},
        "recent": {"type": "array", "items": schema.SAID},
        "turn": schema.SAID,
        "route": {"enum": sorted(ROUTES)},
        "think": {"type": "string"},
        "recall": {"type": "string"},
        "memories": {"type": "array", "items": schema.MEMORY},
        "answer": {"type": "string"},
        "engram": {"type": "string", "minLength": 1},
    },
    "required": [
        *("id", "tags", "now", "recent", "turn", "route", "think", "recall"),
        *("memories", "answer", "engram"),
    ],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class HandmadeChain:
    """One chain. `recall` is "" where nothing is recalled; `engram` may hold `none`."""

    id: str
    turn: Turn
    route: str
    think: str
    recall: str
    answer: str
    engram: str
    recent: tuple[Turn, ...] = ()
    memories: tuple[Recalled, ...] = ()
    tags: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """Every word that was said or remembered, and the names of who said it."""
        turns = (self.turn, *self.recent)
        said = [f"{turn.speaker} {turn.text}" for turn in turns]
        return "\n".join((*said, *(f"{m.speaker} {m.text}" for m in self.memories)))


def chains() -> Iterator[HandmadeChain]:
    """Every chain that ships with the package; raises InvalidInput at the first that is wrong."""
    taken: dict[str, str] = {}
    for file in files("hand", ".jsonl"):
        for place, line in enumerate(file.read_text(encoding="utf-8").split("\n"), start=1):
            if not line.strip():
                continue
            where = f"{file.name}:{place}"
            chain = read_chain(line, where=where)
            if chain.id in taken:
                raise InvalidInput(
                    f"{where}: the id {chain.id!r} is that of {taken[chain.id]} already.",
                    where=where,
                )
            taken[chain.id] = where
            yield chain


def read_chain(line: str, *, where: str) -> HandmadeChain:
    """Read one line; raises InvalidInput that says where and what is wrong."""
    written = schema.read_object(line, SCHEMA, where=where)
    now = schema.moment(written["now"], where)
    chain = HandmadeChain(
        id=written["id"],
        turn=schema.said(written["turn"], now),
        route=written["route"],
        think=written["think"],
        recall=written["recall"].strip(),
        answer=written["answer"],
        engram=written["engram"].strip(),
        recent=tuple(schema.said(turn, now) for turn in written["recent"]),
        memories=tuple(schema.remembered(item, where) for item in written["memories"]),
        tags=tuple(written["tags"]),
    )
    fault = fault_of(chain)
    if fault:
        raise InvalidInput(f"{where} ({chain.id}): {fault}", where=where, chain=chain.id)
    return chain


def fault_of(chain: HandmadeChain) -> str:
    """What is wrong with a chain, or "": its tokens, its citations, words nobody said."""
    try:
        engram = read_engram(chain.engram)
        if chain.recall:
            read_plan(chain.recall, chain.turn.text)
        check_invented(engram.operations, chain.source)
    except ModelReplyError as refused:
        return str(refused)
    ids = {memory.id for memory in chain.memories}
    if len(ids) < len(chain.memories):
        return "two memories have the same id."
    cited = {int(id) for id in CITED.findall(f"{chain.answer} {chain.think}")}
    strange = sorted((cited | {id for link in engram.links for id in link}) - ids)
    if strange:
        return f"it cites {', '.join(f'm{id}' for id in strange)}, which did not come back."
    recalls, writes = ROUTES[chain.route]
    if recalls != bool(chain.recall):
        return f"its route is {chain.route}, but recall is {'' if chain.recall else 'not '}there."
    stores = bool(engram.operations or engram.links)
    if writes != stores:
        return (
            f"its route is {chain.route}, but its engram stores {'some' if stores else 'no'}thing."
        )
    return ""


def samples(found: Sequence[HandmadeChain]) -> Iterator[Sample]:
    """The samples of chains: most for training; for `dev` a fifth (by a hash of the id).

    What names a held-out relation is for `dev`, too: training never sees it.
    """
    for chain in found:
        targets = {
            Role.ROUTER: route(chain.route),
            Role.ASK: laid_out(chain.recall, "recall"),
            Role.WRITE: laid_out(chain.engram, "engram") or NOTHING,
        }
        kept = held_out(chain.id, kind="hand") or bool(HELD_OUT_RELATIONS & _relations(chain))
        split = Split.DEV if kept else Split.TRAIN
        for role, target in targets.items():
            if target:
                yield Sample(
                    id=f"hand-{chain.id}-{role}",
                    role=role,
                    split=split,
                    turn=chain.turn,
                    target=target,
                    recent=chain.recent,
                    recalled=chain.memories if role is Role.WRITE else (),
                    tags=chain.tags,
                    source="hand",
                )


def _relations(chain: HandmadeChain) -> set[str]:
    """Relations that the chain's tokens name, as the table spells them."""
    named = [operation.relation for operation in read_engram(chain.engram).operations]
    if chain.recall:
        named += [hop.relation for hop in read_plan(chain.recall, chain.turn.text).hops]
    return {normalise(name).name for name in named if name}


def laid_out(block: str, name: str) -> str:
    """A block with every line on its own, as the generator writes it; "" for none."""
    found = blocks(block, name)
    if not found:
        return ""
    lines = [line.strip() for line in found[0].splitlines() if line.strip()]
    return "\n".join((f"<{name}>", *lines, f"</{name}>"))
