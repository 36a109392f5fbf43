"""What a memory of MAGS held and did, for the objective."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from mags.memory.memory import Memory
from mags.ports.relations import canonical
from mags.recall.found import FactView
from mags.settings import Settings
from mags_lab.evaluation.objective import Cost, GraphCounts, Load


def cost_of(memory: Memory, *, recalls: int, questions: int, turns: int) -> Cost:
    """Return what a memory of MAGS costs.

    `recalls` were made for `questions`; `turns` were told. Every turn is to be kept, so no
    engram is beyond need.
    """
    stats, log = memory.stats(), memory.log()
    nodes, arcs = sum(stats.nodes.values()), sum(stats.arcs.values())
    changed = sum(entry.nodes + entry.arcs for entry in log)
    pruned = sum(_number(r, "pruned") for entry in log for r in entry.reasons)
    limits = Settings().sleep.capacity
    return Cost(
        counts=GraphCounts(
            nodes=nodes,
            arcs=arcs,
            facts=stats.open_facts,
            conflicts=conflicts(memory.facts(current=True)),
            pruned=pruned,
            recalls=recalls,
            recalls_needed=questions,
        ),
        load=Load(
            nodes=nodes,
            max_nodes=limits.max_nodes if limits else None,
            edges=arcs,
            max_edges=limits.max_edges if limits else None,
            size_bytes=stats.bytes_in_memory,
            max_bytes=limits.max_bytes if limits else None,
            changed_per_turn=min(1.0, changed / max(1, turns) / max(1, nodes + arcs)),
        ),
    )


def conflicts(facts: Iterable[FactView]) -> int:
    """Return how many open facts share a slot that takes one value by the relation table."""
    slots = Counter(_slot(fact) for fact in facts if _takes_one(fact.relation))
    return sum(n for n in slots.values() if n > 1)


def _takes_one(relation: str) -> bool:
    known = canonical(relation)
    return known is not None and known.one


def _slot(fact: FactView) -> tuple[str, str, str]:
    return fact.subject, fact.relation, dict(fact.qualifiers).get("kind", "")


def _number(reason: Mapping[str, Any], name: str) -> int:
    return int(reason.get(name, 0))
