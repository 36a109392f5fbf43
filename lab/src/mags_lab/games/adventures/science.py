"""ScienceWorld behind the protocol of a game: tasks of school science in a small house of text.

The simulator (Wang et al., EMNLP 2022, arXiv 2203.07540) is a Java program that its Python package
`scienceworld` starts; it keeps the world, the commands and the points. A seed picks one of the
task's variations: of its training ones for the bank "tuning", of its test ones for "scored", of its
development ones for "unseen".
What is seen is ScienceWorld's own prose, a sentence for each thing, with the room it is in.
"""

from __future__ import annotations

import importlib
import random
import re
import shutil
from collections.abc import Iterable
from typing import Any

from mags.errors import ConfigurationError, InvalidInput, MissingExtra
from mags_lab.games.logic.bank import titled
from mags_lab.games.turns import GameLine, GameScene, Outcome, Truth, check

KIND = "science"
TASKS = (
    "boil", "change-the-state-of-matter-of", "chemistry-mix",
    "chemistry-mix-paint-secondary-color", "chemistry-mix-paint-tertiary-color", "find-animal",
    "find-living-thing", "find-non-living-thing", "find-plant", "freeze", "grow-fruit",
    "grow-plant", "identify-life-stages-1", "identify-life-stages-2",
    "inclined-plane-determine-angle", "inclined-plane-friction-named-surfaces",
    "inclined-plane-friction-unnamed-surfaces", "lifespan-longest-lived",
    "lifespan-longest-lived-then-shortest-lived", "lifespan-shortest-lived",
    "measure-melting-point-known-substance", "measure-melting-point-unknown-substance", "melt",
    "mendelian-genetics-known-plant", "mendelian-genetics-unknown-plant", "power-component",
    "power-component-renewable-vs-nonrenewable-energy", "test-conductivity",
    "test-conductivity-of-unknown-substances", "use-thermometer",
)  # fmt: skip
STEPS = 100
STEP_S = 60.0
POINTS = 100
SIMPLER = "easy"
"""ScienceWorld's own name for doors that stand open and containers that can be reached into."""
ASIDE = frozenset({"reset task", "task", "inventory", "look around"})
"""Commands about the game, or that show what is told anyway."""
ROOM = re.compile(r"This (?:room|outside location) is called the (?P<room>[^.]+)\.")


def scienceworld() -> Any:  # noqa: ANN401 - a module of a library without types
    """The library; raises MissingExtra without it, ConfigurationError without Java."""
    try:
        library = importlib.import_module("scienceworld")
    except ModuleNotFoundError as failure:
        raise MissingExtra(extra="scienceworld", needed_for="ScienceWorld") from failure
    if shutil.which("java") is None:
        raise ConfigurationError(
            "ScienceWorld runs on Java, and there is no `java` on PATH: install a Java runtime"
        )
    return library


def seen(look: str) -> tuple[str, tuple[str, ...]]:
    """The room that a look is of, and a sentence for each thing there."""
    found = ROOM.search(look)
    room = found["room"] if found else "place"
    things = [line.strip().rstrip(".") for line in look.splitlines() if line.startswith("\t")]
    return room, tuple(f"In the {room}: {thing}." for thing in things if thing != "the agent")


def said_of(observation: str) -> str:
    """What came of a command, as one line."""
    return " ".join(observation.split())


class ScienceGame:
    """One task. `bank`: which of its variations are played; `steps`: commands a player has."""

    def __init__(self, task: str, bank: str = "scored", *, steps: int = STEPS) -> None:
        self._task, self._bank, self._steps = task, bank, steps
        self._env: Any = None
        self._open = False

    @property
    def name(self) -> str:
        """Kind and task, as "science/boil"."""
        return titled(KIND, self._task, self._bank)

    def begin(self, seed: int) -> GameScene:
        """The variation of a seed, from its first room.

        Raises MissingExtra without ScienceWorld, ConfigurationError without Java.
        """
        if self._env is None:
            self._env = scienceworld().ScienceWorldEnv("", envStepLimit=self._steps)
        env = self._env
        env.load(self._task, 0, SIMPLER)
        variations = {
            "tuning": env.get_variations_train,
            "scored": env.get_variations_test,
            "unseen": env.get_variations_dev,
        }[self._bank]()
        env.load(self._task, variations[seed % len(variations)], SIMPLER, generateGoldPath=True)
        _, info = env.reset()
        self._way = list(env.get_gold_action_sequence())
        self._order = random.Random(f"{seed}/order")
        self._turn, self._open = 0, True
        self._points = POINTS - int(info["score"])  # some tasks begin with a few
        self._question = said_of(info["taskDesc"])
        self._room, told = seen(info["look"])
        return self._scene((f"You are in the {self._room}.", *told), info)

    def act(self, action: str) -> tuple[Outcome, GameScene | None]:
        """Do a command. The reward is its share of the points left at the start, never below 0.

        Raises InvalidInput for anything but one of the scene's actions, or outside a game.
        """
        check(action, self._actions if self._open else None)
        observation, gained, over, info = self._env.step(action)
        self._way = self._way[1:] if self._way and action == self._way[0] else []
        self._turn += 1
        over = bool(over) or self._turn >= self._steps
        outcome = Outcome(reward=max(0, int(gained)) / self._points, over=over)
        if over:
            self._open = False
            return outcome, None
        room, told = seen(info["look"])
        entered = told if room != self._room else ()
        self._room = room
        return outcome, self._scene((f"You chose: {action}.", said_of(observation), *entered), info)

    def close(self) -> None:
        """End the simulator's process; another game may be begun, and starts a new one."""
        if self._env is not None:
            process = self._env._gateway.java_process
            self._env.close()
            process.stdin.close()  # which the library leaves open
            process.wait(timeout=10)
        self._env, self._open = None, False

    def truth(self) -> Truth:
        """The next step of ScienceWorld's own way to all points, while nobody has left it.

        Nothing else is known: no fact, and nothing best once another way was taken. Raises
        InvalidInput when no scene is open.
        """
        if not self._open:
            raise InvalidInput("no scene is open: begin a game first")
        step = self._way[:1]
        return Truth(
            best=frozenset(step),
            needed=tuple(f"What is to be done now: {one}." for one in step),
            kind=self._task,
            knowable=False,
        )

    def _scene(self, said: Iterable[str], info: dict[str, Any]) -> GameScene:
        # The way may name a thing otherwise than the list does; both are understood.
        actions = sorted({*info["valid"], *self._way[:1]} - ASIDE | set(self._way[:1]))
        self._order.shuffle(actions)
        self._actions = tuple(actions)
        at = self._turn * STEP_S
        lines = tuple(
            GameLine(speaker="world", text=text, at=at + place) for place, text in enumerate(said)
        )
        return GameScene(
            turn=self._turn, at=at, said=lines, question=self._question, actions=self._actions
        )
