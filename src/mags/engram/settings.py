"""Every number and switch of the engram."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

DAY_S = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AttentionSettings:
    """First edges: `on` False joins a new node to its nearest neighbour only.

    `candidates`: k, how many nodes a new one attends over, of which at most `entities` of
    the turn and `recent` episodes; the rest are the nearest by embedding. `sharpness`:
    factor of the cosine before the softmax while no weights are trained. `slope`: of the
    LeakyReLU. `weakest`, `strongest`: range of the weights of what passes 1/(2k).
    """

    on: bool = True
    candidates: int = 16
    entities: int = 4
    recent: int = 4
    sharpness: float = 8.0
    slope: float = 0.2
    weakest: float = 0.25
    strongest: float = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictSettings:
    """Contradictions of relations the table does not know; `on` False leaves them open.

    `threshold`: probability above which the surest of the sentences compared is held to be
    contradicted; `several`: above which others are too. `specific`: common words that two
    sentences must share where the new one carries no cue (see `likeness.is_specific`; 0
    closes more, and some hobbies with it). `notes`: whether notes may be
    closed. `unread`: whether a turn that could not be read into operations may close.
    """

    on: bool = True
    threshold: float = 0.3
    several: float = 0.6
    specific: int = 4
    notes: bool = True
    unread: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class SalienceSettings:
    """Importance and strength when written.

    importance = surprise x `surprise` + emphasis x `emphasis`, 1 for what the user marked;
    strength = `strength` + (1 - `strength`) x importance. A confirmation moves the strength
    `recharge` of the way to 1.
    """

    surprise: float = 0.3
    emphasis: float = 0.5
    strength: float = 0.6
    recharge: float = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class EngramSettings:
    """A switch a rule, for ablations, and the rules' numbers.

    `novelty` False: nothing is ever a confirmation. `arbiter` False: facts are appended and
    nothing is closed. `mirror` False: a symmetric fact is closed in the direction said only.
    `history_s`: a change ("moved to") stated to lie longer than this before an observed
    rival is history, not news; longer than a year, so that "in May" is news all year.
    `echoes` True: statements in a turn made from memory may become new facts and take back
    old ones; what they only repeat is confirmed without growing more certain. `linker`: file
    of `mags train linker` that gives first edges their weights (none: by scaled cosine).
    """

    novelty: bool = True
    arbiter: bool = True
    mirror: bool = True
    echoes: bool = False
    history_s: float = 400 * DAY_S
    linker: Path | None = None
    attention: AttentionSettings = field(default_factory=AttentionSettings)
    conflict: ConflictSettings = field(default_factory=ConflictSettings)
    salience: SalienceSettings = field(default_factory=SalienceSettings)
