"""What is read from 500 turns: operations, facts, closings and reasons, and the weights made."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnxruntime import InferenceSession

from mags.graph.records import NEVER, ArcKind, NodeFlag, NodeKind
from mags.memory.memory import Memory
from mags.memory.views import Seen
from mags.ports.policy import Operation, Plan, Recalled, Route, Turn, Writing
from tests.golden.labels import Labels, empty, shipped
from tests.golden.written import HERE, number, same

SAID = re.compile(r"(\S+) ([^:]+): (.*)")
SHIFTING = frozenset({"slot"})
"""What a reason holds that is another in every memory: slots are hashed by a key of its own."""
TIMES = frozenset({"valid_from", "valid_to"})
NODES = frozenset({"fact", "by", "entity", "note", "node", "subject", "episode"})


@dataclass(frozen=True, slots=True)
class Talk:
    """One conversation: its name and its turns, all in one session."""

    name: str
    turns: tuple[Turn, ...]


@dataclass(slots=True)
class Kept:
    """The shipped policy, and what it made of each turn, by its text and time."""

    name: str = "kept"
    made: dict[tuple[str, float], Writing] = field(default_factory=dict)

    def route(self, turn: Turn, recent: Sequence[Turn]) -> Route:
        """As the shipped one does."""
        return shipped().route(turn, recent)

    def ask(self, question: Turn, recent: Sequence[Turn]) -> Plan:
        """As the shipped one does."""
        return shipped().ask(question, recent)

    def wants(self, turn: Turn, recent: Sequence[Turn]) -> tuple[str, ...]:
        """As the shipped one does."""
        return shipped().wants(turn, recent)  # type: ignore[attr-defined, no-any-return]

    def write(self, turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled]) -> Writing:
        """As the shipped one does; what it made is kept."""
        made = self.made[turn.text, turn.at] = shipped().write(turn, recent, recalled)
        return made


def talks() -> list[Talk]:
    """The conversations of `turns.txt`."""
    found: list[tuple[str, list[Turn]]] = []
    for line in (HERE / "turns.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            found.append((line[2:], []))
            continue
        told = SAID.fullmatch(line)
        if told is None:
            raise ValueError(f"turns.txt: this is no turn: {line}")
        at = datetime.fromisoformat(told[1]).replace(tzinfo=UTC).timestamp()
        name, turns = found[-1]
        text = told[3].replace("\\n", "\n")
        turns.append(Turn(text=text, speaker=told[2], at=at, session=name))
    return [Talk(name, tuple(turns)) for name, turns in found]


def read(talk: Talk, *, together: bool = False) -> tuple[dict[str, list[str]], list[str]]:
    """What was read of each turn, by the line that says the turn; and the weights of all."""
    policy = Kept()
    with empty(talk.turns[-1].at, policy) as memory:
        if together:
            seen = memory.observe_many(talk.turns)
        else:
            seen = [
                memory.observe(t.text, speaker=t.speaker, at=t.at, session=t.session)
                for t in talk.turns
            ]
        labels = Labels()
        out: dict[str, list[str]] = {}
        weights = [f"# {talk.name}"]
        for place, (turn, one) in enumerate(zip(talk.turns, seen, strict=True), 1):
            labels.learn(place, one)
            said = turn.text.replace("\n", "\\n")
            head = f"[{place}] {_day(turn.at)} {turn.speaker}: {said}"
            made = policy.made.get((turn.text, turn.at), Writing())  # what is no talk, nobody reads
            out[head] = [f"    {line}" for line in _read(memory, turn, made, one, labels)]
            weights += [f"[{place}]", *(f"    {line}" for line in _weights(one, labels))]
    return out, weights


def _read(memory: Memory, turn: Turn, made: Writing, seen: Seen, labels: Labels) -> Iterator[str]:
    for operation in made.operations:
        yield _operation(operation)
    if not seen.understood:
        yield f"not understood: {seen.why}"
    if made.is_question:
        yield "asks"
    yield from _new(memory, turn, seen, labels)
    yield from _altered(memory, seen, labels)
    arcs = seen.delta.arcs.created()
    mentioned = [labels[a["dst"]] for a in arcs if a["kind"] == ArcKind.MENTIONS]
    if mentioned:
        yield f"mentions: {', '.join(mentioned)}"
    for reason in seen.delta.reasons:
        if reason["rule"] not in ("add", "note", "first-edges"):
            yield f"why: {_reason(reason, labels)}"


def _new(memory: Memory, turn: Turn, seen: Seen, labels: Labels) -> Iterator[str]:
    """New facts with their ends, new notes, and new names."""
    names = []
    for node in seen.delta.nodes.created():
        view = memory.get(int(node["id"]))
        if node["kind"] == NodeKind.ENTITY:
            names.append(" = ".join([f"{labels[view.id]} {view.text}", *view.meta["aliases"]]))
        elif node["kind"] != NodeKind.EPISODE:
            ends = [f"{labels[node['subject']]} > {labels[node['object']]}:"]
            ends = ends if node["kind"] == NodeKind.FACT else []
            state = [part for part in _state(node) if part != f"from {_day(turn.at)}"]
            yield " ".join(["+", labels[view.id], *ends, view.text, *state])
    if names:
        yield f"names: {'; '.join(names)}"


def _altered(memory: Memory, seen: Seen, labels: Labels) -> Iterator[str]:
    """What was known and is now otherwise: closed (x), said again (=) or changed (~)."""
    altered = seen.delta.nodes.altered()
    for old, new in zip(altered.before, altered.after, strict=True):
        was, now = list(_state(old)), list(_state(new))
        view = memory.get(int(new["id"]))
        mark = "x" if view.id in seen.closed else "=" if view.id in seen.confirmed else "~"
        if mark != "~" or was != now or old["content"] != new["content"]:
            gone = [f"not {part}" for part in was if part not in now]
            come = [part for part in now if part not in was]
            yield " ".join([mark, labels[view.id], view.text, *gone, *come])


def _operation(operation: Operation) -> str:
    said = [operation.act.name]
    triple = (operation.subject, operation.relation, operation.object)
    said.append(" | ".join(triple) if any(triple) else operation.text)
    said += [f"{role}={words}" for role, words in sorted(operation.qualifiers.items())]
    for word, at in (("from", operation.valid_from), ("until", operation.valid_to)):
        if at is not None:
            said.append(f"{word} {_day(at)}")
    if operation.one is not None:
        said.append("one" if operation.one else "many")
    said += [w for w in ("change", "tentative", "exact") if getattr(operation, w)]
    for entity, names in sorted(operation.aliases.items()):
        said.append(f"({entity} = {', '.join(names)})")
    return " ".join([*said, number(operation.confidence)])


def _state(node: NDArray[np.void]) -> Iterator[str]:
    """What holds of a node, but for its strength."""
    if node["kind"] != NodeKind.EPISODE and node["valid_from"] > -NEVER:
        yield f"from {_day(float(node['valid_from']))}"
    if node["valid_to"] < NEVER:
        yield f"until {_day(float(node['valid_to']))}"
    yield from (flag.name.lower() for flag in NodeFlag(int(node["flags"])) if flag.name)
    if node["kind"] in (NodeKind.FACT, NodeKind.NOTE):
        yield number(float(node["confidence"]))


def _reason(reason: Mapping[str, Any], labels: Labels) -> str:
    said = [str(reason["rule"])]
    for name, value in reason.items():
        if name == "rule" or name in SHIFTING:
            continue
        if name in NODES:
            value = labels[value]
        elif name in TIMES:
            value = _day(float(value))
        elif isinstance(value, float):
            value = number(value)
        said.append(f"{name}={value}")
    return " ".join(said)


def _weights(seen: Seen, labels: Labels) -> Iterator[str]:
    """Strength and importance of what is new or stronger, and the associations made or altered."""
    for node in seen.delta.nodes.after:
        strength, importance = (number(float(node[name])) for name in ("strength", "importance"))
        yield f"{labels[node['id']]} strength {strength} importance {importance}"
    arcs = seen.delta.arcs
    ties = {
        (labels[arc["src"]], labels[arc["dst"]]): number(float(arc["w"])) if has else "gone"
        for arc, has in zip(arcs.after, arcs.has, strict=True)
        if arc["kind"] == ArcKind.ASSOCIATION
    }
    by_start: dict[str, list[str]] = defaultdict(list)
    for (start, end), weight in sorted(ties.items()):
        back = ties.get((end, start))
        if back != weight:
            by_start[f"{start} ->"].append(f"{end} {weight}")
        elif start < end:
            by_start[f"{start} ~"].append(f"{end} {weight}")
    for start, ends in by_start.items():
        yield f"{start} {', '.join(ends)}"


def _day(at: float) -> str:
    """A moment, without its time of day where that is midnight."""
    if not abs(at) < NEVER:
        return str(at)
    text = datetime.fromtimestamp(at, UTC).isoformat(timespec="minutes").removesuffix("+00:00")
    return text.removesuffix("T00:00")


@contextmanager
def computed_once() -> Iterator[None]:
    """The encoder computes the same input once, for the length of a block."""
    run = InferenceSession.run
    kept: dict[tuple[object, ...], Any] = {}

    def remembered(
        session: InferenceSession, wanted: Sequence[str], feed: Mapping[str, NDArray[np.int64]]
    ) -> Any:
        arrays = ((name, array.shape, array.tobytes()) for name, array in feed.items())
        key = (id(session), *wanted, *arrays)
        if key not in kept:
            kept[key] = run(session, wanted, feed)
        return kept[key]

    InferenceSession.run = remembered
    try:
        yield
    finally:
        InferenceSession.run = run


def made() -> dict[str, str]:
    """The golden texts of the turns, by the names of their files.

    Of `observe_many` only the turns that it reads otherwise than `observe` does.
    """
    out: dict[str, list[str]] = {"observe.txt": [], "observe_many.txt": [], "weights.txt": []}
    for talk in talks():
        with computed_once():
            alone, weights = read(talk)
            together, _ = read(talk, together=True)
        apart = {head: lines for head, lines in together.items() if not same(alone[head], lines)}
        for name, turns in (("observe.txt", alone), ("observe_many.txt", apart)):
            if turns:
                out[name].append(f"# {talk.name}")
            for head, lines in turns.items():
                out[name] += [head, *lines]
        out["weights.txt"] += weights
    return {name: "".join(f"{line}\n" for line in lines) for name, lines in out.items()}
