"""Facts put into the mouths of people, in the words of a bank."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from mags_lab.games.companion.bank import SECRETS, Bank
from mags_lab.games.companion.cast import Cast
from mags_lab.games.companion.facts import Slot, Telling
from mags_lab.games.sentences import sentence

INNER = frozenset({*SECRETS, "mood"})
"""What people tell of themselves alone."""
EVENTFUL = frozenset({"day", "outcome"})
DATED = 0.7
"""Share of the changes of work and home that are told with the month."""


class Speech:
    """Lines by chance. `rng` alone decides."""

    def __init__(self, bank: Bank, cast: Cast, rng: Random) -> None:
        self._bank = bank
        self._cast = cast
        self._rng = rng

    def told(self, slot: Slot, value: str) -> Telling:
        """A fact, by whom it is about or by somebody else."""
        speaker, section = self._speaker(slot, value)
        text = self.framed("plain", c=self.clause(section, slot, value))
        return Telling(speaker, text, ((slot, value),))

    def changed(self, slot: Slot, value: str, old: str, month: str, how: str) -> Telling:
        """A fact that has another value now, told by whom it is about, or as hearsay."""
        speaker, section = self._speaker(slot, value)
        if how == "hearsay":
            speaker, section = self.somebody(slot.subject, value, old), "theirs"
        clause = self.clause(f"{section}_change", slot, value, old=old)
        frame = "hearsay" if how == "hearsay" else "plain"
        gives = [(slot, value)]
        frees: tuple[Slot, ...] = ()
        if slot.key in ("work", "home"):
            gives.append((slot._replace(key=f"{slot.key}_before"), old))
            since = slot._replace(key=f"{slot.key}_since")
            if self._rng.random() < DATED:
                frame = "dated"
                gives.append((since, month))
            else:
                frees = (since,)
        text = self.framed(frame, c=clause, m=month)
        return Telling(speaker, text, tuple(gives), frees, how)

    def shown(self, slot: Slot, value: str, old: str) -> Telling:
        """A preference that shows in what somebody does."""
        text = self._pick("shown", slot.key).format(s=slot.subject, o=value, old=old)
        speaker = self._bank.narrator
        if slot.subject != self._cast.hero and self._rng.random() < 0.5:
            speaker = self._cast.hero
        return Telling(speaker, sentence(text), ((slot, value),), (), "shown")

    def corrected(self, slot: Slot, value: str, old: str) -> Telling:
        """A fact that was told wrongly before."""
        speaker, section = self._speaker(slot, value)
        clause = self.clause(section, slot, value)
        text = self.framed("corrected", c=clause, o=value, old=old)
        frees: tuple[Slot, ...] = ()
        if slot.key in ("work", "home"):
            frees = tuple(slot._replace(key=f"{slot.key}_{x}") for x in ("since", "before"))
        return Telling(speaker, text, ((slot, value),), frees, "corrected")

    def rumour(self, slot: Slot, value: str) -> Telling:
        """Something that is not so."""
        clause = self.clause("theirs", slot, value)
        text = self.framed("rumour", c=clause)
        return Telling(self.somebody(slot.subject, value), text, rumoured=slot)

    def denied(self, slot: Slot, value: str, claimed: str) -> Telling:
        """What is so, after a rumour."""
        mine = self._rng.random() < 0.5
        speaker = slot.subject if mine else self._cast.hero
        clause = self.clause("mine" if mine else "theirs", slot, value)
        text = self.framed("denied", c=clause, old=claimed)
        return Telling(speaker, text, ((slot, value),))

    def confided(self, slot: Slot, value: str) -> list[Telling]:
        """A secret, and that it is one."""
        topic = self._bank.topics[slot.key]
        keeps = Slot(slot.subject, "keeps", slot.key)
        text = self.framed("secret", t=topic)
        return [self.told(slot, value), Telling(slot.subject, text, ((keeps, topic),))]

    def lifted(self, keeps: Slot) -> Telling:
        """A secret is one no longer."""
        text = self.framed("lifted", t=self._bank.topics[keeps.topic])
        return Telling(keeps.subject, text, (), (keeps,), "lifted")

    def chatter(self) -> Telling:
        """A line that tells nothing."""
        people = self._rng.sample(self._cast.people, 2)
        text = self._pick("chatter", "lines").format(a=people[0], b=people[1])
        speaker = self._cast.hero
        if self._rng.random() < 0.25:
            speaker = self.somebody(*people)
        return Telling(speaker, sentence(text))

    def clause(self, section: str, slot: Slot, value: str, *, old: str = "") -> str:
        """A fact as a clause; as it is told plainly where the section has no words for it."""
        if slot.key not in self._bank.lists[section]:
            section = section.removesuffix("_change")
        if slot.key not in self._bank.lists[section]:
            section = "theirs"
        line = self._pick(section, slot.key)
        return line.format(s=slot.subject, o=value, old=old, t=slot.topic)

    def framed(self, frame: str, **parts: str) -> str:
        """A sentence in one of the frames of that name."""
        return sentence(self._pick("frames", frame).format(**parts))

    def somebody(self, *but: str) -> str:
        """One of the people, none of these; the one who is got to know where nobody is left."""
        people = [name for name in self._cast.people if name not in but]
        return self._rng.choice(people or [self._cast.hero])

    def _speaker(self, slot: Slot, value: str) -> tuple[str, str]:
        """Who tells it, and whether as of themselves."""
        hero, luck = self._cast.hero, self._rng.random()
        if slot.key in INNER:
            return slot.subject, "mine"
        if slot.key in EVENTFUL:
            return hero, "theirs"
        if slot.subject == hero:
            return (hero, "mine") if luck < 0.8 else (self.somebody(value), "theirs")
        if luck < 0.6:
            return hero, "theirs"
        if luck < 0.8:
            return slot.subject, "mine"
        return self.somebody(slot.subject, value), "theirs"

    def _pick(self, section: str, key: str) -> str:
        return self._rng.choice(self._bank.lists[section][key])


def reminder(bank: Bank, cast: Cast, values: Mapping[Slot, str], rng: Random) -> Telling | None:
    """One of these facts, told again by the one who is got to know; None where nobody would."""

    def section(slot: Slot) -> str:
        mine = slot.subject == cast.hero and slot.key in bank.lists["mine"]
        return "mine" if mine else "theirs"

    fit = [slot for slot in values if slot.key in bank.lists[section(slot)]]
    if not fit:
        return None
    slot = rng.choice(fit)
    clause = Speech(bank, cast, rng).clause(section(slot), slot, values[slot])
    text = sentence(rng.choice(bank.lists["reply"]["remind"]).format(c=clause))
    return Telling(cast.hero, text, ((slot, values[slot]),))
