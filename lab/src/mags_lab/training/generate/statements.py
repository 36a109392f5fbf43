"""One thing told: a phrase with its slots filled in, its operations, and the draft of a turn."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from random import Random

from mags.ports.policy import Act, Recalled, Turn
from mags_lab.training.chains.phrasebook import PhrasebookEntry, fill
from mags_lab.training.chains.schema import (
    OperationLine,
    RecallLook,
    Role,
    Sample,
    Split,
    engram,
    route,
    sentence,
)
from mags_lab.training.chains.splits import SplitMaterial
from mags_lab.training.generate import dates
from mags_lab.training.generate.dates import seconds
from mags_lab.training.generate.fillers import Fillers, Framer, common


@dataclass(frozen=True, slots=True, kw_only=True)
class Company:
    """Who talks, and on which day."""

    speaker: str
    other: str
    now: date


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnDraft:
    """A turn, what it asks to be stored (`lines`) and to be recalled (`look`).

    `episodic`: the question is after what was said, more than after what is so.
    """

    text: str
    speaker: str
    now: date
    lines: tuple[OperationLine, ...] = ()
    look: RecallLook | None = None
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
            return str(self.look or RecallLook(queries=(self.text,)))
        word = {(True, True): "both", (True, False): "recall", (False, True): "engram"}.get(
            (self.look is not None, bool(self.lines)), "neither"
        )
        if self.look is None:
            return route(word)
        if self.episodic:
            return route(word, episodic=1.0, semantic=0.3)
        return route(word, episodic=0.5) if len(self.look.hops) > 1 else route(word)


LISTS: Mapping[Act, tuple[str, ...]] = {
    Act.ADD: ("first", "third"),
    Act.UPDATE: ("change", "swap", "correct"),
    Act.RETRACT: ("end",),
}
KIN = re.compile(r"\{s\}'s ([a-z]+(?: [a-z]+)?)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldStatement:
    """A statement. `about`: its subject; `values`: what was filled in; `list`: where it is from.

    `old`: the fact it replaces or ends, as a memory words it, or "".
    """

    text: str
    entry: PhrasebookEntry
    list: str
    phrase: str
    values: Mapping[str, str]
    lines: tuple[OperationLine, ...]
    old: str = ""
    recent: tuple[Turn, ...] = ()
    tags: tuple[str, ...] = ()

    @property
    def about(self) -> str:
        """The subject of the fact."""
        return self.values["s"]

    @property
    def first_person(self) -> bool:
        """Whether the speaker tells of themselves."""
        return self.list.endswith("first")

    @property
    def can_be_pronoun(self) -> bool:
        """Whether its subject opens the sentence and is a person."""
        return self.phrase.startswith("{s} ") and self.entry.subject == "person"


class StatementMaker:
    """Makes statements from the phrases of one split."""

    def __init__(
        self, material: SplitMaterial, rng: Random, fillers: Fillers, framer: Framer
    ) -> None:
        self._rng = rng
        self._fillers = fillers
        self._framer = framer
        self._entries = material.entries
        self._by_list = _by_list(material.entries)
        self._kin = [
            (entry, found[1])
            for entry in material.entries
            if entry.subject == entry.object == "person"
            for phrase in entry.list("of")
            if (found := KIN.match(phrase))
        ]

    @property
    def lists(self) -> frozenset[str]:
        """Lists that have any phrase."""
        return frozenset(self._by_list)

    def tell(self, act: Act, speaker: str, *, third: bool | None = None) -> ToldStatement | None:
        """A statement that calls for `act`; None where this split has no such phrase."""
        names = [f"{stem}_{p}" for stem in LISTS[act] for p in ("first", "third")]
        if act is Act.ADD:
            names = ["first", "third"]
        if third is not None:
            names = [name for name in names if name.endswith("third") is third]
        return self.from_list(names, speaker)

    def from_list(self, names: list[str], speaker: str) -> ToldStatement | None:
        """A statement from one of the lists: the list by chance, then the relation."""
        names = [name for name in names if name in self._by_list]
        if not names:
            return None
        weights = [len(self._by_list[name]) for name in names]
        name = self._rng.choices(names, weights=weights)[0]
        entry = self._rng.choice(self._by_list[name])
        return self.of(entry, name, speaker)

    def about(self, person: str, speaker: str, *, unlike: str) -> ToldStatement | None:
        """One more thing about somebody who was just named, told with a pronoun."""
        found = [
            (entry, name)
            for name in ("third", "change_third", "end_third")
            for entry in self._by_list.get(name, ())
            if entry.subject == "person" and entry.name != unlike
        ]
        for _ in range(8):
            if not found:
                return None
            told = self.of(*self._rng.choice(found), speaker, subject=person)
            if told.can_be_pronoun:
                return self.pronoun(told, self._rng.choice(("She", "He")))
        return None

    def mention(self, person: str, speaker: str, *, unlike: str) -> str:
        """A sentence that names somebody and nobody else: met, or told of."""
        found = [
            entry
            for entry in self._by_list.get("third", ())
            if entry.subject == "person" != entry.object and entry.name != unlike
        ]
        if found and self._rng.random() < 0.4:
            return self.of(self._rng.choice(found), "third", speaker, subject=person).text
        return self._framer.put(self._framer.frame("meeting"), {"s": person})

    def of(
        self, entry: PhrasebookEntry, name: str, speaker: str, *, subject: str = ""
    ) -> ToldStatement:
        """A statement of one relation from one of its lists."""
        phrase = self._rng.choice(entry.list(name))
        values = self.values(entry, speaker if name.endswith("first") else subject, speaker)
        text = self.worded(phrase, entry, values)
        return ToldStatement(
            text=text,
            entry=entry,
            list=name,
            phrase=phrase,
            values=values,
            lines=lines_of(entry, name, values),
            old=old_of(entry, name, values),
            tags=(name.rpartition("_")[0] or "add",),
        )

    def values(self, entry: PhrasebookEntry, subject: str, speaker: str) -> dict[str, str]:
        """Values for every slot of a relation, no two alike."""
        kind = self._fillers.value(entry.kind) if entry.kind else ""
        type = kind or entry.object
        s = subject or self._fillers.value(entry.subject, avoid=(speaker,))
        o = self._fillers.value(type, avoid=(s, speaker))
        p = self._fillers.value(type, avoid=(s, speaker, o))
        if type == "age" and int(p) > int(o):  # nobody grows younger
            o, p = p, o
        return {
            "s": s,
            "o": o,
            "p": p,
            "k": kind,
            "relation": f"{entry.name} {kind}".strip(),
        }

    def worded(self, phrase: str, entry: PhrasebookEntry, values: Mapping[str, str]) -> str:
        """A phrase filled in; a common noun that opens it may get a capital."""
        text = fill(phrase, values)
        opens = phrase.startswith(("{o}", "{p}")) and common(values["k"] or entry.object, text)
        return text[0].upper() + text[1:] if opens and self._rng.random() < 0.5 else text

    def dated(self, told: ToldStatement, now: date) -> ToldStatement:
        """The same with the date since which it is so, where the phrase or a frame tells."""
        named = ""
        if told.lines[-1].act is Act.UPDATE or "since" in told.text.casefold():
            named = dates.of_phrase(told.phrase, now)
        if named:
            return replace(told, lines=_since(told.lines, named))
        if dates.VAGUE.search(told.phrase) or self._rng.random() > 0.12:
            return told
        if told.lines[-1].act is Act.RETRACT:
            return told
        said = dates.beginning(self._rng, now)
        return replace(
            told,
            text=self._framer.put(self._framer.frame("when"), {"x": told.text, "w": said.words}),
            lines=_since(told.lines, said.since),
            tags=(*told.tags, "when"),
        )

    def kin(self, told: ToldStatement, speaker: str) -> ToldStatement:
        """The same about "my sister Ana" instead of Ana: two facts in one; or of "my sister"."""
        if not self._kin or told.first_person or told.entry.subject != "person":
            return told
        entry, noun = self._rng.choice(self._kin)
        if entry.name == told.entry.name:
            return told
        named = self._rng.random() < 0.6
        words = f"my {noun} {told.about}" if named else f"my {noun}"
        text = fill(told.phrase, {**told.values, "s": words})
        if named:
            link = OperationLine(
                act=Act.ADD, subject=speaker, relation=entry.name, object=told.about
            )
            lines, old = (link, *told.lines), told.old
        else:
            whose = f"{speaker}'{'' if speaker.endswith('s') else 's'} {noun}"
            lines = tuple(replace(line, subject=whose) for line in told.lines)
            old = told.old.replace(told.about, whose)
        return replace(
            told,
            text=text[0].upper() + text[1:] if told.phrase.startswith("{s}") else text,
            lines=lines,
            old=old,
            tags=(*told.tags, "kin" if named else "unnamed kin"),
        )

    def several(self, told: ToldStatement) -> ToldStatement:
        """The same with two objects where the relation takes many and the phrase ends in one."""
        entry = told.entry
        ends = re.search(r" \{o\}[.!]?$", told.phrase)
        if entry.one or entry.kind or told.list not in ("first", "third") or not ends:
            return told
        other = told.values["p"]
        both = {**told.values, "o": f"{told.values['o']} and {other}"}
        more = replace(told.lines[-1], object=other)
        return replace(
            told,
            text=fill(told.phrase, both),
            lines=(*told.lines, more),
            tags=(*told.tags, "list"),
        )

    def pronoun(self, told: ToldStatement, word: str) -> ToldStatement:
        """The same with its opening subject as a pronoun."""
        text = fill(told.phrase, {**told.values, "s": word})
        return replace(told, text=text, tags=(*told.tags, "pronoun"))


def memory(text: str, *, id: int, speaker: str, at: float, current: bool = True) -> Recalled:
    """A memory as recall hands it to the write policy."""
    return Recalled(id=id, text=text, speaker=speaker, at=at, current=current)


def fact_of(told: ToldStatement) -> str:
    """The (new) fact as a memory words it."""
    return sentence(told.about, told.values["relation"], told.values["o"])


def _by_list(entries: tuple[PhrasebookEntry, ...]) -> dict[str, list[PhrasebookEntry]]:
    found: dict[str, list[PhrasebookEntry]] = {}
    for entry in entries:
        for name in entry.phrases:
            found.setdefault(name, []).append(entry)
    return found


def lines_of(
    entry: PhrasebookEntry, name: str, values: Mapping[str, str]
) -> tuple[OperationLine, ...]:
    """The operations that a phrase of the list `name` asks for."""
    subject, relation = values["s"], values["relation"]

    def line(act: Act, object: str) -> OperationLine:
        return OperationLine(act=act, subject=subject, relation=relation, object=object)

    if name.startswith(("near", "ask")):
        return ()
    if name.startswith("end"):
        return (line(Act.RETRACT, values["o"]),)
    if name in ("first", "third"):
        return (line(Act.ADD, values["o"]),)
    if entry.one:
        return (line(Act.UPDATE, values["o"]),)
    return line(Act.RETRACT, values["p"]), line(Act.ADD, values["o"])


def old_of(entry: PhrasebookEntry, name: str, values: Mapping[str, str]) -> str:
    """The fact that a phrase of the list `name` replaces or ends, as a memory words it, or ""."""
    if not name.startswith(("change", "swap", "correct", "end")):
        return ""
    gone = values["o"] if name.startswith("end") else values["p"]
    return sentence(values["s"], values["relation"], gone)


def _since(lines: tuple[OperationLine, ...], when: str) -> tuple[OperationLine, ...]:
    return (*lines[:-1], replace(lines[-1], when=when))
