"""A draft: one turn with everything that the three policies should make of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from mags.ports.policy import Recalled, Turn
from mags_lab.training.chains.schema import Role, Sample, Split
from mags_lab.training.chains.tokens import Line, Look, engram, route
from mags_lab.training.generate.dates import seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Company:
    """Who talks, and on which day."""

    speaker: str
    other: str
    now: date


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A turn, what it asks to be stored (`lines`) and to be recalled (`look`).

    `episodic`: the question is after what was said, more than after what is so.
    """

    text: str
    speaker: str
    now: date
    lines: tuple[Line, ...] = ()
    look: Look | None = None
    recent: tuple[Turn, ...] = ()
    recalled: tuple[Recalled, ...] = ()
    episodic: bool = False
    tags: tuple[str, ...] = ()

    def sample(self, role: Role, *, id: str, split: Split) -> Sample:
        """The sample of one policy."""
        at = seconds(self.now)
        return Sample(
            id=id,
            role=role,
            split=split,
            turn=Turn(text=self.text, speaker=self.speaker, at=at),
            recent=tuple(Turn(text=t.text, speaker=t.speaker, at=at) for t in self.recent),
            recalled=self.recalled if role is Role.WRITE else (),
            target=self.target(role),
            tags=self.tags,
        )

    def target(self, role: Role) -> str:
        """What a policy should answer."""
        if role is Role.WRITE:
            return engram(self.lines)
        if role is Role.ASK:
            return str(self.look or Look(queries=(self.text,)))
        word = {(True, True): "both", (True, False): "recall", (False, True): "engram"}.get(
            (self.look is not None, bool(self.lines)), "neither"
        )
        if self.look is None:
            return route(word)
        if self.episodic:
            return route(word, episodic=1.0, semantic=0.3)
        return route(word, episodic=0.5) if len(self.look.hops) > 1 else route(word)
