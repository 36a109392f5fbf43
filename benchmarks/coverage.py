"""`python -m benchmarks.coverage`: what a policy keeps of LoCoMo's conversations, and what is junk.

The share of GPT's observations that its operations cover, and the shares of its operations that
are junk, or that no reader wrote, by the rule of `mags_lab.evaluation.writing`. LoCoMo may only
measure: nothing is fitted on it. `--policy` takes what the setting `policy.kind` takes, or "turns":
every turn as one note, which shows what covering everything costs. `--sample N` prints about N
decisions of the rule, to be judged by hand.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from benchmarks import report
from benchmarks.real_writing import policy_of
from benchmarks.results import DATA, load, result, save
from benchmarks.systems import System
from mags.errors import MagsError
from mags.ports.policy import Act, Operation, Recalled, Turn, Writing
from mags_lab.evaluation.datasets.locomo import NotedConversation, load_notes
from mags_lab.evaluation.metrics import bootstrap
from mags_lab.evaluation.writing import WrittenNotes, content, covered, judge

COMMAND = "python -m benchmarks.coverage"
SUITE = "real-coverage"
TURNS = "turns"
RECENT = 4


class WritePart(Protocol):
    """The part of a policy that is measured."""

    @property
    def name(self) -> str:
        """What to call it."""
        ...

    def write(self, turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled]) -> Writing:
        """Propose operations for a turn."""
        ...


class EveryTurn:
    """Keeps every turn as it is said: all is covered, and little of it is worth keeping."""

    name = "every turn as a note"

    def write(self, turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled]) -> Writing:
        """One note a turn."""
        note = Operation(act=Act.NOTE, text=f"{turn.speaker} said: {turn.text}")
        return Writing(operations=(note,))


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageDecision:
    """One decision: `kind` is "covered" (`holds` or not) or an operation's verdict.

    `shown`: what it was made from.
    """

    kind: str
    holds: bool
    shown: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageFound:
    """All decisions on one policy, the processor time of each turn (ms), and what was left out."""

    decisions: tuple[CoverageDecision, ...]
    times: tuple[float, ...]
    untold: int


def main(arguments: Sequence[str]) -> int:
    """Measure, save and rewrite the page; return the exit status."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--policy", default="rules", help="a value of policy.kind, or turns")
    parser.add_argument("--sample", type=int, default=0, help="decisions to print")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    options = parser.parse_args(arguments)
    try:
        policy = EveryTurn() if options.policy == TURNS else policy_of(options.policy)
        found = measure(policy, load_notes(DATA / "locomo" / "locomo10_conv0-4.json.gz"))
    except MagsError as failure:
        print(failure, file=sys.stderr)
        return 1
    if options.sample:
        _show(found, options.sample, options.seed)
        return 0
    _keep(found, options.policy, policy.name)
    report.write(load())
    return 0


def measure(policy: WritePart, talks: Sequence[NotedConversation]) -> CoverageFound:
    """Let a policy write every turn, and decide on every observation and operation."""
    decisions: list[CoverageDecision] = []
    times: list[float] = []
    untold = 0
    for talk in talks:
        written: dict[str, tuple[Operation, ...]] = {}
        for turns in talk.sessions.values():
            said: list[Turn] = []
            for key, turn in turns.items():
                began = time.process_time()
                written[key] = policy.write(turn, said[-RECENT:], ()).operations
                times.append((time.process_time() - began) * 1e3)
                said.append(turn)
        kept = list(_covered(talk, written))
        untold += sum(one is None for one in kept)
        decisions += [one for one in kept if one is not None]
        decisions += _judged(talk, written)
    return CoverageFound(decisions=tuple(decisions), times=tuple(times), untold=untold)


def _covered(
    talk: NotedConversation, written: dict[str, tuple[Operation, ...]]
) -> Iterator[CoverageDecision | None]:
    turns = {key: turn for known in talk.sessions.values() for key, turn in known.items()}
    names = _names(talk)
    for one in talk.observations:
        cited = [key for key in one.cited if key in turns]
        said = " ".join(turns[key].text for key in cited)
        operations = [op for key in cited for op in written[key]]
        holds = covered(one.text, one.person, said, operations, names)
        told = "\n".join(f"    {_line(op)}" for op in operations)
        shown = f"{one.text}\n  turns: {said}\n  wanted: {_wanted(one.text, said, names)}\n{told}"
        yield None if holds is None else CoverageDecision(kind="covered", holds=holds, shown=shown)


def _judged(
    talk: NotedConversation, written: dict[str, tuple[Operation, ...]]
) -> Iterator[CoverageDecision]:
    names = _names(talk)
    whole = tuple(line for lines in talk.lines.values() for line in lines)
    for session, turns in talk.sessions.items():
        lines = WrittenNotes(session=talk.lines[session], talk=whole)
        said: list[Turn] = []
        for key, turn in turns.items():
            said = [*said[-RECENT:], turn]
            heard = " ".join((*talk.speakers, *(one.text for one in said)))
            for op in written[key]:
                shown = f"{_line(op)}\n  {turn.speaker}: {turn.text}"
                verdict = judge(op, lines, turn.text, heard, names)
                yield CoverageDecision(kind=verdict, holds=True, shown=shown)


def _names(talk: NotedConversation) -> frozenset[str]:
    return frozenset(name.casefold() for name in talk.speakers)


def _wanted(text: str, said: str, names: frozenset[str]) -> str:
    return " ".join(sorted(content(text, names) & content(said, names)))


def _line(op: Operation) -> str:
    fields = (op.act.value, op.subject, op.relation, op.object, str(dict(op.qualifiers)))
    return " | ".join((*fields, op.text if op.act is Act.NOTE else ""))


def _keep(found: CoverageFound, kind: str, name: str) -> None:
    verdicts = [one.kind for one in found.decisions if one.kind != "covered"]
    values = {
        "covered": [float(one.holds) for one in found.decisions if one.kind == "covered"],
        **{what: [float(kind == what) for kind in verdicts] for what in ("junk", "unconfirmed")},
    }
    figures = {what: bootstrap(held) for what, held in values.items() if held}
    for what, figure in figures.items():
        print(
            f"{kind}: {what} {figure.mean:.3f} ({figure.low:.3f}-{figure.high:.3f}), n {figure.n}"
        )
    facts = {
        "turns": len(found.times),
        "operations": len(verdicts),
        "operations_per_100_turns": 100 * len(verdicts) / max(1, len(found.times)),
        "write_cpu_ms_p50": statistics.median(found.times),
        "observations_left_out": found.untold,
    }
    print(", ".join(f"{key} {value:.4g}" for key, value in facts.items()))
    system = System(name=kind, note=name if name != kind else "")
    save(result(SUITE, system, {"all": figures}, facts, f"{COMMAND} --policy {kind}"))


def _show(found: CoverageFound, count: int, seed: int) -> None:
    rng = random.Random(seed)
    kinds = dict.fromkeys((one.kind, one.holds) for one in found.decisions)
    for kind in sorted(kinds):
        chosen = [one for one in found.decisions if (one.kind, one.holds) == kind]
        for one in rng.sample(chosen, min(count // len(kinds), len(chosen))):
            print(f"{kind[0]}: {'yes' if kind[1] else 'no'} - {one.shown}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
