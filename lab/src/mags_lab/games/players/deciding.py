"""What a player learns from its acts: which chain decides, and whom to follow.

`LogLinear` learns as it goes. Chances are in proportion to exp(prior + weights times features). Of
several things one is taken, and all that is ever known is whether that went well: if it did, the
step is the one of multinomial logistic regression, if not, the gradient of log(1 - chance). Steps
by AdaGrad (Duchi, Hazan and Singer 2011, JMLR 12:2121).

`LineRanking` ranks chains: by their worth, and by what came of it where a question in such words
was decided by lines in such words. Nobody tells a player that a question for a gift is answered by
what a feast asks for, and not by small talk that drops two names.

`Deciding` weighs the reader against the chains. A frozen reader misreads some wordings every time,
and a chain may lead to an action that its line speaks against ("never eats"). Which of the two is
right depends on what is asked. Their votes are a logarithmic opinion pool (Genest and Zidek 1986,
Statistical Science 1:114) whose weights are learned. A third vote, of the reader with many lines,
is asked for where it has been right about as often as the two. Where lines say outright what is
asked, but no action in their words ("banned"), it learns which words of actions go with which of
lines.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from mags.index.tokens import terms
from mags.recall.chains import Chain
from mags_lab.games.players.notes import Note, named, telling
from mags_lab.games.turns import Choice

STEADY = 0.05
"""What is added to the squares that make a step smaller."""
SUREST = 0.98
"""Chance of what went wrong, at most, as its step is reckoned."""

Feature = tuple[str, ...]
Features = Mapping[Feature, float]


class LogLinear:
    """Weights of features, and what they were last asked about. `step`: size of the first steps."""

    def __init__(self, step: float) -> None:
        """Nothing is learned yet."""
        self._step = step
        self._weights: dict[Feature, float] = defaultdict(float)
        self._squares: dict[Feature, float] = defaultdict(float)
        self._last: tuple[tuple[float, Features], ...] = ()

    def worth(self, features: Features) -> float:
        """What was learned of features, a logarithm."""
        return sum(self._weights.get(one, 0.0) * size for one, size in features.items())

    def logs(self, priors: Sequence[float], features: Sequence[Features]) -> list[float]:
        """By thing its prior, a logarithm, with what was learned of its features."""
        found = [p + self.worth(own) for p, own in zip(priors, features, strict=True)]
        self._last = tuple(zip(chances(found), features, strict=True))
        return found

    def forget(self) -> None:
        """What was asked last is not to be learned from."""
        self._last = ()

    def learn(self, taken: int, *, won: bool) -> None:
        """Take in what came of the thing at that place among those of `logs`."""
        last, self._last = self._last, ()
        if not last:
            return
        chance = min(last[taken][0], SUREST)
        push = 1.0 if won else -min(1.0, chance / (1.0 - chance))
        slope: dict[Feature, float] = defaultdict(float)
        for place, (share, features) in enumerate(last):
            by = push * ((place == taken) - share)
            for one, size in features.items():
                slope[one] += by * size
        for one, size in slope.items():
            self._squares[one] += size * size
            self._weights[one] += self._step * size / math.sqrt(self._squares[one] + STEADY)


def foremost(logs: Sequence[float], things: Sequence[str], first: str) -> int:
    """The place of the thing that is worth most; of such as are worth the same, of `first`."""
    return max(range(len(logs)), key=lambda i: (logs[i], things[i] == first))


def chances(logs: Sequence[float]) -> list[float]:
    """Their softmax; of what has none (-inf) alone, 0."""
    if not logs or max(logs) == -math.inf:
        return [0.0 for _ in logs]
    top = max(logs)
    sizes = [math.exp(one - top) for one in logs]
    whole = sum(sizes)
    return [size / whole for size in sizes]


class SuccessRate:
    """`first`: share right as far as is known at first; `turns`: as how many turns that counts."""

    def __init__(self, first: float, turns: float) -> None:
        """Nothing is known yet."""
        self._first = first
        self._turns = turns
        self._right: Counter[str] = Counter()
        self._seen: Counter[str] = Counter()

    def learn(self, asked: Sequence[str], *, right: bool) -> None:
        """Take in one turn. `asked`: of `words_of`."""
        self._seen.update(asked)
        self._right.update(asked if right else ())

    def share(self, asked: Sequence[str]) -> float:
        """The share right: half by all turns, half by those that asked in these words."""
        return 0.5 * self._of(ANY) + 0.5 * sum(map(self._of, asked)) / len(asked)

    def _of(self, word: str) -> float:
        return (self._right[word] + self._turns * self._first) / (self._seen[word] + self._turns)


WORTH = 2.0
"""The power of a chain's own worth; the larger, the less what was learned moves it."""
RANKING_STEP = 0.2
ANY = "*"
"""Stands for whatever is asked."""


class LineRanking:
    """What one game has taught of the lines that decide."""

    def __init__(self) -> None:
        """Nothing yet."""
        self._model = LogLinear(RANKING_STEP)
        self._options: list[int] = []

    def ranked(
        self,
        chains: Sequence[Chain],
        question: str,
        actions: Sequence[str],
        line: Callable[[int], Note | None],
    ) -> list[Chain]:
        """The chains with their worth by what was learned, in (0, 1], best first."""
        names, asked = named(question), words_of(question)
        options = telling(actions)
        every = [_features(one, asked, names | options[one.option], line) for one in chains]
        worth = [WORTH * math.log(one.value) if one.value > 0.0 else -math.inf for one in chains]
        logs = self._model.logs(worth, every)
        self._options = [one.option for one in chains]
        order = sorted(range(len(chains)), key=lambda i: -logs[i])
        values = [math.exp(one / WORTH) for one in logs]
        return [replace(chains[i], value=min(1.0, values[i])) for i in order]

    def learn(self, option: int, *, won: bool) -> None:
        """Take in what came of the option that was taken after `ranked`."""
        options, self._options = self._options, []
        if option in options:
            self._model.learn(options.index(option), won=won)


def words_of(question: str) -> tuple[str, ...]:
    """What is asked, names left out, and that something is."""
    return (*sorted(frozenset(terms(question)) - named(question)), ANY)


def _features(
    chain: Chain,
    asked: Sequence[str],
    off: frozenset[str],
    line: Callable[[int], Note | None],
) -> Features:
    """Pairs of words, those of a line of equal shares; how long the chain is counts as a word."""
    found: dict[Feature, float] = {}
    ends = {"last": chain.steps[-1:], "first": chain.steps[:-1][:1]}
    for place, steps in ends.items():
        for note in filter(None, map(line, steps)):
            text = note.line.text
            said = frozenset(terms(text)) - named(text) - off
            share = 1.0 / math.sqrt(len(asked) * max(1, len(said)))
            found |= {(place, a, b): share for a in asked for b in said}
    share = 0.5 / math.sqrt(len(asked))
    return found | {("long", a, str(len(chain.steps))): share for a in asked}


READER, LEAD = 0.2, 0.5
"""What the logarithm of a share by the reader counts for at first, and of a lead's worth."""
LEAST = 5.0
"""By how much less than its choice's, at most, the logarithm of an action's share counts."""
SILENT = 1.0
"""What its choice counts for at first where a reader tells no shares."""
FLOOR = 0.2
"""Worth of a lead, of the best one's, under which all count alike."""
MANY, MOST_ODDS = 0.1, 5.0
"""What the logarithm of its odds, and which at most, counts for where the reader saw many lines."""
PAIR, LARGE, FIRST = 0.7, 0.6, 4.0
"""How often reader and chains are right, as far as is known at first, and the reader of many lines;
and as how many turns that counts."""
NEAR = 0.05
"""By how much less often right the reader of many lines may have been to be asked."""
VOTES_STEP = 0.2
"""Size of the first steps by which it is learned whom to follow."""
OUTRIGHT, LITERAL = 0.5, 4.0
"""Where lines say outright what is asked: what the reader's choice counts for, and an action whose
words stand in the last line."""
WORDS_STEP = 0.5
"""Size of the first steps by which words are learned."""
OLDER = 0.5
"""What the line said before another counts of it."""


class Deciding:
    """What one game has taught of whom to follow."""

    def __init__(self) -> None:
        """Nothing yet."""
        self._votes = LogLinear(VOTES_STEP)
        self._words = LogLinear(WORDS_STEP)
        self._pair, self._large = SuccessRate(PAIR, FIRST), SuccessRate(LARGE, FIRST)
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
        return MOST_ODDS
    odds = (things - 1) * sure / (1.0 - sure)
    return min(MOST_ODDS, math.log(max(1.0, odds)))


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
