"""One finished game to look into: a move explained, and the memory before and after a sleep."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from mags.errors import InvalidInput
from mags.plasticity.cycle import SleepReport
from mags_lab.evaluation.proving.records import Played
from mags_lab.evaluation.report.graph import Arc, Dot, Sketch, sketch
from mags_lab.games.matches import Match, Turned
from mags_lab.games.players.remembering import Remembering
from mags_lab.games.turns import Game

DRAWN = 160
"""Nodes of a memory that are drawn."""
EXPLAINED = 3
"""Hits of a recall whose way is told, besides those that were cited."""
HIT = re.compile(r"(\d+)\. \[m\d+\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """A move and what it rested on.

    `deciding`: the facts of the game that decide; `lines`: what the reader was shown, `teaching`
    those that teach one of them, `cited` those that the reader named; `trace`: how the memory
    came by what was cited, in its own words; `since`: turns since the answer changed.
    """

    turn: int
    question: str
    action: str
    deciding: tuple[str, ...]
    lines: tuple[str, ...]
    teaching: tuple[int, ...]
    cited: tuple[int, ...]
    trace: tuple[str, ...]
    since: int | None = None
    change: str = ""

    @property
    def worth(self) -> tuple[bool, bool, int, int]:
        """How much there is to see: found by the first search, changed, many facts, few cited."""
        found = any(line.endswith("*cited*") for line in self.trace)
        return found, self.since is not None, min(3, len(self.deciding)), -len(self.cited)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exhibit:
    """A game looked into. `slept`: what the sleep did, rule by rule; `move` None: none was fit."""

    played: Played
    score: float
    move: Explained | None
    before: Sketch
    after: Sketch
    slept: Mapping[str, Mapping[str, int]]


def exhibit(played: Played, game: Game, player: Remembering) -> Exhibit:
    """Play a match, keep its most telling move, and put the memory to sleep at the end."""
    best: Explained | None = None
    rewards = []
    for turned in Match(game, player, seed=played.seed, turns=played.turns):
        rewards.append(turned.reward)
        if fit(turned):
            found = _explained(turned, player)
            best = found if best is None or found.worth > best.worth else best
    memory = player.memory
    before = sketch(memory, DRAWN)
    report: SleepReport = memory.sleep()
    after = sketch(memory, DRAWN, first=[dot.id for dot in before.dots])
    return Exhibit(
        played=played,
        score=sum(rewards) / len(rewards),
        move=best,
        before=before,
        after=after,
        slept={rule: dict(did) for rule, did in report.rules.items()},
    )


def fit(turned: Turned) -> bool:
    """Whether a move shows a memory at work: right, known, and the deciding lines were cited."""
    known = turned.right and turned.knowable and turned.needed > 0
    whole = turned.carried == turned.needed
    return known and whole and bool(turned.teaching) and set(turned.teaching) <= set(turned.cited)


def _explained(turned: Turned, player: Remembering) -> Explained:
    reply = player.reply
    assert reply is not None, "a turn was played"
    told = player.memory.explain(reply.trace)
    return Explained(
        turn=turned.turn,
        question=turned.question,
        action=turned.action,
        deciding=turned.deciding,
        lines=turned.lines,
        teaching=turned.teaching,
        cited=turned.cited,
        trace=tuple(_told(told.lines)),
        since=turned.since,
        change=turned.change,
    )


def _told(lines: Iterable[str]) -> Iterator[str]:
    """What was asked, how the first hits and those cited were found; the rest left out."""
    shown = True
    for line in lines:
        hit = HIT.match(line)
        if hit is not None:
            shown = int(hit[1]) <= EXPLAINED or line.endswith("*cited*")
        elif not line.startswith(" "):
            shown = not line.startswith("Associated:")
        if shown:
            yield line


def write_exhibit(path: Path, shown: Exhibit) -> None:
    """Keep it as JSON."""
    path.write_text(json.dumps(asdict(shown), ensure_ascii=False) + "\n", encoding="utf-8")


def read_exhibit(path: Path) -> Exhibit:
    """The reverse; raises InvalidInput for what is none."""
    try:
        found: Any = json.loads(path.read_text(encoding="utf-8"))
        move = found["move"]
        return Exhibit(
            played=Played(**found["played"]),
            score=float(found["score"]),
            move=None if move is None else _move(move),
            before=_sketch(found["before"]),
            after=_sketch(found["after"]),
            slept=found["slept"],
        )
    except (json.JSONDecodeError, KeyError, TypeError) as failure:
        raise InvalidInput(f"{path} is no game looked into: {failure}", path=str(path)) from failure


def _move(found: Mapping[str, Any]) -> Explained:
    tuples = {"deciding", "lines", "teaching", "cited", "trace"}
    given: dict[str, Any] = {k: tuple(v) if k in tuples else v for k, v in found.items()}
    return Explained(**given)


def _sketch(found: Mapping[str, Any]) -> Sketch:
    return Sketch(
        nodes=found["nodes"],
        arcs=found["arcs"],
        dots=tuple(Dot(**dot) for dot in found["dots"]),
        lines=tuple(Arc(**arc) for arc in found["lines"]),
    )
