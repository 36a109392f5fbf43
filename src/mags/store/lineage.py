"""Lineage: which journal entries a branch sees, and which of them may be folded."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace

from mags.errors import InvalidInput, NotFound
from mags.graph.delta import Delta
from mags.ports.store import Mark

FIRST = "main"
"""The first branch of every memory."""

FOLD = "fold"
"""Kind of the one entry that replaces all compacted entries; it is the first of its branch."""

LATEST = 2**63 - 1
"""No sequence is greater: the largest integer of SQLite."""

LONGEST_NAME = 200
"""Characters in the name of a branch or a snapshot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """Entries of `branch` with `after` < seq <= `upto`."""

    branch: str
    after: int
    upto: int


def lineage(forks: Mapping[str, Mark], branch: str) -> tuple[Segment, ...]:
    """The entries a branch sees, those of its oldest ancestor first; `forks` is by name.

    Raises NotFound.
    """
    if branch not in forks:
        known = ", ".join(sorted(forks))
        raise NotFound(f"no branch {branch!r} in this memory; there are: {known}", branch=branch)
    out: list[Segment] = []
    upto = LATEST
    while branch:
        fork = forks[branch]
        out.append(Segment(branch=branch, after=fork.seq, upto=upto))
        # What the parent wrote after the fork is not part of this branch.
        branch, upto = fork.branch, fork.seq
    return tuple(reversed(out))


def check_reachable(segment: Segment, seq: int, fold: int | None) -> None:
    """Raise NotFound if `seq` lies among the entries that the fold at `fold` replaced."""
    if fold is not None and segment.after < seq < fold:
        raise NotFound(
            f"the journal of branch {segment.branch!r} was compacted up to {fold}, so there is no "
            f"way back to {seq}: load a checkpoint, or keep a snapshot at points you want back",
            seq=seq,
            compacted=fold,
        )


def check_name(name: str, what: str) -> None:
    """Raise InvalidInput for a name that is no text, blank, too long or not printable."""
    sound = isinstance(name, str) and len(name) <= LONGEST_NAME and name.isprintable()
    if not sound or not name.strip():
        said = repr(name)
        said = said if len(said) <= LONGEST_NAME else f"{said[:40]}..."
        raise InvalidInput(
            f"{what} needs a name of 1 to {LONGEST_NAME} printable characters, not {said}"
        )


def check_free(name: str, forks: Container[str]) -> None:
    """Raise InvalidInput if there is a branch of that name."""
    if name in forks:
        raise InvalidInput(f"there is a branch {name!r} already: choose another name", given=name)


def check_seq(seq: int, head: int) -> None:
    """Raise InvalidInput for a snapshot at a sequence that does not exist."""
    if not 0 <= seq <= head:
        raise InvalidInput(
            f"a snapshot lies between 0 and the head, {head}; not at {seq}", field="seq", given=seq
        )


def in_sight(marks: Iterable[Mark], segments: Iterable[Segment]) -> list[Mark]:
    """The snapshots that a branch sees, oldest first."""
    upto = {segment.branch: segment.upto for segment in segments}
    found = [mark for mark in marks if mark.seq <= upto.get(mark.branch, -1)]
    return sorted(found, key=lambda mark: (mark.seq, mark.recorded_at, mark.name))


def fold_limit(
    forks: Mapping[str, Mark], branch: str, checkpoint: int | None, marks: Iterable[Mark]
) -> int:
    """The last entry of a branch that may be folded.

    Entries are folded up to the checkpoint, but not beyond the first fork or the first snapshot.
    """
    own = lineage(forks, branch)[-1]
    # Only entries that a checkpoint covers may be folded.
    if checkpoint is None:
        return own.after
    limits = [checkpoint]
    limits += [f.seq for f in forks.values() if f.branch == branch and f.seq > own.after]
    # A snapshot of a child may point at an entry of this branch.
    limits += [m.seq for m in marks if _holder(forks, m) == branch]
    return min(limits)


def _holder(forks: Mapping[str, Mark], mark: Mark) -> str:
    """The branch that holds the entry a snapshot points at; "" for sequence 0."""
    seen = lineage(forks, mark.branch)
    return next((one.branch for one in seen if one.after < mark.seq <= one.upto), "")


def receipt(delta: Delta) -> Delta:
    """What stays of a Delta with a key once its entry is folded.

    Images, reasons and contents go; the key and the result stay, so that a retried call is still
    answered with its first result.
    """
    bare = Delta(kind=delta.kind)
    return replace(delta, nodes=bare.nodes, arcs=bare.arcs, reasons=(), contents=())
