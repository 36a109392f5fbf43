"""Turns of conversation between two friends, written by hand, with what is to be kept of each.

One table a turn in `data/dialogues/<theme>.toml`; its id is theme and table. Slots are named by
their types (`{city}`, a second one `{city 2}`, `{a job}` after its article), `{me}` who speaks,
`{you}` who listens, `{when}` a date since which something is so. `[Haha|Oh]` is one of these words.
The conventions of what is kept stand in `data/dialogues/README.md`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import chain
from types import MappingProxyType

from mags.errors import InvalidInput, ModelReplyError
from mags.models.grammar import BAR, read_engram
from mags.ports.policy import Act
from mags.ports.relations import kind_of
from mags_lab.training.chains.phrasebook import SLOT, data, files, phrasebook, with_article

CHOICE = re.compile(r"\[([^\[\]]*)\]")
ASIDES = "asides.toml"
KEYS = frozenset({"was", "say", "keep", "asks"})
SPOKEN = re.compile(r"\b(?:i|me|my|mine|we|us|our|you|your|yours)\b", re.I)
EVENTS: Mapping[str, str] = MappingProxyType(
    {
        name.strip(): answers
        for answers, names in (
            (
                "thing",
                "attended, participated in, made, watched, finished, started, won, lost, "
                "signed up for, is learning, is working on, is thinking about, teaches, "
                "is expecting, performed at, celebrated, listens to, collects, misses, needs to, "
                "is good at, received, is recovering from, volunteers at, believes in, sold, "
                "passed, failed, gave up, gave away, spoke at, raised, planted, applied to, "
                "went, tried",
            ),
            ("place", "moved from, grew up in"),
            ("time", "has been married for"),
            (
                "person",
                "met, knows, child, granddaughter, grandson, cousin, aunt, uncle, niece, nephew, "
                "grandmother, grandfather, neighbour",
            ),
        )
        for name in names.split(",")
    }
)
"""Relations besides those of the phrasebook, mostly what somebody did, and the kind of answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialogue:
    """A turn. `was`: what was said before, oldest first, the last line by the other one.

    `keep`: operations with slots, `ACT | subject | relation | object | since when`, or
    `NOTE | words`. `asks`: the turn asks for something that a memory could answer.
    """

    id: str
    say: str
    was: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    asks: bool = False

    @property
    def theme(self) -> str:
        """The file that it stands in, without its ending."""
        return self.id.partition(".")[0]


@cache
def dialogues() -> tuple[Dialogue, ...]:
    """Every turn that ships with the package, by file; raises InvalidInput at the first fault."""
    return tuple(
        chain.from_iterable(
            read(file.read_text(encoding="utf-8"), theme=file.name.removesuffix(".toml"))
            for file in files("dialogues", ".toml")
            if file.name != ASIDES
        )
    )


@cache
def asides() -> Mapping[str, tuple[str, ...]]:
    """Sentences that tell nothing: `open` stands before a turn, `close` after one."""
    written = tomllib.loads(data().joinpath("dialogues", ASIDES).read_text(encoding="utf-8"))
    return MappingProxyType({name: tuple(lines) for name, lines in written.items()})


def read(text: str, *, theme: str) -> Iterator[Dialogue]:
    """Read one file; raises InvalidInput naming the turn and what is wrong with it."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as failure:
        raise InvalidInput(f"{theme}.toml is no TOML: {failure}.", where=theme) from failure
    for name, table in tables.items():
        where = f"{theme}.{name}"
        if not {"say"} <= table.keys() <= KEYS:
            raise InvalidInput(
                f"{where}: a turn has say, and may have was, keep and asks.", where=where
            )
        was = table.get("was", ())
        one = Dialogue(
            id=where,
            say=table["say"],
            was=(was,) if isinstance(was, str) else tuple(was),
            keep=tuple(table.get("keep", ())),
            asks=table.get("asks", False),
        )
        fault = fault_of(one)
        if fault:
            raise InvalidInput(f"{where}: {fault}", where=where)
        yield one


def fault_of(one: Dialogue) -> str:
    """What is wrong with a turn, or ""."""
    if one.say != " ".join(one.say.split()) or not one.say:
        return "it has spaces that nobody typed."
    named = {*slots_of(one.say), *chain.from_iterable(map(slots_of, one.was)), "me", "you"}
    strange = {slot for line in one.keep for slot in slots_of(line)} - named
    if strange:
        return f"nobody said {', '.join(sorted(strange))}, which is to be kept."
    return next(filter(None, (_fault_of(line, one) for line in one.keep)), "")


def _fault_of(line: str, one: Dialogue) -> str:
    act, *fields = (part.strip() for part in BAR.split(line))
    if act == Act.NOTE.value:
        if len(fields) != 1 or not stands_in(fields[0], one.say):
            return f"{line!r}: the note's words do not stand in the turn."
        return f"{line!r}: a note stands alone." if SPOKEN.search(fields[0]) else ""
    try:
        read_engram(f"<engram>\n{' | '.join((act, *fields[:3]))}\n</engram>")
    except ModelReplyError as refused:
        return str(refused)
    if len(fields) > 4:
        return f"{line!r}: after the object, only since when."
    name = "favourite" if kind_of(fields[1]) else fields[1]
    if name not in relations():
        return f"{line!r}: the relation is neither of the phrasebook nor of EVENTS."
    said = "\n".join((one.say, *one.was))
    when = fields[3] if len(fields) > 3 else ""
    if not _named(fields[0], one):
        return f"{line!r}: nobody named {fields[0]!r}."
    lost = [words for words in (fields[2], when) if words and not stands_in(words, said)]
    return f"{line!r}: {lost[0]!r} was not said." if lost else ""


def _named(subject: str, one: Dialogue) -> bool:
    """Whether the turn says whom a subject means."""
    if subject == "{you}":
        return bool(one.was) or "{you}" in one.say
    kin = subject.removeprefix("{me}'s ")
    if kin != subject:
        return stands_in(f"my {kin}", one.say)
    return subject == "{me}" or stands_in(subject, "\n".join((one.say, *one.was)))


@cache
def relations() -> frozenset[str]:
    """Every relation that may be kept."""
    return frozenset({*EVENTS, *(entry.name for entry in phrasebook())})


def stands_in(words: str, text: str) -> bool:
    """Whether whole words stand in a text, any case, in no choice (slots as they are written)."""
    plain = re.sub(r"\{a ", "{", CHOICE.sub(" / ", text)).casefold()
    wanted = re.escape(words.replace("{a ", "{").casefold())
    return bool(re.search(rf"(?<![\w{{]){wanted}(?![\w}}])", plain))


def slots_of(text: str) -> list[str]:
    """The slots of a text as their keys: `city`, `city 2`, `job` for `{a job}`."""
    return [slot.removeprefix("a ") for slot in SLOT.findall(text)]


def type_of(slot: str) -> str:
    """The slot type of a key: `city` of `city 2`."""
    return re.sub(r" \d$", "", slot)


def fill(text: str, values: Mapping[str, str]) -> str:
    """A text with its slots filled in, articles written out."""

    def one(slot: re.Match[str]) -> str:
        key = slot[1].removeprefix("a ")
        return with_article(values[key]) if key != slot[1] else values[key]

    return SLOT.sub(one, text)


def fillable(one: Dialogue) -> frozenset[str]:
    """The slot types of a turn, but for who talks and when."""
    found = {type_of(s) for text in (one.say, *one.was) for s in slots_of(text)}
    return frozenset(found - {"me", "you", "when"})
