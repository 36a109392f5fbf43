"""What each split may use: parts are held out by a hash of their own words, never by chance.

A phrase, frame, filler or syllable is held out or not whatever the seed, and (but for lists so
short that chance holds out too few) whatever is added to the files later: a model trained on an
older draw was not shown what a newer draw tests.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import blake2b
from types import MappingProxyType

from mags_lab.training.chains.dialogues import Dialogue, asides, dialogues
from mags_lab.training.chains.phrasebook import (
    FURTHER,
    PhrasebookEntry,
    all_phrases,
    folded,
    frames,
    phrasebook,
    smalltalk,
    words,
)
from mags_lab.training.chains.schema import Split

SHARE = 0.2
# Relations that training never names, one of each sort. Chosen so that none is another one's
# inverse or near synonym, and so that their words stand in what people say of them.
HELD_OUT_RELATIONS = frozenset(
    {
        "is allergic to",
        "is engaged to",
        "phone number",
        "is afraid of",
        "currency",
        "was founded by",
    }
)
TALK_SHARE, DEV_SHARE = 0.10, 0.15
"""Shares of the turns of conversation that only `talk`, only `dev` has."""
SHARED_WORDS = frozenset({"kind"})
"""Word lists that are vocabulary, as relations are, and so the same in every split."""
LEARNT = frozenset({Split.TRAIN, Split.DEV})
"""The splits that have what was written for training alone, so that no test changed with it."""
CALIBRATION = frozenset({Split.DEV_PHRASINGS, Split.DEV_COUNTED})
"""The splits that say what `dev` says in phrases of their own: thresholds are found on one."""
FAMILIAR = LEARNT | CALIBRATION
"""The splits with the names, words, frames and typing of training."""
TRAINED = frozenset({"short"})
"""Themes of conversation that training alone has."""
TESTS = (
    *(Split.SEEN, Split.FRAMES, Split.PHRASINGS, Split.INDEPENDENT, Split.RELATIONS, Split.TALK),
)
"""The splits that the generator makes besides `train` and `dev`."""
NEW_FRAMES = frozenset({Split.FRAMES, Split.PHRASINGS, Split.INDEPENDENT, Split.RELATIONS})
NEW_PHRASES = frozenset({Split.PHRASINGS, Split.INDEPENDENT, Split.RELATIONS})


def held_out(words: str, *, kind: str, share: float = SHARE) -> bool:
    """Whether a part is kept from training; `kind` keeps equal words of two kinds apart."""
    return fraction(f"{kind}\n{words}") < share


def fraction(words: str) -> float:
    """A number in [0, 1) that depends on the words alone."""
    return int.from_bytes(blake2b(words.encode(), digest_size=6).digest(), "big") / 2.0**48


def part(items: Iterable[str], *, kind: str, held: bool, least: int = 0) -> tuple[str, ...]:
    """The items of a list on one side; training keeps one even of a list all held out.

    `least`: how many are held out at least, by the smallest hashes, where chance held out fewer.
    """
    known = tuple(items)
    ranked = sorted(known, key=lambda item: fraction(f"{kind}\n{folded(item) or item}"))
    count = sum(held_out(folded(item) or item, kind=kind) for item in known)
    out = set(ranked[: min(max(count, least), len(known) - 1)])
    return tuple(item for item in known if (item in out) is held)


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitMaterial:
    """Everything one split is made from. `held`: its names and fillers are the held-out ones."""

    split: Split
    entries: tuple[PhrasebookEntry, ...]
    frames: Mapping[str, tuple[str, ...]]
    smalltalk: tuple[str, ...]
    words: Mapping[str, tuple[str, ...]]
    held: bool
    dialogues: tuple[Dialogue, ...] = ()
    asides: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def split_of(one: Dialogue) -> Split:
    """Where a turn of conversation belongs, by its theme or a hash of its id."""
    if one.theme in TRAINED:
        return Split.TRAIN
    place = fraction(f"dialogue\n{one.id}")
    if place < TALK_SHARE:
        return Split.TALK
    return Split.DEV if place < TALK_SHARE + DEV_SHARE else Split.TRAIN


@cache
def split_material(split: Split) -> SplitMaterial:
    """What a split is made from; `real` has none."""
    held = split not in FAMILIAR
    more = {} if held else frames(FURTHER)
    return SplitMaterial(
        split=split,
        entries=_entries(split),
        frames=MappingProxyType(
            {
                name: (
                    *part(lines, kind=f"frame {name}", held=split in NEW_FRAMES, least=2),
                    *more.get(name, ()),
                )
                for name, lines in frames().items()
            }
        ),
        smalltalk=(
            *part(smalltalk(), kind="smalltalk", held=split in NEW_PHRASES),
            *(() if held else smalltalk(FURTHER)),
        ),
        words=MappingProxyType(
            {
                name: found
                if name in SHARED_WORDS
                else part(found, kind="word", held=held, least=3)
                for name, found in words().items()
            }
        ),
        held=held,
        dialogues=tuple(one for one in dialogues() if split_of(one) is split),
        asides=MappingProxyType(
            {
                name: part(lines, kind=f"aside {name}", held=split is Split.TALK)
                for name, lines in asides().items()
            }
        ),
    )


def _entries(split: Split) -> tuple[PhrasebookEntry, ...]:
    book = phrasebook()
    known = tuple(entry for entry in book if entry.name not in HELD_OUT_RELATIONS)
    if split is Split.RELATIONS:
        strange = (entry for entry in book if entry.name in HELD_OUT_RELATIONS)
        return _unseen(strange, known)
    if split is Split.INDEPENDENT:
        names = {entry.name for entry in known}
        return _unseen((e for e in phrasebook("independent") if e.name in names), book)
    if split in CALIBRATION:
        return _in_phrases_of(known, phrasebook(split))
    held = split is Split.PHRASINGS
    kept = tuple(
        _with(
            entry,
            {
                name: part(phrases, kind="phrase", held=held)
                for name, phrases in entry.phrases.items()
            },
        )
        for entry in known
    )
    return _joined(kept, phrasebook(FURTHER)) if split in LEARNT else kept


def _in_phrases_of(
    entries: Iterable[PhrasebookEntry], others: Iterable[PhrasebookEntry]
) -> tuple[PhrasebookEntry, ...]:
    """The entries in phrases of `others`; what a chain of questions is made of, in their own."""
    found = {(entry.name, entry.subject, entry.object): entry for entry in others}
    kept = []
    for entry in entries:
        own = found.get((entry.name, entry.subject, entry.object))
        if own is not None:
            links = part(entry.list("of"), kind="phrase", held=False) if entry.list("of") else ()
            kept.append(_with(entry, {**own.phrases, "of": links}))
    return tuple(kept)


def _joined(
    entries: Iterable[PhrasebookEntry], more: Iterable[PhrasebookEntry]
) -> tuple[PhrasebookEntry, ...]:
    """The entries with the phrases that others have for them."""
    found = {(entry.name, entry.subject, entry.object): entry for entry in more}
    joined = []
    for entry in entries:
        extra = found.get((entry.name, entry.subject, entry.object))
        names = {**entry.phrases, **(extra.phrases if extra else {})}
        lists = {
            name: tuple(dict.fromkeys((*entry.list(name), *(extra.list(name) if extra else ()))))
            for name in names
        }
        joined.append(_with(entry, lists))
    return tuple(joined)


def _unseen(
    entries: Iterable[PhrasebookEntry], others: Iterable[PhrasebookEntry]
) -> tuple[PhrasebookEntry, ...]:
    """The entries without the phrases that others have too."""
    seen = {folded(phrase) for _, _, phrase in all_phrases(others)}
    return tuple(
        _with(
            entry,
            {n: tuple(p for p in ps if folded(p) not in seen) for n, ps in entry.phrases.items()},
        )
        for entry in entries
    )


def _with(entry: PhrasebookEntry, phrases: Mapping[str, tuple[str, ...]]) -> PhrasebookEntry:
    return replace(entry, phrases={name: kept for name, kept in phrases.items() if kept})
