"""Sentence banks: the same keys in every bank, other words and other phrasings in each."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from mags.errors import InvalidInput
from mags_lab.games.sentences import BANKS


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicBank:
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
def load(game: str, bank: str, package: str = "mags_lab.games.logic") -> LogicBank:
    """The part of a bank that one game uses, with the names that all games of the package share.

    `bank`: one of `BANKS`, or a file of one's own ("mine.toml"), where what it leaves out is the
    tuning bank's. Raises InvalidInput for any other name, and for a file with a flaw.
    """
    parts = _table(package, "tuning" if _is_file(bank) else bank)
    words: Mapping[str, Any] = {**parts["names"], **parts[game]["words"]}
    phrases = parts[game]["phrases"]
    if _is_file(bank):
        own = _own(bank)
        told = own.get(game, {})
        words = _over(bank, words, {**own.get("names", {}), **told.get("words", {})})
        phrases = _over(bank, phrases, told.get("phrases", {}))
    return LogicBank(
        name=Path(bank).stem if _is_file(bank) else bank,
        words={key: tuple(value) for key, value in words.items()},
        phrases={key: tuple(value) for key, value in phrases.items()},
    )


@cache
def plain(bank: str) -> LogicBank:
    """The knights' bank with the phrases that tell of one at a time; a file's: `[knights.plain]`.

    Raises InvalidInput as `load` does.
    """
    usual = load("knights", bank)
    phrases = _table("mags_lab.games.logic", f"plain-{'tuning' if _is_file(bank) else bank}")
    if _is_file(bank):
        phrases = _over(bank, phrases, _own(bank).get("knights", {}).get("plain", {}))
    one_by_one = {key: tuple(value) for key, value in phrases.items()}
    return replace(usual, phrases={**usual.phrases, **one_by_one})


def _is_file(bank: str) -> bool:
    return bank.endswith(".toml")


def _table(package: str, name: str) -> Mapping[str, Any]:
    """The tables of a bank that ships."""
    bank = name.removeprefix("plain-")
    if bank not in BANKS:
        raise InvalidInput(
            f"no bank '{bank}': choose one of {', '.join(BANKS)}, or name a .toml file", bank=bank
        )
    return tomllib.loads((resources.files(package) / "data" / f"{name}.toml").read_text("utf-8"))


def _own(bank: str) -> Mapping[str, Any]:
    """The tables of a file of one's own."""
    try:
        return tomllib.loads(Path(bank).read_text("utf-8"))
    except OSError as failure:
        raise InvalidInput(
            f"cannot read the bank {bank}: {failure.strerror}", bank=bank
        ) from failure
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(f"bank {bank}: no TOML: {error}", bank=bank) from error


def _over(bank: str, usual: Mapping[str, Any], own: Mapping[str, Any]) -> Mapping[str, Any]:
    """The usual lists with a file's own in their place; a key that no game asks for is a slip."""
    unknown = sorted(own.keys() - usual.keys())
    if unknown:
        raise InvalidInput(f"bank {bank}: no game asks for {', '.join(unknown)}", bank=bank)
    return {**usual, **own}


def titled(kind: str, level: str, bank: str) -> str:
    """A game's name: "eleusis/short", with the bank behind it where that is not the scored one."""
    return f"{kind}/{level}" if bank == "scored" else f"{kind}/{level}/{Path(bank).stem}"


def listed(names: tuple[str, ...]) -> str:
    """Names as one says them: "a", "a and b", "a, b and c"."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
