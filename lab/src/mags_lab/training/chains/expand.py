"""Few-shot expansion: a language model writes more samples like those it is shown.

Nothing it writes is taken on trust: the grammar reads every reply, the guardrails refuse invented
words, relations must be those of the examples, and near duplicates are turned away.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from random import Random
from typing import Any

from mags.errors import InvalidInput, ModelReplyError
from mags.models.grammar import check_invented, check_language, invented, read_engram, read_plan
from mags.models.policy.rules.tokens import stems
from mags.models.prompts import Prompt, parse
from mags.ports.chat import ChatModel
from mags.ports.policy import Turn
from mags_lab.training.chains.schema import Role, Sample, Split, check_target, fault_of
from mags_lab.training.chains.variety import SeenTurns

SHOTS = 6
BATCH = 8
ROUNDS = 4
"""How many times the calls that would do if every reply were taken."""
REPLY: dict[str, Any] = {
    "type": "object",
    "properties": {
        "examples": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "speaker": {"type": "string", "minLength": 1},
                    "turn": {"type": "string", "minLength": 1},
                    "reply": {"type": "string", "minLength": 1},
                },
                "required": ["speaker", "turn", "reply"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["examples"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Expansion:
    """What came of it: the samples taken, and how many were refused for which reason."""

    samples: tuple[Sample, ...]
    refused: Counter[str] = field(default_factory=Counter)


def prompt() -> Prompt:
    """The prompt that ships with the package."""
    shipped = resources.files(__package__).joinpath("expand.md")
    return parse("expand", shipped.read_text(encoding="utf-8"))


def expand(
    chat: ChatModel,
    seeds: Sequence[Sample],
    count: int,
    *,
    rng: Random,
    on_taken: Callable[[int], None] = lambda taken: None,
) -> Expansion:
    """Ask for at most `count` new samples like the training samples among `seeds`.

    Only turns that stand alone are shown and asked for: no earlier turns, memories, random words.
    Raises ModelUnavailable; InvalidInput where there is nothing to show.
    """
    usable = [
        s
        for s in seeds
        if s.split is Split.TRAIN and not (s.recent or s.recalled or "scattered" in s.tags)
    ]
    if not usable:
        raise InvalidInput("There is no training sample to show: give some first.", seeds=0)
    known = SeenTurns()
    for sample in seeds:
        known.take(sample)
    taken: list[Sample] = []
    refused: Counter[str] = Counter()
    for _ in range(ROUNDS * -(-count // BATCH)):
        if len(taken) >= count:
            break
        role = rng.choice(sorted({sample.role for sample in usable}))
        pool = [sample for sample in usable if sample.role is role]
        shown = rng.sample(pool, min(SHOTS, len(pool)))
        for sample in _asked(chat, shown, refused):
            reason = refusal(sample, shown, known)
            if reason:
                refused[reason] += 1
            elif len(taken) < count:
                taken.append(replace(sample, id=f"expanded-{len(taken):06}"))
                on_taken(len(taken))
    return Expansion(samples=tuple(taken), refused=refused)


def refusal(sample: Sample, shown: Sequence[Sample], known: SeenTurns) -> str:
    """Why a sample is not taken, in a word or two, or ""; one that is taken becomes known."""
    source = f"{sample.turn.speaker} {sample.turn.text}"
    try:
        check_target(sample)
        if sample.role is Role.WRITE:
            operations = read_engram(sample.target).operations
            check_invented(operations, source)
            check_language(operations, "en", source)
    except InvalidInput:
        return "grammar"
    except ModelReplyError:
        return "guardrails"
    if sample.role is Role.ASK and _invents(sample, source):
        return "guardrails"
    if not _relations(sample) <= {name for one in shown for name in _relations(one)}:
        return "relation"
    return "" if known.take(sample) else "duplicate"


def _asked(chat: ChatModel, shown: Sequence[Sample], refused: Counter[str]) -> Iterator[Sample]:
    examples = [
        {"speaker": one.turn.speaker, "turn": one.turn.text, "reply": one.target} for one in shown
    ]
    told = "\n".join(json.dumps(one, ensure_ascii=False) for one in examples)
    messages = prompt().messages({"examples": told, "count": str(BATCH)})
    try:
        reply = chat.complete(messages, schema=REPLY).text
        written = json.loads(reply.strip().removeprefix("```json").strip("`\n "))
    except (ModelReplyError, ValueError):
        refused["no JSON"] += 1
        return
    if fault_of(written, REPLY):
        refused["form"] += 1
        return
    like = shown[0]
    for one in written["examples"]:
        yield replace(
            like,
            turn=Turn(text=one["turn"], speaker=one["speaker"], at=like.turn.at),
            target=one["reply"].strip(),
            tags=("expanded",),
            source=chat.name,
        )


def _invents(sample: Sample, source: str) -> bool:
    plan = read_plan(sample.target, sample.turn.text)
    names = [*plan.entities, *(hop.subject for hop in plan.hops)]
    return any(invented(name, stems(source)) for name in names)


def _relations(sample: Sample) -> set[str]:
    if sample.role is Role.WRITE:
        return {o.relation for o in read_engram(sample.target).operations if o.relation}
    if sample.role is Role.ASK:
        return {hop.relation for hop in read_plan(sample.target, sample.turn.text).hops}
    return set()
