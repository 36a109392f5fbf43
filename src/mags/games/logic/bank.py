"""Sentence banks: the same keys in every bank, other words and other phrasings in each."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources

from mags.errors import InvalidInput
from mags.games.sentences import BANKS


@dataclass(frozen=True, slots=True, kw_only=True)
class Bank:
    """What one game is told in. `words`: lists of names; `phrases`: sentences with {slots}."""

    name: str
    words: Mapping[str, tuple[str, ...]]
    phrases: Mapping[str, tuple[str, ...]]

    def say(self, key: str, rng: random.Random, **slots: str) -> str:
        """One of the phrases of a key, filled in. Takes no chance where there is one only."""
        phrases = self.phrases[key]
        phrase = phrases[0] if len(phrases) == 1 else rng.choice(phrases)
        return phrase.format(**slots)

    def pick(self, key: str, rng: random.Random, count: int) -> tuple[str, ...]:
        """Different words of a list, in a random order.

        Raises InvalidInput when the list holds fewer.
        """
        words = self.words[key]
        if len(words) < count:
            raise InvalidInput(
                f"the bank '{self.name}' has {len(words)} words for '{key}', {count} are wanted:"
                " take a smaller level or a longer list",
                key=key,
                count=count,
            )
        return tuple(rng.sample(words, count))

    def names(self, rng: random.Random, count: int) -> tuple[str, ...]:
        """Made-up names, each different, put together from two lists of syllables."""
        heads, tails = self.words["heads"], self.words["tails"]
        places = rng.sample(range(len(heads) * len(tails)), count)
        return tuple(heads[place % len(heads)] + tails[place // len(heads)] for place in places)


@cache
def load(game: str, bank: str, package: str = "mags.games.logic") -> Bank:
    """The part of a bank that one game uses, with the names that all games of the package share.

    Raises InvalidInput for a bank that is not one of `BANKS`.
    """
    if bank not in BANKS:
        raise InvalidInput(f"no bank '{bank}': choose one of {', '.join(BANKS)}", bank=bank)
    text = (resources.files(package) / "data" / f"{bank}.toml").read_text("utf-8")
    parts = tomllib.loads(text)
    words = {**parts["names"], **parts[game]["words"]}
    return Bank(
        name=bank,
        words={key: tuple(value) for key, value in words.items()},
        phrases={key: tuple(value) for key, value in parts[game]["phrases"].items()},
    )


@cache
def plain(bank: str) -> Bank:
    """The knights' bank with the phrases that tell of one at a time.

    Raises InvalidInput for a bank that is not one of `BANKS`.
    """
    usual = load("knights", bank)
    text = resources.files("mags.games.logic") / "data" / f"plain-{bank}.toml"
    phrases = {key: tuple(value) for key, value in tomllib.loads(text.read_text("utf-8")).items()}
    return replace(usual, phrases={**usual.phrases, **phrases})


def titled(kind: str, level: str, bank: str) -> str:
    """A game's name: "eleusis/short", with the bank behind it where that is not the scored one."""
    return f"{kind}/{level}" if bank == "scored" else f"{kind}/{level}/{bank}"


def listed(names: tuple[str, ...]) -> str:
    """Names as one says them: "a", "a and b", "a, b and c"."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
