"""Any game as a Gymnasium environment: `gymnasium.make("mags_lab.games.gym:mags/nonsense-easy")`.

Needs the extra `games`. Observations are texts; an action is the place of one of the scene's
actions. A place beyond them does nothing: the same scene is met again, for no reward. The truth
stays out of it.
"""

from __future__ import annotations

import string
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mags.errors import InvalidInput, MissingExtra
from mags_lab.games.adventures.catalogue import KINDS as ADVENTURES
from mags_lab.games.adventures.science import KIND as SCIENCE
from mags_lab.games.registry import GAMES, make
from mags_lab.games.turns import Game, GameScene

try:
    import gymnasium
    from gymnasium import spaces
except ModuleNotFoundError as failure:
    raise MissingExtra(extra="games", needed_for="playing through Gymnasium") from failure

MOST_ACTIONS = 32
"""Size of the space of actions, but in games of `MORE_ACTIONS`."""
MORE_ACTIONS: Mapping[str, int] = MappingProxyType(
    {**dict.fromkeys(ADVENTURES, 256), SCIENCE: 4096}
)
"""Its size by kind of game, where a scene offers every command that its world takes."""
LETTERS = string.ascii_letters + string.digits + string.punctuation + " \n"
"""What texts are made of; any other letter becomes a question mark."""
LONGEST = 65_536
"""Letters of a text; of a longer one the end is shown."""

Observation = dict[str, Any]
Action = int | np.integer[Any]


class GameEnv(gymnasium.Env[Observation, Action]):
    """A game as an environment.

    Observations: "said" (a line for each speaker and text, oldest first), "question", "actions"
    (one a line). `info` has `turn`, `at` (seconds of game time) and `action_mask` (int8, shape
    (n,), 1 for each action that there is), for `action_space.sample(mask)`; n, the size of
    `action_space`, belongs to the game.
    """

    def __init__(
        self, game: str | Game, render_mode: str | None = None, most_actions: int | None = None
    ) -> None:
        """A game or its name; `most_actions`: n, else what is usual for its kind.

        Raises NotFound.
        """
        if render_mode is not None:
            raise InvalidInput("a game of words is not drawn: leave render_mode out")
        self.game = make(game) if isinstance(game, str) else game
        self.render_mode = None
        kind = self.game.name.partition("/")[0]
        self._most = most_actions or MORE_ACTIONS.get(kind, MOST_ACTIONS)
        self.action_space = spaces.Discrete(self._most)
        text = spaces.Text(min_length=0, max_length=LONGEST, charset=LETTERS)
        self.observation_space = spaces.Dict({"said": text, "question": text, "actions": text})
        self._scene: GameScene | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """A new instance: that of the seed, or one by chance; there are no options.

        Raises InvalidInput, as `step` does, for a scene with more actions than the space has.
        """
        super().reset(seed=seed)
        drawn = int(self.np_random.integers(2**31)) if seed is None else seed
        self._scene = self.game.begin(drawn)
        return observed(self._scene), self._info(self._scene)

    def step(self, action: Action) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Do the action at that place; raises InvalidInput before `reset` and after the end."""
        scene = self._scene
        if scene is None:
            raise InvalidInput("no scene is being played: call reset() first")
        place = int(action)
        if not 0 <= place < len(scene.actions):
            return observed(scene), 0.0, False, False, self._info(scene)
        outcome, following = self.game.act(scene.actions[place])
        self._scene = following
        if following is None:
            return {"said": "", "question": "", "actions": ""}, outcome.reward, True, False, {}
        return observed(following), outcome.reward, outcome.over, False, self._info(following)

    def _info(self, scene: GameScene) -> dict[str, Any]:
        if len(scene.actions) > self._most:
            raise InvalidInput(
                f"a scene of {self.game.name} has {len(scene.actions)} actions, and the space of"
                f" actions {self._most} places: make the environment with"
                f" most_actions={2 * len(scene.actions)}",
                game=self.game.name,
                actions=len(scene.actions),
            )
        mask: NDArray[np.int8] = np.zeros(self._most, dtype=np.int8)
        mask[: len(scene.actions)] = 1
        return {"turn": scene.turn, "at": scene.at, "action_mask": mask}


def observed(scene: GameScene) -> Observation:
    """What a scene shows, as texts of the observation space."""
    said = "\n".join(f"{line.speaker}: {line.text}" for line in scene.said)
    shown = {"said": said, "question": scene.question, "actions": "\n".join(scene.actions)}
    return {name: _plain(text) for name, text in shown.items()}


def _plain(text: str) -> str:
    return "".join(c if c in _LETTERS else "?" for c in text)[-LONGEST:]


_LETTERS = frozenset(LETTERS)


def register() -> None:
    """Make every game known to Gymnasium, as "mags/nonsense-easy" and so on."""
    for name in GAMES:
        id_ = f"mags/{name.replace('/', '-')}"
        if id_ not in gymnasium.registry:
            gymnasium.register(
                id=id_, entry_point="mags_lab.games.gym:GameEnv", kwargs={"game": name}
            )


register()
