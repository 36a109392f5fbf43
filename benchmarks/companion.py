"""`python -m benchmarks.companion`: how well a memory knows a person, on public questions.

PersonaMem: of four replies the one that suits the user, chosen by the embedded reader and by the
embedder alone, from what each player remembers of the sessions (12 turns and 1,500 tokens at
most). LongMemEval: whether the turn that tells the preference is found, among all sessions.
Nothing is fitted on either. PersonaMem is asked the half `test` of its questions, with `--all`
every one (twice the time); LongMemEval has 15 of them, and all are asked. `--users N`: PersonaMem
with the first so many users only.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from benchmarks.results import CACHE, DATA, result, save
from benchmarks.systems import System, mags_system
from benchmarks.vectors import DiskEmbedder, shipped
from mags.errors import MagsError
from mags.ports.chat import estimate
from mags.ports.embedder import Embedder
from mags_lab.evaluation.datasets.longmemeval import LongMemEval, load_longmemeval
from mags_lab.evaluation.datasets.personamem import OneOf, Persona, load_personamem
from mags_lab.evaluation.metrics import bootstrap
from mags_lab.evaluation.protocol import Retriever, SourceTurn, split
from mags_lab.evaluation.suites.retrieval import ask_all, scores
from mags_lab.games.players.notes import Note
from mags_lab.games.players.retrieving import PLAIN, TUNED, LineIndex
from mags_lab.games.reader import shipped_reader
from mags_lab.games.turns import GameLine, GameReader

COMMAND = "python -m benchmarks.companion"
PERSONAMEM, PREFERENCES = "personamem", "longmemeval-preferences"
K = 12
"""Turns recalled for a question, as in the games."""
TOKENS = 1_500
"""Tokens of what is recalled, as of a window in the games."""
LIKEST = 3
"""Lines of the context that a reply is held against, the likest first."""
PREFERENCE = "single-session-preference"


class EmptyMemory:
    """A memory that keeps nothing."""

    def add(self, turns: Sequence[SourceTurn]) -> None:
        """Forget them."""

    def search(self, query: str, k: int) -> list[str]:
        """Find nothing."""
        return []


class LastTurns:
    """The last turns, whatever is asked."""

    def __init__(self) -> None:
        self._kept: list[SourceTurn] = []

    def add(self, turns: Sequence[SourceTurn]) -> None:
        """Keep them; the oldest fall out when something is looked for."""
        self._kept.extend(turns)

    def search(self, query: str, k: int) -> list[str]:
        """All that fits, newest first; more than k where they are short."""
        return [turn.id for turn in fitting(self._kept[::-1])]


class TurnRetrieval:
    """The retrieval of the games: dense, BM25 and recency over every turn, where it is `growing`.

    Else dense and BM25 over the first session alone, as over a rulebook told at the start.
    """

    def __init__(self, embedder: Embedder, *, growing: bool) -> None:
        self._index = LineIndex(embedder, TUNED if growing else PLAIN)
        self._growing = growing
        self._start: str | None = None
        self._ids: list[str] = []

    def add(self, turns: Sequence[SourceTurn]) -> None:
        """Put turns into the index."""
        if not self._growing and turns:
            self._start = self._start or turns[0].session
            turns = [turn for turn in turns if turn.session == self._start]
        first = len(self._ids)
        self._index.add(
            [
                Note(
                    said=(first + place, 0),
                    line=GameLine(speaker=turn.speaker, text=turn.text, at=turn.at.timestamp()),
                )
                for place, turn in enumerate(turns)
            ]
        )
        self._ids += [turn.id for turn in turns]

    def search(self, query: str, k: int) -> list[str]:
        """The k best turns."""
        return [self._ids[note.said[0]] for note in self._index.search(query, k, len(self._ids))]


@dataclass(slots=True)
class Chosen:
    """By question: whether the reply chosen was the right one, and what it took."""

    reader: dict[str, float] = field(default_factory=dict)
    embedder: dict[str, float] = field(default_factory=dict)
    tokens: list[int] = field(default_factory=list)
    search_s: list[float] = field(default_factory=list)
    add_s: float = 0.0


def fitting(turns: Iterable[SourceTurn]) -> Iterator[SourceTurn]:
    """The first turns that fit into `TOKENS` together; one that does not fit ends them."""
    room = TOKENS
    for turn in turns:
        room -= estimate(turn.text)
        if room < 0:
            return
        yield turn


def systems(embedder: DiskEmbedder) -> list[System]:
    """The players, as memories of turns."""
    static: Callable[[], Retriever] = partial(TurnRetrieval, embedder, growing=False)
    growing: Callable[[], Retriever] = partial(TurnRetrieval, embedder, growing=True)
    return [
        System(name="nothing", note="the question alone", turns=EmptyMemory),
        System(name="window", note=f"the last {TOKENS} tokens", turns=LastTurns),
        System(name="static", note="dense and BM25 over the first session", turns=static),
        System(name="growing", note="dense, BM25 and recency, as in the games", turns=growing),
        mags_system(embedder),
    ]


def choose(
    made: Callable[[], Retriever], persona: Persona, reader: GameReader, embedder: DiskEmbedder
) -> Chosen:
    """Tell a new memory everything a user said, then ask it all their questions."""
    clock = time.process_time
    memory, found = made(), Chosen()
    began, embedding = clock(), embedder.seconds
    memory.add(persona.turns)
    found.add_s = clock() - began - (embedder.seconds - embedding)
    turns = {turn.id: place for place, turn in enumerate(persona.turns)}
    for question in persona.questions:
        began, embedding = clock(), embedder.seconds
        ranked = [persona.turns[turns[i]] for i in memory.search(question.said, K)]
        found.search_s.append(clock() - began - (embedder.seconds - embedding))
        told = sorted(fitting(ranked), key=lambda turn: turns[turn.id])
        lines = tuple(f"{turn.speaker}: {turn.text}" for turn in told)
        found.tokens.append(sum(estimate(line) for line in lines))
        asked = f"{persona.name}: {question.said}"
        action = reader.choose(lines, asked, question.options).action
        found.reader[question.id] = float(action == question.options[question.right])
        texts = [turn.text for turn in told]
        found.embedder[question.id] = float(_likest(question, texts, embedder) == question.right)
    return found


def _likest(question: OneOf, texts: Sequence[str], embedder: Embedder) -> int:
    """The reply most like the question and the lines of the context that are most like it."""
    options = embedder.embed(question.options)
    told = embedder.embed([question.said, *texts])
    like = np.sort(options @ told.T, axis=1)[:, ::-1]
    return int(like[:, :LIKEST].mean(axis=1).argmax())


def personas_of(users: int | None, *, every: bool) -> list[Persona]:
    """The users, each with the questions that are to be asked."""
    folder = DATA / "personamem"
    found = load_personamem(folder / "documents.json.gz", folder / "queries.json.gz")[:users]
    if every:
        return list(found)
    return [
        replace(one, questions=tuple(q for q in one.questions if split(q.id) == "test"))
        for one in found
    ]


def personamem(made: Sequence[System], embedder: DiskEmbedder, personas: Sequence[Persona]) -> None:
    """Run and save PersonaMem for each system."""
    kinds = {q.id: q.kind for persona in personas for q in persona.questions}
    reader = shipped_reader()
    for system in made:
        assert system.turns is not None
        parts = [choose(system.turns, persona, reader, embedder) for persona in personas]
        groups: dict[str, list[str]] = defaultdict(list)
        for name, kind in kinds.items():
            half = split(name)
            for group in (half, f"{half} {kind}"):
                groups[group].append(name)
        right = {
            "reader": {k: v for part in parts for k, v in part.reader.items()},
            "embedder": {k: v for part in parts for k, v in part.embedder.items()},
        }
        table = {
            group: {how: bootstrap([by[name] for name in names]) for how, by in right.items()}
            for group, names in groups.items()
        }
        searches = [s for part in parts for s in part.search_s]
        facts = {
            "turns": sum(len(persona.turns) for persona in personas),
            "tokens": round(float(np.mean([n for part in parts for n in part.tokens])), 1),
            "add_cpu_s": round(sum(part.add_s for part in parts), 3),
            "search_cpu_ms_p50": round(float(np.median(searches)) * 1000, 3),
        }
        found = result(PERSONAMEM, system, table, facts, COMMAND)
        print(
            save(found).name,
            {how: round(v.mean, 3) for how, v in table["test"].items()},
            flush=True,
        )


def preferences(made: Sequence[System], embedder: DiskEmbedder) -> None:
    """Run and save the recall of LongMemEval's preferences for each system."""
    folder = DATA / "longmemeval"
    data: LongMemEval = load_longmemeval(folder / "lme_evidence.jsonl.gz", folder / "haystacks")
    probes = [probe for probe in data.probes if probe.kind == PREFERENCE]
    for system in made:
        if system.turns is None or system.name == "nothing":
            continue
        run = ask_all(
            system.turns(),
            data.turns,
            probes,
            30,
            lambda: time.process_time() - embedder.seconds,
        )
        facts = {
            "turns": run.turns,
            "add_cpu_s": round(run.add_s, 3),
            "search_cpu_ms_p50": round(
                float(np.median([outcome.seconds for outcome in run.outcomes])) * 1000, 3
            ),
        }
        table = {"all": scores(run)}
        found = result(PREFERENCES, system, table, facts, COMMAND)
        print(save(found).name, round(table["all"]["recall@10"].mean, 3), flush=True)


def main(arguments: Sequence[str]) -> int:
    """Run both; return the exit status."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--users", type=int, help="PersonaMem: so many users only")
    parser.add_argument("--all", action="store_true", help="PersonaMem: both halves")
    parser.add_argument("--player", action="append", help="only the player of this name")
    parser.add_argument("--only", choices=(PERSONAMEM, PREFERENCES))
    options = parser.parse_args(arguments)
    embedder = shipped(CACHE)
    made = [s for s in systems(embedder) if s.name in (options.player or [s.name])]
    try:
        if options.only != PREFERENCES:
            personamem(made, embedder, personas_of(options.users, every=options.all))
        if options.only != PERSONAMEM:
            preferences(made, embedder)
    except MagsError as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
