"""Turns of conversation by hand, their slots filled in, with chatter around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random

from mags.models.grammar import BAR
from mags.ports.policy import Act, Recalled, Turn
from mags.ports.relations import kind_of
from mags_lab.training.chains.dialogues import CHOICE, Dialogue, fill, fillable, slots_of, type_of
from mags_lab.training.chains.phrasebook import PhrasebookEntry
from mags_lab.training.chains.schema import OperationLine, RecallLook, Role, sentence
from mags_lab.training.chains.splits import SplitMaterial
from mags_lab.training.generate import dates
from mags_lab.training.generate.fillers import Fillers, Framer
from mags_lab.training.generate.statements import StatementMaker, TurnDraft, fact_of, memory

OPENED, CLOSED = 0.3, 0.3
"""Shares of turns with a sentence before or after them that tells nothing."""
JOINED = 0.2
"""Share of turns that stand alone which are told in one breath with another such turn."""
BEFORE = 0.35
"""Share of turns with a line of the other before them, where none is written."""
REMEMBERED = 0.5
"""Share of changes and ends whose old fact is among what is remembered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilledTurn:
    """A turn that is being filled: its values by slot, the date `{when}` says, today."""

    values: dict[str, str]
    said: dates.DatePhrase
    now: date


class Talks:
    """Makes drafts of one split's turns of conversation."""

    def __init__(self, material: SplitMaterial, rng: Random) -> None:
        self._rng = rng
        self._material = material
        self._fillers = Fillers(material, rng)
        self._teller = StatementMaker(
            material, rng, self._fillers, Framer(material, rng, self._fillers)
        )
        self._entries = {entry.name: entry for entry in material.entries}
        self._free = tuple(one for one in material.dialogues if not (one.was or one.asks))
        self._idle = tuple(one for one in self._free if not one.keep)

    @property
    def any(self) -> bool:
        """Whether this split has turns of conversation."""
        return bool(self._material.dialogues)

    def draft(self, role: Role) -> TurnDraft:
        """Any turn, for the write policy or the router, sometimes with another one after it."""
        one = self._rng.choice(self._material.dialogues)
        if one not in self._free or self._rng.random() >= JOINED:
            return self.of(one, role)
        other = self._rng.choice(self._free)
        slots = [{tuple(line.split(" | ")[1:3]) for line in turn.keep} for turn in (one, other)]
        if other is one or slots[0] & slots[1]:  # two homes in one breath contradict each other
            return self.of(one, role)
        return self.of(one, role, then=other)

    def of(self, one: Dialogue, role: Role, *, then: Dialogue | None = None) -> TurnDraft:
        """A draw of one turn, or of two as one."""
        scene = self._scene(one)
        me, you = scene.values["me"], scene.values["you"]
        text = self._said(one.say, scene)
        lines = tuple(self._line(kept, scene) for kept in one.keep)
        if then is not None:
            after = self._scene(then, after=scene)
            text += f" {self._said(then.say, after)}"
            lines += tuple(self._line(kept, after) for kept in then.keep)
        was = self._before(one, scene)
        return TurnDraft(
            text=self._around(one, text, scene),
            speaker=me,
            now=scene.now,
            lines=lines,
            look=RecallLook(queries=(one.say,)) if one.asks else None,
            recent=tuple(
                Turn(text=line, speaker=you if (len(was) - place) % 2 else me)
                for place, line in enumerate(was)
            ),
            recalled=self._memories(lines, scene) if role is Role.WRITE else (),
            tags=(
                *("dialogue", one.theme),
                *([] if lines else ["nothing told"]),
                *(["two turns"] if then else []),
            ),
        )

    def _scene(self, one: Dialogue, *, after: FilledTurn | None = None) -> FilledTurn:
        """Values for a turn; the company, the day and no name again of the one before it."""
        now = after.now if after else dates.today(self._rng)
        said = dates.beginning(self._rng, now)
        old = tuple(after.values.values()) if after else ()
        values = {"when": said.words}
        for person in ("me", "you"):
            taken = tuple(values.values())
            values[person] = after.values[person] if after else self._first_name(taken)
        for slot in sorted({s for text in (one.say, *one.was) for s in slots_of(text)}):
            if slot not in values:
                taken = (*old, *values.values())
                values[slot] = self._fillers.value(type_of(slot), avoid=taken)
        return FilledTurn(values=values, said=said, now=now)

    def _first_name(self, taken: tuple[str, ...]) -> str:
        return self._fillers.name(avoid=taken).split()[0]

    def _said(self, text: str, scene: FilledTurn) -> str:
        """A line with its choices made and its slots filled in."""
        chosen = CHOICE.sub(lambda found: self._rng.choice(found[1].split("|")), text)
        filled = " ".join(fill(chosen, scene.values).split())
        return filled[0].upper() + filled[1:] if text.startswith(("{", "[")) else filled

    def _around(self, one: Dialogue, text: str, scene: FilledTurn) -> str:
        opens = not one.was and self._rng.random() < OPENED
        closes = not text.endswith("?") and self._rng.random() < CLOSED
        before, after = ("open" if opens else "", "close" if closes else "")
        extra = [
            self._said(self._rng.choice(self._material.asides[name]), scene) if name else ""
            for name in (before, after)
        ]
        return " ".join(part for part in (extra[0], text, extra[1]) if part)

    def _before(self, one: Dialogue, scene: FilledTurn) -> Sequence[str]:
        """What was said before, oldest first: as written, or any turn that told nothing."""
        if one.was:
            return [self._said(line, scene) for line in one.was]
        if not self._idle or self._rng.random() >= BEFORE:
            return ()
        other = self._rng.choice(self._idle)
        if other is one:
            return ()
        turned = self._scene(other)
        you_and_me = {"me": scene.values["you"], "you": scene.values["me"]}
        turned.values.update(you_and_me)
        return [self._said(other.say, turned)]

    def _line(self, kept: str, scene: FilledTurn) -> OperationLine:
        act, *fields = (part.strip() for part in BAR.split(kept))
        if act == Act.NOTE.value:
            return OperationLine(act=Act.NOTE, text=fill(fields[0], scene.values))
        when = fields[3] if len(fields) > 3 else ""
        subject = fields[0]
        if subject.startswith("{me}'s ") and scene.values["me"].endswith("s"):
            subject = subject.replace("'s ", "' ", 1)
        return OperationLine(
            act=Act[act],
            subject=fill(subject, scene.values),
            relation=fill(fields[1], scene.values),
            object=fill(fields[2], scene.values),
            when=scene.said.since if when == "{when}" else dates.of_phrase(when, scene.now),
        )

    def _memories(self, lines: Sequence[OperationLine], scene: FilledTurn) -> tuple[Recalled, ...]:
        """What changes or ends, more often than not, among facts that do not matter."""
        found = []
        for line in lines:
            if line.act in (Act.UPDATE, Act.RETRACT) and self._rng.random() < REMEMBERED:
                found.append(self._old(line, scene))
        texts = [text for text in found if text]
        while self._rng.random() < 0.3 and len(texts) < 4:
            name = self._first_name(tuple(scene.values.values()))
            told = self._teller.tell(Act.ADD, name, third=True)
            if told is not None:
                texts.insert(self._rng.randint(0, len(texts)), fact_of(told))
        ids = self._rng.sample(range(1, 99), len(texts))
        return tuple(
            memory(text, id=id, speaker=scene.values["me"], at=self._earlier(scene.now))
            for text, id in zip(texts, ids, strict=True)
        )

    def _old(self, line: OperationLine, scene: FilledTurn) -> str:
        if line.act is Act.RETRACT:
            return sentence(line.subject, line.relation, line.object)
        entry: PhrasebookEntry | None = self._entries.get(line.relation)
        type = kind_of(line.relation) or (entry.object if entry else "")
        if not type:
            return ""
        other = self._fillers.value(type, avoid=(*scene.values.values(), line.object))
        return sentence(line.subject, line.relation, other)

    def _earlier(self, now: date) -> float:
        return dates.seconds(now - timedelta(days=self._rng.randint(5, 900)))


def unknown_types(found: Sequence[Dialogue], known: frozenset[str]) -> frozenset[str]:
    """Slot types of turns that nothing fills."""
    return frozenset[str]().union(*(fillable(one) for one in found)) - known
