"""What is said of each option itself, where a question names nothing but what is to choose among.

Whom to believe of four, which of three inns: no line leads from such a question to an answer; what
was said of each of them decides, and what came of it when it was chosen last. Which words speak for
what they stand beside ("hats off to ...", "... led us astray") is learned from what acts brought,
by a log-linear model (`online`): in whatever words a world says it. The later counts more. Whether
to go by it is learned as well, by the words of the question: to "where do you get in with jam?" a
line may lead that holds both the jam and a place.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from mags.index.tokens import fold, stem, words
from mags_lab.games.players.deciding import (
    Feature,
    Features,
    LogLinear,
    SuccessRate,
    chances,
    foremost,
    words_of,
)
from mags_lab.games.players.notes import Note, named, telling
from mags_lab.games.turns import Choice, GameScene, Said

LINES = 3
"""Lines looked at of each option, the last ones that name it."""
OLDER = 0.4
"""What a line counts of the one said after it."""
NEAR = 5
"""Words to each side of a name, in its sentence, that are taken to say something of it."""
READER = 1.0
"""What the reader's choice counts for."""
STEP = 0.5
"""Size of the first steps."""
CHAINS, EACH, FIRST = 0.7, 0.5, 2.0
"""How often chains are right, as far as is known at first, and what was said of each; and as how
many turns that counts."""
_TOKEN = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?|[.!?;:]", re.UNICODE)
_Near = tuple[Feature, ...]
Latest = Callable[[Sequence[str]], Sequence[Sequence[Note]]]
"""By name the last lines that hold it, newest first."""


class Repute:
    """What one game has taught of the words that speak for a name or against it."""

    def __init__(self) -> None:
        """Nothing yet."""
        self._model = LogLinear(STEP)
        self._chains, self._each = SuccessRate(CHAINS, FIRST), SuccessRate(EACH, FIRST)
        self._asked: tuple[str, ...] = ()
        self._followed = False
        self._brought: dict[frozenset[str], tuple[Said, _Near]] = {}
        self._names: dict[str, frozenset[str]] = {}
        self._said: dict[str, Features] = {}
        self._telling: dict[str, Note] = {}
        self._open: tuple[str, ...] = ()
        self._logs: list[float] = []
        self._turn = 0

    def meet(self, scene: GameScene, latest: Latest) -> list[Note]:
        """Of each action the line that says most of it, where that is what to go by; else none."""
        self._turn, self._open, self._followed = scene.turn, (), False
        own = own_names(scene.question, scene.actions)
        self._names = dict(zip(scene.actions, own, strict=False))
        if not own:
            return []
        self._look(own, latest([_worded(*one) for one in self._names.items()]))
        if not self._telling:
            return []
        self._weigh(scene.actions, [0.0 for _ in scene.actions])
        self._asked = words_of(scene.question)
        self._followed = self._each.share(self._asked) > self._chains.share(self._asked)
        return list(self._telling.values()) if self._followed else []

    def _look(self, own: Sequence[frozenset[str]], lines: Sequence[Sequence[Note]]) -> None:
        """Take in what was said of each, and what came of it."""
        others = frozenset().union(*own)
        self._said, self._telling = {}, {}
        for action, name, notes in zip(self._names, own, lines, strict=True):
            nears = [(note.said, beside(note.line.text, name, others)) for note in notes]
            if notes:
                worth = [abs(self._model.worth(features([near]))) for _, near in nears]
                most = max(range(len(notes)), key=lambda i: (OLDER**i * worth[i], -i))
                self._telling[action] = notes[most]
            done = [self._brought[name]] if name in self._brought else []
            self._said[action] = features([near for _, near in sorted([*nears, *done])[::-1]])

    def _weigh(self, open_: Sequence[str], priors: Sequence[float]) -> list[float]:
        """By open action the logarithm of what it is worth."""
        self._open = tuple(open_)
        self._logs = self._model.logs(priors, [self._said.get(one, {}) for one in open_])
        return self._logs

    def among(self, choice: Choice, open_: Sequence[str], shown: Sequence[Said | None]) -> Choice:
        """The choice among actions, by the reader's and by what was said of each."""
        if choice.action not in open_:
            return choice
        priors = [READER * (one == choice.action) for one in open_]
        logs = self._weigh(open_, priors)
        place = foremost(logs, open_, choice.action)
        action, note = open_[place], self._telling.get(open_[place])
        cited = {i for i, said in enumerate(shown) if note is not None and said == note.said}
        if action == choice.action:
            cited.update(choice.cited)
        sure = chances(logs)[place]
        return replace(choice, action=action, sure=sure, cited=tuple(sorted(cited)))

    def learn(self, action: str, *, won: bool) -> None:
        """Take in what came of the action that was taken."""
        if action in self._names:
            near = (("brought", "well" if won else "badly"),)
            self._brought[self._names[action]] = (self._turn, sys.maxsize), near
        if action in self._open:
            place = self._open.index(action)
            same = self._logs[place] == max(self._logs)
            if won or same:
                self._each.learn(self._asked, right=won and same)
            if not self._followed:
                self._chains.learn(self._asked, right=won)
            self._model.learn(place, won=won)
        self._names, self._open = {}, ()


def own_names(question: str, actions: Sequence[str]) -> list[frozenset[str]]:
    """By action the stems of the names that tell it from the others.

    None where an action has none, or where the question names something else.
    """
    found = [named(one) & words for one, words in zip(actions, telling(actions), strict=True)]
    every = frozenset().union(*found)
    return found if all(found) and named(question) <= every else []


def _worded(action: str, name: frozenset[str]) -> str:
    """A name as an action has it."""
    return " ".join(word for word in words(action) if stem(word) in name)


def features(nears: Iterable[Sequence[Feature]]) -> Features:
    """What stands beside a name in lines, newest first, each with its share."""
    found: dict[Feature, float] = {}
    for age, near in enumerate(nears):
        share = OLDER**age / math.sqrt(max(1, len(near)))
        for one in near:
            found[one] = found.get(one, 0.0) + share
    return found


def beside(line: str, name: frozenset[str], others: frozenset[str]) -> _Near:
    """The stems before and after a name within its sentence; `others`: names, which say nothing."""
    stems = [stem(fold(token)) if token[0].isalnum() else "" for token in _TOKEN.findall(line)]
    found: list[Feature] = []
    for place, one in enumerate(stems):
        if one in name:
            before, after = reversed(stems[:place]), stems[place + 1 :]
            found += (("before", word) for word in _near(before, name | others))
            found += (("after", word) for word in _near(after, name | others))
    return tuple(found)


def _near(stems: Iterable[str], names: frozenset[str]) -> list[str]:
    """The first words that are no names, up to the end of the sentence (an empty stem)."""
    found: list[str] = []
    for one in stems:
        if not one or len(found) == NEAR:
            break
        if one not in names:
            found.append(one)
    return found
