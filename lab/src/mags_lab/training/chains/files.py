"""The other data files: sentence frames, small talk, word lists, and what nobody should read."""

from __future__ import annotations

import codecs
import tomllib
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from mags.errors import InvalidInput
from mags_lab.training.chains.phrasebook import SLOT, data, files

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
