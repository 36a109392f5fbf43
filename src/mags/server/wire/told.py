"""What a client gets of a memory as a whole: counts, sleeps, history."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from mags.plasticity.cycle import SleepReport
from mags.ports.store import Mark
from mags.recall.found import moment_of
from mags.server.wire.shown import Copied, FactOut, NodeOut, Shown


class StatsOut(Copied):
    """Counts of a memory, and who is at work."""

    nodes: dict[str, int]
    arcs: dict[str, int]
    open_facts: int
    closed_facts: int
    tick: int
    seq: int
    branch: str
    embedder: str
    policy: str
    answerer: str
    bytes_on_disk: int
    bytes_in_memory: int
    snapshots: list[str]
    branches: list[str]


class SleepOut(Shown):
    """What a sleep did, by rule, and the sizes before and after it."""

    tick: int
    rules: dict[str, dict[str, int]]
    nodes_before: int
    nodes_after: int
    associations_before: int
    associations_after: int

    @classmethod
    def of(cls, report: SleepReport) -> SleepOut:
        """From what the memory says."""
        return cls(
            tick=report.tick,
            rules={name: dict(did) for name, did in report.rules.items()},
            nodes_before=report.before.nodes,
            nodes_after=report.after.nodes,
            associations_before=report.before.associations,
            associations_after=report.after.associations,
        )


class ForgottenOut(Copied):
    """What was erased (or would be), node ids by kind; `texts` of what would be, by id."""

    nodes: dict[str, list[int]]
    past: list[int]
    parted: list[int]
    contents: int
    dry_run: bool
    texts: dict[int, str]


class MarkOut(Shown):
    """A named moment: a snapshot, or where a branch begins."""

    name: str
    branch: str
    seq: int
    recorded_at: datetime | None

    @classmethod
    def of(cls, mark: Mark) -> MarkOut:
        """From what the memory says."""
        at = moment_of(mark.recorded_at)
        return cls(name=mark.name, branch=mark.branch, seq=mark.seq, recorded_at=at)


class EntryOut(Copied):
    """One change of the journal."""

    seq: int
    branch: str
    kind: str
    recorded_at: datetime | None
    tick: int
    nodes: int
    arcs: int
    reasons: list[dict[str, Any]]


class GoneOut(Copied):
    """A node that is no more, as it was."""

    id: int
    kind: str
    text: str


class DiffOut(Copied):
    """What changed since a snapshot."""

    since: str
    added: list[NodeOut]
    removed: list[GoneOut]
    changed: list[NodeOut]
    closed: list[FactOut]
    arcs_added: int
    arcs_removed: int
    arcs_changed: int
