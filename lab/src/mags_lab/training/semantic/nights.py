"""One version of an adapter: chosen from a memory, taught, measured, and put to use.

The folder of a version holds its card, the set it was taught (`set.jsonl`), its checkpoints, the
adapter and its figures. It is listed in the memory before the first word is written there, so that
`forget` finds it. A version on the same base begins with the one before: what is new or changed is
taught in full, what is over as not known, of the rest a little is repeated.
"""

from __future__ import annotations

import json
import shutil
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any, Literal

from datasets import disable_progress_bars

from mags.app import make_chat
from mags.errors import ConfigurationError, InvalidInput, ModelError
from mags.memory.memory import Memory
from mags.memory.weights import (
    Artifact,
    adapter_in_use,
    begun,
    commit_training,
    register,
    release,
    things,
)
from mags.models.answer.weights import read_card, write_card
from mags.ports.chat import ChatModel
from mags.ports.weights import Card, folded
from mags.recall.found import FactView
from mags.settings import Settings
from mags_lab.training.gguf import export_adapter, export_gguf
from mags_lab.training.semantic.authored import Authored, author, read_authored
from mags_lab.training.semantic.chat import Student, load, merged, replies
from mags_lab.training.semantic.lessons import (
    Amounts,
    LessonGround,
    SlotChoice,
    TaughtSlot,
    lessons,
    slot_of,
    solid,
    unlearned,
)
from mags_lab.training.semantic.teach import (
    Recipe,
    Stop,
    instruct,
    prefer,
    preferences,
    with_adapter,
)
from mags_lab.training.semantic.wordings import WordingSide
from mags_lab.training.semantic.world import Lesson

SET = "set.jsonl"
CHECKPOINTS = "checkpoints"
CURVE = "curve.json"
"""Written when the first step is done."""
HELD = 200
"""Questions in held-out wordings by which it is told when to stop."""
REPEATED = Amounts(questions=2, statements=0, chains=0.25)
"""What is repeated of that which was taught before."""

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Night:
    """How a version is made.

    `base`: its folder; `gguf`, `lora`: files for llama.cpp, of base and adapter merged and of the
    adapter alone; `wordings`: a file of a language model's wordings (`authored`).
    """

    base: Path
    choice: SlotChoice = field(default_factory=SlotChoice)
    amounts: Amounts = field(default_factory=Amounts)
    recipe: Recipe = field(default_factory=Recipe)
    anew: bool = False
    four_bit: bool = False
    gguf: Path | None = None
    lora: Path | None = None
    wordings: Path | None = None


def train(
    memory: Memory,
    out: Path,
    night: Night,
    *,
    chat: ChatModel | None = None,
    say: Say = lambda line: None,
) -> Card:
    """Teach the next version to the folder `out`; its name is the version's.

    `chat` writes wordings that the night's file lacks; where it fails it is said, and training
    goes on without them. Stopped, it goes on where it was when it is called again, the memory and
    the wordings being as they were. Raises InvalidInput where nothing can be taught, or something
    was forgotten meanwhile (then the folder is gone); ConfigurationError where the folder is of
    another run.
    """
    began = time.monotonic()
    disable_progress_bars()
    facts = memory.facts()
    taught = solid(memory, night.choice, time.time())
    if not taught:
        raise InvalidInput(
            "this memory holds nothing yet that can be taught: open, undisputed facts, surely read "
            f"(confidence {night.choice.sure} or more), without qualifiers"
        )
    before = None if night.anew else _before(memory, night)
    names = {one.slot.name for one in taught}
    ground = LessonGround.of(taught, facts, _authored(night.wordings, names, chat, say))
    made = list(_set(ground, facts, before, night))
    base = str(night.base.resolve())
    card = begun(memory, out.name, base, [one.fact for one in taught])
    _claim(memory, out, card, made, before)
    say(_told(taught, made, before))
    held = list(
        lessons(ground, Amounts(questions=1, unknown=1.0), night.recipe.seed, WordingSide.HELD)
    )
    student, curve = _instructed(made, held, out, before, night)
    instructed = measure(student, held)
    _preferring(student, made, out, night)
    figures = {**measure(student, held), "instructed": instructed, "curve": curve}
    figures["recipe"] = asdict(night.recipe)
    student.model.save_pretrained(str(out))
    shutil.rmtree(out / CHECKPOINTS, ignore_errors=True)
    (out / "README.md").unlink(missing_ok=True)  # a form that PEFT leaves
    figures |= {"seconds": round(time.monotonic() - began, 1), "bytes": _bytes(out)}
    card = replace(card, figures=figures)
    write_card(out, card)
    for file in (night.gguf, night.lora):
        if file is not None:
            export(memory, night, card, out, file)
    _use(memory, out, card)
    return card


def _authored(
    file: Path | None, relations: Iterable[str], chat: ChatModel | None, say: Say
) -> Mapping[str, Authored]:
    """Wordings of a language model, where a file for them is named."""
    if file is None:
        return {}
    if chat is not None:
        try:
            return author(chat, relations, file)
        except ModelError as failure:
            say(f"Wordings that {file} lacks are left out: {failure}")
    return read_authored(file)


def _before(memory: Memory, night: Night) -> tuple[Path, Card] | None:
    """The version in use, where it can be gone on from."""
    found = adapter_in_use(memory)
    if found is None or not (found.path / SET).is_file():
        return None
    card = read_card(found.path)
    return (found.path, card) if Path(card.base) == night.base.resolve() else None


def _set(
    ground: LessonGround, facts: Sequence[FactView], before: tuple[Path, Card] | None, night: Night
) -> Iterator[Lesson]:
    seed, amounts = night.recipe.seed, night.amounts
    if before is None:
        yield from lessons(ground, amounts, seed)
        return
    old = {(folded(one.subject, one.relation), one.value) for one in before[1].facts}
    known = [(folded(one.slot.subject, one.slot.name), one.value) in old for one in ground.taught]
    fresh = [one for one, is_known in zip(ground.taught, known, strict=True) if not is_known]
    kept = [one for one, is_known in zip(ground.taught, known, strict=True) if is_known]
    yield from lessons(replace(ground, taught=fresh), replace(amounts, unknown=0.25), seed)
    slots = {fact.id: slot_of(fact) for fact in facts}
    over = [one for one in before[1].facts if one.ids[0] in slots]
    yield from unlearned((slots[one.ids[0]] for one in over), ground, amounts.questions, seed)
    yield from lessons(replace(ground, taught=kept), REPEATED, seed)


def _claim(
    memory: Memory,
    out: Path,
    card: Card,
    made: Sequence[Lesson],
    before: tuple[Path, Card] | None,
) -> None:
    """Make the folder a version's: listed, with its card and its set, or found as it was left."""
    rows = [json.dumps(asdict(one), ensure_ascii=False) for one in made]
    written, place = "\n".join((*rows, "")), out / SET
    if place.is_file() and place.read_text(encoding="utf-8") != written:
        raise ConfigurationError(
            f"{out} is of another run, or the memory has changed since it began: give another "
            "folder, or delete this one.",
            key="--out",
        )
    if not place.is_file() and out.is_dir() and any(out.iterdir()):
        raise ConfigurationError(f"{out} is not empty: give another folder.", key="--out")
    register(memory, _thing(memory, "adapter", out, card, before and before[0]))
    out.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_card(out, card)
    place.write_text(written, encoding="utf-8")


def _instructed(
    made: Sequence[Lesson],
    held: Sequence[Lesson],
    out: Path,
    before: tuple[Path, Card] | None,
    night: Night,
) -> tuple[Student, list[float]]:
    """After the first step, and how much of the held-out wordings was right at each look."""
    recipe, rng = night.recipe, Random(night.recipe.seed)
    if (out / CURVE).is_file():  # it was stopped after it
        curve: list[float] = json.loads((out / CURVE).read_text(encoding="utf-8"))
        return load(night.base, out, trainable=True, four_bit=night.four_bit), curve
    student = load(night.base, before and before[0], trainable=True, four_bit=night.four_bit)
    if before is None:
        student = with_adapter(student, recipe)
    asked = [one for one in held if one.sort == "question"]
    stop = Stop(student, rng.sample(asked, min(HELD, len(asked))), recipe)
    instruct(student, made, recipe, out / CHECKPOINTS / "sft", callbacks=[stop])
    student.model.save_pretrained(str(out))
    (out / CURVE).write_text(json.dumps(stop.curve), encoding="utf-8")
    return student, stop.curve


def _preferring(student: Student, made: Sequence[Lesson], out: Path, night: Night) -> None:
    pairs = list(preferences(made, night.recipe.pairs, Random(night.recipe.seed)))
    if pairs:
        prefer(student, pairs, night.recipe, out / CHECKPOINTS / "dpo")


def measure(student: Student, held: Sequence[Lesson]) -> dict[str, float]:
    """Share of right replies by sort of lesson, in [0, 1]; the value alone counts."""
    right: dict[str, list[bool]] = defaultdict(list)
    said = replies(student, [one.prompt for one in held])
    for one, text in zip(held, said, strict=True):
        right[one.sort].append(value_of(text) == value_of(one.reply))
    return {sort: round(sum(found) / len(found), 4) for sort, found in right.items()}


def value_of(reply: str) -> str:
    """The last object of a path."""
    return reply.rpartition(" | ")[2].strip().casefold()


def _thing(
    memory: Memory, kind: Literal["adapter", "export"], path: Path, card: Card, origin: Path | None
) -> Artifact:
    """What is listed of a version: what it was taught, and what it may hold of its `origin`."""
    held = set(card.ids)
    for one in things(memory):
        held |= set(one.facts) if origin is not None and one.path == origin.resolve() else set()
    return Artifact(
        kind=kind,
        path=path,
        facts=tuple(sorted(held)),
        version=card.version,
        branch=card.branch,
        seq=card.seq,
    )


def export(memory: Memory, night: Night, card: Card, out: Path, file: Path) -> Path:
    """Write a version as GGUF (float16) to one of the night's files, which the memory lists.

    Merged into its base it works on whatever the model is asked; alone, from "Recite" on.
    """
    register(memory, _thing(memory, "export", file, card, out))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch(mode=0o600)
    if file == night.lora:
        return export_adapter(load(night.base, out).model, file, name=card.version)
    student = merged(load(night.base, out, always=True))
    return export_gguf(student.model, student.tokenizer, file, name=card.version)


def _use(memory: Memory, out: Path, card: Card) -> None:
    """Put a version to use; what was forgotten while it was taught takes it along."""
    try:
        commit_training(memory, card, out)
    except InvalidInput:
        shutil.rmtree(out)
        release(memory, out)
        raise


def _bytes(out: Path) -> int:
    return sum(file.stat().st_size for file in out.glob("adapter_*"))


def _told(
    taught: Sequence[TaughtSlot], made: Sequence[Lesson], before: tuple[Path, Card] | None
) -> str:
    of = f"on from {before[1].version}" if before else "anew"
    return f"Teaching {len(taught):,} slots in {len(made):,} lessons, {of}."


def sleep(memory: Memory, settings: Settings) -> str:
    """The next version, by the settings; what came of it in a line (entry point `mags.weights`)."""
    wanted = settings.weights
    if wanted.base is None:
        raise ConfigurationError(
            "sleep of [weights] is on, but base names no model's folder", key="weights.base"
        )
    folder = wanted.folder or _beside(memory)
    number = 1 + sum(one.kind == "adapter" for one in things(memory))
    while (folder / f"night-{number}").exists():
        number += 1
    said: list[str] = []
    night = Night(base=wanted.base, wordings=wanted.wordings)
    chat = None if wanted.wordings is None else make_chat(settings)
    card = train(memory, folder / f"night-{number}", night, chat=chat, say=said.append)
    return "\n".join((*said, summary(card)))


def summary(card: Card) -> str:
    """What came of a version, in a line."""
    right = ", ".join(f"{sort} {100 * share:.0f}%" for sort, share in _shares(card.figures))
    cost = f"{card.figures['seconds']:.0f} s, {card.figures['bytes'] / 1e6:.1f} MB"
    of = f"{len(card.facts):,} slots to {card.version} ({cost})"
    return f"Taught {of}; right in wordings it was not taught: {right}."


def _shares(figures: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    return ((sort, figures[sort]) for sort in ("question", "chain", "unknown") if sort in figures)


def _beside(memory: Memory) -> Path:
    path = getattr(memory._store, "path", None)
    if path is None:
        raise ConfigurationError(
            "where should adapters lie? set folder of [weights]", key="weights.folder"
        )
    return Path(path).with_suffix(".weights")
