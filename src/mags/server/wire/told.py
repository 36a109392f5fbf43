"""What a client gets of a memory as a whole: counts, sleeps, history."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from mags.memory.views import Diff, Forgotten, LogEntry, Stats
from mags.plasticity.cycle import SleepReport
from mags.ports.store import Mark
from mags.recall.found import moment_of
from mags.server.wire.shown import FactOut, NodeOut, Shown


class StatsOut(Shown):
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

    @classmethod
    def of(cls, known: Stats) -> StatsOut:
        """From what the memory says."""
        return cls(
            nodes=dict(known.nodes),
            arcs=dict(known.arcs),
            open_facts=known.open_facts,
            closed_facts=known.closed_facts,
            tick=known.tick,
            seq=known.seq,
            branch=known.branch,
            embedder=known.embedder,
            policy=known.policy,
            answerer=known.answerer,
            bytes_on_disk=known.bytes_on_disk,
            bytes_in_memory=known.bytes_in_memory,
            snapshots=list(known.snapshots),
            branches=list(known.branches),
        )


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


class ForgottenOut(Shown):
    """What was erased (or would be), node ids by kind."""

    nodes: dict[str, list[int]]
    past: list[int]
    contents: int
    dry_run: bool

    @classmethod
    def of(cls, gone: Forgotten) -> ForgottenOut:
        """From what the memory says."""
        return cls(
            nodes={kind: list(ids) for kind, ids in gone.nodes.items()},
            past=list(gone.past),
            contents=gone.contents,
            dry_run=gone.dry_run,
        )


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


class EntryOut(Shown):
    """One change of the journal."""

    seq: int
    branch: str
    kind: str
    recorded_at: datetime | None
    tick: int
    nodes: int
    arcs: int
    reasons: list[dict[str, Any]]

    @classmethod
    def of(cls, entry: LogEntry) -> EntryOut:
        """From what the memory says."""
        return cls(
            seq=entry.seq,
            branch=entry.branch,
            kind=entry.kind,
            recorded_at=entry.recorded_at,
            tick=entry.tick,
            nodes=entry.nodes,
            arcs=entry.arcs,
            reasons=[dict(one) for one in entry.reasons],
        )


class DiffOut(Shown):
    """What changed since a snapshot."""

    since: str
    added: list[NodeOut]
    removed: list[int]
    changed: list[NodeOut]
    closed: list[FactOut]
    arcs_added: int
    arcs_removed: int
    arcs_changed: int

    @classmethod
    def of(cls, diff: Diff) -> DiffOut:
        """From what the memory says."""
        return cls(
            since=diff.since,
            added=[NodeOut.of(one) for one in diff.added],
            removed=list(diff.removed),
            changed=[NodeOut.of(one) for one in diff.changed],
            closed=[FactOut.of(one) for one in diff.closed],
            arcs_added=diff.arcs_added,
            arcs_removed=diff.arcs_removed,
            arcs_changed=diff.arcs_changed,
        )
