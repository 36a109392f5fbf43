"""The player's diary: what it did, what came of it, and what that speaks against.

An act is known by its words, a situation by the names in its question and by the words that tell
one question from another that is worded alike: "the left drawer of Ana" and "the right drawer of
Ana" are two. Where the same is asked of the same things again, an act that went wrong makes what
was said of it before count no more, and one that went well does so for the others: until something
newer is said of them, or what led to it was to hold for a while and is over. A bare "no" does not
say what went wrong. It speaks only where all words of its question are asked again, or where the
actions show that the same is asked ("Your friends in Gilpe start swimming", "Is swimming all right
in Gilpe?"). So does a bare "yes", there alone.

`Lessons` are of lines that came with an act and may settle a question that differs in one word: "no
key is in any drawer of Ana". Nobody tells a player which lines do. So it counts, by the words of
such a line without its names and without the act, how often the same act went well where the other
was asked. A line after which it hardly ever did speaks against the act.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from mags.index.tokens import stem, terms, words
from mags_lab.games.players.notes import Note, matter, named, telling
from mags_lab.games.turns import GameScene, Said

TRIES = 6
"""Acts after a sort of line from which on it means something."""

SELDOM = 0.1
"""Share of them that may have gone well all the same: what was said may have changed since."""

Pattern = tuple[str, ...]
"""A line with its names, the act and what tells questions apart left out."""


@dataclass(slots=True)
class _Count:
    tries: int = 0
    won: int = 0

    @property
    def against(self) -> bool:
        return self.tries >= TRIES and self.won <= SELDOM * self.tries


class RecordedAct(NamedTuple):
    """An act where something was asked: stems of the question's names, `about`: with what tells it
    from other questions of them, and `done`: of what was done.
    """

    names: frozenset[str]
    about: frozenset[str]
    done: frozenset[str]


class Lessons:
    """The lines of one game that came with acts, and what they meant."""

    def __init__(self) -> None:
        self._said: dict[frozenset[str], dict[RecordedAct, frozenset[Pattern]]] = {}
        self._counts: dict[Pattern, _Count] = {}

    def learn(self, act: RecordedAct, lines: Sequence[str], *, won: bool) -> None:
        """Take in an act, and the lines that came with it."""
        if not act.names or not act.done:
            return
        for pattern in self._elsewhere(act):
            count = self._counts.setdefault(pattern, _Count())
            count.tries += 1
            count.won += won
        said = frozenset(_pattern(line, act) for line in lines if _tells_of(line, act))
        if said:
            self._said.setdefault(act.names, {})[act] = said

    def against(self, act: RecordedAct) -> bool:
        """Whether what came with an act where something else was asked speaks against it here."""
        counts = (self._counts.get(pattern) for pattern in self._elsewhere(act))
        return any(count is not None and count.against for count in counts)

    def _elsewhere(self, act: RecordedAct) -> Iterator[Pattern]:
        """The lines that came with the same act where something else of these names was asked."""
        for other, patterns in self._said.get(act.names, {}).items():
            if other.about != act.about and other.done == act.done:
                yield from patterns


def _tells_of(line: str, act: RecordedAct) -> bool:
    """Whether a line speaks of the names and of what was done."""
    said = frozenset(terms(line))
    return act.names <= said and act.done <= said


def _pattern(line: str, act: RecordedAct) -> Pattern:
    off = act.about | act.done | named(line)
    return tuple(word for word in words(line) if stem(word) not in off)


WELL = 0.5
"""Reward from which an act went well."""

BREATH_S = 1e-3
"""How long after the last line of a scene something new may be said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """One act. `names`, `asked`: stems of the names and of all words of its question; `words`: of
    what was done; `matter`: what was asked of what, where that can be told (`wording.matter`);
    `at`: when it was seen what came of it, `until`: when nothing more was said of that; `told`:
    whether what was said of it told what was done; `during`: lines that led to it and hold for a
    while only, by their episodes.
    """

    names: frozenset[str]
    asked: frozenset[str]
    words: frozenset[str]
    matter: frozenset[str]
    reward: float
    at: float
    until: float
    told: bool = True
    during: frozenset[int] = frozenset()

    def of(self, asks: frozenset[str], asked: frozenset[str]) -> bool:
        """Whether it speaks where that is asked of what, in these words, of the same names."""
        if asks and asks == self.matter:
            return True
        if asks and self.matter and not (asks <= self.matter or self.matter <= asks):
            return False
        return self.told or self.asked <= asked


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What came of the actions when this was last asked of the same. `failed`: those that went
    wrong, the last one at the end; `against`: those that lines told with acts elsewhere speak
    against (`lessons`); `won`: the one that went well and has not failed since, or, where that one
    failed, the one that went well before it.
    """

    failed: tuple[int, ...] = ()
    against: frozenset[int] = frozenset()
    won: int | None = None


class RewardDiary:
    """The acts of one game. `failed`: the lines that report an act that went wrong."""

    def __init__(self) -> None:
        self.deeds: list[Deed] = []
        self.failed: set[Said] = set()
        self._naming: dict[str, list[int]] = {}
        self._last: tuple[GameScene, str, float, frozenset[int]] | None = None
        self._ended: dict[int, tuple[float, float]] = {}
        self._seen: dict[tuple[str, ...], set[str]] = {}
        self._apart: set[str] = set()
        self._lessons = Lessons()

    def about(self, question: str) -> frozenset[str]:
        """What a question is about: its names, and what tells it from questions worded alike.

        Empty where it has no name.
        """
        return self._about(named(question), frozenset(terms(question)))

    def apart(self, question: str) -> frozenset[str]:
        """Of that what tells it from questions worded alike."""
        return self.about(question) - named(question)

    def _about(self, names: frozenset[str], asked: frozenset[str]) -> frozenset[str]:
        return names | (self._apart & asked) if names else names

    def _learn(self, question: str) -> None:
        """Find the words in which questions differ that are alike in all others but the names."""
        names = named(question)
        said = ["" if stem(word) in names else stem(word) for word in words(question)]
        for place, word in enumerate(said):
            others = self._seen.setdefault((*said[:place], "*", *said[place + 1 :]), set())
            others.add(word)
            if len(others) > 1:
                self._apart |= others

    def _there(self, question: str, actions: Sequence[str]) -> list[Deed]:
        """What was done where this is asked; nothing where it has no name."""
        if not named(question):
            return []
        self._learn(question)
        about, asked = self.about(question), frozenset(terms(question))
        asks = matter(question, actions)
        places = {place for term in about for place in self._naming.get(term, ())}
        there = [
            deed
            for deed in map(self.deeds.__getitem__, sorted(places))
            if about == self._about(deed.names, deed.asked) and deed.of(asks, asked)
        ]
        spans = [
            self._ended[line]
            for deed in there
            if deed.reward >= WELL
            for line in deed.during & self._ended.keys()
        ]
        return [deed for deed in there if not any(a <= deed.at <= b for a, b in spans)]

    def end(self, episode: int, said: float, over: float) -> None:
        """A line that was to hold for a while is over; with it what came of acts that it led to.

        And of all others there meanwhile. `said`, `over`: seconds of game time.
        """
        self._ended[episode] = said, over

    def _keep(self, deed: Deed) -> None:
        """Note an act, to be found by the names in its question."""
        for term in deed.names:
            self._naming.setdefault(term, []).append(len(self.deeds))
        self.deeds.append(deed)

    def did(
        self, scene: GameScene, action: str, reward: float, during: frozenset[int] = frozenset()
    ) -> None:
        """Note what was done, and the reward that it brought; `during`: see `Deed`."""
        self._last = scene, action, reward, during
        self._learn(scene.question)

    def report(self, present: Sequence[Note]) -> tuple[Note, float] | None:
        """The line that tells what came of the last act, with its reward; once.

        That is the first of the next scene, where it says what was done.
        """
        if self._last is None or not present:
            return None
        scene, action, reward, during = self._last
        self._last = None
        done = telling(scene.actions)[scene.actions.index(action)]
        self._lessons.learn(
            RecordedAct(named(scene.question), self.about(scene.question), done),
            [note.line.text for note in present],
            won=reward >= WELL,
        )
        told = not done.isdisjoint(terms(present[0].line.text))
        asks = matter(scene.question, scene.actions)
        if told or asks or reward < WELL:
            self._keep(
                Deed(
                    names=named(scene.question),
                    asked=frozenset(terms(scene.question)),
                    words=done,
                    matter=asks,
                    reward=reward,
                    at=present[0].line.at,
                    until=present[-1].line.at + BREATH_S,
                    told=told,
                    during=during,
                )
            )
        if not told:
            return None
        if reward < WELL:
            self.failed.add(present[0].said)
        return present[0], reward

    def after(self, question: str, actions: Sequence[str]) -> dict[int, float]:
        """By action the time before which nothing said of it counts for this question."""
        found: dict[int, float] = {}
        every = telling(actions)
        for deed in self._there(question, actions):
            same = {i for i, words in enumerate(every) if words and words <= deed.words}
            if deed.reward < WELL:
                found.update(dict.fromkeys(same, deed.until))
            elif same:
                others = (i for i in range(len(every)) if i not in same)
                found.update(dict.fromkeys(others, deed.at))
                for i in same:
                    found.pop(i, None)
        return found

    def left(self, question: str, actions: Sequence[str], led: Collection[int]) -> tuple[str, ...]:
        """The actions that are worth a try: all but those that failed in this very situation, or of
        which what was said elsewhere means that they will; of them the one that won, where one did.

        `led`: actions to which something newer leads, which speaks of all that the question names.
        """
        tried = self.tried(question, actions)
        every = range(len(actions))
        if tried.won is not None and set(led) <= {tried.won}:
            kept = [tried.won]
        else:
            off = tried.against.union(tried.failed)
            kept = [i for i in every if i in led or i not in off]
        kept = kept or [i for i in every if i not in tried.failed]
        kept = kept or [i for i in every if i not in tried.failed[-1:]]
        return tuple(actions[i] for i in kept)

    def tried(self, question: str, actions: Sequence[str]) -> Tried:
        """Which of these went wrong or well in this very situation, as it last was.

        Where what went well goes wrong, the situation is another: what failed before may do now,
        and what went well before that is the first to try, as much holds for a while only. What was
        done that cannot be done now says nothing of the others.
        """
        failed: dict[int, None] = {}
        wins: dict[int, None] = {}
        won: int | None = None
        held: int | None = None
        every = telling(actions)
        for deed in self._there(question, actions):
            same = [i for i, words in enumerate(every) if words and words <= deed.words]
            if not same:
                continue
            if deed.reward >= WELL:
                won = held = same[0] if len(same) == 1 else None
                if won is not None:
                    wins.pop(won, None)
                    wins[won] = None
                failed = {i: None for i in failed if i != won}
                continue
            if held in same:
                failed, held = {}, None
                won = next((i for i in reversed(wins) if i not in same), None)
            if won in same:
                won = None
            for i in same:
                failed.pop(i, None)
                failed[i] = None
        names, about = named(question), self.about(question)
        against = (
            i
            for i, done in enumerate(every)
            if self._lessons.against(RecordedAct(names, about, done))
        )
        return Tried(failed=tuple(failed), against=frozenset(against), won=won)
