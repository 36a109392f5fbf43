"""Mastermind with many keepers: each hides a row of signs, which lasts from round to round.

In each turn one keeper asks for one place of the row. A wrong guess is answered in words: whether
the sign lies elsewhere in that row or nowhere in it. As soon as what was told leaves one sign for
a place, an onlooker says so; a first right guess says so too. From then on that one line decides
whenever that keeper asks for that place again. Now and then a keeper changes a sign: told with the
new sign, told without it, or not told.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import permutations

from mags_lab.games.logic.bank import LogicBank
from mags_lab.games.logic.record import HOW, Deal, RoundRecord
from mags_lab.games.turns import TruthFact

Row = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MastermindLevel:
    """`turns`: decisions; `keepers`: how many; `places`: in a row, at most 4; `signs`: to choose
    from, more than places; `change_every`: turns between changes, 0 for none; `kinds`: the kinds
    of change in turn, "full" (the new sign is told), "named" (only the place), "silent";
    `chatter`: lines of no use, for each turn.
    """

    turns: int
    keepers: int
    places: int = 3
    signs: int = 6
    change_every: int = 0
    kinds: tuple[str, ...] = ("full", "named", "silent")
    chatter: float = 0.0


class Mastermind:
    """One instance. The keepers' rows, and for each the rows that what was told allows."""

    def __init__(
        self, level: MastermindLevel, bank: LogicBank, seed: int, record: RoundRecord
    ) -> None:
        self._level, self._bank, self._record = level, bank, record
        self._rng = random.Random(f"{seed}/mastermind")
        self._signs = bank.pick("sign", self._rng, level.signs)
        self._places = bank.words["place"][: level.places]
        self._rows_there_are = tuple(permutations(self._signs, level.places))
        self._keepers = bank.names(self._rng, level.keepers)
        self._row = {keeper: self._rng.choice(self._rows_there_are) for keeper in self._keepers}
        self._allowed = {keeper: self._rows_there_are for keeper in self._keepers}
        self._changes = 0
        self._keeper = ""
        self._place = 0

    def deal(self) -> Deal:
        """A keeper asks for a place of the row."""
        every = self._level.change_every
        if every and self._record.turn and self._record.turn % every == 0:
            self._change()
        if self._rng.random() < self._level.chatter:
            self._tell("chatter", self._rng.choice(self._keepers))
        self._keeper = self._rng.choice(self._keepers)
        self._place = self._rng.randrange(self._level.places)
        signs = self._rng.sample(self._signs, len(self._signs))
        fact = self._fact(self._keeper, self._place)
        slots = {"place": self._places[self._place], "sign": fact.object}
        plain = self._bank.say("right", random.Random(0), keeper=self._keeper, **slots)
        question = self._bank.say("question", self._record.words, keeper=self._keeper, **slots)
        return Deal(
            question=question,
            actions=tuple(self._action(sign) for sign in signs),
            best=frozenset([self._action(fact.object)]),
            rests_on=(fact,),
            needed=(self._record.sentence(fact, plain),),
            kind="sign",
        )

    def settle(self, action: str) -> None:
        """Tell what the guess was worth, and what follows from it."""
        keeper, place = self._keeper, self._place
        sign = next(sign for sign in self._signs if self._action(sign) == action)
        fact = self._fact(keeper, place)
        if sign == fact.object and self._record.knows(fact):
            self._tell("again", keeper)
        elif sign == fact.object:
            self._tell("right", keeper, fact, place=self._places[place], sign=sign)
        else:
            self._tell("wrong", keeper, place=self._places[place], sign=sign)
            found = "elsewhere" if sign in self._row[keeper] else "nowhere"
            self._tell(found, keeper, sign=sign)
        self._narrow(keeper, place, sign)
        self._conclude(keeper)

    def _narrow(self, keeper: str, place: int, sign: str) -> None:
        def answer(row: Row) -> tuple[bool, bool]:
            return row[place] == sign, sign in row

        told = answer(self._row[keeper])

        def agree(rows: tuple[Row, ...]) -> tuple[Row, ...]:
            return tuple(row for row in rows if answer(row) == told)

        # No row fits both what was told before and now: a sign must have changed.
        self._allowed[keeper] = agree(self._allowed[keeper]) or agree(self._rows_there_are)

    def _conclude(self, keeper: str) -> None:
        """Say each place with one sign left, if it is so: what fits by chance is kept back."""
        for place, name in enumerate(self._places):
            signs = {row[place] for row in self._allowed[keeper]}
            fact = self._fact(keeper, place)
            if signs == {fact.object} and not self._record.knows(fact):
                self._tell("sure", keeper, fact, place=name, sign=fact.object)

    def _change(self) -> None:
        keeper, place = self._rng.choice(self._keepers), self._rng.randrange(self._level.places)
        kind = self._level.kinds[self._changes % len(self._level.kinds)]
        self._changes += 1
        row = self._row[keeper]
        before = self._fact(keeper, place)
        unused = [sign for sign in self._signs if sign not in row]
        self._row[keeper] = self._put(row, place, self._rng.choice(unused))
        fact = self._fact(keeper, place)
        self._record.turn_over([before], [fact], how=HOW[kind])
        if kind == "silent":
            return
        self._allowed[keeper] = tuple(
            sorted(
                {
                    self._put(row, place, sign)
                    for row in self._allowed[keeper]
                    for sign in self._signs
                    if sign not in row
                }
            )
        )
        if kind == "named":
            place_name = self._places[place]
            text = self._bank.say("changed", self._record.words, keeper=keeper, place=place_name)
            self._record.tell("table", text, about=[before])
            return
        self._allowed[keeper] = tuple(
            row for row in self._allowed[keeper] if row[place] == fact.object
        )
        self._tell("now", keeper, fact, place=self._places[place], sign=fact.object)

    @staticmethod
    def _put(row: Row, place: int, sign: str) -> Row:
        return (*row[:place], sign, *row[place + 1 :])

    def _fact(self, keeper: str, place: int) -> TruthFact:
        sign = self._row[keeper][place]
        return TruthFact(subject=keeper, relation=f"sign {place + 1}", object=sign)

    def _tell(self, key: str, keeper: str, *facts: TruthFact, **slots: str) -> None:
        text = self._bank.say(key, self._record.words, keeper=keeper, **slots)
        speaker = self._bank.phrases["onlooker"][0] if key in ("sure", "now") else "table"
        self._record.tell(speaker, text, *facts)

    def _action(self, sign: str) -> str:
        return self._bank.say("action", self._record.words, sign=sign)
