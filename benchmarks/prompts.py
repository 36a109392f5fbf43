"""`python -m benchmarks.prompts`: what a language model is shown of a memory, and what it costs.

Each set is observed into memories by the rules, and every question is asked of a model that knows
nothing. Printed: how often all the turns that a question needs stand in its first prompt, whole or
by their best passages; tokens of the prompt (four characters a token) and memories in it. LoCoMo is
reported, never tuned on; of LongMemEval and of the corpus only the `dev` part is read.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import mags
from benchmarks.results import CACHE, DATA
from benchmarks.vectors import shipped
from mags.models.answer.context import CUT
from mags.models.answer.llm import AnswerBudget, LlmAnswerer
from mags.models.chat.scripted import ScriptedChat
from mags.models.policy.rules import RulePolicy
from mags.models.prompts import load_prompts
from mags.ports.chat import estimate_prompt
from mags.ports.policy import Turn
from mags_lab.evaluation.datasets.locomo import load_locomo
from mags_lab.evaluation.datasets.longmemeval import load_longmemeval
from mags_lab.evaluation.protocol import Probe, SourceTurn, split
from mags_lab.talk import corpus

MARKED = re.compile(r"^\[m(\d+)\] (.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionQuestion:
    """A question of somebody in a session, and the ids of the turns that answer it."""

    who: str
    text: str
    gold: frozenset[str]
    session: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompted:
    """Of one question: the share of its turns that are shown, and shown whole; what it cost."""

    shown: float
    whole: float
    tokens: int
    memories: int


def talks(name: str) -> Iterator[tuple[list[tuple[str, Turn]], list[SessionQuestion]]]:
    """The memories of a set: turns with their ids, and what is asked after the last one."""
    if name == "talk":
        for one in corpus.dialogues(split="dev"):
            said = [
                (t.id, Turn(text=t.text, speaker=t.speaker, at=t.at.timestamp(), session=t.session))
                for t in one.turns
            ]
            asked = [
                SessionQuestion(
                    who=q.who, text=q.text, gold=frozenset(q.evidence), session=said[-1][1].session
                )
                for q in one.questions
                if q.evidence
            ]
            if asked:
                yield said, asked
    elif name == "longmemeval":
        folder = DATA / "longmemeval"
        data = load_longmemeval(folder / "lme_evidence.jsonl.gz", folder / "haystacks")
        yield _plain(data.turns, [p for p in data.probes if split(p.id) == "dev"])
    else:
        for talk in load_locomo(DATA / "locomo" / "locomo10_conv0-4.json.gz"):
            yield _plain(talk.turns, talk.probes)


def _plain(
    turns: Sequence[SourceTurn], probes: Sequence[Probe]
) -> tuple[list[tuple[str, Turn]], list[SessionQuestion]]:
    said = [
        (t.id, Turn(text=t.text, speaker=t.speaker, at=t.at.timestamp(), session=t.session))
        for t in turns
    ]
    return said, [SessionQuestion(who="user", text=p.text, gold=frozenset(p.gold)) for p in probes]


def prompted(
    said: Sequence[tuple[str, Turn]], asked: Sequence[SessionQuestion], tokens: int
) -> Iterator[Prompted]:
    """What each question's first prompt holds."""
    chat = ScriptedChat(["I don't know."] * len(asked))
    answerer = LlmAnswerer(chat, load_prompts(), budget=AnswerBudget(context_tokens=tokens))
    after = max(turn.at for _, turn in said) + 60.0
    with mags.open(
        None,
        embedder=shipped(CACHE),
        policy=RulePolicy(),
        answerer=answerer,
        clock=lambda: after,
    ) as memory:
        seen = memory.observe_many(turn for _, turn in said)
        turn_of = {one.episode_id: id for one, (id, _) in zip(seen, said, strict=True)}
        for one in asked:
            memory.ask(one.text, speaker=one.who, session=one.session)
            sent = "\n".join(message.content for message in chat.asked[-1].messages[1:])
            lines = {int(id): text for id, text in MARKED.findall(sent)}
            shown = {turn_of[i]: text for i, text in lines.items() if i in turn_of}
            found = [shown[id] for id in one.gold if id in shown]
            yield Prompted(
                shown=len(found) / len(one.gold),
                whole=sum(CUT not in text for text in found) / len(one.gold),
                tokens=estimate_prompt(m.content for m in chat.asked[-1].messages),
                memories=len(lines),
            )


def main(arguments: Sequence[str]) -> int:
    """Measure and print; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.prompts", description=__doc__)
    parser.add_argument("--set", default="talk", choices=("talk", "longmemeval", "locomo"))
    parser.add_argument("--most", type=int, default=1_000, help="memories")
    parser.add_argument("--tokens", type=int, default=AnswerBudget().context_tokens)
    options = parser.parse_args(arguments)
    began = datetime.now(UTC)
    found: list[Prompted] = []
    for place, (said, asked) in enumerate(talks(options.set)):
        if place < options.most:
            found += prompted(said, asked, options.tokens)
    n = len(found) or 1
    print(
        f"{options.set}: {len(found)} questions; all evidence shown "
        f"{100 * sum(one.shown == 1 for one in found) / n:.1f}%, whole "
        f"{100 * sum(one.whole == 1 for one in found) / n:.1f}%; "
        f"{sum(one.tokens for one in found) / n:.0f} prompt tokens, "
        f"{sum(one.memories for one in found) / n:.1f} memories "
        f"({(datetime.now(UTC) - began).total_seconds():.0f} s)"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
