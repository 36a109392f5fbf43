"""How the player thinks: the reader in the place of the language model, shown lines of the game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from mags import inspect
from mags.errors import NotFound
from mags.index.tokens import stem, terms, words
from mags.memory.memory import Memory
from mags.ports.answer import Answer, ContextItem, OnText, RecallAgain
from mags.ports.policy import LED_BY, OUTCOME, Turn
from mags.recall.chains import Chain
from mags_lab.games.players.deciding import Deciding, LineRanking
from mags_lab.games.players.diary import WELL, RewardDiary
from mags_lab.games.players.doubts import Doubts, Grounds
from mags_lab.games.players.evidence import (
    UNTOLD,
    Options,
    beside,
    denied,
    meanwhile,
    settled,
    shortened,
    sound,
    weighed,
)
from mags_lab.games.players.mapping import Map
from mags_lab.games.players.notes import (
    EPOCH_S,
    NAMED,
    PRESENT,
    Note,
    ShownLine,
    beyond,
    further,
    in_order,
    matter,
    merged,
    named,
    noted,
    together,
)
from mags_lab.games.players.repute import LINES, Repute
from mags_lab.games.turns import Choice, GameReader, GameScene, Said


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """How MAGS plays.

    `chains`: of how many actions the best chain is shown: lines that lead from the question to
    the action; of those worth at least `close` of the best (0: none are looked for). Where
    nothing leads to an action, lines are recalled: `k` at most beside those of the turn.
    `history`: lines of the conversation shown besides (0: manager mode, all from memory).
    `outcomes`: keep what came of what was done, and what that speaks against. `meeting`: how many
    of the k lines a recall from both ends finds: by what the first lines name (`naming`), and by
    the actions to choose among. `ways`: show what tells how places lie instead (see `mapping`):
    in adventures.
    `sure`: sureness of the reader under which it recalls again while it thinks (0: never),
    `again`: lines that may add. `stale`: show too what no longer holds. `learn`: hand rewards
    back as feedback.
    """

    chains: int = 1
    close: float = 0.8
    k: int = 12
    history: int = 0
    outcomes: bool = True
    sure: float = 0.0
    again: int = 6
    meeting: int = 4
    naming: bool = True
    ways: bool = False
    stale: bool = False
    learn: bool = True


class Passing:
    """By episode the facts that it told and that end of themselves, until all of them have."""

    def __init__(self) -> None:
        self.facts: dict[int, tuple[int, ...]] = {}

    def told(self, episode: int, facts: Sequence[int]) -> None:
        """An episode told these facts, which will end."""
        if facts:
            self.facts[episode] = tuple(facts)

    def lapsed(self, memory: Memory, now_s: float) -> list[int]:
        """Episodes of which nothing holds any more, each told of once."""
        over = [
            episode
            for episode, facts in self.facts.items()
            if not any(_holds(memory, fact, now_s) for fact in facts)
        ]
        for episode in over:
            del self.facts[episode]
        return over


def _holds(memory: Memory, fact: int, now_s: float) -> bool:
    """Whether a fact that ends of itself has not ended; one that was forgotten has."""
    try:
        end = memory.get(fact).valid_to
    except NotFound:
        return False
    return end is None or end.timestamp() > now_s


RARE = 8
"""Words that a second look asks for, where it goes by how seldom they were told."""


class Rarity:
    """How many of the lines that were told have a word, each line once, however often told.

    What few lines speak of that were not found yet is what one has heard of and not dealt with:
    the locker of a key that was just found, and none of the lockers that were opened and carried
    from. A word of which every line was found leads nowhere.
    """

    def __init__(self) -> None:
        self._lines: Counter[str] = Counter()
        self._told: set[str] = set()

    def told(self, note: Note) -> None:
        """A line more."""
        text = note.line.text
        if text not in self._told:
            self._told.add(text)
            self._lines.update(_stems(text))

    def rarest(self, found: Sequence[ShownLine], question: str) -> list[str]:
        """Words of what was found that the question lacks and other lines have, fewest first."""
        texts = _texts(found)
        left = self._lines.copy()
        left.subtract(one for text in set(texts) for one in _stems(text))
        fresh = [word for word in beyond(texts, question) if left[stem(word)] > 0]
        return sorted(fresh, key=lambda word: left[stem(word)])[:RARE]


def _stems(text: str) -> set[str]:
    return {stem(word) for word in words(text)}


def midway(found: Sequence[ShownLine], scene: GameScene, habits: Habits, rarity: Rarity) -> str:
    """A query from both ends: what the first lines tell beyond the question, and the actions.

    By the names that they have; among places, where most lines name some, by their rarest words.
    """
    if habits.ways:
        told = rarity.rarest(found, scene.question)
    else:
        told = _names(found, scene) if habits.naming else []
    return " ".join([*told, *scene.actions])


def further_queries(found: Sequence[ShownLine], scene: GameScene) -> tuple[str, ...]:
    """What the lines found first name beyond the question, for a second look."""
    named = _names(found, scene)
    return (" ".join(named),) if len(named) > NAMED else tuple(named)  # words, if no names


def _names(found: Sequence[ShownLine], scene: GameScene) -> list[str]:
    return further(_texts(found), scene.question)


def _texts(found: Sequence[ShownLine]) -> list[str]:
    return [one.note.line.text for one in found if one.note is not None]


CHECKS = 3
"""How often a choice is made again because more was said of what it rests on."""
OUTRIGHT = 3
"""Lines that say outright what is asked, of which as many are shown, the last ones."""


class Thinker:
    """An `Answerer` that answers with an action: the reader, shown lines instead of memories."""

    name = "reader"

    def __init__(self, reader: GameReader, habits: Habits, clock: Callable[[], float]) -> None:
        self._reader = reader
        self._habits = habits
        self._clock = clock
        self.reading_s = 0.0
        self._forget()

    def begin(self, memory: Memory) -> None:
        """A new game, remembered in a new memory."""
        self._memory = memory
        self.map = Map(memory)
        self._forget()

    def _forget(self) -> None:
        """Nothing was said, done or learned yet."""
        self.notes: dict[int, Note] = {}
        self.ids: dict[Said, int] = {}
        self.diary = RewardDiary()
        self.options = Options()
        self.ranking = LineRanking()
        self.doubts = Doubts()
        self.grounds = Grounds()
        self.deciding = Deciding()
        self.repute = Repute()
        self.rarity = Rarity()
        self.shown: list[ShownLine] = []
        self.choice = Choice(action="", sure=0.0)
        self.recalls = 0
        self._history: list[Note] = []
        self.passing = Passing()
        self._report: Said | None = None
        self._lead: Mapping[str, float] = {}
        self._outright = frozenset[str]()
        self._of_each: list[Note] = []

    def remembered(
        self, episode: int, note: Note, facts: Sequence[int], passing: Sequence[int] = ()
    ) -> None:
        """An episode is that line; `facts`: it told, `passing`: those that end of themselves."""
        self.passing.told(episode, passing)
        if self._habits.ways:
            self.map.told(note, facts)
            self.rarity.told(note)
        if note.said == self._report:
            self.grounds.report(episode)
        self.notes[episode] = note
        self.ids[note.said] = episode

    def reported(self, present: Sequence[Note]) -> dict[Said, dict[str, str]]:
        """Which line of a scene reports what came of the last act, and what to keep with it."""
        found = self.diary.report(present)
        if found is None:
            return {}
        note, reward = found
        attrs = {OUTCOME: f"{2.0 * reward - 1.0:.2f}"}
        if reward >= WELL and self.grounds.last.lines:
            self._report = note.said
            attrs[LED_BY] = " ".join(map(str, sorted(self.grounds.last.lines)))
        return {note.said: attrs}

    def meet(self, scene: GameScene) -> None:
        """What is to be decided next."""
        self._scene = scene
        self._open = scene.actions
        self.options.meet(scene.actions)
        self.deciding.meet()
        self._present = noted(scene)[-PRESENT:]
        self.reading_s = 0.0
        if self._habits.history:
            self._history = [*self._history, *noted(scene)][-self._habits.history :]

    def did(self, scene: GameScene, action: str, reward: float) -> None:
        """Keep what was done and what it brought."""
        ground = self.grounds.did(action)
        self.diary.did(scene, action, reward, ground.lines & self.passing.facts.keys())
        self.doubts.learn(ground.links, won=reward >= WELL)
        if action in scene.actions:
            self.ranking.learn(scene.actions.index(action), won=reward >= WELL)
            self.deciding.learn(action, won=reward >= WELL)
            self.repute.learn(action, won=reward >= WELL)

    def _lapse(self) -> None:
        """Tell the diary of the lines that held for a while and are over."""
        for episode in self.passing.lapsed(self._memory, EPOCH_S + self._scene.at):
            self.diary.end(episode, self.notes[episode].line.at, self._scene.at)

    def answer(
        self,
        question: Turn,
        items: Sequence[ContextItem],
        *,
        recent: Sequence[Turn],
        recall_again: RecallAgain,
        on_text: OnText | None = None,
    ) -> Answer:
        """The action that the lines of these memories speak for."""
        led = self._chained(question.text, recall_again)
        if led:
            self._read(together([*led, *self._standing(led, items)]), beside=self._history)
            self._decide(question.text, led, items)
            if self.choice.sure >= self._habits.sure:
                return self._answer(())
        return self._recalled(items, recall_again)

    def _chained(self, question: str, recall_again: RecallAgain) -> list[ShownLine]:
        """The lines of the best chains, from the question to an action, and what decides there."""
        if not self._habits.chains:
            return []
        actions = self._scene.actions
        self.recalls += 1
        self._of_each = self.repute.meet(self._scene, self._latest)
        if self._of_each:
            self.grounds.lead((), actions, frozenset())
            self._lead = {}
            return self._cited(self._of_each)
        self._lapse()
        after = {i: EPOCH_S + at for i, at in self.diary.after(question, actions).items()}
        newer = self._chains(question, after)
        self._weigh(question, newer)
        found = self._sound(question, newer)
        if not found and after:
            newer = self._chains(question)
            found = self._sound(question, newer)
        self.grounds.lead(newer, actions, self.diary.apart(question))
        self._lead = {actions[one.option]: one.value for one in newer}
        told = self._told(question, found, recall_again)
        if told:
            return told
        asked = named(question)
        habits, line = self._habits, self.notes.get
        passing = self.passing.facts
        found = meanwhile(found, question, line, passing)
        best = beside(
            found, question, line, most=habits.chains, close=habits.close, passing=passing
        )
        evidence = weighed(best, actions, line)
        notes = evidence.notes
        if evidence.conditions:
            items = recall_again(" ".join(sorted(asked | evidence.conditions)))
            self.recalls += 1
            lines = [note for item in items if (note := self._line(item)) is not None]
            notes = settled(evidence, lines, asked)
        off = denied(notes, self._open)
        self._open = tuple(one for i, one in enumerate(self._open) if i not in off)
        return self._cited(notes)

    def _latest(self, names: Sequence[str]) -> list[list[Note]]:
        """By name the last lines that hold it, newest first."""
        every = inspect.latest(self._memory, names, most=LINES)
        return [[self.notes[one] for one in ids if one in self.notes] for ids in every]

    def _cited(self, notes: Iterable[Note]) -> list[ShownLine]:
        """Lines with the episodes that they are."""
        told = self.map.facts
        return together(
            ShownLine(text=n.shown, note=n, ids=(self.ids[n.said],), facts=told(n)) for n in notes
        )

    def _told(
        self, question: str, found: Sequence[Chain], recall_again: RecallAgain
    ) -> list[ShownLine]:
        """The last lines that say outright what is asked, where no chain is such a line."""
        asked = matter(question, self._scene.actions)
        first = self.notes.get(found[0].steps[0]) if found and len(found[0].steps) == 1 else None
        self._outright = frozenset()
        if not asked or (first is not None and asked <= frozenset(terms(first.shown))):
            return []
        self.recalls += 1
        lines = self._lines(recall_again(question), 2 * self._habits.k)
        told = [one for one in lines if one.note and asked <= frozenset(terms(one.text))]
        if told:
            self._outright = asked
        known = {one.note.said: one for one in told if one.note}
        return [known[said] for said in sorted(known)[-OUTRIGHT:]]

    def _decide(
        self, question: str, led: Sequence[ShownLine], items: Sequence[ContextItem]
    ) -> None:
        """Weigh the reader's choice against where the memory leads, and what was recalled."""
        if self._of_each:
            shown = [one.note.said if one.note else None for one in self.shown]
            self.choice = self.repute.among(self.choice, self._open, shown)
        elif self._outright:
            lines = [one.note.line.text for one in led if one.note]
            self.choice = self.deciding.outright(
                self.choice, self._scene.actions, self._open, lines, self._outright
            )
        else:
            self._among(question, items)

    def _among(self, question: str, items: Sequence[ContextItem]) -> None:
        """The choice by reader, chains and, where that is worth it, a reader of many lines."""
        read, shown, many = self.choice, self.shown, None
        if self.deciding.asks(read, question):
            self._read(self._lines(items, self._habits.k - self._habits.meeting), self._history)
            many = self.choice
        self.choice = self.deciding.between(read, question, self._open, self._lead, many)
        if many is not None and self.choice.action == many.action != read.action:
            self.choice = replace(self.choice, cited=many.cited)
        else:
            self.shown = shown

    def _chains(self, question: str, after: Mapping[int, float] | None = None) -> list[Chain]:
        """The best chain to each action, ranked by what was learned of their sorts."""
        actions = self._scene.actions
        every = inspect.chains(self._memory, question, actions, after=after or {})
        found = self.doubts.weighed(every, actions, self.diary.apart(question))
        return self.ranking.ranked(found, question, actions, self.notes.get)

    def _sound(self, question: str, found: Sequence[Chain]) -> list[Chain]:
        """The chains that may decide, to actions that are open."""
        open_ = [one for one in found if self._scene.actions[one.option] in self._open]
        asked = named(question)
        short = [shortened(one, asked, self.notes.get) for one in open_]
        wary = self.options.decline(self._scene.actions)
        return sound(short, question, self.notes.get, wary=wary)

    def _weigh(self, question: str, newer: Sequence[Chain]) -> None:
        """Leave the actions open that the diary leaves, and those to which something newer leads
        that speaks of all that the question names."""
        asked = self.diary.about(question)
        led = {one.option for one in newer if asked <= self._terms(one)}
        self._open = self.diary.left(question, self._scene.actions, led)

    def _terms(self, chain: Chain) -> frozenset[str]:
        """Every word of a chain, who said it included."""
        notes = (self.notes[step] for step in chain.steps if step in self.notes)
        return frozenset(term for note in notes for term in terms(note.shown))

    def _standing(self, led: Sequence[ShownLine], items: Sequence[ContextItem]) -> list[ShownLine]:
        """The memories that come from lines of a chain, to be cited with them."""
        texts = {one.text for one in led}
        found = ((item.id, self._line(item)) for item in items)
        return [
            ShownLine(text=note.shown, note=note, ids=(id_,))
            for id_, note in found
            if note is not None and note.shown in texts
        ]

    def _recalled(self, items: Sequence[ContextItem], recall_again: RecallAgain) -> Answer:
        """By the best lines for the question, and those of the turn."""
        habits = self._habits
        self.recalls += 1
        asked = named(self._scene.question)
        if habits.chains and asked and self.options.decline(self._scene.actions):
            self._read([ShownLine(text=UNTOLD, note=None)], beside=self._history)
            return self._answer(())
        found = self._lines(items, habits.k - habits.meeting)
        queries: tuple[str, ...] = ()
        if habits.meeting:
            queries = (midway(found, self._scene, habits, self.rarity),)
            found = self._fuller(found, recall_again(queries[0]), habits.k)
        if habits.ways:
            wider = self._fuller(found, items, 2 * habits.k)
            found = self.map.lines(wider, self._scene.question, habits.k, mind=self._rests_on())
        beside = [*self._history, *self._present]
        self._read(found, beside)
        if habits.ways:
            self._check(found, beside)
        if self.choice.sure < habits.sure:
            again = further_queries(found, self._scene)
            queries = (*queries, *again)
            more = [item for query in again for item in recall_again(query)]
            found = self._fuller(found, more, len(found) + habits.again)
            self._read(found, beside)
        self.recalls += len(queries)
        return self._answer(queries)

    def _rests_on(self) -> list[ShownLine]:
        """The lines that the last choice rests on."""
        return self._cited(n for place in self.choice.cited if (n := self.shown[place].note))

    def _check(self, found: Sequence[ShownLine], beside: Sequence[Note]) -> None:
        """Choose again with what was said last of what the choice rests on, while there is more."""
        for _ in range(CHECKS):
            told = {one.text for one in self.shown}
            every = self._latest(self.map.things(self._rests_on()))
            fresh = [note for notes in every for note in notes if note.shown not in told]
            if not fresh:
                return
            found = [*found, *self._cited(fresh)]
            self._read(found, beside)

    def _answer(self, queries: tuple[str, ...]) -> Answer:
        cited = [id_ for place in self.choice.cited for id_ in self.shown[place].ids]
        return Answer(
            text=self.choice.action,
            citations=tuple(dict.fromkeys(cited)),
            support=self.choice.sure,
            queries=queries,
        )

    def _read(self, found: Sequence[ShownLine], beside: Sequence[Note]) -> None:
        """Show the reader what was found and what stands beside it, oldest first."""
        known = {one.note.said: one for one in found if one.note is not None}
        own = [one for one in found if one.note is None]
        texts = {one.text for one in found}
        more = [n for n in beside if n.shown not in texts and n.said not in self.diary.failed]
        every = in_order([*(one.note for one in found if one.note is not None), *more])
        said = [known.get(n.said) or ShownLine(text=n.shown, note=n) for n in every]
        self.shown = [*own, *said]
        began = self._clock()
        lines = tuple(one.text for one in self.shown)
        self.choice = self._reader.choose(lines, self._scene.question, self._open)
        self.reading_s += self._clock() - began

    def _lines(self, items: Sequence[ContextItem], most: int) -> list[ShownLine]:
        """The lines that memories come from, at most so many; best first.

        What was said several times in the same words counts once, as it was said last.
        """
        found: dict[Hashable, ShownLine] = {}
        for item in items:
            if not (item.current or self._habits.stale):
                continue
            note = self._line(item)
            if note is not None and note.said in self.diary.failed:
                continue
            text = item.text if note is None else note.shown
            one = ShownLine(text=text, note=note, ids=(item.id,), facts=self.map.facts(note))
            if one.says in found or len(found) < most:
                found[one.says] = merged(one, found.get(one.says))
        return list(found.values())

    def _fuller(
        self, found: Sequence[ShownLine], items: Sequence[ContextItem], most: int
    ) -> list[ShownLine]:
        """What was found with more lines from these memories, up to so many."""
        lines = together([*found, *self._lines(items, most)])
        return lines[:most]

    def _line(self, item: ContextItem) -> Note | None:
        """The line of the game that a memory is, or the last one that it comes from."""
        note = self.notes.get(item.id)
        if note is not None:
            return note
        sources = [n for i in self._memory.get(item.id).sources if (n := self.notes.get(i))]
        return max(sources, key=lambda n: n.said, default=None)
