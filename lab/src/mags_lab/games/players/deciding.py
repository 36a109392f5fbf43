"""Whom to follow where reader and memory differ, and what words of actions mean: learned by acting.

A frozen reader misreads some wordings every time, and a chain may lead to an action that its line
speaks against ("never eats"). Which of the two is right depends on what is asked, and shows in what
acts bring: their votes are weighed by a model that learns from each act (`online`), a logarithmic
opinion pool (Genest and Zidek 1986, Statistical Science 1:114) whose weights are learned. What the
reader makes of many lines recalled at large is a third opinion, asked for where it has been right
about as often as the two are, by the words of the question. Where lines say outright what is asked,
but no action in their words ("banned", "have nothing to do with it"), it learns which words of
actions go with which words of lines.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from mags.index.tokens import terms
from mags_lab.games.players.online import Feature, Features, LogLinear, chances, foremost
from mags_lab.games.players.ranking import words_of
from mags_lab.games.players.records import Record
from mags_lab.games.players.wording import named, telling
from mags_lab.games.turns import Choice

READER, LEAD = 0.2, 0.5
"""What the logarithm of a share by the reader counts for at first, and of a lead's worth."""
LEAST = 5.0
"""By how much less than its choice's, at most, the logarithm of an action's share counts."""
SILENT = 1.0
"""What its choice counts for at first where a reader tells no shares."""
FLOOR = 0.2
"""Worth of a lead, of the best one's, under which all count alike."""
MANY, SUREST = 0.1, 5.0
"""What the logarithm of its odds, and which at most, counts for where the reader saw many lines."""
PAIR, LARGE, FIRST = 0.7, 0.6, 4.0
"""How often reader and chains are right, as far as is known at first, and the reader of many lines;
and as how many turns that counts."""
NEAR = 0.05
"""By how much less often right the reader of many lines may have been to be asked."""
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
        self._pair, self._large = Record(PAIR, FIRST), Record(LARGE, FIRST)
        self._open: tuple[str, ...] = ()
        self._met: _Met | None = None

    def meet(self) -> None:
        """Another question: what was asked last is not to be learned from any more."""
        self._votes.forget()
        self._words.forget()
        self._open = ()
        self._met = None

    def asks(self, choice: Choice, question: str) -> bool:
        """Whether what the reader of this choice makes of many lines is worth its time.

        One that tells no shares (a planner, a model behind an endpoint) is not asked twice: how
        sure it is of many lines says little, and the second look costs as much as the first.
        """
        if not choice.shares:
            return False
        asked = words_of(question)
        return self._large.share(asked) >= self._pair.share(asked) - NEAR

    def between(
        self,
        choice: Choice,
        question: str,
        open_: Sequence[str],
        led: Mapping[str, float],
        many: Choice | None = None,
    ) -> Choice:
        """The choice among open actions by the reader's and by what chains to them are worth.

        `many`: the reader's choice by many lines, where it was asked for.
        """
        best = max((led.get(one, 0.0) for one in open_), default=0.0)
        if best <= 0.0 or choice.action not in open_:
            return choice
        asked = words_of(question)
        logs = [math.log(max(led.get(one, 0.0) / best, FLOOR)) for one in open_]
        read = _read(choice, open_)
        priors = [own + LEAD * log for own, log in zip(read, logs, strict=True)]
        features = [
            _votes(asked, read=one == choice.action, log=log)
            for one, log in zip(open_, logs, strict=True)
        ]
        alone = [p + self._votes.worth(own) for p, own in zip(priors, features, strict=True)]
        pair = open_[foremost(alone, open_, choice.action)]
        self._met = _Met(asked, pair, many.action if many else None)
        if many is not None and many.action in open_:
            place, odds = open_.index(many.action), _odds(many.sure, len(open_))
            priors[place] += MANY * odds
            features[place] |= _large(asked, odds)
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
            self._judge(action, won=won)
        self.meet()

    def _judge(self, action: str, *, won: bool) -> None:
        """Keep who was right; of one who would have taken another action, only that he was not."""
        if self._met is None:
            return
        for record, taken in ((self._pair, self._met.pair), (self._large, self._met.many)):
            if taken is not None and (won or taken == action):
                record.learn(self._met.asked, right=won and taken == action)

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


@dataclass(frozen=True, slots=True)
class _Met:
    """What was asked, and what reader and chains, and a reader of many lines, would have done."""

    asked: tuple[str, ...]
    pair: str
    many: str | None


def _read(choice: Choice, open_: Sequence[str]) -> list[float]:
    """What a reader says for each action at first: as much less as it takes it for less likely."""
    top, least = max(choice.shares, default=0.0), math.exp(-LEAST)
    if len(choice.shares) != len(open_) or top <= 0.0:
        return [SILENT * (one == choice.action) for one in open_]
    return [READER * math.log(max(share / top, least)) for share in choice.shares]


def _odds(sure: float, things: int) -> float:
    """How much likelier than each other thing a reader takes its choice to be, a logarithm."""
    if things < 2 or sure >= 1.0:
        return SUREST
    odds = (things - 1) * sure / (1.0 - sure)
    return min(SUREST, math.log(max(1.0, odds)))


def _votes(asked: Sequence[str], *, read: bool, log: float) -> dict[Feature, float]:
    """Whose choice an action is, for each word of what is asked."""
    share = 1.0 / math.sqrt(len(asked))
    found: dict[Feature, float] = {("worth", word): share * log / 3.0 for word in asked}
    if read:
        found |= {("reader", word): share for word in asked}
    if log >= 0.0:
        found |= {("lead", word): share for word in asked}
    return found


def _large(asked: Sequence[str], odds: float) -> Features:
    """That a reader of many lines chose an action, for each word of what is asked."""
    share = odds / (3.0 * math.sqrt(len(asked)))
    return {("many", word): share for word in asked}


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
