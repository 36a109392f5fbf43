"""Eleusis with many dealers: each has a hidden rule, which stays or is swapped.

In each turn one dealer waits and several cards are in hand, of which just one fits the rule. What
was accepted and refused is told; after a refusal the card that would have fitted is named as well,
so that two or three visits give a rule away. As soon as what was told allows one rule only, an
onlooker says it outright: then one line decides every later visit, however long ago it was said.
Rules change hands between two dealers: told with both new rules, told without them, or not told.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass

from mags_lab.games.logic.bank import LogicBank
from mags_lab.games.logic.record import HOW, Deal, RoundRecord
from mags_lab.games.turns import TruthFact

TRAITS = ("colour", "stuff", "figure")
Card = tuple[str, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class EleusisLevel:
    """`turns`: decisions; `dealers`: how many; `hand`: cards to choose from; `exceptions`: share
    of rules with one; `swap_every`: turns between swaps, 0 for none; `kinds`: the kinds of swap
    in turn, "full" (both rules are told), "named" (only that it happened), "silent"; `chatter`:
    lines of no use, for each turn.
    """

    turns: int
    dealers: int
    hand: int = 4
    exceptions: float = 0.0
    swap_every: int = 0
    kinds: tuple[str, ...] = ("full", "named", "silent")
    chatter: float = 0.0


@dataclass(frozen=True, slots=True, order=True)
class Rule:
    """Cards that show `value` fit, unless they show `never` as well."""

    value: str
    never: str | None = None

    def fits(self, card: Card) -> bool:
        """Whether the dealer takes the card."""
        return self.value in card and self.never not in card


class Eleusis:
    """One instance. The dealers' rules, and for each the rules that what was told allows."""

    def __init__(
        self, level: EleusisLevel, bank: LogicBank, seed: int, record: RoundRecord
    ) -> None:
        self._level, self._bank, self._record = level, bank, record
        self._rng = random.Random(f"{seed}/eleusis")
        self._trait = {word: trait for trait in TRAITS for word in bank.words[trait]}
        self._rules_there_are = self._all_rules()
        self._dealers = bank.names(self._rng, level.dealers)
        self._rule = {dealer: self._draw() for dealer in self._dealers}
        self._allowed = {dealer: self._rules_there_are for dealer in self._dealers}
        self._swaps = 0
        self._dealer = ""
        self._hand: tuple[Card, ...] = ()
        self._good: Card = ("", "", "")

    def deal(self) -> Deal:
        """A dealer waits with a hand of cards, one of which fits."""
        every = self._level.swap_every
        if every and self._record.turn and self._record.turn % every == 0:
            self._swap()
        if self._rng.random() < self._level.chatter:
            self._tell("chatter", self._rng.choice(self._dealers))
        self._dealer = self._rng.choice(self._dealers)
        self._hand = self._draw_hand(self._rule[self._dealer])
        facts = self._facts(self._dealer)
        question = self._bank.say("question", self._record.words, dealer=self._dealer)
        return Deal(
            question=question,
            actions=tuple(self._action(card) for card in self._hand),
            best=frozenset([self._action(self._good)]),
            rests_on=facts,
            needed=tuple(
                self._record.sentence(fact, self._sentence(fact, random.Random(0)))
                for fact in facts
            ),
            kind="rule" if len(facts) == 1 else "rule with exception",
        )

    def settle(self, action: str) -> None:
        """Tell whether the card was taken, and what it shows of the rule."""
        dealer = self._dealer
        card = next(card for card in self._hand if self._action(card) == action)
        shown = {card: card == self._good}
        self._tell("accepted" if shown[card] else "refused", dealer, card=self._name(card))
        if card != self._good:
            shown[self._good] = True
            self._tell("shown", dealer, card=self._name(self._good))
        self._narrow(dealer, shown)
        self._conclude(dealer)

    def _narrow(self, dealer: str, shown: dict[Card, bool]) -> None:
        def agree(rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
            return tuple(
                rule for rule in rules if all(rule.fits(card) == fit for card, fit in shown.items())
            )

        # No rule fits both what was seen before and now: it must have changed.
        self._allowed[dealer] = agree(self._allowed[dealer]) or agree(self._rules_there_are)

    def _conclude(self, dealer: str) -> None:
        """Say what only one rule allows, if it is so: a guess that fits by chance is kept back."""
        allowed = self._allowed[dealer]
        seen = []
        if len({rule.value for rule in allowed}) == 1:
            seen.append(TruthFact(subject=dealer, relation="takes", object=allowed[0].value))
        never = allowed[0].never
        if never and len({rule.never for rule in allowed}) == 1:
            seen.append(TruthFact(subject=dealer, relation="never takes", object=never))
        for fact in seen:
            if fact in self._facts(dealer) and not self._record.knows(fact):
                self._say(fact)

    def _swap(self) -> None:
        one, other = self._rng.sample(self._dealers, 2)
        kind = self._level.kinds[self._swaps % len(self._level.kinds)]
        self._swaps += 1
        before = (*self._facts(one), *self._facts(other))
        self._rule[one], self._rule[other] = self._rule[other], self._rule[one]
        after = (*self._facts(one), *self._facts(other))
        self._record.turn_over(before, after, how=HOW[kind])
        if kind == "silent":
            return
        self._allowed[one], self._allowed[other] = self._allowed[other], self._allowed[one]
        if kind == "named":
            self._tell("swapped", one, about=before, other=other)
            return
        for dealer in (one, other):
            self._tell("changed", dealer, about=[f for f in before if f.subject == dealer])
            self._allowed[dealer] = (self._rule[dealer],)
            for fact in self._facts(dealer):
                self._say(fact)

    def _facts(self, dealer: str) -> tuple[TruthFact, ...]:
        rule = self._rule[dealer]
        takes = TruthFact(subject=dealer, relation="takes", object=rule.value)
        if rule.never is None:
            return (takes,)
        return takes, TruthFact(subject=dealer, relation="never takes", object=rule.never)

    def _say(self, fact: TruthFact) -> None:
        speaker = self._bank.phrases["onlooker"][0]
        self._record.tell(speaker, self._sentence(fact, self._record.words), fact)

    def _sentence(self, fact: TruthFact, words: random.Random) -> str:
        verb = "takes" if fact.relation == "takes" else "never"
        key = f"{verb}_{self._trait[fact.object]}"
        return self._bank.say(key, words, dealer=fact.subject, value=fact.object)

    def _tell(
        self, key: str, dealer: str, *, about: Iterable[TruthFact] = (), **slots: str
    ) -> None:
        text = self._bank.say(key, self._record.words, dealer=dealer, **slots)
        self._record.tell("table", text, about=about)

    def _name(self, card: Card) -> str:
        slots = dict(zip(TRAITS, card, strict=True))
        return self._bank.say("card", self._record.words, **slots)

    def _action(self, card: Card) -> str:
        return self._bank.say(
            "action", self._record.words, dealer=self._dealer, card=self._name(card)
        )

    def _all_rules(self) -> tuple[Rule, ...]:
        plain = [Rule(word) for word in self._trait]
        if not self._level.exceptions:
            return tuple(plain)
        return tuple(plain) + tuple(
            Rule(word, never)
            for word in self._trait
            for never in self._trait
            if self._trait[never] != self._trait[word]
        )

    def _draw(self) -> Rule:
        value = self._rng.choice(tuple(self._trait))
        if self._rng.random() >= self._level.exceptions:
            return Rule(value)
        others = [word for word in self._trait if self._trait[word] != self._trait[value]]
        return Rule(value, self._rng.choice(others))

    def _draw_card(self, must: str | None = None, also: str | None = None) -> Card:
        card = [self._rng.choice(self._bank.words[trait]) for trait in TRAITS]
        for word in (must, also):
            if word is not None:
                card[TRAITS.index(self._trait[word])] = word
        return card[0], card[1], card[2]

    def _draw_hand(self, rule: Rule) -> tuple[Card, ...]:
        """Different cards, just one of which fits; with an exception, one falls under it."""
        while True:
            self._good = self._draw_card(rule.value)
            if rule.fits(self._good):
                break
        hand = [self._good]
        if rule.never is not None:
            hand.append(self._draw_card(rule.value, rule.never))
        while len(hand) < self._level.hand:
            card = self._draw_card()
            if card not in hand and not rule.fits(card):
                hand.append(card)
        self._rng.shuffle(hand)
        return tuple(hand)
