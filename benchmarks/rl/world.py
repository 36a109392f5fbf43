"""The world of the study: the generator's own turns, of fewer relations and shorter.

Nothing is made anew: `mags_lab.training.generate` draws the turns, from material with fewer
relations and fewer phrases of each. Names, frames and phrasings are held out as everywhere
(`mags_lab.training.chains.splits`); of the frames of training a part is kept back for
reinforcement.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from types import MappingProxyType

from mags_lab.training.chains.schema import Role, Sample, Split
from mags_lab.training.chains.splits import SplitMaterial, fraction, split_material
from mags_lab.training.chains.variety import SeenTurns
from mags_lab.training.generate.samples import Turns
from mags_lab.training.generate.statements import TurnDraft

ROLES = (Role.ASK, Role.WRITE)
TAUGHT, KEPT_BACK = "taught", "kept-back"
TESTED = (Split.DEV, Split.FRAMES, Split.PHRASINGS)


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallWorld:
    """What is talked of, and how.

    `relations`: by name. `phrases`: at most so many of each list of a relation, chosen by a hash
    of their words. `frames`: of each kind, how many sentence frames of training fine-tuning sees;
    the others are kept back for reinforcement. `left_out`: turns with one of these tags are not
    drawn. `longest`: characters of a turn. `scatter`: share of training turns put among random
    words.
    """

    relations: tuple[str, ...]
    phrases: int
    frames: int
    left_out: tuple[str, ...]
    longest: int
    scatter: float = 0.0

    def cut(self, split: Split) -> SplitMaterial:
        """What the generator makes a split from, cut to this world."""
        whole = split_material(split)
        entries = tuple(
            replace(
                entry,
                phrases=MappingProxyType(
                    {name: self._some(name, found) for name, found in entry.phrases.items()}
                ),
            )
            for entry in whole.entries
            if entry.name in self.relations
        )
        return replace(whole, entries=entries)

    def material(self, name: str) -> SplitMaterial:
        """What "taught", "kept-back" or a split of that name is made from."""
        if name in (TAUGHT, KEPT_BACK):
            return self._parted(self.cut(Split.TRAIN), back=name == KEPT_BACK)
        return self.cut(Split(name))

    def samples(
        self, name: str, role: Role, count: int, *, seed: str, known: SeenTurns
    ) -> list[Sample]:
        """Samples of one role, none of them nearly one in `known`, which grows with them."""
        return list(_drawn(self, name, role, count, seed=seed, known=known))

    def has(self, draft: TurnDraft) -> bool:
        """Whether a turn is one of this world's."""
        return len(draft.text) <= self.longest and not {*draft.tags} & {*self.left_out}

    def _parted(self, whole: SplitMaterial, *, back: bool) -> SplitMaterial:
        """Material with the frames that fine-tuning sees, or (where there are any) the others."""
        parts = {
            name: sorted(frames, key=lambda frame: fraction(f"frame kept back\n{frame}"))
            for name, frames in whole.frames.items()
        }
        kept = {
            name: tuple(frames[self.frames :] or frames) if back else tuple(frames[: self.frames])
            for name, frames in parts.items()
        }
        return replace(whole, frames=MappingProxyType(kept))

    def _some(self, name: str, phrases: tuple[str, ...]) -> tuple[str, ...]:
        ranked = sorted(phrases, key=lambda phrase: fraction(f"small world {name}\n{phrase}"))
        kept = {*ranked[: self.phrases]}
        return tuple(phrase for phrase in phrases if phrase in kept)


def _drawn(
    world: SmallWorld, name: str, role: Role, count: int, *, seed: str, known: SeenTurns
) -> Iterator[Sample]:
    material = world.material(name)
    trains = name in (TAUGHT, KEPT_BACK)
    turns = Turns(
        material, Random(f"{seed} {name} {role}"), scatter=world.scatter if trains else 0.0
    )
    make = turns.to_write if role is Role.WRITE else turns.to_ask
    place = tries = 0
    while place < count and tries < 20 * count:
        tries += 1
        draft = make()
        if not world.has(draft):
            continue
        sample = draft.sample(role, id=f"{name}-{role}-{place:05}", split=material.split)
        if known.take(sample):
            place += 1
            yield sample


SMALL = SmallWorld(
    relations=(
        *("lives in", "works at", "works as", "drives", "boss", "best friend"),
        *("is married to", "likes", "pet", "studies"),
    ),
    phrases=3,
    frames=2,
    left_out=("note", "when", "dated", "episodic", "3 facts", "unnamed kin", "3-hop", "aside"),
    longest=140,
)
"""Ten relations of personal life, three phrases a list, no notes, no dates, no asides."""
