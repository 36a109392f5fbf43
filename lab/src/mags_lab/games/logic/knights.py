"""Knights and liars: the same people speak round after round, and later it turns out who lied.

In each turn several people say where a thing is: one knight, who tells the truth, the others
liars, who do not. The player chooses whom to believe. Some turns later it turns out where the
thing was, and who had lied: what was learned of a person then decides each later round in which
that person speaks. Now and then a knight and a liar change sides: told of both, or not told.
In a plain game what came out is told of each in a line of its own, and the question names nobody.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from mags_lab.games.logic.bank import LogicBank, listed
from mags_lab.games.logic.record import HOW, Deal, RoundRecord
from mags_lab.games.turns import TruthFact


@dataclass(frozen=True, slots=True, kw_only=True)
class KnightsLevel:
    """`turns`: decisions; `people`: how many, `knights` of them knights; `speakers`: in a round,
    one of them a knight; `delay`: turns until it turns out, at most; `change_every`: turns between
    changes of side, 0 for none; `kinds`: the kinds of change in turn, "full" (told) or "silent";
    `chatter`: lines of no use, for each turn; `plain`: a line for each of whom something came out.
    """

    turns: int
    people: int
    knights: int
    speakers: int = 4
    delay: int = 0
    change_every: int = 0
    kinds: tuple[str, ...] = ("full", "silent")
    chatter: float = 0.0
    plain: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenClaim:
    """What was claimed in a round, until it turns out. `due`: the turn in which it does."""

    due: int
    thing: str
    spot: str
    knight: str
    liars: tuple[str, ...]


class Knights:
    """One instance: who is a knight, and what has not turned out yet."""

    def __init__(
        self, level: KnightsLevel, bank: LogicBank, seed: int, record: RoundRecord
    ) -> None:
        self._level, self._bank, self._record = level, bank, record
        self._rng = random.Random(f"{seed}/knights")
        self._people = bank.names(self._rng, level.people)
        self._knights = set(self._people[: level.knights])
        self._open: list[OpenClaim] = []
        self._changes = 0

    def deal(self) -> Deal:
        """What is due turns out; then people speak, one of them truly."""
        for claim in [claim for claim in self._open if claim.due <= self._record.turn]:
            self._turn_out(claim)
        every = self._level.change_every
        if every and self._record.turn and self._record.turn % every == 0:
            self._change()
        if self._rng.random() < self._level.chatter:
            self._tell("crier", "chatter", name=self._rng.choice(self._people))
        return self._speak()

    def settle(self, action: str) -> None:
        """Nothing is said at once: it turns out by itself, whatever was chosen."""

    def _speak(self) -> Deal:
        rng, bank, words = self._rng, self._bank, self._record.words
        knight = rng.choice(self._who(knights=True))
        liars = tuple(rng.sample(self._who(knights=False), self._level.speakers - 1))
        thing = rng.choice(bank.words["thing"])
        spots = bank.pick("spot", rng, self._level.speakers)
        said = [*zip((knight, *liars), spots, strict=True)]
        rng.shuffle(said)
        for name, spot in said:
            self._record.tell(name, bank.say("says", words, thing=thing, spot=spot))
        due = self._record.turn + 1 + rng.randint(0, self._level.delay)
        self._open.append(
            OpenClaim(
                due=due, thing=thing, spot=spots[0], knight=knight, liars=tuple(sorted(liars))
            )
        )
        names = tuple(name for name, _ in said)
        fact = self._fact(knight)
        plain = bank.say("knight", random.Random(0), name=knight)
        return Deal(
            question=bank.say("question", words, names=listed(names), thing=thing),
            actions=tuple(bank.say("action", words, name=name) for name in names),
            best=frozenset([bank.say("action", words, name=knight)]),
            rests_on=(fact,),
            needed=(self._record.sentence(fact, plain),),
            kind="speaker",
        )

    def _turn_out(self, claim: OpenClaim) -> None:
        """Tell it, unless one who spoke has changed sides since: it would teach what is over."""
        self._open.remove(claim)
        if claim.knight not in self._knights or self._knights & set(claim.liars):
            return
        if self._level.plain:
            self._turn_out_plainly(claim)
            return
        facts = [self._fact(name) for name in (claim.knight, *claim.liars)]
        slots = {"thing": claim.thing, "spot": claim.spot, "liars": listed(claim.liars)}
        self._tell("crier", "out", *facts, knight=claim.knight, **slots)

    def _turn_out_plainly(self, claim: OpenClaim) -> None:
        self._tell("crier", "found", thing=claim.thing, spot=claim.spot)
        told = [(claim.knight, "knight"), *((liar, "liar") for liar in claim.liars)]
        self._rng.shuffle(told)
        for name, side in told:
            self._tell("crier", side, self._fact(name), name=name)

    def _change(self) -> None:
        fallen = self._rng.choice(self._who(knights=True))
        sworn = self._rng.choice(self._who(knights=False))
        kind = self._level.kinds[self._changes % len(self._level.kinds)]
        self._changes += 1
        before = [self._fact(name) for name in (fallen, sworn)]
        self._knights.remove(fallen)
        self._knights.add(sworn)
        after = [self._fact(name) for name in (fallen, sworn)]
        self._record.turn_over(before, after, how=HOW[kind])
        if kind == "full":
            self._tell("crier", "fallen", self._fact(fallen), name=fallen)
            self._tell("crier", "sworn", self._fact(sworn), name=sworn)

    def _who(self, *, knights: bool) -> list[str]:
        return [name for name in self._people if (name in self._knights) == knights]

    def _fact(self, name: str) -> TruthFact:
        # Lines say it in many words and name nothing but the person: a fact of one thing.
        relation = "never lies" if name in self._knights else "lies"
        return TruthFact(subject=name, relation=relation, object="")

    def _tell(self, speaker: str, key: str, *facts: TruthFact, **slots: str) -> None:
        text = self._bank.say(key, self._record.words, **slots)
        self._record.tell(self._bank.phrases[speaker][0], text, *facts)
