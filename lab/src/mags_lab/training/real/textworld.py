"""Logs of AriGraph's agent in TextWorld: what it saw, the triples it took, those it replaced.

Anokhin et al., 2024 (MIT). The triples are a language model's, and it had its memory at hand: a
triple counts only where the observation (or what was recalled) has both its ends. A triple that
takes the place of another of the same subject and state ("is ...") is an UPDATE; where the world
changed in another way ("the table has on it the cup" is now "the cup is in the inventory") the old
triple is retracted. What was replaced is recalled, with up to four more that the agent recalled.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mags.models.grammar import LIMITS
from mags.ports.policy import Act, Recalled, Turn
from mags_lab.training.chains.schema import sentence
from mags_lab.training.real.passage import (
    Passage,
    PassageFact,
    folded,
    in_order,
    odd,
    only,
    read_text,
    relation_name,
    writable,
)

SOURCE = "AriGraph TextWorld"
PLACE = "arigraph/logs"
SPEAKER, PLAYER = "game", "player"
INVENTORY = "The player has an inventory."
MORE_RECALLED = 4
Triple = tuple[str, str, str]
_STEP = re.compile(
    r"^Observation: (?P<seen>.*?)^Crucial items:[^\n]*\n"
    r"New triplets: (?P<new>[^\n]*)\nOutdated triplets: (?P<old>[^\n]*)\n"
    r"(?P<rest>.*?)(?=^Observation: |\Z)",
    re.DOTALL | re.MULTILINE,
)
_RECALLED = re.compile(r"^Associated[_ ]\w+: (.*)$", re.MULTILINE)
_ACTION = re.compile(r'"action_to_take": "([^"\n]*)"')
_ROOM = re.compile(r"-= (.+?) =-")
_STATUS = re.compile(r"^(?:Step: \d+|Game step #\d+|\$ ?|>.*)$", re.MULTILINE)
_QUOTED = re.compile(r"""(["'])(.+?)\1(?=[,\]\)\}])""")


@dataclass(frozen=True, slots=True, kw_only=True)
class LogStep:
    """One step of a log. `replaced`: (old, new) triples; `action`: what the agent did next."""

    seen: str
    room: str
    new: tuple[Triple, ...]
    replaced: tuple[tuple[Triple, Triple], ...]
    recalled: tuple[Triple, ...]
    action: str


def passages(folder: Path) -> Iterator[Passage]:
    """Every step of the logs under `folder` that has a triple; raises NotFound.

    An observation counts once a game. The hash of game and room holds a step out: the same
    rooms come again in every attempt.
    """
    for path in only(folder / PLACE, "*.txt*"):
        game, known, before = path.name.partition("_")[0], set[str](), ""
        for number, step in enumerate(steps(read_text(path))):
            action, before = before, step.action
            facts, left = facts_of(step)
            if step.seen in known or not facts:
                continue
            known.add(step.seen)
            yield Passage(
                id=f"{PLACE}/{game}/{number}",
                source=SOURCE,
                text=step.seen,
                held=odd(f"{game} {step.room}"),
                facts=facts,
                speaker=SPEAKER,
                recent=(Turn(text=action, speaker=PLAYER),) if action else (),
                recalled=_memories(step),
                left=left,
            )


def steps(log: str) -> Iterator[LogStep]:
    """The steps of a log; a step that names no room is in that of the one before."""
    room = ""
    for match in _STEP.finditer(log):
        seen, rest = match["seen"], match["rest"]
        room = (_ROOM.findall(seen) or [room])[-1]
        recalled, action = _RECALLED.search(rest), _ACTION.search(rest)
        yield LogStep(
            seen=" ".join(_STATUS.sub("", seen).split()),
            room=room,
            new=tuple(triples(match["new"])),
            replaced=tuple(replacements(match["old"])),
            recalled=tuple(sorted(triples(recalled[1]))) if recalled else (),
            action=action[1] if action else "",
        )


def triples(written: str) -> Iterator[Triple]:
    """The triples of a list such as "['sofa, is in, living room', ...]"."""
    for _, words in _QUOTED.findall(written):
        if found := triple(words):
            yield found


def replacements(written: str) -> Iterator[tuple[Triple, Triple]]:
    """Old and new of a list such as "[['a, is in, b' -> 'a, is in, c'], ['d, is, e -> ...']]"."""
    for pair in re.split(r"\],\s*\[", written):
        old, arrow, new = pair.partition("->")
        ends = triple(old.strip(" []\"'")), triple(new.strip(" []\"'"))
        if arrow and ends[0] and ends[1] and ends[0] != ends[1]:
            yield ends[0], ends[1]


def triple(words: str) -> Triple | None:
    """Three parts between commas, or None; a full stop at the end goes."""
    parts = [part.strip(" .") for part in words.split(", ")]
    if len(parts) != 3 or not all(parts) or len(parts[1].split()) > LIMITS.relation_words:
        return None
    return parts[0], parts[1], parts[2]


def facts_of(step: LogStep) -> tuple[tuple[PassageFact, ...], int]:
    """What the step says is so, and no longer so; and how many triples it has no words for."""
    heard = f" {folded(step.seen)} {folded(step.room)} inventory "
    moved = {(new[0], new[1]) for old, new in step.replaced if _same_state(old, new)}
    kept = [t for t in dict.fromkeys(step.new) if _said(t, heard)]
    found = [_fact(Act.UPDATE if t[:2] in moved else Act.ADD, t) for t in kept]
    gone = [old for old, new in step.replaced if not _same_state(old, new) and old not in kept]
    said = in_order(found, step.seen)
    return (*said, *(_fact(Act.RETRACT, old) for old in dict.fromkeys(gone))), len(step.new) - len(
        kept
    )


def _same_state(old: Triple, new: Triple) -> bool:
    """Whether the new triple fills the one slot of the old: "the cup is on" another thing."""
    return old[:2] == new[:2] and old[1].split()[0] == "is"


def _said(one: Triple, heard: str) -> bool:
    return writable(one[0], one[2]) and all(f" {folded(end)} " in heard for end in (one[0], one[2]))


def _fact(act: Act, one: Triple) -> PassageFact:
    subject, relation, thing = one
    return PassageFact(
        subject=(subject,), relation=relation_name("", relation), object=(thing,), act=act
    )


def _memories(step: LogStep) -> tuple[Recalled, ...]:
    replaced = dict.fromkeys(old for old, _ in step.replaced)
    more = [t for t in step.recalled if t not in replaced][:MORE_RECALLED]
    texts: Sequence[str] = [INVENTORY, *_sentences((*replaced, *more))]
    return tuple(Recalled(id=i, text=text) for i, text in enumerate(texts, start=1))


def _sentences(known: Iterable[Triple]) -> list[str]:
    return [sentence(*one) for one in known]
