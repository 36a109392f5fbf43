"""A picture of a house from sentences alone, whatever they were told for.

It knows English, not the game: a name with a capital after "the" is a room, one room and a
direction are a way out, two rooms and a direction are a way between them, a room without a
direction is where the other things of the sentence are, and a sentence without a room says what is
always so. Later sentences count more than earlier ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from itertools import takewhile

from mags_lab.games.adventures.state import OPPOSITE

ROOM = re.compile(r"\b[Tt]he ((?:[A-Z][a-z'-]+)(?: [A-Z][a-z'-]+)*)")
WAY = re.compile(r"\b(north|east|south|west)(?:ern|wards?)?\b")
SOURCE = re.compile(r"\b(?:from|of|leave|left|leaving|behind|out of) $", re.IGNORECASE)
SENTENCE = re.compile(r"(?<=[.!?])\s+")
THING = re.compile(r"\b(?:the|an?|some|its?) (?=((?:[a-z0-9'-]+ ?)+))", re.IGNORECASE)
STOP = frozenset(
    re.findall(
        r"\w+",
        "a an and are at be been by for from goes had has have in into is it its on one onto or"
        " some than that the then there this to under was were what when where which who with you",
    )
)
TAKEN = re.compile(
    r"\b(?:took|taken|pick(?:ed)? up|picked|grabbed|fetched|lifted|pocketed|carried off|removed)\b"
)
"""That a thing is no longer where it was."""
STATE = re.compile(r"\b(open|opened|closed|locked|unlocked)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence in small letters; `line`: the place of the line that it stands in.

    `gone`: it says that something was taken away from the room.
    """

    text: str
    line: int
    room: str = ""
    gone: bool = False


@dataclass(slots=True, kw_only=True)
class Picture:
    """What one has read. `ways`: room to directions; `sides`: (room, direction) to
    the last sentence that speaks of that one way out; `links`: room to direction to (room, line);
    `sights`: sentences that say what is in a room, or was; `lore`: those without a room; oldest
    first. `moved`: from which room to which, by the last line that joins two.
    """

    ways: dict[str, set[str]] = field(default_factory=dict)
    sides: dict[tuple[str, str], str] = field(default_factory=dict)
    links: dict[str, dict[str, tuple[str, int]]] = field(default_factory=dict)
    sights: list[Sentence] = field(default_factory=list)
    lore: list[Sentence] = field(default_factory=list)
    moved: tuple[str, str] = ("", "")

    def last_seen(self, thing: str) -> Sentence | None:
        """The latest sentence that says in which room a thing is; None where it was taken since."""
        found = (sight for sight in reversed(self.sights) if mentions(sight.text, thing))
        sight = next(found, None)
        return None if sight is None or sight.gone else sight

    def locks(self, thing: str) -> str:
        """The last word on whether a thing is locked, closed or open; "" where there is none."""
        for sight in reversed(self.sights):
            state = STATE.search(sight.text)
            if state and mentions(sight.text, thing):
                return state[1]
        return ""


def read(lines: Sequence[str]) -> Picture:
    """The picture that lines give, oldest first."""
    picture = Picture()
    for place, line in enumerate(lines):
        for text in SENTENCE.split(line):
            _take_in(picture, text, place)
    return picture


def _take_in(picture: Picture, text: str, line: int) -> None:
    found = list(ROOM.finditer(text))
    rooms = list(dict.fromkeys(match[1] for match in found))
    ways = list(dict.fromkeys(match[1] for match in WAY.finditer(text.lower())))
    if len(rooms) == 2 and len(ways) == 1:
        source = next((m[1] for m in found if SOURCE.search(text[: m.start()])), rooms[0])
        target = next(room for room in rooms if room != source)
        _join(picture, source, ways[0], target, line)
        picture.moved = source, target
    elif len(rooms) == 1 and ways:
        picture.ways.setdefault(rooms[0], set()).update(ways)
        if len(ways) == 1:
            picture.sides[rooms[0], ways[0]] = text.lower()
    elif len(rooms) == 1:
        # Without the room's own name: a thing may stand behind it that has no article.
        rest = ROOM.sub(",", text).lower()
        gone = TAKEN.search(rest) is not None
        picture.sights.append(Sentence(text=rest, line=line, room=rooms[0], gone=gone))
    elif not rooms:
        picture.lore.append(Sentence(text=text.lower(), line=line))


def _join(picture: Picture, source: str, way: str, target: str, line: int) -> None:
    for room, direction, other in ((source, way, target), (target, OPPOSITE[way], source)):
        picture.links.setdefault(room, {})[direction] = (other, line)
        picture.ways.setdefault(room, set()).add(direction)


def mentions(text: str, thing: str) -> bool:
    """Whether a sentence has the words of a thing, in a row."""
    return bool(thing) and re.search(rf"(?<![\w-]){re.escape(thing)}(?![\w-])", text) is not None


def things(text: str) -> Iterator[str]:
    """What may be names of things: the words after an article, up to a word that ends a name.

    A verb that is not known to end it stays at the end: see `known`.
    """
    for match in THING.finditer(text):
        words = list(takewhile(lambda word: word not in STOP, match[1].split()))
        if words:
            yield " ".join(words).removesuffix(" of")


def known(name: str, names: Set[str]) -> str:
    """The longest beginning of a name that is one of the names; "" for none."""
    words = name.split()
    starts = (" ".join(words[:end]) for end in range(len(words), 0, -1))
    return next((start for start in starts if start in names), "")
