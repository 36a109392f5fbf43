"""Whole sets of samples: the turns of each split from its own material and seed, nothing twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from random import Random

from mags.ports.policy import Act, Recalled, Turn
from mags_lab.training.chains.phrasebook import SLOT, fill
from mags_lab.training.chains.schema import OperationLine, Role, Sample, Split, sentence
from mags_lab.training.chains.splits import FAMILIAR, TESTS, SplitMaterial, split_material
from mags_lab.training.chains.variety import SeenTurns
from mags_lab.training.generate import dates
from mags_lab.training.generate.changes import AMEND, ChangeDrafts
from mags_lab.training.generate.dialogues import Talks
from mags_lab.training.generate.fillers import Fillers, Framer, typed
from mags_lab.training.generate.questions import GeneratedQuestion, Questioner
from mags_lab.training.generate.statements import (
    Company,
    StatementMaker,
    ToldStatement,
    TurnDraft,
    fact_of,
    memory,
)

# Shares of the turns shown to the write policy.
MIX = {
    "add": 0.31,
    "update": 0.22,
    "retract": 0.14,
    "after": 0.15,
    "both": 0.03,
    "note": 0.03,
    "near": 0.08,
    "asked": 0.05,
    "small": 0.05,
    "known": 0.05,
}
ASIDES = 0.2
"""Share of turns with a sentence more that has nothing to do with them."""
BARE = 0.12
"""Share of plain statements told as an answer in a word or two."""
WHOLE = frozenset({"note", "bare answer", AMEND})
"""Tags of turns that could not be told apart from random words around them."""
PLAIN_SPEAKERS = ("user", "assistant")


class Turns:
    """Makes drafts for one split. `scatter`: share of turns put among random words."""

    def __init__(self, material: SplitMaterial, rng: Random, *, scatter: float) -> None:
        self._rng = rng
        self._material = material
        self._fillers = Fillers(material, rng)
        self._framer = Framer(material, rng, self._fillers)
        self._scatter = scatter
        self._teller = StatementMaker(material, rng, self._fillers, self._framer)
        self._asker = Questioner(material, rng, self._teller, self._framer)
        self._changes = ChangeDrafts(material, rng, self._framer, self._teller)
        self._writers: dict[str, Callable[[Company], TurnDraft | None]] = {
            "add": lambda who: self.told(who, Act.ADD),
            "update": lambda who: self.told(who, Act.UPDATE),
            "retract": lambda who: self.told(who, Act.RETRACT),
            "after": self._changes.draft,
            "both": self.both,
            "note": self.note,
            "near": self.near,
            "asked": lambda who: replace(self.asked(who), look=None),
            "small": self.small,
            "known": self.known,
        }

    def company(self) -> Company:
        """Two people (or a user and an assistant) and a day."""
        if self._rng.random() < 0.12:
            speaker, other = "user", "assistant"
        else:
            speaker = self._fillers.name()
            other = self._fillers.name(avoid=(speaker,))
        return Company(speaker=speaker, other=other, now=dates.today(self._rng))

    def to_write(self) -> TurnDraft:
        """A turn for the write policy, kinds in the shares of `MIX`."""
        while True:
            kind = self._rng.choices(list(MIX), weights=list(MIX.values()))[0]
            draft = self._writers[kind](self.company())
            if draft is not None:
                return self._surrounded(draft)

    def to_ask(self) -> TurnDraft:
        """A turn for the ask policy."""
        who = self.company()
        draft = self.both(who) if self._rng.random() < 0.1 else None
        return self._surrounded(draft or self.asked(who), recalls=False)

    def to_route(self) -> TurnDraft:
        """A turn for the router; what has to be known to decide is never in memory alone."""
        who, drawn = self.company(), self._rng.random()
        if drawn < 0.3:
            kind = self._rng.choice(("add", "add", "add", "update", "update", "retract", "note"))
            draft = self._writers[kind](who)
        elif drawn < 0.6:
            draft = self.asked(who)
        elif drawn < 0.8:
            draft = self.both(who)
        else:
            draft = self.near(who) if drawn < 0.88 else self.small(who)
        return self._surrounded(draft or self.small(who), recalls=False)

    def told(self, who: Company, act: Act) -> TurnDraft | None:
        """A turn that tells one to three things, the first of them by `act`."""
        first = self._teller.tell(act, who.speaker)
        if first is None:
            return None
        bare = self._bare(who, first) if act is Act.ADD and self._rng.random() < BARE else None
        if bare is not None:
            return bare
        first = self._varied(first, who)
        parts = [first]
        while len(parts) < 3 and self._rng.random() < 0.22:
            more = self._more(first, who)
            if more is None or any(_same_slot(more, part) for part in parts):
                break
            parts.append(more)
        return self._draft(who, parts)

    def both(self, who: Company) -> TurnDraft | None:
        """A turn that tells something and asks something else."""
        told = self._teller.tell(self._rng.choice((Act.ADD, Act.ADD, Act.UPDATE)), who.speaker)
        if told is None:
            return None
        asked = self._asker.ask(who.speaker, who.other, who.now)
        if asked.recent or told.list.startswith("correct"):
            return None
        frame = self._framer.frame("tell_and_ask")
        return TurnDraft(
            text=self._framer.put(frame, {"x": told.text, "q": asked.text}),
            speaker=who.speaker,
            now=who.now,
            lines=told.lines,
            look=asked.look,
            episodic=asked.episodic,
            recent=self._addressed(asked, who),
            recalled=self._old(told, who),
            tags=("both", *told.tags, *asked.tags),
        )

    def asked(self, who: Company) -> TurnDraft:
        """A turn that asks."""
        asked = self._asker.ask(who.speaker, who.other, who.now)
        return TurnDraft(
            text=self._framer.around(asked.text, "question", names=(asked.about,)),
            speaker=who.speaker,
            now=who.now,
            look=asked.look,
            episodic=asked.episodic,
            recent=self._addressed(asked, who),
            tags=("question", *asked.tags),
        )

    def near(self, who: Company) -> TurnDraft | None:
        """A turn that looks as if it told something."""
        told = self._teller.from_list(["near_first", "near_third"], who.speaker)
        if told is None:
            return None
        text = self._framer.around(told.text, names=tuple(told.values.values()))
        return TurnDraft(text=text, speaker=who.speaker, now=who.now, tags=("near",))

    def small(self, who: Company) -> TurnDraft:
        """Small talk."""
        text = " ".join(
            self._rng.choice(self._material.smalltalk)
            for _ in range(self._rng.choice((1, 1, 1, 2, 2, 3)))
        )
        if self._rng.random() < 0.5:
            text = self._framer.around(text)
        return TurnDraft(text=text, speaker=who.speaker, now=who.now, tags=("small talk",))

    def known(self, who: Company) -> TurnDraft | None:
        """A turn that tells what is remembered already: nothing to store."""
        told = self._teller.tell(Act.ADD, who.speaker)
        if told is None:
            return None
        draft = self._draft(who, [told])
        known = memory(
            fact_of(told),
            id=self._rng.randint(1, 99),
            speaker=self._rng.choice((who.speaker, who.other)),
            at=self._earlier(who.now),
        )
        return replace(draft, lines=(), recalled=(known,), tags=("known",))

    def note(self, who: Company) -> TurnDraft:
        """A turn with a rule, a how-to or a reason: kept as a sentence."""
        line = self._framer.frame("note")
        text = fill(line, {type: self._fillers.value(type) for type in SLOT.findall(line)})
        return TurnDraft(
            text=self._framer.put(self._framer.frame("note_frame"), {"x": text}),
            speaker=who.speaker,
            now=who.now,
            lines=(OperationLine(act=Act.NOTE, text=text),),
            tags=("note",),
        )

    def _varied(self, told: ToldStatement, who: Company) -> ToldStatement:
        """A statement as it stands, or with a pronoun, a relative, two objects, or a date."""
        drawn = self._rng.random()
        if told.can_be_pronoun and drawn < 0.25:
            speaker = self._rng.choice((who.speaker, who.other))
            before = self._teller.mention(told.about, speaker, unlike=told.entry.name)
            told = self._teller.pronoun(told, self._rng.choice(("She", "He")))
            return replace(told, recent=(Turn(text=before, speaker=speaker),))
        if drawn < 0.35:
            return self._teller.kin(told, who.speaker)
        if drawn < 0.42:
            return self._teller.several(told)
        if told.list.startswith("correct"):
            return self._corrected(told, who)
        return self._teller.dated(told, who.now)

    def _corrected(self, told: ToldStatement, who: Company) -> ToldStatement:
        """A correction after somebody said the wrong thing."""
        if told.about in PLAIN_SPEAKERS:
            return told
        before = self._framer.put(self._framer.frame("echo"), {"x": told.old})
        return replace(told, recent=(Turn(text=before, speaker=who.other),))

    def _more(self, first: ToldStatement, who: Company) -> ToldStatement | None:
        """A further statement, sometimes of the same person."""
        person = first.entry.subject == "person" and not first.first_person
        hidden = {"pronoun", "kin", "unnamed kin"} & {*first.tags}
        clear = person and first.entry.object != "person" and not hidden
        if clear and self._rng.random() < 0.6:
            return self._teller.about(first.about, who.speaker, unlike=first.entry.name)
        act = self._rng.choice((Act.ADD, Act.ADD, Act.ADD, Act.UPDATE, Act.RETRACT))
        more = self._teller.tell(act, who.speaker)
        return None if more is None or more.list.startswith("correct") else more

    def _draft(self, who: Company, parts: list[ToldStatement]) -> TurnDraft:
        text = parts[0].text
        for part in parts[1:]:
            text = self._framer.put(self._framer.frame("pair"), {"x": text, "y": part.text})
        names = tuple(value for part in parts for value in part.values.values())
        kinds = ["statement"] if any(part.first_person for part in parts) else ["gossip"] * 2
        lines = tuple(line for part in parts for line in part.lines)
        old = [memory for part in parts for memory in self._old(part, who)]
        changed = self._changed(parts, who)
        if changed is not None:
            old.append(changed)
            lines = tuple(replace(line, act=Act.UPDATE) for line in lines)
        return TurnDraft(
            text=self._framer.around(
                text, *kinds, names=names, others=all("pronoun" not in p.tags for p in parts)
            ),
            speaker=who.speaker,
            now=who.now,
            lines=lines,
            recent=parts[0].recent,
            recalled=tuple(old),
            tags=(
                *dict.fromkeys(tag for part in parts for tag in part.tags),
                *((f"{len(parts)} facts",) if len(parts) > 1 else ()),
                *(("other value known",) if changed is not None else ()),
            ),
        )

    def _changed(self, parts: list[ToldStatement], who: Company) -> Recalled | None:
        """Another value that is remembered of a slot that holds one: telling is then changing."""
        told = parts[0]
        plain = len(parts) == len(told.lines) == 1 and told.list in ("first", "third")
        if not (plain and told.entry.one) or self._rng.random() > 0.1:
            return None
        words = sentence(told.lines[0].subject, told.values["relation"], told.values["p"])
        return memory(
            words, id=self._rng.randint(1, 99), speaker=who.speaker, at=self._earlier(who.now)
        )

    def _bare(self, who: Company, told: ToldStatement) -> TurnDraft | None:
        """An answer in a word or two to a question of the other."""
        name = "ask_second" if told.first_person else "ask_third"
        phrases = told.entry.list(name)
        if not phrases:
            return None
        question = fill(self._rng.choice(phrases), told.values)
        return TurnDraft(
            text=self._framer.put(self._framer.frame("bare"), {"o": told.values["o"]}),
            speaker=who.speaker,
            now=who.now,
            lines=told.lines,
            recent=(Turn(text=question, speaker=who.other),),
            tags=("add", "bare answer"),
        )

    def _addressed(self, asked: GeneratedQuestion, who: Company) -> tuple[Turn, ...]:
        """What was said before: whoever is asked about as "you" has spoken."""
        if "second" not in asked.tags:
            return asked.recent
        return (Turn(text=self._rng.choice(self._material.smalltalk), speaker=who.other),)

    def _old(self, told: ToldStatement, who: Company) -> tuple[Recalled, ...]:
        """The fact that a change replaces, remembered more often than not."""
        spoken_of = told.recent or not told.list.startswith("correct")
        if not told.old or (spoken_of and self._rng.random() < 0.4):
            return ()
        id, at = self._rng.randint(1, 99), self._earlier(who.now)
        return (memory(told.old, id=id, speaker=who.speaker, at=at),)

    def _surrounded(self, draft: TurnDraft, *, recalls: bool = True) -> TurnDraft:
        """The draft with earlier turns, memories and words that have nothing to do with it."""
        if self._rng.random() < ASIDES and not (WHOLE | {"small talk"}) & {*draft.tags}:
            draft = self._with_aside(draft)
        if self._rng.random() < self._scatter and not WHOLE & {*draft.tags}:
            text = self._framer.scattered(draft.text)
            draft = replace(draft, text=text, tags=(*draft.tags, "scattered"))
        if self._material.split in FAMILIAR and "note" not in draft.tags:
            draft = replace(draft, text=typed(draft.text, self._rng))
        recent, recalled = list(draft.recent), list(draft.recalled)
        if self._rng.random() < 0.3:
            others = (draft.speaker, self._fillers.name(avoid=(draft.speaker,)))
            for _ in range(self._rng.choice((1, 1, 2))):
                speaker = self._rng.choice(others)
                recent.insert(0, Turn(text=self._chatter(speaker), speaker=speaker))
        if recalls and self._rng.random() < 0.35:
            for _ in range(self._rng.randint(1, 3)):
                recalled.insert(self._rng.randint(0, len(recalled)), self._stray(draft))
        return replace(draft, recent=tuple(recent), recalled=_numbered(recalled))

    def _with_aside(self, draft: TurnDraft) -> TurnDraft:
        """The draft with one more sentence before or after it that changes nothing."""
        near = None
        if "pronoun" not in draft.tags and self._rng.random() < 0.4:
            near = self._teller.from_list(["near_first", "near_third"], draft.speaker)
        aside = near.text if near else self._rng.choice(self._material.smalltalk)
        if "?" in aside:  # another question would need another plan
            return draft
        parts = [draft.text, aside]
        self._rng.shuffle(parts)
        text = self._framer.put("{x} {y}", {"x": parts[0], "y": parts[1]})
        return replace(draft, text=text, tags=(*draft.tags, "aside"))

    def _chatter(self, speaker: str) -> str:
        """What somebody said before that does not matter here."""
        if self._rng.random() < 0.5:
            return self._rng.choice(self._material.smalltalk)
        own = self._rng.random() < 0.5
        told = self._teller.tell(Act.ADD, speaker, third=None if own else True)
        return told.text if told else self._rng.choice(self._material.smalltalk)

    def _stray(self, draft: TurnDraft) -> Recalled:
        """A memory that does not matter here."""
        entry = self._rng.choice(self._material.entries)
        speaker = self._fillers.name(avoid=(draft.speaker,))
        values = self._teller.values(entry, "", speaker)
        return memory(
            sentence(values["s"], values["relation"], values["o"]),
            id=self._rng.randint(1, 99),
            speaker=speaker,
            at=self._earlier(draft.now),
            current=self._rng.random() < 0.85,
        )

    def _earlier(self, now: date) -> float:
        return dates.seconds(now - timedelta(days=self._rng.randint(5, 900)))


def _numbered(recalled: list[Recalled]) -> tuple[Recalled, ...]:
    """Memories with ids of their own."""
    taken: set[int] = set()
    found = []
    for item in recalled:
        id = item.id
        while id in taken:
            id += 1
        taken.add(id)
        found.append(replace(item, id=id))
    return tuple(found)


def _same_slot(one: ToldStatement, other: ToldStatement) -> bool:
    return (one.about, one.entry.name) == (other.about, other.entry.name)


SHARES = {Role.WRITE: 0.45, Role.ASK: 0.35, Role.ROUTER: 0.20}
TALK = 0.25
"""Share of the write and router samples of `train` and `dev` that are conversation by hand."""
SCATTER = 0.5
"""Share of training sentences put among random words: what made copying learnable in trials."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """How many samples: `train`, and of each test split and `dev` a share, at least `least`."""

    train: int = 20_000
    share: float = 0.04
    least: int = 200

    def of(self, split: Split) -> int:
        """The samples of a split."""
        return (
            self.train if split is Split.TRAIN else max(self.least, round(self.train * self.share))
        )


def generate(amount: Amount, seed: int) -> Iterator[Sample]:
    """Samples of every split that has material: train first; always the same for a seed."""
    known = SeenTurns()
    for split in (Split.TRAIN, Split.DEV, *TESTS):
        yield from of_split(split, amount.of(split), seed, known)


def of_split(split: Split, count: int, seed: int, known: SeenTurns) -> Iterator[Sample]:
    """Samples of one split, none a near duplicate of one in `known`, which grows with them."""
    yield from of_material(split_material(split), count, f"{seed} {split}", known, name=split)


def of_material(
    material: SplitMaterial,
    count: int,
    seed: str,
    known: SeenTurns,
    *,
    name: str,
    scatter: float = SCATTER,
) -> Iterator[Sample]:
    """Samples of this material; their ids begin with `name`. `scatter`: see `SCATTER`."""
    if not (material.dialogues if material.split is Split.TALK else material.entries):
        return
    rng = Random(seed)
    trains = material.split in FAMILIAR
    turns = Turns(material, rng, scatter=scatter if trains else 0.0)
    made = {Role.WRITE: turns.to_write, Role.ASK: turns.to_ask, Role.ROUTER: turns.to_route}
    talks = Talks(material, rng)
    only = material.split is Split.TALK
    shares = {role: w for role, w in SHARES.items() if not only or role is not Role.ASK}
    place = tries = 0
    while place < count and tries < 4 * count:
        tries += 1
        role = rng.choices(list(shares), weights=list(shares.values()))[0]
        talk = talks.any and role is not Role.ASK and (only or rng.random() < TALK)
        draft = talks.draft(role) if talk else made[role]()
        sample = draft.sample(role, id=f"{name}-{place:06}", split=material.split)
        if known.take(sample):
            place += 1
            yield sample
