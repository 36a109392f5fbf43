"""Whom to follow where reader and memory differ, and what words of actions mean: learned by acting.

A frozen reader misreads some wordings every time, and a chain may lead to an action that its line
speaks against ("never eats"). Which of the two is right depends on what is asked, and shows in what
acts bring: their votes are weighed by a model that learns from each act (`online`), a logarithmic
opinion pool (Genest and Zidek 1986, Statistical Science 1:114) whose weights are learned. Where
lines say outright what is asked, but no action in their words ("banned", "have nothing to do with
it"), it learns which words of actions go with which words of lines.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from mags.games.players.online import Feature, Features, LogLinear, chances, foremost
from mags.games.players.ranking import words_of
from mags.games.players.wording import named, telling
from mags.games.turns import Choice
from mags.index.tokens import terms

READER, LEAD = 0.25, 0.7
"""What the logarithm of the reader's odds, against chance, counts for at first, and the logarithm
of a lead's worth."""
SUREST = 5.0
"""The largest of these logarithms: past it, how sure a reader is tells nothing."""
FLOOR = 0.2
"""Worth of a lead, of the best one's, under which all count alike."""
STEP = 0.2
"""Size of the first steps by which it is learned whom to follow."""
OUTRIGHT, LITERAL = 0.5, 4.0
"""Where lines say outright what is asked: what the reader's choice counts for, and an action whose
words stand in the last line."""
WORDS = 0.5
"""Size of the first steps by which words are learned."""
OLDER = 0.5
"""What the line said before another counts of it."""


class Deciding:
    """What one game has taught of whom to follow."""

    def __init__(self) -> None:
        """Nothing yet."""
        self._votes = LogLinear(STEP)
        self._words = LogLinear(WORDS)
        self._open: tuple[str, ...] = ()

    def meet(self) -> None:
        """Another question: what was asked last is not to be learned from any more."""
        self._votes.forget()
        self._words.forget()
        self._open = ()

    def between(
        self, choice: Choice, question: str, open_: Sequence[str], led: Mapping[str, float]
    ) -> Choice:
        """The choice among open actions by the reader's and by what chains to them are worth."""
        best = max((led.get(one, 0.0) for one in open_), default=0.0)
        if best <= 0.0 or choice.action not in open_:
            return choice
        asked = words_of(question)
        logs = [math.log(max(led.get(one, 0.0) / best, FLOOR)) for one in open_]
        reads = [one == choice.action for one in open_]
        sure = READER * _odds(choice.sure, len(open_))
        priors = [sure * read + LEAD * log for read, log in zip(reads, logs, strict=True)]
        features = [
            _votes(asked, read=read, log=log) for read, log in zip(reads, logs, strict=True)
        ]
        return self._take(self._votes, choice, open_, priors, features)

    def outright(
        self,
        choice: Choice,
        actions: Sequence[str],
        open_: Sequence[str],
        lines: Sequence[str],
        matter: frozenset[str],
    ) -> Choice:
        """The choice where lines, oldest first, say outright what is asked: the reader's, or the
        action whose words went with such words. `matter`: what is asked of what."""
        if choice.action not in open_:
            return choice
        words = dict(zip(actions, telling(actions), strict=True))
        said = [frozenset(terms(line)) - named(line) - matter for line in reversed(lines)]
        priors = [
            OUTRIGHT * (one == choice.action) + LITERAL * _literal(words[one], said)
            for one in open_
        ]
        features = [_pairs(words[one], said) for one in open_]
        return self._take(self._words, choice, open_, priors, features)

    def learn(self, action: str, *, won: bool) -> None:
        """Take in what came of the action that was taken."""
        if action in self._open:
            place = self._open.index(action)
            self._votes.learn(place, won=won)
            self._words.learn(place, won=won)
        self.meet()

    def _take(
        self,
        model: LogLinear,
        choice: Choice,
        open_: Sequence[str],
        priors: Sequence[float],
        features: Sequence[Features],
    ) -> Choice:
        logs = model.logs(priors, features)
        self._open = tuple(open_)
        place = foremost(logs, open_, choice.action)
        if open_[place] == choice.action:
            return choice
        return replace(choice, action=open_[place], sure=chances(logs)[place])


def _odds(sure: float, things: int) -> float:
    """How much likelier than each other thing a reader takes its choice to be, a logarithm."""
    if things < 2 or sure >= 1.0:
        return SUREST
    odds = (things - 1) * sure / (1.0 - sure)
    return min(SUREST, math.log(max(1.0, odds)))


def _votes(asked: Sequence[str], *, read: bool, log: float) -> Features:
    """Whose choice an action is, for each word of what is asked."""
    share = 1.0 / math.sqrt(len(asked))
    found: dict[Feature, float] = {("worth", word): share * log / 3.0 for word in asked}
    if read:
        found |= {("reader", word): share for word in asked}
    if log >= 0.0:
        found |= {("lead", word): share for word in asked}
    return found


def _literal(words: frozenset[str], said: Sequence[frozenset[str]]) -> float:
    """Share of an action's words in lines, the newest first, each counting less."""
    parts = (OLDER**age * len(words & one) for age, one in enumerate(said))
    return sum(parts) / max(1, len(words))


def _pairs(words: frozenset[str], said: Sequence[frozenset[str]]) -> Features:
    """A word of an action with a word of a line."""
    found: dict[Feature, float] = {}
    for age, one in enumerate(said):
        share = OLDER**age / math.sqrt(max(1, len(words)) * max(1, len(one)))
        for pair in ((a, b) for a in words for b in one):
            found[pair] = found.get(pair, 0.0) + share
    return found
