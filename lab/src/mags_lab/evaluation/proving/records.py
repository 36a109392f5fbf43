"""Records of matches as JSON lines: who played what, every turn, and the memory at the end."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from mags.errors import InvalidInput
from mags_lab.evaluation.objective import Cost, GraphCounts, Load, cost_of
from mags_lab.evaluation.proving.fidelity import Fidelity, GameFacts, fidelity, known_facts
from mags_lab.games.matches import End, GameMatch, PlayedTurn, as_json, from_json
from mags_lab.games.players.remembering import Remembering
from mags_lab.games.turns import Game, Player

RUNS = "runs.jsonl"
"""The file beside records that says how they were played; it is not a record itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchIdentity:
    """What identifies a match.

    `game`: such as "nonsense/standard"; `bank`: of sentences; `player`: by name; `switch`: the
    ablation, empty for none; `turns`: at most so many. `reader`: the frozen model's name, empty
    for the one that comes with MAGS.
    """

    game: str
    player: str
    seed: int
    turns: int
    bank: str = "tuning"
    switch: str = ""
    reader: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """A memory when the match stopped: its fidelity, its cost, its notes, themes and bytes."""

    fidelity: Fidelity
    cost: Cost
    notes: int = 0
    themes: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchRecord:
    """A match that was played. `rules`: facts told that hold at the end; `left` None: no memory.

    `cpu_s`: processor time of game and player, 0 if it was not measured; `commit`: of the sources
    that played it, "" if it is not known.
    """

    played: MatchIdentity
    turns: tuple[PlayedTurn, ...]
    rules: int = 0
    left: Left | None = None
    # Not compared: the same match played again is equal, however long it took.
    cpu_s: float = field(default=0.0, compare=False)
    commit: str = field(default="", compare=False)


def record(
    played: MatchIdentity,
    game: Game,
    player: Player,
    *,
    on_turn: Callable[[PlayedTurn], None] | None = None,
    lines: bool = True,
) -> MatchRecord:
    """Play and record a match. `lines` False leaves out the lines shown, which are most of it."""
    began = time.process_time()
    match = GameMatch(game, player, seed=played.seed, turns=played.turns)
    turns = []
    for turned in match:
        turns.append(turned if lines else replace(turned, lines=()))
        if on_turn is not None:
            on_turn(turned)
    end = match.end
    left = left_by(player, end, len(turns)) if isinstance(player, Remembering) else None
    return MatchRecord(
        played=played,
        turns=tuple(turns),
        rules=len(end.facts),
        left=left,
        cpu_s=time.process_time() - began,
    )


def left_by(player: Remembering, end: End, turns: int) -> Left:
    """A player's memory at this moment, compared with the game."""
    memory = player.memory
    world = GameFacts(facts=end.facts, over=end.over, taught=end.taught)
    stats = memory.stats()
    return Left(
        fidelity=fidelity(known_facts(memory, player.notes), world),
        cost=cost_of(memory, recalls=player.recalls, questions=turns, turns=turns),
        notes=stats.nodes["note"],
        themes=stats.nodes["theme"],
        bytes=stats.bytes_in_memory,
    )


def write_record(path: Path, kept: MatchRecord) -> None:
    """One line for the match, one for each turn, one for the memory; the whole file or none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # A name that `record_files` does not see, so that nobody reads half a match.
    unfinished = path.with_name(f"{path.name}.unfinished")
    with unfinished.open("w", encoding="utf-8") as file:
        head = {
            "match": asdict(kept.played),
            "rules": kept.rules,
            "cpu_s": round(kept.cpu_s, 3),
            "commit": kept.commit,
        }
        file.write(json.dumps(head) + "\n")
        for turned in kept.turns:
            file.write(as_json(turned) + "\n")
        left = None if kept.left is None else asdict(kept.left)
        file.write(json.dumps({"left": left}) + "\n")
    unfinished.replace(path)


def read_record(path: Path) -> MatchRecord:
    """The reverse of `write_record`; raises InvalidInput for a file that is not a whole record."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    if len(lines) < 2:
        raise InvalidInput(f"{path} is no record of a match: it is cut short", path=str(path))
    head, foot = _object(lines[0], "match", path), _object(lines[-1], "left", path)
    return MatchRecord(
        played=MatchIdentity(**head["match"]),
        turns=tuple(from_json(line) for line in lines[1:-1]),
        rules=int(head["rules"]),
        left=None if foot["left"] is None else _left(foot["left"]),
        # Records of earlier versions lack these two.
        cpu_s=float(head.get("cpu_s", 0.0)),
        commit=str(head.get("commit", "")),
    )


def read_records(paths: Iterable[Path]) -> list[MatchRecord]:
    """Every record of these files, and of the files in these folders, by name."""
    files = [file for path in paths for file in (record_files(path) if path.is_dir() else [path])]
    return [read_record(file) for file in files]


def record_files(folder: Path) -> list[Path]:
    """The record files directly in a folder, by name."""
    return sorted(file for file in folder.glob("*.jsonl") if file.name != RUNS)


def file_name(played: MatchIdentity) -> str:
    """A file name for a record that no other match has."""
    bank = played.bank.replace("/", "-")  # a bank may be given as a path
    parts = (played.game.replace("/", "-"), bank, played.player, played.switch)
    words = "-".join(part.replace(" ", "_") for part in (*parts, _spelled(played.reader)) if part)
    return f"{words}-{played.turns}-{played.seed}.jsonl"


def _spelled(reader: str) -> str:
    """A model's name as part of a file name.

    `file_name` turns spaces into underscores, so underscores are escaped here.
    """
    return quote(reader, safe=" ").replace("_", "%5F")


def _object(line: str, key: str, path: Path) -> dict[str, Any]:
    found: Any = json.loads(line)
    if not isinstance(found, dict) or key not in found:
        raise InvalidInput(f"{path} is no whole record of a match: no {key!r}", path=str(path))
    return found


def _left(found: Mapping[str, Any]) -> Left:
    cost = Cost(counts=GraphCounts(**found["cost"]["counts"]), load=Load(**found["cost"]["load"]))
    kept = {one.name: found[one.name] for one in fields(Left)}
    return Left(**{**kept, "fidelity": Fidelity(**found["fidelity"]), "cost": cost})
