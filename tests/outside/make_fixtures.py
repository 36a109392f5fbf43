"""Write the memory and the export that every later version must open, and what they give.

    python -m tests.outside.make_fixtures FOLDER

Those under `tests/outside/0.1.0` were written by version 0.1.0 and stay as they are: a version that
changes a format adds a folder of its own beside it and leaves the older ones alone. Its settings
file is written by hand.
"""

import gzip
import json
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import mags
from mags.memory.memory import Memory
from mags.settings import Settings

BEGUN = datetime(2024, 3, 4, 9, tzinfo=UTC)
TALK = (
    ("Alice", "I live in Bergen."),
    ("Alice", "My sister Ana has a dog named Rex."),
    ("Alice", "I work as a nurse at Haukeland."),
    ("Bob", "I live in Porto."),
    ("Bob", "My favourite dish is fish soup."),
    ("Alice", "I play the cello."),
    ("Alice", "Ana lives in Trondheim."),
    ("Alice", "My birthday is on 12 June."),
    ("Bob", "My car is a blue Volvo."),
    ("Alice", "I'm allergic to peanuts."),
    ("Alice", "We talked about the rain for an hour."),
    ("Bob", "I have a cat called Misty."),
    ("Alice", "Dora sings in my choir."),
    ("Alice", "Ana works as a teacher."),
    ("Bob", "My brother Paul lives in Lyon."),
    ("Carol", "Carol keeps bees in Voss."),
    ("Alice", "I like climbing."),
    ("Alice", "I drink coffee every morning."),
    ("Bob", "I like chess."),
    ("Bob", "I play chess with Alice on Sundays."),
    ("Alice", "I play chess with Bob on Sundays."),
    ("Alice", "My favourite colour is green."),
    ("Bob", "I work as a baker."),
    ("Alice", "Ana's dog Rex is afraid of thunder."),
)
QUESTIONS = (
    "Where does Alice live?",
    "What is the name of the dog of Alice's sister?",
    "What is Bob's favourite dish?",
    "What is Alice allergic to?",
)
BRANCH, SNAPSHOT, FORGOTTEN, PINNED = "what-if", "before the move", "Carol", "peanuts"
PICTURE = {"caption": "A harbour with a fortress."}


class Clock:
    """A minute more at each look."""

    def __init__(self) -> None:
        self.now = BEGUN

    def __call__(self) -> float:
        self.now += timedelta(minutes=1)
        return self.now.timestamp()


def write(path: Path) -> None:
    """A memory with something of everything that a file can hold."""
    clock = Clock()
    with mags.open(path, settings=Settings(), clock=clock) as memory:
        for number, (speaker, text) in enumerate(TALK):
            memory.observe(
                text, speaker=speaker, session=f"s{number // 8}", key=f"turn-{number}",
                at=BEGUN + timedelta(days=number),
            )  # fmt: skip
        memory.assert_fact(
            "Dora", "works at", "Statoil", at=BEGUN, until="2024-04-01",
            qualifiers={"as": "an engineer"},
        )  # fmt: skip
        memory.snapshot(SNAPSHOT)
        memory.observe("Bob moved to Rome.", speaker="Alice")
        memory.rollback(SNAPSHOT)
        clock.now = BEGUN + timedelta(days=60)
        moved = memory.observe("I moved to Oslo.", speaker="Alice", at=clock.now, attrs=PICTURE)
        memory.edit(moved.episode_id, importance=0.9)
        memory.pin(memory.recall(PINNED, k=1)[0].id)
        for question in QUESTIONS[:3]:
            memory.feedback(memory.ask(question).trace, reward=1.0)
        with memory.branch(BRANCH) as other:
            other.observe("Alice moved to Paris.", speaker="Bob", at=clock.now)
        memory.forget(FORGOTTEN)
        memory.sleep()
        memory.observe("My sister Eva lives in Braga.", speaker="Bob", at=clock.now)


def told(memory: Memory) -> dict[str, Any]:
    """What a memory gives that no version may change, by names and words, not by ids."""
    about = memory.stats()
    facts = [
        (one.subject, one.relation, one.object, day(one.valid_from), day(one.valid_to))
        for one in memory.facts()
    ]
    qualified = [dict(one.qualifiers) for one in memory.facts() if one.qualifiers]
    return {
        "facts": sorted(" | ".join(fact) for fact in facts),
        "qualifiers": qualified,
        "nodes": dict(about.nodes),
        "open_facts": about.open_facts,
        "closed_facts": about.closed_facts,
        "embedder": about.embedder,
        "pinned": [view.text for view in map(memory.get, ids(memory)) if view.pinned],
        "answers": {question: answer(memory, question) for question in QUESTIONS},
        "cited": {question: cited(memory, question) for question in QUESTIONS},
        "answer_before": answer(memory, QUESTIONS[0], as_of="2024-04-01"),
        "by_caption": memory.recall("a fortress in a harbour", k=1)[0].text,
        "forgotten": [hit.text for hit in memory.recall(FORGOTTEN, k=50) if FORGOTTEN in hit.text],
    }


def kept(memory: Memory) -> dict[str, Any]:
    """What a file holds beyond that, and an export does not."""
    return {
        "log": [f"{entry.seq} {entry.kind}, tick {entry.tick}" for entry in memory.log()],
        "snapshots": [mark.name for mark in memory.snapshots()],
        "branches": [mark.name for mark in memory.branches()],
        "tick": memory.stats().tick,
    }


def answer(memory: Memory, question: str, as_of: str | None = None) -> str:
    """The short answer, without what is quoted for it."""
    return memory.ask(question, as_of=as_of).text.partition(" — ")[0]


def cited(memory: Memory, question: str) -> list[str]:
    """What carries the answer; it is recalled for the question, too."""
    texts = [one.text for one in memory.ask(question).citations]
    return [text for text in texts if text in {hit.text for hit in memory.recall(question, k=5)}]


def ids(memory: Memory) -> list[int]:
    return sorted(memory.to_networkx().nodes)


def day(moment: datetime | None) -> str:
    return "" if moment is None else moment.date().isoformat()


def main(folder: Path) -> None:
    """Everything, into a folder that is made."""
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as place:
        path, lines = Path(place, "memory.mags"), Path(place, "export.jsonl")
        write(path)
        with mags.open(path, settings=Settings(), read_only=True) as memory:
            memory.export(lines)
            given = told(memory) | kept(memory)
            with mags.open(path, branch=BRANCH, settings=Settings(), read_only=True) as other:
                given["answer_on_the_branch"] = answer(other, QUESTIONS[0])
        for whole in (path, lines):
            packed = gzip.compress(whole.read_bytes(), mtime=0)
            (folder / f"{whole.name}.gz").write_bytes(packed)
    text = json.dumps(given, indent=1, ensure_ascii=False)
    (folder / "gives.json").write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
