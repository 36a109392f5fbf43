"""Sentences put into frames, joined, or scattered among random words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from random import Random

from mags_lab.training.chains.phrasebook import SLOT
from mags_lab.training.chains.splits import Shelf
from mags_lab.training.generate.fillers import Fillers
from mags_lab.training.generate.names import made_up

END = re.compile(r"[.!]+$")
ENDED = re.compile(r"[.!?:,;)]$")
OPEN = re.compile(r"(?:^|[.!?:\n)}])\s*$")  # a slot before it is a whole sentence
BREAKS = (". ", ". ", ", ", " ", " - ", "\n", "... ", "; ")


class Framer:
    """Frames of one split."""

    def __init__(self, shelf: Shelf, rng: Random, fillers: Fillers) -> None:
        self._shelf = shelf
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
            for frame in self._shelf.frames[kind]
            if others or "{n}" not in frame
        ]
        return self.put(self._rng.choice(pool), {"x": text}, names=names)

    def frame(self, kind: str) -> str:
        """A frame of a kind."""
        return self._rng.choice(self._shelf.frames[kind])

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
        rng, pool = self._rng, self._shelf.words["common"]
        words = [
            made_up(rng, held=self._shelf.held) if rng.random() < 0.2 else rng.choice(pool)
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
