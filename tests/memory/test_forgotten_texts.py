"""What is forgotten is nowhere in the process: in no cache, index, frame or exception."""

from __future__ import annotations

import gc
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import mags
from mags import inspect
from mags.memory.memory import Memory
from mags.models.chat.scripted import ScriptedChat

CODINGS = ("utf-8", "utf-16-le", "utf-16-be", "utf-32-le")
SHOWN = 12


@pytest.mark.parametrize(("way", "where"), [("auto", "file"), ("chat", "ram")])
def test_nothing_in_the_process_holds_what_was_forgotten(root: Path, way: str, where: str) -> None:
    command = [sys.executable, "-m", "tests.memory.test_forgotten_texts", way, where]
    done = subprocess.run(
        command, cwd=root, env=os.environ, capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["before"], "the search finds what is there"
    assert found["erased"] > 0
    assert found["after"] == []


# -- the other process ---------------------------------------------------------------


def syllables(seed: int) -> list[str]:
    """A name in parts, which stands nowhere whole: letters that no other word has in a row."""
    rng = random.Random(seed)
    return [rng.choice("zxqvk") + rng.choice("aou") for _ in range(5)] + ["m"]


def holding(*names: list[str]) -> list[list[str]]:
    """What can be reached and holds each name, in any case; how it is held, for who mends it."""
    needles = ["".join(parts) for parts in names]
    coded = [[needle.encode(coding) for coding in CODINGS] for needle in needles]
    own = {id(needles), id(coded), *map(id, needles), *map(id, coded)}
    own |= {id(code) for codes in coded for code in codes}

    def held(one: object) -> list[bool]:
        if isinstance(one, str):
            low = one.casefold()
            return [needle in low for needle in needles]
        if isinstance(one, np.ndarray) and one.dtype.kind != "O":
            one = np.ndarray.tobytes(one)
        if isinstance(one, bytes | bytearray | memoryview):
            raw = bytes(one).lower()
            return [any(code in raw for code in codes) for codes in coded]
        return []

    seen = {id(own)} | own
    found: list[list[str]] = [[] for _ in names]
    parents: dict[int, object] = {}
    todo: list[object] = [*gc.get_objects(), sys.modules, *frames()]
    seen.update(map(id, (seen, found, parents, todo)))
    while todo:
        one = todo.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        for there, place in zip(held(one), found, strict=False):  # most hold no text at all
            if there:
                place.append(f"{one!r:.60} in {path(id(one), parents)}")
        for child in inside(one):
            parents.setdefault(id(child), one)
            todo.append(child)
    return found


def inside(one: object) -> list[object]:
    """What an object refers to."""
    inner = gc.get_referents(one)
    if isinstance(one, dict):
        inner += dict.keys(one)  # Python tells of values alone where all keys are texts
    elif isinstance(one, np.ndarray) and one.dtype.kind == "O":
        inner += one.ravel().tolist()
    return inner


def frames() -> Iterator[object]:
    """What the frames of every thread hold."""
    for frame in sys._current_frames().values():
        while frame is not None:
            yield dict(frame.f_locals)
            frame = frame.f_back


def path(number: int, parents: dict[int, object]) -> str:
    told = []
    for _ in range(SHOWN):
        if number not in parents:
            break
        holder = parents[number]
        named = getattr(holder, "__qualname__", "") if callable(holder) else ""
        told.append(f"{type(holder).__name__} {named}".strip())
        number = id(holder)
    return " < ".join(told)


def tell(memory: Memory, parts: list[str], folder: Path) -> None:
    """Tell a name in every way there is; ask of it, look at it, and let go of all replies."""
    name = "".join(parts).title()
    memory.snapshot("start")
    memory.observe(f"My niece {name} lives in Oslo.", speaker="Alice", session="s", key=f"k{name}")
    memory.observe("She moved to Bergen.", speaker="Alice", session="s")
    memory.observe_many(
        [
            {"text": f"{name} works for {name} Systems.", "speaker": "Alice"},
            {"text": f'I told "The Book of {name}" to nobody.', "speaker": name, "session": name},
            {"text": f"the {name.lower()}s are here, {name}'s dog too", "attrs": {"at": name}},
        ]
    )
    memory.assert_fact(name, "likes", f"{name} tea", qualifiers={"with": name})
    memory.observe(f"{name} no longer likes {name} tea.", speaker="Alice")
    memory.observe(f"Actually, {name} lives in Rome, not in Bergen.", speaker="Alice")
    for question in (f"Where does {name} live?", f"Who is {name}?", "Where does my niece live?"):
        found = memory.recall(question, k=20)
        memory.explain(found.trace)
        memory.ask(question, speaker="Alice")
        memory.converse(question, speaker="Alice")
    memory.feedback(found.trace, 1.0)
    look_around(memory, name)
    memory.edit(memory.observe(f"It is {name}.").episode_id, text="It is not.")
    memory.sleep()
    look_around(memory, name)
    memory.diff("start")
    memory.export(folder / "all.jsonl")
    with mags.open(None) as other:
        other.import_(folder / "all.jsonl")
    with suppress(mags.NotFound):
        memory.rollback(f"before {name}")
    (folder / "all.jsonl").unlink()


def mention(memory: Memory, parts: list[str]) -> None:
    """Tell a word that becomes nobody's name, and ask of it as if it were one."""
    name = "".join(parts)
    memory.observe(f"It says {name} here, of tea.", speaker="Alice")
    inspect.chains(memory, f"Does the way of {name.title()} lead to tea?", ["tea", "Oslo"])


def look_around(memory: Memory, name: str) -> None:
    """Read what is known of a name in every way there is."""
    of = memory.facts(name)[0].id
    memory.search(f"{name} tea")
    memory.connect(name, "Oslo")
    inspect.chains(
        memory, f"Where does {name} drink tea with Vell{name}?", ["Oslo", f"{name} Systems"]
    )
    inspect.ways(memory, f"From Oslo to {name}?", [of])
    inspect.latest(memory, [name, f"Orn {name}"])
    for seen in (memory.neighbours, memory.profile):
        seen(name)
    for node in memory.to_networkx().nodes:
        memory.get(int(node))
    inspect.life(memory, of)
    memory.log()
    inspect.changes(memory, 0, named=10)
    inspect.picture(memory)
    inspect.region_links(memory)


def main(way: str, where: str) -> None:
    """Tell, look, forget, look again; prints one JSON object."""
    parts, code = syllables(7), syllables(8)
    with tempfile.TemporaryDirectory() as told:
        folder = Path(told)
        path = folder / "m.mags" if where == "file" else None
        chat = None
        if way == "chat":
            chat = ScriptedChat([lambda said: f"It is said: {said[-1].content}"] * 500)
        with mags.open(path, chat=chat) as memory, memory.branch("other") as other:
            tell(other, parts, folder)
            tell(memory, parts, folder)
            mention(memory, code)
            if chat is not None:
                chat.asked.clear()
            gc.collect()
            before = all(holding(parts, code))
            memory.forget("".join(code))
            erased = len(memory.forget("".join(parts)).ids)
            gc.collect()
            after = [one for held in holding(parts, code) for one in held]
    sys.stdout.write(json.dumps({"before": before, "erased": erased, "after": after}))


if __name__ == "__main__":
    main(*sys.argv[1:])
