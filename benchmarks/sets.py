"""`python -m benchmarks.sets`: questions over a class of things, with the class and without it.

Small lives told in plain talk, with changes and with others that fit only half of what is asked.
`--without` leaves the class out of the plan. *Right*: those named are those who are, or nobody is
named where nobody is; *wrong*: others are named; *open*: neither. `@10`: the share of the turns
that show it which are among those of ten hits. The held-out wordings were written afterwards.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rich.console import Console
from rich.table import Table

import mags
from benchmarks.results import CACHE
from benchmarks.vectors import shipped
from mags.app import make_policy
from mags.memory.memory import Memory
from mags.memory.views import Reply
from mags.models.policy.fallback import FallbackPolicy
from mags.ports.policy import Plan, Policy, Turn
from mags.settings import Settings

NOW_S = 1_780_272_000.0
DAY_S = 86_400.0
NAMES = """Ana Ben Carla Dora Emil Frank Gita Hugo Irma Jonas Karin Lars Mona Nils Olga Piet Rosa
Sven Tilda Ursula Viktor Wanda Yusuf Zora""".split()  # noqa: SIM905
TOWNS = ("Oslo", "Bergen", "Lyon", "Turin")
LANGUAGES = ("German", "Danish", "Greek")
INSTRUMENTS = ("cello", "piano", "flute")
TRADES = ("nurse", "baker", "lawyer")
TIES = ("friend", "colleague", "cousin")

TOLD: tuple[tuple[str, str], ...] = (
    ("which", "Which of my {tie}s live in {town}?"),
    ("which", "Which of my {tie}s speak {language}?"),
    ("which", "Which of my {tie}s plays an instrument?"),
    ("which", "Which of my {tie}s is a {trade}?"),
    ("which", "Which of my {tie}s don't eat meat?"),
    ("any", "Do any of my {tie}s live in {town}?"),
    ("count", "How many of my {tie}s live in {town}?"),
    ("same", "Who lives in the same town as {like}?"),
    ("older", "Who is older, {one} or {other}?"),
    ("oldest", "Which of my {tie}s is the oldest?"),
)
HELD_OUT: tuple[tuple[str, str], ...] = (
    ("which", "Tell me who among my {tie}s lives in {town}, please."),
    ("which", "Are there any {tie}s of mine that speak {language}?"),
    ("which", "Which of my {tie}s can play an instrument?"),
    ("which", "Among my {tie}s, who works as a {trade}?"),
    ("which", "Who of my {tie}s does not eat meat?"),
    ("any", "Does anyone among my {tie}s live in {town}?"),
    ("count", "How many {tie}s do I have in {town}?"),
    ("same", "Who else lives in the same city as {like} does?"),
    ("younger", "Which of the two is younger, {one} or {other}?"),
    ("oldest", "Who is the eldest of my {tie}s?"),
)


@dataclass(slots=True)
class Person:
    """What is so of somebody in the end, and the turns that show each of it."""

    name: str
    tie: str
    held: dict[str, str]
    shown: dict[str, int]


@dataclass(frozen=True, slots=True)
class SetCase:
    """A question, those who are its answer, and the turns that show it."""

    kind: str
    text: str
    names: frozenset[str]
    turns: frozenset[int]


def life(rng: random.Random) -> tuple[list[str], list[Person]]:
    """The turns of a life, and who is in it."""
    told: list[str] = []
    people = []
    for name in rng.sample(NAMES, 12):
        tie = rng.choice((*TIES, ""))
        one = Person(name, tie, {}, {})
        people.append(one)
        if tie:
            form = ("My {1} {0} came by today.", "I have a {1} called {0}.", "{0} is my {1}.")
            one.shown["tie"] = _tell(told, rng.choice(form).format(name, tie))
        for what, some, forms in (
            ("town", TOWNS, ("{0} lives in {1}.", "By the way, {0} lives in {1}, I think I said.")),
            ("language", LANGUAGES, ("{0} speaks {1}.", "{0} speaks {1} very well.")),
            ("instrument", INSTRUMENTS, ("{0} plays the {1}.",)),
            ("trade", TRADES, ("{0} is a {1}.", "{0} works as a {1}.")),
            ("age", tuple(map(str, range(21, 70))), ("{0} is {1} years old.", "{0} is {1}.")),
            ("meat", ("meat",), ("{0} doesn't eat {1}.", "{0} likes {1}.")),
        ):
            if rng.random() < (0.9 if what in ("town", "age") else 0.4):
                value, form = rng.choice(some), rng.choice(forms)
                if what == "meat" and "likes" in form:
                    _tell(told, form.format(name, value))
                    continue
                one.held[what] = value
                one.shown[what] = _tell(told, form.format(name, value))
    for one in rng.sample(people, 3):
        if "town" in one.held:
            one.held["town"] = rng.choice([t for t in TOWNS if t != one.held["town"]])
            one.shown["town"] = _tell(told, f"{one.name} moved to {one.held['town']}.")
    return told, people


def _tell(told: list[str], text: str) -> int:
    told.append(text)
    return len(told) - 1


def questions(
    rng: random.Random, people: Sequence[Person], forms: Sequence[tuple[str, str]]
) -> Iterator[SetCase]:
    """Each form once, with the answer by a search through everybody."""
    aged = [one for one in people if "age" in one.held]
    for kind, form in forms:
        one, other = rng.sample(aged, 2)
        like = rng.choice([one for one in people if "town" in one.held])
        value = {
            "town": rng.choice(TOWNS),
            "language": rng.choice(LANGUAGES),
            "trade": rng.choice(TRADES),
            "tie": rng.choice(TIES),
        }
        text = form.format(**value, one=one.name, other=other.name, like=like.name)
        shown: list[tuple[Person, tuple[str, ...]]] = []
        if kind == "same":
            found = [p for p in people if p.held.get("town") == like.held["town"] and p is not like]
            shown = [(p, ("town",)) for p in (*found, like)] if found else []
        elif kind in ("older", "younger", "oldest"):
            pool = (
                [p for p in people if p.tie == value["tie"]] if kind == "oldest" else [one, other]
            )
            ages = sorted(int(p.held.get("age", 0)) for p in pool)
            best = ages[0] if kind == "younger" else ages[-1] if ages else 0
            found = [p for p in pool if int(p.held.get("age", 0)) == best]
            clear = len(found) == 1 and len(pool) > 1 and ages[0] > 0
            found = found if clear else []
            shown = [(p, ("age", *(("tie",) if kind == "oldest" else ()))) for p in pool if clear]
        else:
            what = next(
                (w for w in ("town", "language", "trade") if f"{{{w}}}" in form),
                "meat" if "meat" in form else "instrument",
            )
            met = [p for p in people if p.tie == value["tie"] and what in p.held]
            found = [p for p in met if value.get(what, p.held[what]) == p.held[what]]
            shown = [(p, ("tie", what)) for p in found]
        turns = frozenset(p.shown[what] for p, some in shown for what in some)
        yield SetCase(kind, text, frozenset(p.name for p in found), turns)


def judged(asked: SetCase, reply: Reply) -> str:
    """Right, wrong or open."""
    if reply.outcome != "answered":
        return "open" if asked.names else "right"
    head, dash, _ = reply.text.partition(" \N{EM DASH} ")
    named = {word.strip("(),.:“”") for word in (head if dash else reply.text).split()} & {*NAMES}
    return "right" if named == asked.names and asked.names else "wrong"


class Without(FallbackPolicy):
    """The policy, whose plans leave a class out."""

    def ask(self, question: Turn, recent: Sequence[Turn]) -> Plan:
        """A plan without members."""
        return replace(super().ask(question, recent), members=None)


def main() -> int:
    """Print what is answered; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sets", description=__doc__)
    parser.add_argument("--lives", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--without", action="store_true", help="plans leave the class out")
    parser.add_argument("--read", action="store_true", help="print what is not right")
    given = parser.parse_args()
    embedder, policy = shipped(CACHE), make_policy(Settings(), None)
    asking: Policy = Without(policy, policy) if given.without else policy
    table = Table("wordings", "kind", "right", "wrong", "open", "@10")
    counts: dict[tuple[str, str], Counter[str]] = {}
    for number in range(given.lives):
        rng = random.Random(f"{given.seed}.{number}")
        told, people = life(rng)
        with mags.open(None, embedder=embedder, policy=asking, clock=lambda: NOW_S) as memory:
            ids = [
                memory.observe(text, at=NOW_S - (len(told) - i) * DAY_S).episode_id
                for i, text in enumerate(told)
            ]
            for wordings, forms in (("first", TOLD), ("held out", HELD_OUT)):
                for asked in questions(rng, people, forms):
                    count = counts.setdefault((wordings, asked.kind), Counter())
                    _count(memory, asked, ids, count, read=given.read)
    for (wordings, kind), count in counts.items():
        share = f"{100 * count['found'] / count['turns']:.1f}" if count["turns"] else ""
        row = (str(count[name]) for name in ("right", "wrong", "open"))
        table.add_row(wordings, kind, *row, share)
    Console(width=100).print(table)
    return 0


def _count(
    memory: Memory, asked: SetCase, ids: Sequence[int], count: Counter[str], *, read: bool
) -> None:
    reply = memory.ask(asked.text)
    became = judged(asked, reply)
    hits = memory.recall(asked.text, k=10).hits
    there = {episode for hit in hits for episode in hit.episode_ids}
    count[became] += 1
    count["turns"] += len(asked.turns)
    count["found"] += len(asked.turns & {i for i, one in enumerate(ids) if one in there})
    if read and became != "right":
        print(became, "|", asked.text, "|", sorted(asked.names), "|", reply.text[:200])


if __name__ == "__main__":
    sys.exit(main())
