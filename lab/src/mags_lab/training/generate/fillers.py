"""What goes into the slots, and the frames around sentences: words, made-up names, numbers, typing.

Names are made of random syllables: copying can be learned from them, memorising cannot. Every
syllable belongs to training or to the tests by a hash of its letters. A test name is spelled with
held-out syllables alone, and cannot be spelled with those of training: it never occurs there.

Turns are also written as people type them: a tagger that has read nothing but "I moved to Oslo."
takes "I moved to Oslo!!" for small talk.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import product
from random import Random

from mags.errors import InvalidInput
from mags.models.rendering import DAYS, MONTHS
from mags_lab.training.chains.phrasebook import SLOT, blocked
from mags_lab.training.chains.splits import SplitMaterial, held_out

ONSETS = (
    *("b", "br", "c", "d", "dr", "f", "fl", "g", "gr", "h", "j", "k", "l", "m", "n", "p", "pl"),
    *("qu", "r", "s", "sh", "sk", "st", "t", "th", "tr", "v", "w", "y", "z"),
)
VOWELS = ("a", "e", "i", "o", "u", "ai", "ea", "ou", "ie")
CODAS = ("", "", "n", "r", "l", "s", "m", "k", "t", "nd", "x", "lt")
MANY = 5000


@cache
def syllables(held: bool) -> tuple[str, ...]:
    """All syllables of one side, in a fixed order."""
    spelled = dict.fromkeys("".join(parts) for parts in product(ONSETS, VOWELS, CODAS))
    return tuple(s for s in spelled if held_out(s, kind="syllable") is held)


@cache
def _known(held: bool) -> frozenset[str]:
    return frozenset(syllables(held))


def spellable(word: str, *, held: bool) -> bool:
    """Whether a word can be cut into syllables of that side."""
    known, letters = _known(held), word.casefold()
    cuts = [0]
    for end in range(1, len(letters) + 1):
        for cut in cuts:
            if letters[cut:end] in known:
                cuts.append(end)
                break
    return cuts[-1] == len(letters)


def decent(word: str) -> bool:
    """Whether a made-up word spells nothing that offends."""
    return _offensive().search(word.casefold()) is None


@cache
def _offensive() -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, blocked())))


def made_up(rng: Random, *, held: bool) -> str:
    """A word of two or three syllables of that side, in lower case."""
    pool = syllables(held)
    for _ in range(MANY):
        word = "".join([rng.choice(pool) for _ in range(2 + (rng.random() < 0.25))])
        if len(word) <= 12 and decent(word) and not (held and spellable(word, held=False)):
            return word
    raise AssertionError("no decent word among so many: the list of blocked letters is too broad")


def name(rng: Random, *, held: bool) -> str:
    """A made-up name."""
    return made_up(rng, held=held).capitalize()


# A is a made-up name, a a made-up word in lower case, B another name, # a house number.
SHAPES: Mapping[str, tuple[str, ...]] = {
    "person": ("A", "A", "A", "A B"),
    "relative-name": ("A",),
    "pet-name": ("A",),
    "city": ("A", "A", "A", "Port A", "A Bay"),
    "country": ("A", "A", "Aia", "New A"),
    "region": ("A", "Upper A", "Greater A", "North A"),
    "company": ("A", "A Labs", "A & Sons", "A Foods", "A Logistics", "B & A", "A Software"),
    "school": ("A College", "A High", "University of A", "A Academy", "A School of Music"),
    "band": ("A", "The As", "A and the Bs", "The A Brothers"),
    "book": ("The A Letters", "Return to A", "A", "The Last A", "A's Winter", "Under A Hill"),
    "film": ("The A Affair", "Escape from A", "A", "Goodbye, A", "Midnight in A"),
    "title": ("The A Papers", "A", "Songs of A", "Notes from A"),
    "team": ("A United", "A Rovers", "FC A", "A City", "A Wanderers"),
    "street": ("# A Road", "A Street", "# A Lane", "A Square"),
    "place": ("A Hall", "A Park", "A Castle", "A", "A Market"),
    "place-nonsense": ("A", "A Hollow", "the Caves of A", "A Deep"),
    "organisation": ("A Rowing Club", "A Society", "A Alliance", "A Choir", "Friends of A"),
    "institution": ("A Museum", "A Theatre", "A Hospital", "A Institute"),
    "product": ("A", "A Pro", "AOS", "A Studio"),
    "district": ("A", "Old A", "A Quay", "A Heights"),
    "creature": ("A",),
    "clan": ("A",),
    "feast": ("A", "A", "Atide", "Night of A"),
    "custom": ("A", "A", "Third A", "Silent A"),
    "nickname": ("A",),
    "language": ("A", "Aish"),
    "office": ("Mayor of A", "Minister of A"),
}
# Types made of the lists of others.
UNIONS: Mapping[str, tuple[str, ...]] = {
    "likeable": ("food", "drink", "hobby", "sport", "genre"),
    "by-kind": ("food", "drink", "color", "sport", "hobby", "genre"),
}
PURE = frozenset({"kind", "diet", "plan", "office", "weekday", "common"})
"""Lists that are never joined by made-up words."""
# In training, plans are put together too: a list of a few dozen would be learned by heart.
PLANS = (
    "learn {language}",
    "buy a {thing}",
    "visit {city}",
    "move to {city}",
    "write a book about {interest}",
    "take up {hobby}",
    "get into {sport}",
    "play the {instrument}",
    "work as a {job}",
    "study {subject-of-study}",
    "give up {food}",
    "sell the {thing}",
    "see {country}",
    "cook {food} for everybody",
    "join {organisation}",
    "{common} the {common} {common}",
)
REAL_SHARE = 0.3
MADE_UP_SHARE = 0.2
STRANGE_SHARE = 0.15
"""Share, in training, of objects of two or three random words: ends cannot be learned by heart."""


class Fillers:
    """Values by slot type, drawn with `rng` from what a split may use."""

    def __init__(self, material: SplitMaterial, rng: Random) -> None:
        self._rng = rng
        self._held = material.held
        self._words = material.words

    def value(self, type: str, *, avoid: tuple[str, ...] = ()) -> str:
        """A value of a type, none of `avoid`; raises InvalidInput for an unknown type."""
        for _ in range(1000):
            found = self._one(type)
            if found.casefold() not in {word.casefold() for word in avoid}:
                return found
        raise InvalidInput(
            f"There are too few values of the type {type!r}: add some to words/{type}.txt.",
            type=type,
        )

    def _one(self, type: str) -> str:
        rng = self._rng
        if type in NUMBERS:
            return NUMBERS[type](rng)
        if type == "email":
            host = rng.choice(("com", "org", "net"))
            return self._shaped("a") + f"@{self._shaped('a')}.{host}"
        if type in UNIONS:
            type = rng.choice(UNIONS[type])
        listed = self._words.get(type, ())
        if type not in SHAPES and not listed:
            raise unknown(type)
        if type in SHAPES and (not listed or rng.random() >= REAL_SHARE):
            return self._shaped(rng.choice(SHAPES[type]))
        if type not in SHAPES and type not in PURE and rng.random() < MADE_UP_SHARE:
            return made_up(rng, held=self._held)
        return rng.choice(listed) if self._held else self._strange(type, rng.choice(listed))

    def _strange(self, type: str, listed: str) -> str:
        """In training, now and then a value that no list holds; else the `listed` one."""
        rng = self._rng
        if type == "plan" and rng.random() < 0.5:
            return SLOT.sub(lambda slot: self._one(slot[1]), rng.choice(PLANS))
        if type in PURE or type in SHAPES or rng.random() >= STRANGE_SHARE:
            return listed
        words = [self._common() for _ in range(rng.choice((1, 1, 2)))]
        return " ".join((*words, listed.split()[-1] if rng.random() < 0.5 else self._common()))

    def _common(self) -> str:
        return self._rng.choice(self._words["common"])

    def _shaped(self, shape: str) -> str:
        def one(letter: re.Match[str]) -> str:
            word = made_up(self._rng, held=self._held)
            return word if letter[0] == "a" else word.capitalize()

        # Only letters that stand alone or before an ending are places for a name.
        filled = re.sub(r"\b[AB](?=\b|s\b|ish\b|ia\b|tide\b|OS\b)|^a$", one, shape)
        return filled.replace("#", str(self._rng.randint(1, 120)))

    def name(self, *, avoid: tuple[str, ...] = ()) -> str:
        """A name of a person."""
        return self.value("person", avoid=avoid)


def _phone(rng: Random) -> str:
    digits = "".join(str(rng.randrange(10)) for _ in range(7))
    return rng.choice((f"{digits[:3]}-{digits[3:]}", f"07{digits}", f"{digits[:2]} {digits[2:]}"))


def _time(rng: Random) -> str:
    hour, minute = rng.randint(1, 12), rng.choice((0, 15, 30, 45))
    return rng.choice(
        (f"{hour} {rng.choice(('am', 'pm'))}", f"{hour}:{minute:02}", f"{hour} o'clock")
    )


def _money(rng: Random) -> str:
    amount = rng.choice((5, 10, 20, 25, 40, 75)) * rng.choice((10, 100))
    return rng.choice((f"{amount} euros", f"£{amount:,}", f"{amount} dollars", f"${amount:,}"))


NUMBERS: Mapping[str, Callable[[Random], str]] = {
    "date": lambda rng: f"{rng.randint(1, 28)} {rng.choice(MONTHS)}",
    "year": lambda rng: str(rng.randint(1940, 2023)),
    "number": lambda rng: str(rng.choice((rng.randint(2, 99), rng.randint(100, 9000)))),
    "number-small": lambda rng: str(rng.randint(2, 12)),
    "age": lambda rng: str(rng.randint(3, 96)),
    "time-of-day": _time,
    "phone": _phone,
    "money": _money,
    "weekday": lambda rng: rng.choice(DAYS),
    "height": lambda rng: f"1.{rng.randint(50, 99)} m",
    "weight": lambda rng: f"{rng.randint(45, 110)} kg",
}


def unknown(type: str) -> InvalidInput:
    """The failure of a slot type that nothing fills."""
    return InvalidInput(
        f"Nothing fills slots of the type {type!r}: add words/{type}.txt, or a shape of names.",
        type=type,
    )


def known_types(words: Mapping[str, object]) -> frozenset[str]:
    """Every slot type that can be filled, given the word lists."""
    return frozenset({*words, *SHAPES, *UNIONS, *NUMBERS, "email"})


def common(type: str, value: str) -> bool:
    """Whether a value is a common noun, which a sentence that it opens writes with a capital."""
    return type not in SHAPES and type not in NUMBERS and value[:1].islower()


END = re.compile(r"[.!]+$")
ENDED = re.compile(r"[.!?:,;)]$")
OPEN = re.compile(r"(?:^|[.!?:\n)}])\s*$")  # a slot before it is a whole sentence
BREAKS = (". ", ". ", ", ", " ", " - ", "\n", "... ", "; ")


class Framer:
    """Frames of one split."""

    def __init__(self, material: SplitMaterial, rng: Random, fillers: Fillers) -> None:
        self._material = material
        self._rng = rng
        self._fillers = fillers

    def around(self, text: str, *kinds: str, names: Sequence[str] = (), others: bool = True) -> str:
        """A sentence in a frame of one of the kinds ("either" always among them).

        `names` may not be used by it; without `others`, it names nobody at all.
        """
        if self._rng.random() < 0.25:
            return text
        pool = [
            frame
            for kind in ("either", *kinds)
            for frame in self._material.frames[kind]
            if others or "{n}" not in frame
        ]
        return self.put(self._rng.choice(pool), {"x": text}, names=names)

    def frame(self, kind: str) -> str:
        """A frame of a kind."""
        return self._rng.choice(self._material.frames[kind])

    def put(self, frame: str, values: Mapping[str, str], *, names: Sequence[str] = ()) -> str:
        """A frame filled in; `{n}` becomes a name that is none of `names`."""
        whole = dict(values)
        if "{n}" in frame:
            whole["n"] = self._fillers.name(avoid=tuple(names))

        def one(slot: re.Match[str]) -> str:
            text = whole[slot[1].rstrip("-")]
            if slot[1].endswith("-"):
                text = END.sub("", text)
            elif slot[1] in "xyq" and frame[slot.end() :] and not ENDED.search(text):
                text += "."
            if slot[1][0] in "xyq" and not OPEN.search(frame[: slot.start()]):
                return lowered(text)
            return text

        return SLOT.sub(one, frame)

    def scattered(self, text: str) -> str:
        """A sentence between random words: nothing but the sentence itself can be learned."""
        before, after = self._rng.randint(0, 7), self._rng.randint(0, 7)
        if not before + after:
            return text
        parts = [self._noise(before), text, self._noise(after)]
        joined = ""
        for part in filter(None, parts):
            glue = self._rng.choice(BREAKS) if not joined.endswith((".", "!", "?")) else " "
            joined += (glue if joined else "") + part
        return joined

    def _noise(self, count: int) -> str:
        rng, pool = self._rng, self._material.words["common"]
        words = [
            made_up(rng, held=self._material.held) if rng.random() < 0.2 else rng.choice(pool)
            for _ in range(count)
        ]
        return " ".join(word.capitalize() if rng.random() < 0.15 else word for word in words)


def lowered(text: str) -> str:
    """A sentence as it goes on in the middle of another, names and "I" left as they are.

    Only a first word that plainly is no name is changed: one of the closed classes.
    """
    first = re.match(r"[A-Za-z']+", text)
    if first and first[0].casefold().partition("'")[0] in OPENERS:
        return text[0].lower() + text[1:]
    return text


# Words that open a sentence and are surely no name. ("May" and "Will" are left out.)
OPENERS = frozenset(
    word
    for line in (
        "a an the my our your his her its this that these those it we they he she there what which",
        "who where when why how do does did is are was were can could would if after before as at",
        "by for from in no not of on since so some still turns you and but finally just been new",
        "all any remind tell am have",
    )
    for word in line.split()
)


# Shares of turns that end in another mark, begin small, or lack the apostrophes of short forms.
MARKED, SMALL, BARE = 0.2, 0.06, 0.05
MARKS = ("!", "!", "!", "!!", "", "", "...", " :)", "!!!", " :(")
SHORT = re.compile(
    r"\b(I'm|I've|I'd|I'll|don't|doesn't|didn't|isn't|wasn't|can't|won't|haven't|hasn't|that's|"
    r"it's|what's|where's|who's|when's|there's|we're|you're|they're|couldn't|wouldn't)\b",
    re.I,
)
FULL_STOP = re.compile(r"(?<=[\w)'])\.$")


def typed(text: str, rng: Random) -> str:
    """A turn with what somebody in a hurry or in high spirits would change; mostly as it is."""
    if rng.random() < MARKED:
        mark = rng.choice(MARKS)
        text = FULL_STOP.sub(lambda _: mark, text)
    if rng.random() < SMALL:
        text = lowered(text)
    if rng.random() < BARE:
        text = SHORT.sub(lambda found: found[0].replace("'", ""), text)
    return text
