"""The data files: how people tell, change, end and ask after each relation, frames and words.

One table a relation, one list a way of speaking; every phrase has exactly the slots of its list:
`{s}` the subject, `{o}` the object, `{p}` the object it replaces, `{a o}` the object after its
article, `{k}` the kind where the relation has one (favourite *food*). `phrasebook/` is what models
learn from, `further/` more of it that no test has, `independent/` the same by another author,
which models never see; neither do they see `dev-phrasings/` and `dev-counted/`, of the splits of
these names.
"""

from __future__ import annotations

import codecs
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from types import MappingProxyType

from mags.errors import InvalidInput

SLOT = re.compile(r"\{([^{}]*)\}")
ARTICLED = {"a o": "o", "a p": "p", "a s": "s"}
# What each list needs, and what it may have besides.
LISTS: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    name: (frozenset(needs), frozenset(may))
    for name, needs, may in (
        ("first", "o", ""),
        ("third", "so", ""),
        ("change_first", "o", ""),
        ("change_third", "so", ""),
        ("swap_first", "op", ""),
        ("swap_third", "sop", ""),
        ("correct_first", "op", ""),
        ("correct_third", "sop", ""),
        ("end_first", "o", ""),
        ("end_third", "so", ""),
        ("near_first", "", "o"),
        ("near_third", "", "so"),
        ("ask_first", "", ""),
        ("ask_second", "", ""),
        ("ask_third", "s", ""),
        ("ask_inverse", "o", ""),
        ("ask_past_first", "", ""),
        ("ask_past_third", "s", ""),
        ("ask_vague_first", "", ""),
        ("ask_vague_third", "s", ""),
        ("of", "s", ""),
    )
}
CHANGES = frozenset(name for name in LISTS if name.startswith(("change", "swap")))
SETTINGS = frozenset({"subject", "object", "one"})
BY_KIND = "by-kind"
"""The slot type of an object that fits the kind `{k}` of its relation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhrasebookEntry:
    """One relation and its phrases by list.

    `subject`, `object`: slot types. `one`: a later object replaces the earlier one. `kind`: the
    slot type of `{k}`, "" where the relation has no kinds.
    """

    name: str
    subject: str
    object: str
    one: bool = False
    kind: str = ""
    phrases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def list(self, name: str) -> tuple[str, ...]:
        """The phrases of a list, () where the relation has none."""
        return self.phrases.get(name, ())


def data() -> Traversable:
    """The folder of the data that ships with the package."""
    return resources.files("mags_lab.training.chains").joinpath("data")


@cache
def phrasebook(folder: str = "phrasebook") -> tuple[PhrasebookEntry, ...]:
    """Every relation of a folder of phrases, by name; raises InvalidInput.

    A relation may stand in several files: where its slot types are the same, its lists are joined,
    else (who a creature fears, who a person fears) it is one entry for each pair of types.
    """
    found: dict[tuple[str, str, str], PhrasebookEntry] = {}
    for file in files(folder, ".toml"):
        for entry in read_entries(file.read_text(encoding="utf-8"), where=file.name):
            key = (entry.name, entry.subject, entry.object)
            old = found.get(key)
            found[key] = entry if old is None else _joined(old, entry, file.name)
    return tuple(found[key] for key in sorted(found))


def files(folder: str, suffix: str) -> Iterator[Traversable]:
    """The data files of a folder, by name; none where there is no such folder."""
    place = data().joinpath(folder)
    if place.is_dir():
        yield from sorted(
            (file for file in place.iterdir() if file.name.endswith(suffix)),
            key=lambda file: file.name,
        )


def read_entries(text: str, *, where: str) -> Iterator[PhrasebookEntry]:
    """Read one file of relations; raises InvalidInput naming file, relation and phrase."""
    try:
        tables = tomllib.loads(text).get("relation", {})
    except tomllib.TOMLDecodeError as failure:
        raise InvalidInput(f"{where} is no TOML: {failure}.", where=where) from failure
    for name, table in tables.items():
        faults = list(faults_of(table))
        if faults:
            raise InvalidInput(f"{where}, [{name}]: {faults[0]}", where=where, faults=faults)
        yield PhrasebookEntry(
            name=name,
            subject=table["subject"],
            object=table["object"],
            one=table.get("one", False),
            kind="kind" if table["object"] == BY_KIND else "",
            phrases={key: tuple(table[key]) for key in LISTS if key in table},
        )


def faults_of(table: Mapping[str, object]) -> Iterator[str]:
    """Everything that is wrong with the table of one relation, in words."""
    for name in ("subject", "object"):
        if not isinstance(table.get(name), str):
            yield f"it needs {name} = a slot type."
    if not isinstance(table.get("one", False), bool):
        yield "one is true or false."
    for name, phrases in table.items():
        if name in SETTINGS:
            continue
        if name not in LISTS:
            yield f"there is no list {name!r}: it is one of {', '.join(LISTS)}."
        elif not isinstance(phrases, list) or not all(isinstance(p, str) for p in phrases):
            yield f"{name} should be a list of phrases."
        else:
            yield from _faults_of_list(name, phrases, kinds=table.get("object") == BY_KIND)
            if name in CHANGES and not table.get("one", False):
                yield f"{name}: only a relation with one = true can change its value."


def _faults_of_list(name: str, phrases: Sequence[str], *, kinds: bool) -> Iterator[str]:
    needs, may = LISTS[name]
    if kinds:
        needs, may = (needs, may | {"k"}) if name.startswith("near") else (needs | {"k"}, may)
    for phrase in phrases:
        slots = slots_of(phrase)
        have = frozenset(slots)
        if len(slots) != len(have) or not needs <= have <= needs | may:
            wanted = ", ".join(sorted(needs | may)) or "none"
            yield f"{name}: {phrase!r} has the slots {slots}; it should have: {wanted}, each once."
        if not phrase.strip() or phrase != " ".join(phrase.split()):
            yield f"{name}: {phrase!r} has spaces that nobody typed."
    if len({folded(phrase) for phrase in phrases}) < len(phrases):
        twice = next(p for i, p in enumerate(phrases) if folded(p) in map(folded, phrases[:i]))
        yield f"{name}: {twice!r} stands there twice."


def slots_of(phrase: str) -> list[str]:
    """The slots of a phrase in order: s, o, p (or what else stands in braces)."""
    return [ARTICLED.get(slot, slot) for slot in SLOT.findall(phrase)]


def fill(phrase: str, values: Mapping[str, str]) -> str:
    """A phrase with its slots filled in, articles written out."""

    def one(slot: re.Match[str]) -> str:
        bare = ARTICLED.get(slot[1])
        return values[slot[1]] if bare is None else with_article(values[bare])

    return SLOT.sub(one, phrase)


def with_article(noun: str) -> str:
    """A noun after "a" or "an" ("an hour", "a university" are known; else by its first letter)."""
    low = noun.casefold()
    if low.startswith(("uni", "eu", "use", "one", "ukulele")):
        return f"a {noun}"
    return f"{'an' if low.startswith(('a', 'e', 'i', 'o', 'u', 'hour', 'honest')) else 'a'} {noun}"


def folded(phrase: str) -> str:
    """A phrase without what does not make it another one: case, punctuation, spacing."""
    return " ".join(re.findall(r"\{[^{}]*\}|[^\W_]+", phrase.casefold()))


def all_phrases(entries: Iterable[PhrasebookEntry]) -> Iterator[tuple[PhrasebookEntry, str, str]]:
    """Every (relation, list, phrase)."""
    for entry in entries:
        for name, phrases in entry.phrases.items():
            for phrase in phrases:
                yield entry, name, phrase


def _joined(old: PhrasebookEntry, new: PhrasebookEntry, where: str) -> PhrasebookEntry:
    if old.one != new.one:
        raise InvalidInput(
            f"{where}, [{new.name}]: another file has one = {str(old.one).lower()} for it.",
            where=where,
        )
    lists = {
        name: tuple(dict.fromkeys((*old.list(name), *new.list(name))))
        for name in LISTS
        if old.list(name) or new.list(name)
    }
    return PhrasebookEntry(
        name=old.name, subject=old.subject, object=old.object, one=old.one, phrases=lists
    )


# Slots that each list of frames may have; those in capitals it must have.
FRAMES: Mapping[str, str] = {
    "either": "X n",
    "statement": "X n",
    "question": "X n",
    "gossip": "X N",
    "pair": "X Y",
    "tell_and_ask": "X Q",
    "when": "X W",
    "dated_question": "X T",
    "yesno": "X",
    "meeting": "S",
    "bare": "O",
    "amend": "O",
    "amend_swap": "O P",
    "amend_end": "O",
    "after_all": "X",
    "anew": "X",
    "echo": "X",
    "told": "S T",
    "spoke": "T",
    "note": "",
    "note_frame": "X",
}


FURTHER = "further"
"""The folder of what training alone has, and `dev`, which is other draws of the same."""


@cache
def frames(folder: str = "") -> Mapping[str, tuple[str, ...]]:
    """Lists of sentence frames by name; raises InvalidInput where one has the wrong slots.

    `folder`: `FURTHER` for those that are never held out.
    """
    found = {name: tuple(lines) for name, lines in _toml(folder, "frames.toml").items()}
    for name, lines in found.items():
        if name not in FRAMES:
            raise InvalidInput(f"frames.toml: nothing reads the list {name!r}.", list=name)
        wanted = FRAMES[name].split()
        must, may = {w.lower() for w in wanted if w.isupper()}, {w.lower() for w in wanted}
        for line in lines:
            slots = [slot.rstrip("-") for slot in SLOT.findall(line)]
            if name == "note":
                continue
            if not must <= set(slots) <= may or len(slots) != len(set(slots)):
                raise InvalidInput(
                    f"frames.toml, {name}: {line!r} should have {', '.join(sorted(must))} once.",
                    list=name,
                    line=line,
                )
    return MappingProxyType(found)


@cache
def smalltalk(folder: str = "") -> tuple[str, ...]:
    """Turns with nothing to store and nothing to recall; `folder` as for `frames`."""
    return tuple(turn for turns in _toml(folder, "smalltalk.toml").values() for turn in turns)


@cache
def words() -> Mapping[str, tuple[str, ...]]:
    """Word lists by slot type, without what stands there twice."""
    return MappingProxyType(
        {
            file.name.removesuffix(".txt"): tuple(
                dict.fromkeys(
                    word.strip()
                    for line in file.read_text(encoding="utf-8").splitlines()
                    for word in line.split(",")
                    if word.strip() and not line.startswith("#")
                )
            )
            for file in files("words", ".txt")
        }
    )


@cache
def blocked() -> tuple[str, ...]:
    """Letters that no made-up word may contain (kept in ROT13)."""
    written = data().joinpath("blocked.rot13").read_text(encoding="utf-8")
    return tuple(codecs.decode(written, "rot13").split())


def _toml(folder: str, name: str) -> dict[str, list[str]]:
    try:
        return tomllib.loads(data().joinpath(folder, name).read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as failure:
        raise InvalidInput(f"{name} is no TOML: {failure}.", where=name) from failure
