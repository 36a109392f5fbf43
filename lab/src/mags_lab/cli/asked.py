"""`mags eval memories`: every memory is asked what it holds for sure; nothing is changed by it."""

from collections import Counter
from functools import partial
from random import Random
from time import time
from typing import Annotated

import typer

from mags.app import TENANT
from mags.cli import jobs
from mags.cli.console import Tenant
from mags.memory.memory import Memory
from mags.ports.store import Catalog
from mags_lab.training.semantic.lessons import SlotChoice, TaughtSlot, solid
from mags_lab.training.semantic.wordings import Wordings, WordingSide

EVERY_SLOT = SlotChoice(budget=1_000_000)
SIDES = (WordingSide.OTHER, WordingSide.HELD, WordingSide.TAUGHT)
"""Whose wordings are asked, the first that have any: those that no model has learned from."""


def memories(
    folder: jobs.Folder = jobs.FOLDER,
    database: jobs.Database = None,
    tenant: Tenant = TENANT,
    workers: jobs.Processes = None,
    ray: jobs.Cluster = None,
    questions: Annotated[int, typer.Option(min=1, help="At most so many of each memory.")] = 20,
    seed: Annotated[int, typer.Option(help="Chooses facts and wordings.")] = 0,
) -> None:
    """Ask every memory for facts that it holds for sure, and tell how many it answers right.

    Each is asked as people ask, in a wording that no model has learned from where there is one.
    Nothing is changed by it. Interrupted, it goes on when it is run again.
    """
    work = partial(ask_one, questions, seed)
    place = jobs.Place(folder, database, tenant)
    jobs.every("eval", work, place, of=f"{questions} {seed}", processes=workers, cluster=ray)


def ask_one(questions: int, seed: int, memories: Catalog, name: str) -> str:
    """What came of so many questions to a memory."""
    rng = Random(f"{seed} {name}")
    with Memory(memories.open(name), jobs.parts(), read_only=True) as memory:
        held = solid(memory, EVERY_SLOT, time())
        chosen = rng.sample(held, min(questions, len(held)))
        found = Counter(outcome(memory, taught, rng) for taught in chosen)
    counts = ", ".join(f"{found[what]} {what}" for what in ("right", "wrong", "not known"))
    return f"{counts}, of {len(chosen)} facts asked for ({len(held)} held for sure)"


def outcome(memory: Memory, taught: TaughtSlot, rng: Random) -> str:
    """Whether a memory answers right: with one of the values that it holds."""
    sides = (Wordings(side, rng).questions(taught.slot) for side in SIDES)
    asked = rng.choice(next(some for some in sides if some))
    reply = memory.ask(asked)
    said = reply.text.casefold()
    if any(value.casefold() in said for value in taught.fact.objects):
        return "right"
    return "wrong" if reply.outcome == "answered" else "not known"
