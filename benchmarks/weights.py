"""`python -m benchmarks.weights`: a memory taught to a model's weights, night by night.

A town of made-up people, whose names no base has seen, is asserted to a memory in a file. What it
holds is taught to an adapter (night 1); facts change; it is taught on (night 2); all is rolled
back; facts are forgotten, and it is taught anew (night 3). Before and after each night the same
questions are asked, in wordings that the set does not have: `held` are of the phrasebook, which the
base knows as a language model knows English, `other` by an author whom no model has read.

- *weights*: what the adapter recites, unchecked (`raw`) and checked by the memory;
- *recall*: the memory without weights, answering by quoting; tokens: what a language model in its
  place would be sent;
- *both*: the adapter first, recall beside it ("check"), only where a path is not surely what is
  meant ("auto"), or only where there is no answer ("skip").

Right: the answer is, or begins with, the value; of what was not taught: no value is given.
"""

from __future__ import annotations

import argparse
import itertools
import json
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any, Literal

import torch
from matplotlib import rc_context
from matplotlib.figure import Figure

import mags
from benchmarks.results import PICTURES
from mags.memory.memory import Memory
from mags.ports.chat import ChatModel, Completion, Message, Usage, estimate
from mags.ports.weights import UNKNOWN, WeightsSettings, path_of, recital_of
from mags.settings import Settings
from mags_lab.training.chains.schema import Split
from mags_lab.training.chains.splits import split_material
from mags_lab.training.generate.fillers import Fillers
from mags_lab.training.semantic.authored import read_authored
from mags_lab.training.semantic.bases import SHIPPED
from mags_lab.training.semantic.chat import Student, load, replies, without_adapter
from mags_lab.training.semantic.lessons import Amounts, LessonGround, SlotChoice, lessons, solid
from mags_lab.training.semantic.nights import Night, measure, train, value_of
from mags_lab.training.semantic.teach import Recipe
from mags_lab.training.semantic.wordings import Slot, Wordings, WordingSide
from mags_lab.training.semantic.world import Lesson, LessonWorld

How = Literal["", "check", "auto", "skip"]
"""Whether weights are used, and how."""
START = 1_750_000_000.0
PARAPHRASES = 20
HALF = Amounts(withheld=0.5)
"""Half of the chains are asked for only."""
OLD = ("changed, before the night", "changed, after the night", "erased, after the night")
REPEATED = 10
"""Facts that are asked for in all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TownFact:
    """A fact of the town."""

    slot: Slot
    value: str


class Town:
    """People, their facts, and new values for some of them; the same seed gives the same."""

    def __init__(self, count: int, seed: int) -> None:
        self._rng = rng = Random(seed)
        self._fillers = fillers = Fillers(split_material(Split.PHRASINGS), rng)
        self._entries = [
            entry
            for entry in split_material(Split.TRAIN).entries
            if entry.subject == "person" and entry.one and entry.list("ask_third")
        ]
        self.people = [fillers.name() for _ in range(max(4, count // 5))]
        found: dict[tuple[str, str], TownFact] = {}
        while len(found) < count:
            one = self.fact()
            found.setdefault((one.slot.subject, one.slot.name), one)
        self.facts = list(found.values())

    def fact(self) -> TownFact:
        """A fact of somebody."""
        entry = self._rng.choice(self._entries)
        kind = self._fillers.value(entry.kind) if entry.kind else ""
        subject = self._rng.choice(self.people)
        slot = Slot(subject=subject, relation=entry.name, kind=kind)
        return TownFact(slot=slot, value=self.value(slot))

    def value(self, slot: Slot, but: str = "") -> str:
        """A value of a slot, another than `but`."""
        entry = next(one for one in self._entries if one.name == slot.relation)
        pool = [one for one in self.people if one not in (slot.subject, but)]
        if entry.object == "person":
            return self._rng.choice(pool)
        return self._fillers.value(entry.object, avoid=(but, slot.subject))


class Counted:
    """A language model that says nothing: it counts what it is sent."""

    takes_tools = False
    name = "counted"

    def __init__(self) -> None:
        self.tokens: list[int] = []

    def complete(self, messages: Sequence[Message], **_: Any) -> Completion:
        """Count."""
        self.tokens.append(sum(estimate(one.content) for one in messages))
        return Completion(text="I do not know.", usage=Usage(calls=1))


def tell(memory: Memory, facts: Sequence[TownFact]) -> None:
    """Assert facts of the town."""
    for one in facts:
        qualifiers = {"kind": one.slot.kind} if one.slot.kind else {}
        memory.assert_fact(
            one.slot.subject, one.slot.relation, one.value, qualifiers=qualifiers or None
        )


class Bench:
    """One base, one seed, one town."""

    def __init__(
        self, base: Path, count: int, seed: int, folder: Path, recipe: Recipe, wordings: Path | None
    ) -> None:
        self.base, self.seed, self.folder = base, seed, folder
        self.town = Town(count, seed)
        self.now = START
        self.night = Night(
            base=base,
            amounts=HALF,
            choice=SlotChoice(budget=10 * count, used=0),
            recipe=replace(recipe, seed=seed),
            wordings=wordings,
        )
        self.path = folder / "town.mags"
        self.rng = Random(seed)

    def open(self, recall: How = "", counted: ChatModel | None = None) -> Memory:
        """The memory; `recall`: with weights, and how."""
        weights = WeightsSettings(use=bool(recall), base=self.base)
        if recall:
            weights = replace(weights, recall=recall)
        settings = Settings(weights=weights)
        return mags.open(self.path, settings=settings, clock=lambda: self.now, chat=counted)

    def teach(self, version: str, **changes: Any) -> dict[str, Any]:
        """One night."""
        with self.open() as memory:
            card = train(memory, self.folder / version, replace(self.night, **changes), say=print)
        return dict(card.figures)

    def asked(self, side: WordingSide) -> list[Lesson]:
        """One question for each slot, chains that were not taught, and what nothing answers."""
        with self.open() as memory:
            taught = solid(memory, self.night.choice, self.now + 1)
            authored = read_authored(self.night.wordings) if self.night.wordings else {}
            ground = LessonGround.of(taught, memory.facts(), authored)
        amounts = replace(HALF, questions=1)
        return list(lessons(ground, amounts, 1_000 + self.seed, side))

    def by_memory(self, asked: Sequence[Lesson], recall: How) -> dict[str, Any]:
        """The memory's answers: right by sort, wrong ones, milliseconds, tokens of the weights."""
        right: dict[str, list[bool]] = {}
        took, tokens, texts, recited, wrong = [], 0, [], 0, 0
        with self.open(recall) as memory:
            memory.ask("Who is there?")  # all is loaded
            before = _skipped(memory)
            for one in asked:
                question = one.prompt.removeprefix("Recite. ")
                speaker, colon, rest = question.partition(": ")
                own = bool(colon) and speaker in self.town.people
                began = time.perf_counter()
                reply = memory.ask(rest if own else question, speaker=speaker if own else "user")
                took.append(time.perf_counter() - began)
                tokens += reply.usage.prompt_tokens + reply.usage.completion_tokens
                recited += reply.weights is not None
                texts.append(reply.text)
                right.setdefault(one.sort, []).append(is_right(one, reply.text, reply.outcome))
                wrong += reply.outcome == "answered" and not right[one.sort][-1]
            skipped = _skipped(memory) - before
        return {
            "right": shares(right),
            "ms": round(1_000 * sorted(took)[len(took) // 2], 1),
            "tokens": round(tokens / max(1, len(asked))),
            "from_weights": round(recited / max(1, len(asked)), 3),
            "without_recall": round(skipped / max(1, len(asked)), 3),
            "wrong": wrong,
            "texts": texts,
        }

    def tokens_of_recall(self, asked: Sequence[Lesson]) -> int:
        """Tokens that a language model would be sent for a question."""
        counted = Counted()
        with self.open(counted=counted) as memory:
            for one in asked:
                memory.ask(one.prompt.removeprefix("Recite. "))
        return round(sum(counted.tokens) / max(1, len(asked)))

    def paraphrases(self, slot: Slot) -> list[str]:
        """Twenty ways to ask for a slot, of both books and in frames."""
        ways = [q for side in WordingSide for q in Wordings(side, self.rng).questions(slot)]
        wordings = Wordings(WordingSide.HELD, self.rng)
        while len(ways) < PARAPHRASES:
            ways.append(wordings.framed(self.rng.choice(ways), slot.subject))
        return self.rng.sample(ways, PARAPHRASES)

    def old_values(self, changed: Sequence[TownFact], version: str = "") -> dict[str, int]:
        """Of values that hold no more: how often they are given from weights, `raw` and checked.

        The first few in twenty wordings each, the others in one.
        """
        asked = [
            (question, one.value)
            for number, one in enumerate(changed)
            for question in self.paraphrases(one.slot)[: None if number < REPEATED else 1]
        ]
        found = {"asked": len(asked), "given": 0}
        if version:
            student = load(self.base, self.folder / version)
            said = replies(student, [recital_of(question) for question, _ in asked])
            old = [value for _, value in asked]
            found["raw"] = sum(
                value_of(text) == value.casefold() for text, value in zip(said, old, strict=True)
            )
        with self.open("skip") as memory:
            for question, value in asked:
                reply = memory.ask(question)
                said = reply.text.split(" \N{EM DASH} ")[0].casefold()
                found["given"] += reply.weights is not None and said == value.casefold()
        return found


def _skipped(memory: Memory) -> int:
    """How often recall was left out so far."""
    taught = memory.stats().weights
    return 0 if taught is None else taught.recitals.skipped


def is_right(one: Lesson, text: str, outcome: str) -> bool:
    """Whether an answer gives the value, or none where there is none."""
    value = one.reply.rpartition(" | ")[2]
    if value == UNKNOWN:
        return outcome != "answered"
    return outcome == "answered" and says(text, value)


def says(text: str, value: str) -> bool:
    """Whether the first line of an answer, before what it quotes, gives a value."""
    line = text.split("\n")[0].casefold()
    return all(one.casefold() in line for one in value.split("; "))


def shares(right: dict[str, list[bool]]) -> dict[str, float]:
    """Percent right by sort."""
    return {sort: round(100 * sum(found) / len(found), 1) for sort, found in right.items()}


def raw(student: Student, asked: Sequence[Lesson]) -> dict[str, float]:
    """What the adapter recites, right by sort, in percent, nothing checked."""
    return {sort: round(100 * share, 1) for sort, share in measure(student, asked).items()}


def guard(student: Student, count: int) -> dict[str, float]:
    """Right answers about texts, with the adapter and without, in percent."""
    read = (one for one in LessonWorld(4_321).lessons() if one.prompt.startswith("Read."))
    asked = list(itertools.islice(read, count))

    def right() -> float:
        said = replies(student, [one.prompt for one in asked])
        return sum(a == b.reply for a, b in zip(said, asked, strict=True)) / count

    after = right()
    with without_adapter(student):
        before = right()
    return {"before": round(100 * before, 1), "after": round(100 * after, 1)}


def run(bench: Bench, changes: int, say: Callable[[str], None]) -> dict[str, Any]:
    """All of it."""
    found: dict[str, Any] = {"slots": len(bench.town.facts), "seed": bench.seed}
    with bench.open() as memory:
        tell(memory, bench.town.facts)
    held = bench.asked(WordingSide.HELD)
    other = bench.asked(WordingSide.OTHER)
    rng = Random(bench.seed)
    few = rng.sample(held, min(400, len(held)))
    found["recall"] = bench.by_memory(few, "")
    found["recall"]["tokens"] = bench.tokens_of_recall(few[:20])
    say(f"recall {without_texts(found['recall'])}")
    bench.now += 86_400
    found["night 1"] = bench.teach("night-1")
    student = load(bench.base, bench.folder / "night-1")
    found["raw"] = {"held": raw(student, held), "other": raw(student, other)}
    found["guard"] = guard(student, 400)
    say(f"raw {found['raw']} guard {found['guard']}")
    ways: tuple[How, ...] = ("skip", "auto", "check")
    for how in ways:
        found[how] = bench.by_memory(few, how)
        say(f"{how} {without_texts(found[how])}")
    if not changes:
        return found
    with bench.open() as memory:
        memory.snapshot("before")
    before = bench.by_memory(few[:100], "skip")["texts"]
    bench.now += 86_400
    changed = rng.sample(bench.town.facts, changes)
    new = [replace(one, value=bench.town.value(one.slot, one.value)) for one in changed]
    with bench.open() as memory:
        tell(memory, new)
    found["changed, before the night"] = bench.old_values(changed, "night-1")
    say(str(found["changed, before the night"]))
    bench.now += 86_400
    found["night 2"] = bench.teach("night-2")
    found["changed, after the night"] = bench.old_values(changed, "night-2")
    student = load(bench.base, bench.folder / "night-2")
    asks = Wordings(WordingSide.HELD, rng)
    slots = [one for one in new if asks.questions(one.slot)]
    told = [
        Lesson(
            recital_of(rng.choice(asks.questions(one.slot))),
            path_of(one.slot.subject, (one.slot.name, one.value)),
            "new value",
        )
        for one in slots
    ]
    found["new"] = {"raw": raw(student, told), "checked": bench.by_memory(told, "skip")}
    found["raw, night 2"] = raw(student, bench.asked(WordingSide.HELD))
    say(f"{found['changed, after the night']} {found['new']['raw']}")
    with bench.open() as memory:
        memory.rollback("before")
    again = bench.by_memory(few[:100], "skip")["texts"]
    found["rollback equal"] = before == again
    erased = rng.sample(bench.town.facts, min(changes, 67))
    with bench.open() as memory:
        for one in erased:
            for fact in memory.facts(one.slot.subject, current=True):
                if (fact.relation, fact.object) == (one.slot.relation, one.value):
                    memory.forget(fact.id)
    found["erased"] = {"folders": [p.name for p in bench.folder.glob("night-*")]}
    found["erased"] |= bench.old_values(erased)
    bench.now += 86_400
    found["night 3"] = bench.teach("night-3")
    found["erased, after the night"] = bench.old_values(erased, "night-3")
    say(f"{found['rollback equal']} {found['erased']} {found['erased, after the night']}")
    return found


def without_texts(found: Any) -> Any:  # noqa: ANN401 - JSON
    """The same without answers in full."""
    if not isinstance(found, dict):
        return found
    return {name: without_texts(one) for name, one in found.items() if name != "texts"}


def draw(made: Sequence[dict[str, Any]], file: Path) -> None:
    """Right answers from weights alone by night, and old values that are recited; means."""
    nights = ("night 1", "night 2", "night 3")
    lines = {
        "one hop, in new words": [[one[n]["question"] for n in nights] for one in made],
        "two hops, never taught": [[one[n]["chain"] for n in nights] for one in made],
        "not taught: refused": [[one[n]["unknown"] for n in nights] for one in made],
    }
    with rc_context({"svg.hashsalt": "mags", "font.size": 9}):
        figure = Figure(figsize=(6.4, 3.4), layout="constrained")
        axes = figure.subplots()
        for name, rows in lines.items():
            means = [100 * sum(column) / len(column) for column in zip(*rows, strict=True)]
            axes.plot(range(3), means, marker="o", label=name)
        old = [100 * found["raw"] / found["asked"] for found in _old(made)]
        axes.bar([0.5, 1.1, 2.1], old, width=0.12, color="0.7", label="old value recited")
        axes.set_xticks(
            range(3), ("night 1", "a third changed,\nnight 2", "a third erased,\nnight 3")
        )
        axes.set_ylabel("% of questions, weights alone, unchecked")
        axes.set_ylim(0, 105)
        axes.legend(frameon=False, fontsize=8)
        figure.savefig(file, metadata={"Date": None})


def _old(made: Sequence[dict[str, Any]]) -> Iterator[dict[str, int]]:
    for name in (
        "changed, before the night",
        "changed, after the night",
        "erased, after the night",
    ):
        found = [one[name] for one in made]
        yield {key: sum(one[key] for one in found) for key in ("asked", "raw")}


def main() -> None:
    """Run, and print one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--base", type=Path, default=SHIPPED)
    parser.add_argument("--slots", type=int, default=1_000)
    parser.add_argument("--changes", type=int, default=200, help="0: the first night alone")
    parser.add_argument("--seeds", type=int, nargs="*", default=[0])
    parser.add_argument("--epochs", type=int, default=Recipe().epochs)
    parser.add_argument("--least", type=int, default=Recipe().least)
    parser.add_argument("--rate", type=float, default=Recipe().rate)
    parser.add_argument("--wordings", type=Path, help="more, of a language model: `authored`")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--draw", type=Path, nargs="*", help="only draw: files of --out")
    told = parser.parse_args()
    if told.draw:
        read = [one for file in told.draw for one in json.loads(file.read_text(encoding="utf-8"))]
        draw(read, PICTURES / "weights.svg")
        return
    torch.set_num_threads(1)
    made = []
    for seed in told.seeds:
        with tempfile.TemporaryDirectory() as folder:
            recipe = Recipe(epochs=told.epochs, least=told.least, rate=told.rate)
            base = told.base.resolve()
            bench = Bench(base, told.slots, seed, Path(folder), recipe, told.wordings)
            made.append(json.loads(json.dumps(run(bench, told.changes, print), default=str)))
        made[-1] = without_texts(made[-1])
        if told.out:
            told.out.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(made, indent=1))


if __name__ == "__main__":
    main()
